from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.worlds.queue_autoscaler.episode import Episode
from scenarios.worlds.queue_autoscaler.setting import Setting, open_day
from scenarios.worlds.queue_autoscaler.tests.days import CALM, HOUR, MINUTE, calm, job, small
from scenarios.worlds.queue_autoscaler.workload import FAMILIES
from scenarios.worlds.refusal import Refused


def faulty(**faults: object) -> Episode:
    config = small(firm=1, faults=replace(CALM, **faults))  # type: ignore[arg-type]
    return Episode(config, [job(8, 60)], "test")


def codes(day: Episode, call: str, times: int, *what: object) -> Counter[str]:
    """How often each outcome came, one call a tick."""
    seen: Counter[str] = Counter()
    for _ in range(times):
        day.tick()
        try:
            getattr(day, call)(*what)
            seen["done"] += 1
        except Refused as refusal:
            seen[refusal.code] += 1
    return seen


def test_timeouts_come_as_often_as_documented_and_half_of_the_writes_took_effect() -> None:
    day = faulty(write_timeout=0.3)
    landed = lost = 0
    for minute in range(1000):
        wanted = 1 + minute % 4
        if codes(day, "scale", 1, "ondemand", wanted)["timeout"]:
            landed += len(day.controls.members(0)) == wanted
            lost += len(day.controls.members(0)) != wanted
    assert 240 < landed + lost < 360
    assert lost > 80
    assert landed > 80


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_every_family_stays_within_the_documented_bounds(family: str) -> None:
    day = open_day(DEFAULT, Setting(), family, "bounds")
    faults = day.config.faults
    assert faults.write_timeout <= 1 / 12
    assert faults.read_timeout <= 1 / 50
    assert all(end - begin <= 3 * MINUTE for begin, end in faults.stale)
    assert all(end - begin <= 6 * MINUTE for begin, end in faults.throttled)
    assert all(end - begin <= HOUR for begin, end in faults.stockouts)


def test_stale_read_repeats_an_earlier_answer_and_says_from_when() -> None:
    day = faulty(stale=((2 * MINUTE, 5 * MINUTE),))
    seen = []
    for _ in range(6):
        day.tick()
        answer = day.jobs()
        assert isinstance(answer, dict)
        seen.append(answer["at"])
    assert seen == [60, 120, 120, 120, 300, 360]


def test_throttled_write_does_nothing() -> None:
    day = faulty(throttled=((0, 30 * MINUTE),))
    assert codes(day, "scale", 5, "ondemand", 4) == {"rate_limited": 5}
    assert len(day.controls.members(0)) == 1


def test_too_many_calls_in_a_tick_are_refused_until_the_next() -> None:
    day = calm()
    for _ in range(day.reads_per_tick):
        day.jobs()
    with pytest.raises(Refused, match="more than 40 calls"):
        day.jobs()
    day.tick()
    day.jobs()


def test_dry_spot_pool_starts_nothing_and_says_so() -> None:
    day = faulty(stockouts=((0, HOUR),))
    day.tick()
    answer = day.scale("spot", 3)
    assert answer == {"pool": "spot", "asked": 3, "size": 0, "launched": 0, "removed": []}


@pytest.mark.parametrize(("gap", "handled"), [(1, True), (5, True), (6, False)])
def test_lost_write_is_handled_only_if_it_is_repeated_in_time(gap: int, handled: bool) -> None:
    day = faulty(write_timeout=1.0)
    while not day.front._lost:
        day.tick()
        with pytest.raises(Refused, match="may or may not"):
            day.scale("ondemand", 4)
    for _ in range(gap):
        day.tick()
    with pytest.raises(Refused):
        day.scale("ondemand", 3)
    assert day.front._lost[0].retried is handled


def test_log_line_keeps_nothing_that_cannot_be_shown() -> None:
    day = calm()
    day.log("a\x1b[31m\ud800b\u202ec\n")
    text = day.world.record.timeline.marks[-1].text
    assert text == "a\ufffd[31m\ufffdb\ufffdc\ufffd"
    assert text.encode()


def test_day_that_is_over_refuses_another_tick() -> None:
    day = calm()
    day.run_out()
    with pytest.raises(Refused, match="over"):
        day.tick()


@pytest.mark.parametrize(
    ("call", "what", "code"),
    [
        ("scale", ("moon", 3), "not_found"),
        ("scale", ("ondemand", 99), "invalid"),
        ("scale", ("ondemand", -1), "invalid"),
        ("drain", ("od-999",), "not_found"),
        ("preempt", (7,), "not_found"),
        ("preempt", (-1,), "not_found"),
    ],
)
def test_impossible_write_is_refused_with_a_code(
    call: str, what: tuple[object, ...], code: str
) -> None:
    day = calm(job(8, 60))
    day.tick()
    with pytest.raises(Refused) as refused:
        getattr(day, call)(*what)
    assert refused.value.code == code
    assert refused.value.message.endswith(".")
