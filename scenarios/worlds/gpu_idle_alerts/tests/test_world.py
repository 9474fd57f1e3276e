"""The servers by themselves: determinism, conservation, what the texts promise."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.worlds import load_world
from scenarios.worlds.gpu_idle_alerts.families import FAMILIES
from scenarios.worlds.gpu_idle_alerts.jobs import CAUSES
from scenarios.worlds.gpu_idle_alerts.load import Phase
from scenarios.worlds.gpu_idle_alerts.setting import DAY, HOUR, Setting, read_setting
from scenarios.worlds.gpu_idle_alerts.tests.stretches import ONE, TEN, THREE, opened, unattended

SETTINGS = {"one": ONE, "three": THREE, "ten": TEN}
ROOT = Path(__file__).parents[4]
PROGRAM = """
import json, sys
from hashlib import sha256
from scenarios.worlds.gpu_idle_alerts.tests.stretches import THREE, opened
days = opened(THREE, "adversarial", "bytes", faults=True)
days.run_out()
text = json.dumps([days.figures(), days.replay(), days.scrape.rows()])
sys.stdout.write(sha256(text.encode()).hexdigest())
"""


def test_same_seed_gives_same_bytes_whatever_the_hash_seed() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(found) == 1


def digest(seed: str, family: str) -> str:
    days = unattended(ONE, family, seed)
    return sha256(json.dumps([days.figures(), days.replay()]).encode()).hexdigest()


def test_seeds_and_families_differ() -> None:
    found = {digest(seed, family) for seed in "ab" for family in FAMILIES}
    assert len(found) == 2 * len(FAMILIES)


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(["one", "three"]), st.sampled_from(sorted(FAMILIES)), st.integers(0, 10**6))
@pytest.mark.nightly
def test_no_gpu_falls_under_a_rule_without_a_cause(fleet: str, family: str, seed: int) -> None:
    days = opened(SETTINGS[fleet], family, str(seed))
    days.run_out()
    assert days.truth.cases
    assert {case.cause for case in days.truth.cases} <= set(CAUSES)


@pytest.mark.nightly
def test_every_cause_comes_up_in_a_fleet() -> None:
    found = {case.cause for family in FAMILIES for case in unattended(TEN, family, "1").truth.cases}
    assert found == set(CAUSES)


@pytest.mark.parametrize("fleet", ["three", "ten"])
def test_a_gpu_has_one_job_and_a_job_all_of_its_gpus(fleet: str) -> None:
    days = opened(SETTINGS[fleet], "failure-heavy", "places")
    world = days.world
    for _ in range(3 * DAY):
        days.tick()
        for job in world.jobs.values():
            assert len(job.units) == job.size
            assert all(world.job[unit] is job for unit in job.units)
        held = [job for job in world.job if job is not None]
        assert {job.id for job in held} == set(world.jobs)
        assert len(held) == sum(job.size for job in world.jobs.values())


@pytest.mark.parametrize("fleet", ["one", "three", "ten"])
def test_gpu_hours_close_and_bars_never_overlap(fleet: str) -> None:
    days = unattended(SETTINGS[fleet], "diurnal", "1")
    figures = days.figures()
    assert 0 < figures["gpu_h_wasted"] < figures["gpu_h_in_service"]
    servers = days.world.fleet.servers
    most = sum(s.gpus * (days.config.ticks - s.joins + 1) / HOUR for s in servers)
    out = sum(
        len([u for u in window.units if days.world.fleet.units[u].parent < 0])
        * (min(window.end, days.config.ticks) - window.start)
        / HOUR
        for window in days.world.plan.windows
        if window.kind == "maintenance"
    )
    # a GPU cut into slices gives out all of its memory slices but the rounding
    assert figures["gpu_h_in_service"] == pytest.approx(most - out, rel=0.005)
    rows: dict[int, list[tuple[int, int]]] = {}
    for row, begin, end, _, _ in days.replay()["gantt"]["bars"]:
        rows.setdefault(row, []).append((begin, end))
    for bars in rows.values():
        bars.sort()
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(bars))


def test_jobs_wait_in_every_queue_at_every_moment() -> None:
    days = opened(THREE)
    for _ in range(2 * DAY):
        days.tick()
        assert all(len(line) >= 3 for line in days.world.waiting.values())


def test_readings_stay_within_the_bounds_of_the_environment() -> None:
    days = opened(THREE, "steady", "readings")
    gpu = days.world.gpu
    for _ in range(3 * DAY):
        days.tick()
        for unit in days.world.fleet.units:
            if not days.scrape.sees(unit):
                continue
            _, _, util, memory, heat, watts, clock, _ = days.scrape.reading(unit)
            phase = days.world.phase[unit.number]
            assert isinstance(util, int)
            assert isinstance(memory, int)
            assert isinstance(watts, int)
            assert isinstance(heat, int)
            assert isinstance(clock, int)
            assert 0 <= util <= 100
            assert 0 <= memory <= unit.memory
            assert 28 <= heat <= 69
            if phase == Phase.NOTHING:
                assert (util, memory, clock) == (0, 0, gpu.idle_mhz)
                assert gpu.idle_w <= watts <= gpu.idle_w * 1.12
            elif phase == Phase.STALLED:
                assert util == 100
                assert watts < gpu.top_w / 2
            elif phase == Phase.WORK:
                assert util >= 88
                assert watts > gpu.top_w / 2
            elif phase == Phase.HELD:
                assert util == 0
                assert memory > 1024
                assert watts < gpu.top_w / 4


def test_slices_have_utilisation_and_their_gpu_has_the_sensors() -> None:
    days = opened(TEN, "steady", "slices")
    days.tick()
    units = days.world.fleet.units
    for unit in (one for one in units if one.parent >= 0):
        _, _, util, memory, heat, watts, clock, _ = days.scrape.reading(unit)
        assert isinstance(util, int)
        assert isinstance(memory, int)
        assert (heat, watts, clock) == (None, None, None)
        assert memory <= unit.memory < units[unit.parent].memory
    for unit in (one for one in units if not one.whole):
        row = days.scrape.reading(unit)
        assert row[2] is None
        assert row[4] is not None
        parts = [one for one in units if one.parent == unit.number]
        assert row[3] == sum(int(str(days.scrape.reading(one)[3])) for one in parts)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"fleet": "many"}, "fleet must be"),
        ({"days": 30}, "days must be"),
        ({"days": True}, "days must be"),
        ({"rules": ["held"]}, "rules must hold"),
        ({"trouble": -1}, "trouble must be"),
        ({"actions": "yes"}, "must be true or false"),
        ({"depth": 3}, "no setting depth"),
    ],
)
def test_wrong_settings_are_named(table: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_setting(table)


def test_world_is_found_by_its_name() -> None:
    world = load_world("gpu_idle_alerts")
    assert isinstance(world.settings({}), Setting)
    assert len(world.families) >= 5
    for method in world.methods:
        assert callable(getattr(opened(ONE), method))
