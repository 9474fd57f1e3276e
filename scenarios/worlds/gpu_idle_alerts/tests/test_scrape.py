"""What the exporters do wrong, within the bounds that the texts state."""

from __future__ import annotations

from collections import Counter

import pytest

from scenarios.worlds.gpu_idle_alerts.families import FAMILIES
from scenarios.worlds.gpu_idle_alerts.setting import HOUR
from scenarios.worlds.gpu_idle_alerts.tests.stretches import ONE, TEN, THREE, opened
from scenarios.worlds.refusal import Refused

DAYS = 4


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_silences_last_from_half_an_hour_to_five(family: str) -> None:
    for setting in (ONE, THREE, TEN):
        for silence in opened(setting, family, "silence").world.plan.silences:
            assert HOUR // 2 <= silence.end - silence.start <= 5 * HOUR


def test_about_one_reading_in_fifty_is_missing() -> None:
    days = opened(TEN, "steady", "missing")
    expected = seen = 0
    for _ in range(300):
        days.tick()
        fresh = {row[0] for row in days.scrape.rows() if row[1] == days.now}
        for unit in days.world.fleet.units:
            if days.scrape.sees(unit):
                expected += 1
                seen += unit.name in fresh
    assert 0.97 < seen / expected < 0.995


def test_a_silent_exporter_is_missing_and_a_frozen_one_repeats_itself() -> None:
    days = opened(THREE, "failure-heavy", "frozen")
    kinds = Counter[str]()
    before: dict[object, object] = {}
    for _ in range(6 * 144):
        days.tick()
        rows = {row[0]: row for row in days.scrape.rows()}
        for number, server in enumerate(days.world.fleet.servers):
            if not days.world.in_service(number) or days.scrape.reports(number):
                continue
            mine = [row for name, row in rows.items() if str(name).startswith(server.name)]
            kinds["frozen" if mine else "silent"] += 1
            assert all(int(str(row[1])) < days.now for row in mine)
            assert all(before.get(row[0], row) == row for row in mine)
            before.update({row[0]: row for row in mine})
        for number in range(len(days.world.fleet.servers)):
            if days.scrape.reports(number):
                before = {k: v for k, v in before.items() if not _of(days, k, number)}
    assert kinds["frozen"]
    assert kinds["silent"]


def _of(days: object, name: object, server: int) -> bool:
    return str(name).startswith(days.world.fleet.servers[server].name)  # type: ignore[attr-defined]


def test_series_come_twice_only_within_two_hours_of_a_silence() -> None:
    days = opened(THREE, "failure-heavy", "twice")
    twice = 0
    for _ in range(6 * 144):
        days.tick()
        counts = Counter(str(row[0]) for row in days.scrape.rows())
        for name in (name for name, count in counts.items() if count > 1):
            twice += 1
            assert counts[name] == 2
            number = next(u.server for u in days.world.fleet.units if u.name == name)
            ends = [s.end for s in days.world.plan.silences if s.server == number]
            assert any(0 <= days.world.tick - end < 2 * HOUR for end in ends)
    assert twice


def test_calls_fail_no_more_often_than_the_reference_says() -> None:
    days = opened(TEN, "failure-heavy", "calls", faults=True)
    reads, writes = Counter[str](), Counter[str]()
    while not days.complete:
        days.tick()
        for _ in range(4):
            try:
                days.contacts()
                reads["ok"] += 1
            except Refused as refusal:
                reads[refusal.code] += 1
            try:
                days.dashboard([])
                writes["ok"] += 1
            except Refused as refusal:
                writes[refusal.code] += 1
    assert 0 < reads["timeout"] / reads.total() < 1 / 50 + 0.01
    assert 0 < writes["timeout"] / writes.total() < 1 / 12 + 0.01
    for begin, end in days.front.faults.throttled:
        assert end - begin <= 40 * 60_000
    for begin, end in days.front.faults.stale:
        assert end - begin <= 60 * 60_000


def test_too_many_calls_in_a_tick_are_refused() -> None:
    days = opened(THREE)
    days.tick()
    for _ in range(60):
        days.nodes()
    with pytest.raises(Refused) as refusal:
        days.nodes()
    assert refusal.value.code == "rate_limited"
    days.tick()
    days.nodes()
