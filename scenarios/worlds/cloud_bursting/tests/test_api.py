from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.worlds.cloud_bursting import WORLD
from scenarios.worlds.cloud_bursting.clocks import UNIX_BEGIN
from scenarios.worlds.cloud_bursting.setting import Setting, open_period
from scenarios.worlds.cloud_bursting.tests.periods import (
    BOTH,
    CALM,
    DAY,
    HIGH,
    HOUR,
    MINUTE,
    Episode,
    calm,
    job,
    small,
    ticks,
)
from scenarios.worlds.cloud_bursting.workload import FAMILIES
from scenarios.worlds.front import ApiFaults
from scenarios.worlds.refusal import Refused


def rows(answer: object) -> list[Any]:
    assert isinstance(answer, dict)
    found: list[Any] = answer["rows"]
    return found


def states(period: Episode, cloud: str) -> list[str]:
    return [row[2] for row in rows(period.runs(cloud))]


def test_same_key_is_the_same_run_and_another_key_is_another() -> None:
    period = calm(job(), job())
    first = period.submit(0, "kestrel", "job-0-0")
    assert period.submit(0, "kestrel", "job-0-0") == first
    assert len(period.world.runs) == 1
    assert period.submit(0, "kestrel", "job-0-1") != first
    with pytest.raises(Refused, match="was used for job 0"):
        period.submit(1, "kestrel", "job-0-0")


def test_submit_that_timed_out_can_be_repeated_without_a_second_run() -> None:
    config = small(faults=ApiFaults(write_timeout=0.6, read_timeout=0.0))
    period = Episode(config, [job() for _ in range(30)], "test")
    period.tick()
    for number in range(30):
        while True:
            period.tick()
            with contextlib.suppress(Refused):
                period.submit(number, "kestrel" if number < 5 else "primary", f"job-{number}")
                break
    assert sorted(run.job for run in period.world.runs) == list(range(30))
    lost = [row for row in period.figures()["incidents"] if row[1] == "lost write"]
    assert lost
    assert all(handled for *_, handled in lost)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_every_family_stays_within_the_documented_bounds(family: str) -> None:
    setting = Setting(clouds=BOTH, stuck_feeds=3, outages=2)
    for seed in "abc":
        config = open_period(DEFAULT, setting, family, seed).config
        assert config.faults.write_timeout <= 1 / 12
        assert config.faults.read_timeout <= 1 / 50
        assert all(end - begin <= 20 * MINUTE for begin, end in config.faults.throttled)
        assert all(end - begin <= 15 * MINUTE for begin, end in config.faults.stale)
        assert all(HOUR <= end - begin <= 3 * HOUR for _, begin, end in config.trouble.outages)
        stuck = config.trouble.feed_stuck
        assert all(30 * MINUTE <= end - begin <= 100 * MINUTE for begin, end in stuck)


def test_each_cloud_speaks_its_own_words_and_clock() -> None:
    period = calm(job(), job(), job())
    for number, cloud in enumerate(("primary", "kestrel", "plover")):
        period.submit(number, cloud, f"job-{number}")
    assert [states(period, cloud) for cloud in ("primary", "kestrel", "plover")] == [
        ["RUNNING"],
        ["provisioning"],
        ["BOOTING"],
    ]
    changed = [rows(period.runs(cloud))[0][4] for cloud in ("primary", "kestrel", "plover")]
    assert changed == [300, (UNIX_BEGIN + 300) * 1000, 300 + 7200]
    clocks = [row[-1] for row in rows(period.clouds())]
    assert clocks == changed
    ticks(period, 30)
    assert states(period, "kestrel") == ["terminated"]
    assert rows(period.runs("kestrel"))[0][5] == 0


def test_cancelled_run_is_told_from_a_good_end_by_its_exit_code() -> None:
    period = calm(job(8, 300))
    period.submit(0, "plover", "a")
    ticks(period, 5)
    period.cancel_run("plover", period.world.runs[0].name)
    ticks(period, 1)
    assert rows(period.runs("plover"))[0][2:6:3] == ["STOPPED", -1]
    with pytest.raises(Refused, match="has ended"):
        period.cancel_run("plover", period.world.runs[0].name)


def test_ended_run_leaves_its_list_after_six_hours() -> None:
    period = calm(job(8, 60))
    period.submit(0, "primary", "a")
    ticks(period, 12 + 72)
    assert states(period, "primary") == ["COMPLETED"]
    ticks(period, 2)
    assert states(period, "primary") == []


def test_cloud_that_is_out_answers_nothing_and_its_runs_go_on() -> None:
    config = small(trouble=replace(CALM, outages=((0, 30 * MINUTE, 3 * HOUR),)))
    period = calm(job(8, 60), job(), config=config)
    period.submit(0, "kestrel", "a")
    ticks(period, 6)
    name = period.world.runs[0].name
    calls: list[Callable[[], object]] = [
        lambda: period.runs("kestrel"),
        lambda: period.quote("kestrel", 1),
        lambda: period.run_log("kestrel", name, 0),
        lambda: period.submit(1, "kestrel", "b"),
        lambda: period.cancel_run("kestrel", name),
    ]
    for call in calls:
        with pytest.raises(Refused) as refused:
            call()
        assert refused.value.code == "unavailable"
    assert rows(period.runs("plover")) == []
    ticks(period, 30)
    assert states(period, "kestrel") == ["terminated"]


def test_price_feed_that_is_stuck_says_from_when_its_prices_are() -> None:
    config = small(trouble=replace(CALM, feed_stuck=((HOUR, 2 * HOUR),)))
    period = calm(job(), config=config)
    seen = []
    for _ in range(30):
        row = rows(period.clouds())[1]
        seen.append((row[4], row[2]))
        period.tick()
    assert {price for at, price in seen if at == 3600} == {seen[12][1]}
    assert seen[22] == seen[12]
    assert seen[24][0] == 7500 // 900 * 900


