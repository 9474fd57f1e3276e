from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from graders.measures import Measured, measure_workloads, total
from scenarios.packs import Measure, all_packs
from scenarios.worlds.averages import percentile
from scenarios.worlds.queue_autoscaler.measures import MEASURES


def measure(key: str = "cost", better: str = "lower", floor: float = 10.0) -> Measure:
    return Measure(key, "Cost", "USD", better, floor, "What it means.")


def day(**changes: Any) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "waits_min": [[1.0, 2.0], [], [5.0]],
        "spend_usd": 100.0,
        "overflow_usd": 0.0,
        "short_lived_nodes": 1,
        "missed_half_hours": 2,
        "idle_half_hours": 3,
        "misfit_gpu_h": 50.0,
        "undone_gpu_h": 4.0,
        "lost_gpu_h": 3.0,
        "incidents": [],
        "broken_rules": [],
    }
    return {**figures, **changes}


@pytest.mark.parametrize(
    ("share", "expected"), [(0.5, 5.0), (0.95, 10.0), (0.0, 1.0), (1.0, 10.0), (0.11, 2.0)]
)
def test_percentile_is_the_nearest_rank(share: float, expected: float) -> None:
    assert percentile([float(n) for n in range(1, 11)], share) == expected


def test_percentile_of_nothing_is_nothing() -> None:
    assert percentile([], 0.95) is None


def test_score_is_not_clipped_on_either_side() -> None:
    assert Measured(measure(), 20.0, 100.0, 50.0).score == pytest.approx(1.6)
    assert Measured(measure(), 150.0, 100.0, 50.0).score == pytest.approx(-1.0)


def test_score_follows_from_the_figures_that_are_shown() -> None:
    shown = Measured(measure(), 61.23456, 100.0, 50.0).to_dict()
    value, naive, reference = (float(str(shown[k])) for k in ("value", "naive", "reference"))
    expected = (value - naive) / (reference - naive)
    assert float(str(shown["score"])) == pytest.approx(expected, abs=1e-4)


def test_total_goes_no_higher_than_the_measure_that_is_the_point_lets_it() -> None:
    good = Measured(measure("waits"), 50.0, 100.0, 50.0)
    held = replace(measure("bursts"), ceiling=0.25)
    for value, most in ((100.0, 0.25), (900.0, 0.25), (75.0, 0.625), (50.0, 1.0)):
        assert total([good, good, good, Measured(held, value, 100.0, 50.0)]) == most
    assert (
        total([Measured(measure(), 100.0, 100.0, 50.0), Measured(held, 50.0, 100.0, 50.0)]) == 0.5
    )
    said = str(Measured(held, 75.0, 100.0, 50.0).to_dict()["explanation"])
    assert "holds the total at 62% at most" in said


def test_total_clips_each_measure_before_the_mean() -> None:
    far_above = Measured(measure(), -900.0, 100.0, 50.0)
    far_below = Measured(measure(), 900.0, 100.0, 50.0)
    assert total([far_above, far_below]) == 0.5
    assert total([]) is None


def test_anchors_are_kept_apart_when_a_day_shows_no_difference() -> None:
    same = [day()]
    [found] = measure_workloads([measure()], MEASURES, [day(spend_usd=95.0)], same, same)
    assert found.reference == 90.0
    assert found.score == pytest.approx(0.5)


def test_anchors_that_differ_are_left_as_they_are() -> None:
    [found] = measure_workloads(
        [measure()], MEASURES, [day()], [day(spend_usd=200.0)], [day(spend_usd=80.0)]
    )
    assert (found.naive, found.reference) == (200.0, 80.0)


def test_incidents_count_by_kind_so_that_spam_cannot_hide_neglect() -> None:
    spam = [[0, "lost write", "x", True]] * 100
    real = [[0, "node down", "od-001", False]]
    assert MEASURES["incidents"]([day(incidents=spam + real)]) == 50.0


def test_broken_rule_counts_as_trouble_never_handled() -> None:
    handled = [[0, "node down", "od-001", True]]
    assert MEASURES["incidents"]([day(incidents=handled)]) == 100.0
    broken = day(incidents=handled, broken_rules=["preempted protected job 3"])
    assert MEASURES["incidents"]([broken]) == 50.0


def test_measure_without_any_figure_is_left_out() -> None:
    incidents = measure("incidents", "higher", 20.0)
    assert measure_workloads([incidents], MEASURES, [day()], [day()], [day()]) == []


def test_every_measure_of_every_pack_can_be_computed() -> None:
    for pack in [pack for pack in all_packs() if "world" in pack.data]:
        for level in pack.levels:
            for found in pack.measures(level):
                assert found.key in pack.world.measures
                assert found.better in ("lower", "higher")
                assert found.floor > 0


@pytest.mark.parametrize("missing", ["own", "naive", "reference"])
def test_what_only_some_of_the_three_can_say_is_not_measured(missing: str) -> None:
    said = {"own": 50.0, "naive": 100.0, "reference": 40.0}
    days = {name: [{"cost": None if name == missing else value}] for name, value in said.items()}
    computes = {"cost": lambda figures: figures[0]["cost"]}
    assert measure_workloads([measure()], computes, *days.values()) == []
    days[missing] = [{"cost": said[missing]}]
    (found,) = measure_workloads([measure()], computes, *days.values())
    assert found.score == pytest.approx(50 / 60)
