from __future__ import annotations

import contextlib
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.company.profile import DEFAULT
from scenarios.worlds.cloud_bursting.facts import credited, worked
from scenarios.worlds.cloud_bursting.setting import Setting, open_period
from scenarios.worlds.cloud_bursting.tables import PREEMPTED, RunState
from scenarios.worlds.cloud_bursting.tests.periods import (
    BOTH,
    CALM,
    HIGH,
    HOUR,
    MINUTE,
    Episode,
    calm,
    job,
    small,
    ticks,
)
from scenarios.worlds.cloud_bursting.workload import FAMILIES, draw_jobs
from scenarios.worlds.refusal import Refused

DEEP = Setting(hours=30, clouds=BOTH, residency="regions", drivers=True, team_share=0.3)
ACTIONS = st.lists(
    st.tuples(st.integers(0, 200), st.sampled_from(("primary", "kestrel", "plover", "cancel"))),
    max_size=60,
)


def act(period: Episode, number: int, what: str) -> None:
    world = period.world
    if what == "cancel":
        live = [run for run in world.runs if run.state != RunState.ENDED]
        if live:
            run = live[number % len(live)]
            cloud = "primary" if run.cloud < 0 else world.config.remotes[run.cloud].name
            period.cancel_run(cloud, run.name)
        return
    period.submit(number % max(1, world.jobs.seen), what, f"job-{number}-{len(world.runs)}")


def check_gpus_close(period: Episode) -> None:
    machine, config = period.world.queue.nodes, period.config
    held = [0] * config.nodes
    for run in period.world.running.values():
        for node in run.nodes:
            held[node] += min(run.gpus, config.gpus_per_node)
    for node in range(config.nodes):
        assert machine.level[node] == config.gpus_per_node - held[node] >= 0
        assert not (held[node] and node in machine.out)


def check_money_closes(period: Episode) -> None:
    world = period.world
    charged = sum(run.cost for run in world.runs)
    assert charged == pytest.approx(world.compute_usd + world.transfer_usd)
    assert all(world.used(n) <= quota for n, quota in enumerate(world.config.quotas))


def check_work_closes(period: Episode) -> None:
    world = period.world
    for number in range(world.jobs.seen):
        spec = world.jobs.spec[number]
        assert 0 <= credited(world, number) <= spec.work
        done = sum(worked(run, world.now) for run in world.jobs.runs[number])
        assert done >= credited(world, number)


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(sorted(FAMILIES)), st.integers(0, 99), ACTIONS)
def test_gpus_money_and_work_close_whatever_the_broker_does(
    family: str, seed: int, actions: list[tuple[int, str]]
) -> None:
    period = open_period(DEFAULT, DEEP, family, str(seed))
    for index, (number, what) in enumerate(actions):
        if index % 3 == 0:
            ticks(period, 4)
        with contextlib.suppress(Refused):
            act(period, number, what)
        check_gpus_close(period)
        check_money_closes(period)
        check_work_closes(period)