def test_node_price_is_told_for_a_node_and_gpu_price_for_a_gpu() -> None:
    period = calm(job())
    market, clouds = period.world.market, rows(period.clouds())
    assert [(row[0], row[3]) for row in clouds] == [
        ("primary", "gpu_hour"),
        ("kestrel", "gpu_hour"),
        ("plover", "node_hour"),
    ]
    assert clouds[2][2] == pytest.approx(8 * market.price(1, period.world.now), abs=1e-3)


def test_primary_takes_only_so_many_pending_runs() -> None:
    config = small(most_pending=3)
    period = calm(*(job(16, 60) for _ in range(6)), config=config)
    for number in range(4):
        period.submit(number, "primary", f"job-{number}")
    with pytest.raises(Refused, match="QOSMaxSubmitJobPerUserLimit"):
        period.submit(4, "primary", "job-4")


@pytest.mark.parametrize(("cloud", "step"), [("kestrel", 1), ("plover", 48)])
def test_log_is_read_on_from_next_and_each_line_counts_once(cloud: str, step: int) -> None:
    period = calm(job(8, 240))
    period.submit(0, cloud, "a")
    ticks(period, 24)
    name = period.world.runs[0].name
    first: Any = rows(period.run_log(cloud, name, 0))
    assert first["next"] == step * len(first["lines"])
    assert all(len(line.encode()) == 48 for line in first["lines"])
    again: Any = rows(period.run_log(cloud, name, first["next"]))
    assert again["lines"] == []
    assert not again["complete"]
    while period.world.runs[0].ended < 0:
        period.tick()
    last: Any = rows(period.run_log(cloud, name, first["next"]))
    assert "finished" in last["lines"][-1]
    assert last["complete"]
    figures = period.figures()
    assert figures["log_lines_collected"] == figures["log_lines"] == last["next"] // step


def test_log_offset_in_the_middle_of_a_line_is_refused() -> None:
    period = calm(job(8, 240))
    period.submit(0, "plover", "a")
    ticks(period, 24)
    with pytest.raises(Refused, match="use `next`"):
        period.run_log("plover", period.world.runs[0].name, 3)


def test_log_goes_with_a_preempted_instance_and_half_an_hour_after_an_end() -> None:
    period = calm(job(8, 600), job(8, 60))
    for number in range(2):
        period.submit(number, "kestrel", f"job-{number}")
    ticks(period, 6)
    period.world._reclaim(0, 0)
    with pytest.raises(Refused, match="gone with its instance"):
        period.run_log("kestrel", period.world.runs[0].name, 0)
    while period.world.runs[1].ended < 0:
        period.tick()
    ticks(period, 5)
    period.run_log("kestrel", period.world.runs[1].name, 0)
    ticks(period, 2)
    with pytest.raises(Refused, match="gone with its instance"):
        period.run_log("kestrel", period.world.runs[1].name, 0)


def test_published_state_is_true_by_word_and_by_time() -> None:
    period = calm(job(8, 600))
    period.publish(0, "queued", 0)
    ticks(period, 1)
    assert period.watch.true_ticks == 1
    period.submit(0, "primary", "a")
    ticks(period, 1)
    period.publish(0, "running", UNIX_BEGIN % 1_000_000)
    ticks(period, 1)
    assert period.watch.true_ticks == 1
    period.publish(0, "running", 700)
    ticks(period, 1)
    assert period.watch.true_ticks == 2


def test_job_that_is_published_as_done_too_early_stays_untrue_and_leaves_the_queue() -> None:
    period = calm(job(8, 600))
    period.publish(0, "completed", -1)
    assert rows(period.jobs()) == []
    ticks(period, 10)
    assert period.watch.true_ticks == 0
    assert period.watch.state_ticks == 11


def test_urgent_job_is_to_be_placed_within_half_an_hour() -> None:
    period = calm(job(priority=HIGH), job(priority=HIGH))
    period.submit(0, "primary", "a")
    ticks(period, 6)
    assert period.figures()["incidents"] == [
        [0, "urgent job", "job 0", True],
        [0, "urgent job", "job 1", False],
    ]


def test_doing_nothing_leaves_every_measure_with_a_value() -> None:
    period = open_period(DEFAULT, Setting(hours=30), "steady", "idle")
    period.run_out()
    figures = [period.figures()]
    assert all(measure(figures) is not None for measure in WORLD.measures.values())
    assert WORLD.measures["decisions"](figures) == 0.0
    assert WORLD.measures["logs"](figures) == 0.0


@pytest.mark.parametrize(
    ("call", "what", "code"),
    [
        ("submit", (0, "moon", "k"), "not_found"),
        ("submit", (9, "primary", "k"), "not_found"),
        ("submit", (-1, "primary", "k"), "not_found"),
        ("quote", ("primary", 0), "invalid"),
        ("runs", ("moon",), "not_found"),
        ("cancel_run", ("kestrel", "none"), "not_found"),
        ("run_log", ("primary", "none", 0), "not_found"),
        ("publish", (9, "queued", 0), "not_found"),
    ],
)
def test_impossible_call_is_refused_with_a_code(
    call: str, what: tuple[object, ...], code: str
) -> None:
    period = calm(job())
    with pytest.raises(Refused) as refused:
        getattr(period, call)(*what)
    assert refused.value.code == code
    assert refused.value.message.endswith(".")


def test_period_that_is_over_refuses_another_tick() -> None:
    period = calm(job(), config=small(length=DAY))
    period.run_out()
    with pytest.raises(Refused, match="over"):
        period.tick()
