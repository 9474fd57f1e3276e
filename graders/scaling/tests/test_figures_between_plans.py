"""A figure between buying evenly and the reference plan is said as what it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graders.scaling.claims import soonest
from graders.scaling.findings import Finding, described
from graders.scaling.makers import solid_plan
from graders.scaling.measuring import AnchoredMeasure, counting, measures, nothing, work_done
from graders.scaling.playing import expected_naive
from scenarios.company.profile import DEFAULT
from scenarios.scaling.draw import scene_of
from scenarios.scaling.plan import Plan

ONE = AnchoredMeasure(next(iter(measures().values())), 0.0, 10.0, 20.0, zero=10.0)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (8.0, "no better than buying evenly"),
        (10.0, "no better than buying evenly"),
        (10.5, "5% of the way"),
        (15.0, "50% of the way"),
        (20.0, "as good as the reference plan or better"),
        (25.0, "as good as the reference plan or better"),
    ],
)
def test_a_place_between_the_plans_has_its_words(value: float, words: str) -> None:
    one = replace(ONE, value=value)
    assert one.score == pytest.approx((value - 10) / 10)
    assert words in str(one.to_dict()["explanation"])
    assert "at most" not in str(one.to_dict()["explanation"])


def test_it_counts_as_far_as_the_work_is_done() -> None:
    one = replace(ONE, value=19.0, most=0.3)
    assert one.score == pytest.approx(0.3)
    assert "at most 30%" in str(one.to_dict()["explanation"])
    assert replace(one, value=11.0).score == pytest.approx(0.1)


def test_a_plan_of_which_nothing_counts_says_why() -> None:
    [one] = nothing([replace(ONE, value=18.0)], "the plan changes nothing")
    assert isinstance(one, AnchoredMeasure)
    assert one.score == 0
    assert "counts nothing, because the plan changes nothing" in str(one.to_dict()["explanation"])


@pytest.mark.parametrize("seed", [7, 8, 9])
def test_a_juniors_solid_plan_misses_the_least_bottleneck(seed: int) -> None:
    scene = scene_of(DEFAULT, "junior", seed)
    _, missed = solid_plan(scene)
    least = min(one.strength for one in scene.bottlenecks)
    assert next(one for one in scene.bottlenecks if one.key == missed).strength == least


def test_the_even_plan_is_played_for_candidates_to_compare_with() -> None:
    assert expected_naive(DEFAULT, "mid", 7)["measures"]


def test_a_claim_is_described_by_its_figure() -> None:
    plan = Plan(claims={"capex_usd": 1_250_000.0})
    assert described(plan, "claims", "capex_usd") == "Claim: capex usd 1,250,000"
    assert described(plan, "purchases", "nowhere") == ""


def test_no_payback_can_be_argued_that_is_not_in_months() -> None:
    """What the present cluster loses in a month pays a million back within some, and twice as much in twice."""
    scene = scene_of(DEFAULT, "mid", 7)
    once = soonest(scene, Plan(), 1_000_000.0)
    assert 0.1 < once < 60
    assert soonest(scene, Plan(), 2_000_000.0) == pytest.approx(2 * once)


def test_a_finding_says_the_rows_that_it_is_about() -> None:
    plan = Plan(claims={"capex_usd": 1_250_000.0})
    found = Finding("over_claim", "Too good.", (("claims", "capex_usd"),)).plain(plan)
    (row,) = found["rows"]
    assert row["text"] == described(plan, "claims", "capex_usd") == "Claim: capex usd 1,250,000"


@pytest.mark.parametrize(
    ("scores", "expected"),
    [((0.4, 0.0, 0.0), 0.4 / 3), ((0.4, -0.3, -2.0), 0.0), ((1.5, 1.0, -0.5), 0.5), ((), 1.0)],
)
def test_work_that_is_worse_than_the_even_plans_counts_against_the_rest(
    scores: tuple[float, ...], expected: float
) -> None:
    work = [one for one in measures().values() if one.key in counting("work")]
    found = [
        AnchoredMeasure(measure, 10 + 10 * score, 10.0, 20.0, 10.0)
        for measure, score in zip(work, scores, strict=False)
    ]
    assert work_done(found) == pytest.approx(expected)
