"""The planner who knows the cluster beats even buying; a mixture beats each of its parts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.scaling.checks import checks
from scenarios.scaling.demand import draw, median
from scenarios.scaling.draw import scene_of
from scenarios.scaling.levels import LEVELS
from scenarios.scaling.measures import MEASURES
from scenarios.scaling.plan import Plan
from scenarios.scaling.reference_plans import naive, reference
from scenarios.scaling.year import play


def better(ours: dict[str, float], theirs: dict[str, float]) -> tuple[int, int]:
    """Measures that are better, and worse by more than a hundredth."""
    signs = {key: 1 if one.better == "high" else -1 for key, one in MEASURES.items()}
    gains = {key: sign * (ours[key] - theirs[key]) for key, sign in signs.items()}
    worse = sum(gains[key] < -0.01 * max(1.0, abs(theirs[key])) for key in gains)
    return sum(value > 0 for value in gains.values()), worse


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", [2])
@pytest.mark.nightly
def test_the_reference_beats_the_naive_plan(level: str, seed: int) -> None:
    scene = scene_of(DEFAULT, level, seed)
    for demand in (median(scene), draw(scene, 1)):
        ours, theirs = (
            dict(play(scene, plan, demand).measures) for plan in (reference(scene), naive(scene))
        )
        gained, lost = better(ours, theirs)
        assert gained >= 6
        assert ours["year_usd"] < theirs["year_usd"]
        # with every rule the simple plan keeps its few GPUs fuller
        assert lost <= (2 if LEVELS[level].plain else 1)
        assert ours["waits_met"] > theirs["waits_met"] + (3 if LEVELS[level].plain else 8)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.nightly
def test_a_mixture_beats_each_of_its_parts(level: str) -> None:
    scene = scene_of(DEFAULT, level, 1)
    whole = reference(scene)
    parts = (
        Plan(purchases=whole.purchases),
        Plan(cloud=whole.cloud),
        Plan(policies=whole.policies),
    )
    year = play(scene, whole, median(scene)).measures
    for part in parts:
        other = play(scene, part, median(scene)).measures
        assert year["waits_met"] > other["waits_met"] + 5
        assert year["wait_p95_h"] < 0.7 * other["wait_p95_h"]


@pytest.mark.parametrize(
    "profile", [DEFAULT, Profile(nodes=8, gpus_per_node=4, gpu="A100"), Profile(nodes=60)]
)
@pytest.mark.by_day(every=3)
def test_the_reference_stays_within_what_there_is(profile: Profile) -> None:
    for level in LEVELS:
        for seed in range(4):
            scene = scene_of(profile, level, seed)
            rows = [one for one in checks(scene, reference(scene)).rows if one.tone == "bad"]
            assert not rows, [one.text for one in rows]


def test_the_naive_plan_only_buys_and_switches_on_what_promises_something() -> None:
    for level in LEVELS:
        scene = scene_of(DEFAULT, level, 2)
        plan = naive(scene)
        assert replace(plan, purchases=(), policies=()) == Plan()
        assert bool(plan.policies) == (level != "junior")
        assert all(scene.before[one.policy] != one.value for one in plan.policies)
        assert {one.item for one in plan.purchases} == {f"node:{scene.offers[0].name}"}
        spent = [
            one["capex_usd"] <= one["capex_budget_usd"] for one in checks(scene, plan).quarters
        ]
        assert all(spent)