def told(seed: str, bursting: bool = True) -> str:
    period = open_period(DEFAULT, DEEP, "adversarial", seed)
    while not period.complete:
        period.tick()
        with contextlib.suppress(Refused):
            period.submit(period.now // 600, "kestrel" if bursting else "primary", f"{period.now}")
    return json.dumps([period.figures(), period.replay()])


def test_same_seed_and_actions_give_the_same_bytes() -> None:
    assert told("7") == told("7")
    assert told("7") != told("8")


def test_prices_do_not_depend_on_what_the_broker_does() -> None:
    replays = [json.loads(told("7", bursting))[1] for bursting in (True, False)]
    prices = [
        [row["values"] for row in replay["series"] if row["key"].startswith("price")]
        for replay in replays
    ]
    assert prices[0] == prices[1]


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_periods_of_one_family_ask_for_the_same_work(family: str) -> None:
    config = small(nodes=20)
    amounts = [
        sum(spec.work * spec.gpus for spec in draw_jobs(FAMILIES[family], config, seed))
        for seed in "abcd"
    ]
    assert max(amounts) < 1.1 * min(amounts)


def test_urgent_work_starts_first_and_a_gang_gets_whole_nodes() -> None:
    period = calm(job(16, 60), job(16, 60, at=1, priority=HIGH), job(16, 60, at=2))
    for number in (2, 0, 1):
        period.submit(number, "primary", f"job-{number}")
    assert [run.job for run in period.world.running.values()] == [2]
    ticks(period, 12)
    assert [run.job for run in period.world.running.values()] == [1]
    assert period.world.runs[2].nodes == (0, 1)


def test_backfill_does_not_delay_the_first_in_the_queue() -> None:
    period = calm(job(8, 120), job(16, 60), job(8, 180), job(8, 60))
    for number in range(4):
        period.submit(number, "primary", f"job-{number}")
    running = {run.job for run in period.world.running.values()}
    assert running == {0, 3}


def test_node_failure_leaves_the_job_to_the_broker_and_keeps_its_checkpoint() -> None:
    period = calm(job(8, 120, every=20))
    period.submit(0, "primary", "a")
    ticks(period, 10)
    period.world._node_down(0, 0)
    assert period.world.jobs.truth(0) == "interrupted"
    ticks(period, 60)
    assert period.world.jobs.truth(0) == "interrupted"
    period.submit(0, "primary", "b")
    assert period.world.runs[1].kept == 40 * MINUTE


def test_preempted_burst_goes_on_where_it_was_and_begins_anew_elsewhere() -> None:
    period = calm(job(8, 300, every=60))
    period.submit(0, "kestrel", "a")
    ticks(period, 24)
    run = period.world.runs[0]
    period.world._reclaim(0, 0)
    assert (run.end, period.world.jobs.kept[0][0]) == (PREEMPTED, 60 * MINUTE)
    moved = period.world.transfer_usd
    period.submit(0, "kestrel", "b")
    ticks(period, 3)
    assert period.world.runs[1].kept == 60 * MINUTE
    assert period.world.transfer_usd == moved
    period.submit(0, "primary", "c")
    assert period.world.runs[2].kept == 0


def test_instance_is_charged_for_ten_minutes_at_least() -> None:
    period = calm(job(8, 600))
    period.submit(0, "kestrel", "a")
    while period.world.runs[0].begun < 0:
        period.tick()
    run = period.world.runs[0]
    period.cancel_run("kestrel", run.name)
    assert run.billed_to - run.begun == 10 * MINUTE
    ticks(period, 24)
    assert run.billed_to - run.begun == 10 * MINUTE


def test_hung_instance_is_charged_until_it_is_ended() -> None:
    config = small(trouble=replace(CALM, hang_share=1.0))
    period = calm(job(8, 60), config=config)
    period.submit(0, "kestrel", "a")
    ticks(period, 36)
    run = period.world.runs[0]
    assert period.world.jobs.truth(0) == "completed"
    assert run.state == RunState.EXITED
    period.cancel_run("kestrel", run.name)
    hung = period.figures()["hung_gpu_h"]
    assert hung == pytest.approx(8 * (period.world.now - run.over) / HOUR)
    ticks(period, 12)
    assert period.figures()["hung_gpu_h"] == hung


def test_whole_nodes_are_charged_where_only_nodes_are_sold() -> None:
    period = calm(job(2, 60))
    period.submit(0, "kestrel", "a")
    period.submit(0, "plover", "a")
    assert [run.charged_gpus for run in period.world.runs] == [2, 8]


def test_image_that_needs_a_newer_driver_fails_after_two_minutes() -> None:
    period = calm(job(8, 60, driver=580))
    period.submit(0, "plover", "a")
    ticks(period, 6)
    run = period.world.runs[0]
    assert (run.end, run.ended - run.begun) == ("failed", 2 * MINUTE)
    period.submit(0, "kestrel", "a")
    ticks(period, 24)
    assert period.world.jobs.truth(0) == "completed"


def test_work_done_twice_is_lost_once() -> None:
    period = calm(job(8, 120))
    period.submit(0, "primary", "a")
    period.submit(0, "primary", "b")
    ticks(period, 60)
    assert period.figures()["lost_gpu_h"] == pytest.approx(16.0)
    assert [row[1] for row in period.figures()["broken_rules"]] == ["twice"]


def test_idle_gpus_count_only_while_the_broker_holds_work_back() -> None:
    period = calm(job(8, 120, at=60))
    ticks(period, 11)
    assert period.watch.idle_gpu_ms == 0
    ticks(period, 6)
    held = period.watch.idle_gpu_ms
    assert held >= 8 * 25 * MINUTE
    period.submit(0, "primary", "a")
    ticks(period, 6)
    assert period.watch.idle_gpu_ms == held
