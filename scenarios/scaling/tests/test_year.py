"""Twelve months: work is conserved, more is never worse, waits grow as queues do, the same is the same."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache

import pytest
from hypothesis import HealthCheck, given, settings

from scenarios.company.profile import DEFAULT, Profile
from scenarios.scaling.bottlenecks import BOTTLENECKS, BottleneckKind
from scenarios.scaling.demand import Demand, draw, median
from scenarios.scaling.draw import scene_of
from scenarios.scaling.measures import MEASURES
from scenarios.scaling.plan import Change, Plan, Purchase, Rented, Retired
from scenarios.scaling.reference_plans import naive, reference
from scenarios.scaling.scene import Scene
from scenarios.scaling.tests.some_plans import some_plans
from scenarios.scaling.year import Year, play, played_through

TINY = Profile(nodes=8, gpus_per_node=4, gpu="A100")


@lru_cache
def tiny(level: str = "mid", seed: int = 1) -> Scene:
    return scene_of(TINY, level, seed)


@lru_cache
def usual() -> Scene:
    """Without the bottlenecks that policies take away: what is left is load against capacity."""
    scene = scene_of(DEFAULT, "mid", 1)
    work = tuple(replace(one, quota=1.0, idle_h=min(one.idle_h, 0.5)) for one in scene.work)
    return replace(scene, work=work, spread=1.2)


def scaled(scene: Scene, part: float) -> Scene:
    work = tuple(
        replace(
            one, gpu_hours_day=one.gpu_hours_day * part, monthly=0.0, read_gbs=0.0, cross_gbps=0.0
        )
        for one in scene.work
    )
    return replace(scene, work=tuple(replace(one, burst_gbs=0.0) for one in work), events=())


def p95(year: Year) -> float:
    return year.measures["wait_p95_h"]


def test_waits_explode_near_full() -> None:
    """Of the queue alone, with nothing else in the way: a little above 80 % costs hours, above 90 % days."""
    found = []
    for part in (0.8, 1.2, 1.4, 1.55):
        scene = scaled(usual(), part)
        year = play(scene, Plan(), median(scene))
        found.append((year.measures["utilisation"], p95(year)))
    (low, a), (middle, b), (high, c), (full, d) = found
    assert low < 60 < middle < 75 < high < 83 < full, found
    assert a < 1.5, found
    assert b < 12, found
    assert c > 2 * b, found
    assert d > 2 * c, found


@pytest.mark.nightly
def test_work_is_conserved() -> None:
    for plan in (Plan(), naive(tiny()), reference(tiny())):
        played = played_through(tiny(), plan, median(tiny()))
        for job_class in (one.job_class for one in tiny().work):
            asked = sum(one.of(job_class).asked for one in played.tallies)
            done = sum(one.of(job_class).own + one.of(job_class).cloud for one in played.tallies)
            longest = 60 * 24  # what the two weeks before left in queues and on GPUs, at most
            assert 0 < done <= asked + longest
        for tally in played.tallies:
            assert tally.held <= tally.placed + 1e-6
            assert tally.useful <= tally.held + 1e-6
            assert tally.cloud_held <= tally.cloud_paid + 1e-6
            own = sum(one.own for one in tally.classes.values())
            assert own <= 1.25 * tally.placed + 1e-6, "H200 nodes do a fifth more than H100"


@pytest.mark.by_day("seed", [1])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_more_of_everything_never_waits_longer(seed: int) -> None:
    scene = scene_of(DEFAULT, "junior", seed)
    place = scene.places[0]
    (kind, count), *others = place.nodes
    twice = replace(
        place,
        nodes=((kind, 2 * count), *others),
        uplinks=2 * place.uplinks,
        fabric=replace(
            place.fabric,
            leaf_switches=2 * place.fabric.leaf_switches,
            spine_switches=2 * place.fabric.spine_switches,
        ),
        tiers=tuple(
            replace(one, capacity_tb=2 * one.capacity_tb, bandwidth_gbs=2 * one.bandwidth_gbs)
            for one in place.tiers
        ),
    )
    large = replace(scene, places=(twice, *scene.places[1:]))
    before, after = (play(one, Plan(), median(one)) for one in (scene, large))
    for name, row in before.classes.items():
        assert after.classes[name]["wait_p95_h"] <= row["wait_p95_h"] + 0.25
    assert after.measures["waits_met"] >= before.measures["waits_met"]
    assert after.measures["saturated"] <= before.measures["saturated"]


def test_the_same_inputs_give_the_same_bytes() -> None:
    def once() -> str:
        return json.dumps(
            play(tiny(), reference(tiny()), draw(tiny(), 2)).to_dict(), allow_nan=False
        )

    assert once() == once()


def test_hidden_years_differ_and_stay_within_what_is_said() -> None:
    scene = tiny("senior")
    years = [draw(scene, number) for number in range(1, 9)]
    assert len({tuple(one.rates.values()) for one in years}) == 8
    stated = {one.job_class: one for one in scene.work}
    for one in years:
        assert all(0 <= weeks <= 16 for weeks in one.slips.values())
        assert 1 <= one.price <= 1.12
        assert 0.05 <= one.market.sold_out <= 0.45
        assert 0.85 <= one.market.spot <= 1.7
        for name, rate in one.rates.items():
            assert abs(rate - stated[name].monthly) <= 1.5 * stated[name].uncertainty + 1e-5
        for event, planned in zip(one.events, scene.events, strict=True):
            assert abs(event.month - planned.month) <= 1
    assert median(scene).rates == {name: work.monthly for name, work in stated.items()}


@pytest.mark.nightly
def test_lead_times_power_and_prices_act_on_the_year() -> None:
    scene = scene_of(DEFAULT, "junior", 1)
    row = Purchase("p1", "2026-04", "node:H100 node", 3, "Site A")
    demand: Demand = median(scene)
    year = play(scene, Plan(purchases=(row,)), demand)
    nodes = [month["sites"]["Site A"]["nodes"] for month in year.months]
    assert nodes == [20] * 6 + [23] * 6
    late = replace(demand, slips={**demand.slips, "node 3": 4}, price=1.04)
    slipped = play(scene, Plan(purchases=(row,)), late)
    assert [month["sites"]["Site A"]["nodes"] for month in slipped.months] == [20] * 7 + [23] * 5
    paid = slipped.months[3]["money"]["capex_usd"] / year.months[3]["money"]["capex_usd"]
    assert paid == pytest.approx(1.04)
    many = play(scene, Plan(purchases=(replace(row, count=5),)), demand)
    assert many.months[8]["unused_nodes"] == 2
    assert "power" in many.months[8]["over"]
    assert many.measures["unused"] > 0


@pytest.mark.nightly
def test_a_spine_that_is_too_small_slows_work() -> None:
    scene = scene_of(DEFAULT, "junior", 1)
    assert "spine" in {one.key for one in scene.bottlenecks}
    row = Purchase("p1", "2026-01", "spine", 2, "Site A")
    before, after = (play(scene, Plan(purchases=rows), median(scene)) for rows in ((), (row,)))
    assert before.months[8]["spine_full_percent"] > 25
    assert after.months[8]["spine_full_percent"] < 2
    slow, fast = (one.months[8]["classes"]["training"]["slowed_percent"] for one in (before, after))
    assert fast < slow / 2


@pytest.mark.parametrize("kind", BOTTLENECKS.values(), ids=BOTTLENECKS)
@pytest.mark.by_day(ids=["static_quota"])
def test_each_bottleneck_has_a_policy_that_helps(kind: BottleneckKind) -> None:
    drawn = ({one.key for one in scene_of(DEFAULT, "mid", n).bottlenecks} for n in range(40))
    seeds = (n for n, keys in enumerate(drawn) if kind.key in keys)
    scene = scene_of(DEFAULT, "mid", next(seeds))
    before = play(scene, Plan(), median(scene))
    after = play(
        scene, Plan(policies=(Change("c", "2026-01", kind.policy, kind.value),)), median(scene)
    )
    better = [
        after.measures["waits_met"] > before.measures["waits_met"],
        p95(after) < 0.9 * p95(before),
        after.measures["saturated"] < 0.8 * before.measures["saturated"],
        after.measures["delivered"] > before.measures["delivered"] + 0.5,
    ]
    assert sum(better) >= 1, (before.measures, after.measures)


@pytest.mark.nightly
def test_a_commitment_is_paid_and_a_line_is_needed() -> None:
    scene = scene_of(DEFAULT, "mid", 1)
    rent = Rented("r1", "2026-03", "2026-04", "reserved_1y", 32, "Frankfurt", ("training", "batch"))
    year = play(scene, Plan(cloud=(rent,)), median(scene))
    paid = [month["money"]["parts"]["cloud"] for month in year.months]
    assert paid[1] == 0
    assert all(usd > 0 for usd in paid[2:])
    assert year.months[3]["link_full_percent"] > 20
    line = Change("c", "2026-03", "cloud_link_gbps", 200)
    wide = play(scene, Plan(cloud=(rent,), policies=(line,)), median(scene))
    assert wide.months[3]["link_full_percent"] < 2
    assert wide.months[3]["money"]["parts"]["line"] > year.months[3]["money"]["parts"]["line"]


def test_every_figure_of_the_summary_can_be_opened() -> None:
    year = play(tiny(), naive(tiny()), median(tiny()))
    told = {one["figure"] for one in year.why}
    assert told == set(MEASURES) == set(year.measures)
    for one in year.why:
        assert one["text"].endswith(".")
        assert one["parts"]
    months = {one["month"] for one in year.why if one["figure"] == "wait_p95_h"}
    assert months == {"", *(month.name for month in tiny().months)}


def test_an_empty_hall_is_a_year_too() -> None:
    kind, count = tiny().places[0].nodes[0]
    gone = Plan(retire=(Retired("x", "2026-01", kind.name, count, tiny().places[0].site.name),))
    year = play(tiny(), gone, median(tiny()))
    assert year.measures["delivered"] < 5
    json.dumps(year.to_dict(), allow_nan=False)


@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(some_plans(tiny("senior")))
@pytest.mark.nightly
def test_no_plan_that_was_read_breaks_the_year(plan: Plan) -> None:
    year = play(tiny("senior"), plan, draw(tiny("senior"), 1))
    json.dumps(year.to_dict(), allow_nan=False)
    assert 0 <= year.measures["delivered"] <= 100
    assert 0 <= year.measures["utilisation"] <= 250
