"""What levels may set: pools in zones, tenants with contracts, a budget, softer or harder trouble."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.packs import load_pack
from scenarios.worlds.queue_autoscaler.episode import Episode
from scenarios.worlds.queue_autoscaler.facts import promises
from scenarios.worlds.queue_autoscaler.measures import MEASURES
from scenarios.worlds.queue_autoscaler.setting import Setting, open_day, read_setting, words
from scenarios.worlds.queue_autoscaler.tables import JobState
from scenarios.worlds.queue_autoscaler.tests.days import HOUR, MINUTE, NEVER
from scenarios.worlds.queue_autoscaler.workload import FAMILIES
from scenarios.worlds.refusal import Refused

PACK = load_pack("automation/queue-autoscaler")


@cache
def level(name: str) -> Setting:
    found: Setting = PACK.settings(name)
    return found


def played(day: Episode) -> Episode:
    """A day on which every pool follows the clock, so that all of them are used."""
    while not day.complete:
        day.tick()
        if day.now % 3600 == 0:
            for pool in day.config.pools:
                with contextlib.suppress(Refused):
                    day.scale(
                        pool.name, max(pool.least, pool.most * (1 + day.now // 3600 % 3) // 3)
                    )
    return day


def homes(day: Episode) -> dict[int, set[str]]:
    """Zones in which each running job holds GPUs."""
    world = day.world
    return {
        job: {world.config.pools[world.nodes.pool[n]].zone for n in world.jobs.nodes[job]}
        for job in world.running
    }


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_job_runs_only_where_its_data_lies_and_firm_tenants_never_on_spot(family: str) -> None:
    day = open_day(DEFAULT, level("senior"), family, "zones", faults=False)
    firm = {one.name for one in day.config.tenants if one.firm}
    seen = set()
    for _ in range(12):
        for _ in range(60):
            day.tick()
        for pool in day.config.pools:
            day.scale(pool.name, pool.most)
        for job, zones in homes(day).items():
            spec = day.world.jobs.spec[job]
            assert len(zones) == 1
            assert spec.zone in ("", *zones)
            pools = {day.world.nodes.pool[n] for n in day.world.jobs.nodes[job]}
            spot = any(day.config.pools[pool].spot for pool in pools)
            assert not (spot and spec.tenant in firm)
            seen.add(spec.zone)
    assert seen == {"", "oslo", "dublin"}


def test_same_seed_gives_the_same_bytes_at_every_level() -> None:
    for name in ("junior", "senior"):
        told = {
            json.dumps([day.figures(), day.replay()])
            for day in (
                played(open_day(DEFAULT, level(name), "adversarial", "3")) for _ in range(2)
            )
        }
        assert len(told) == 1


def test_every_bound_gang_fits_half_of_its_zones_firm_nodes() -> None:
    for nodes in (8, 20, 64):
        day = open_day(Profile(nodes=nodes), level("senior"), "steady", "gangs")
        most = {p.zone: p.most for p in day.config.pools if not p.spot}
        for spec in day.world.jobs.spec:
            if spec.zone and spec.gpus > 8:
                assert spec.gpus // 8 <= max(1, most[spec.zone] // 2)


def test_budget_is_a_rule_that_is_named_once_with_its_time() -> None:
    setting = replace(level("senior"), budget_share=0.1)
    day = played(open_day(DEFAULT, setting, "steady", "budget", faults=False))
    rules = day.figures()["broken_rules"]
    assert len(rules) == 1
    assert rules[0].startswith(f"the day's budget of {day.config.budget:,.0f} USD was exceeded at ")
    marks = [mark for mark in day.replay()["marks"] if mark["kind"] == "rule"]
    assert len(marks) == 1
    hours, minutes = rules[0][-5:].split(":")
    assert marks[0]["t"] == int(hours) * 3600 + int(minutes) * 60
    over = day.figures()["over_budget_usd"]
    bill = day.figures()["spend_usd"] + day.figures()["overflow_usd"]
    assert over == pytest.approx(bill - day.config.budget)


def test_promises_close_and_a_broken_one_counts_while_the_job_still_waits() -> None:
    day = open_day(DEFAULT, level("senior"), "burst", "promises")
    day.run_out()
    kept = promises(day.world)
    assert kept.keys() == {"aurora", "borealis", "corona"}
    for tenant, (good, due) in kept.items():
        promised = [
            job
            for job, spec in enumerate(day.world.jobs.spec)
            if spec.tenant == tenant and spec.promise >= 0
        ]
        late = [
            job
            for job in promised
            if day.world.jobs.total_wait(job, day.world.now) > day.world.jobs.spec[job].promise
        ]
        begun = (JobState.RUNNING, JobState.SAVING, JobState.DONE)
        in_time = [j for j in promised if day.world.jobs.state[j] in begun and j not in late]
        assert (good, due) == (len(in_time), len(in_time) + len(late))
        assert late


def test_small_tenant_counts_as_much_as_a_large_one() -> None:
    days: list[dict[str, Any]] = [{"promises": {"large": [99, 100], "small": [0, 1]}}]
    assert MEASURES["promises"](days) == pytest.approx((99 + 0) / 2)
    assert MEASURES["promises"]([{}]) is None
    assert MEASURES["over_budget"]([{}]) is None


def test_spot_pools_dry_up_at_times_of_their_own() -> None:
    day = open_day(DEFAULT, level("senior"), "adversarial", "weather")
    first, second = (pool.faults for pool in day.config.pools if pool.spot)
    assert first is not None
    assert second is not None
    assert first.stockouts != second.stockouts
    assert first.reclaim_waves != second.reclaim_waves
    day.world.now = first.stockouts[0][0]
    assert day.world.dry(0)
    assert not day.world.dry(2)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_junior_days_stay_within_the_bounds_that_the_junior_api_states(family: str) -> None:
    day = open_day(DEFAULT, level("junior"), family, "bounds")
    faults = day.config.faults
    assert faults.write_timeout <= 1 / 40
    assert faults.read_timeout <= 1 / 150
    assert faults.shortage <= 1 / 20
    assert (faults.stale, faults.throttled) == ((), ())
    played(day)
    assert set(day.world.nodes.slow) == {False}
    assert {name for name, _ in day.world.config.bound} == set()
    kinds = {happening.kind for happening in day.world.record.happenings}
    assert kinds <= {"node_down", "start_failed"}


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_senior_days_stay_within_the_bounds_that_the_senior_api_states(family: str) -> None:
    day = open_day(DEFAULT, level("senior"), family, "bounds")
    faults = day.config.faults
    assert faults.write_timeout <= 1 / 12
    assert faults.read_timeout <= 1 / 50
    assert all(end - begin <= 3 * MINUTE for begin, end in faults.stale)
    assert all(end - begin <= 6 * MINUTE for begin, end in faults.throttled)
    for pool in day.config.pools:
        assert pool.faults is not None
        assert all(end - begin <= HOUR for begin, end in pool.faults.stockouts)


def test_rows_of_a_plain_cluster_stay_as_short_as_they_were() -> None:
    plain = open_day(DEFAULT, Setting(), "steady", "rows", faults=False)
    zoned = open_day(DEFAULT, level("senior"), "steady", "rows", faults=False)
    rows = {
        name: [len(getattr(day, name)()["rows"][0]) for day in (plain, zoned)]
        for name in ("jobs", "nodes", "pools")
    }
    assert rows == {"jobs": [12, 27], "nodes": [8, 10], "pools": [9, 10]}
    assert "budget" not in plain.metrics()["rows"]  # type: ignore[index]
    assert zoned.metrics()["rows"]["budget"] == zoned.config.budget  # type: ignore[index]


@pytest.mark.parametrize("nodes", [8, 13, 64])
def test_pools_of_a_level_add_up_to_the_companys_nodes(nodes: int) -> None:
    for name in ("junior", "senior"):
        day = open_day(Profile(nodes=nodes), level(name), "steady", "size")
        assert sum(pool.most for pool in day.config.pools) == nodes
        assert all(pool.least <= pool.start <= pool.most for pool in day.config.pools)


def test_words_of_a_level_name_its_pools() -> None:
    found = words(DEFAULT, level("senior"))
    assert found["oslo_ondemand_max"] == "7"
    assert found["dublin_spot_price"] == f"{0.8 * DEFAULT.spot_node_hour:.2f}"
    assert found["budget"] == "7,350"


def test_trouble_can_be_switched_off_by_a_level() -> None:
    setting = Setting(node_trouble=0.0, slow_nodes=False, timeouts=0.0)
    faults = open_day(DEFAULT, setting, "failure-heavy", "calm").config.faults
    assert (faults.down_mean, faults.slow_mean, faults.write_timeout) == (NEVER, NEVER, 0.0)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"pool": []}, "no setting pool"),
        ({"load": "much"}, "load has the wrong kind"),
        ({"load": -1.0}, "load has the wrong kind"),
        ({"stale_reads": 1}, "stale_reads has the wrong kind"),
        ({"timeouts": True}, "timeouts has the wrong kind"),
        ({"pools": [{"name": "a"}]}, "not whole"),
        ({"pools": [{"name": "a", "prefix": "a", "spot": True, "share": 1.0}]}, "must not be spot"),
        ({"bound": {"oslo": 0.5}}, "oslo needs a pool"),
        ({"tenants": [{"name": "a", "share": 1.0, "promise_min": [5]}]}, "three promises"),
        (
            {"pools": [{"name": "a", "prefix": "a", "spot": False, "share": 0.5}] * 2},
            "the same name",
        ),
    ],
)
def test_setting_that_cannot_be_is_refused_with_a_sentence(
    table: dict[str, object], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        read_setting(table)
