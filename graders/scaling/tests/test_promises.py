"""What is claimed beside what was played, as a measure of its own."""

from __future__ import annotations

from typing import Any

import pytest

from graders.scaling.assess import assess
from graders.scaling.promises import promised


def claim(name: str, value: float, low: float, high: float, state: str) -> dict[str, Any]:
    return {
        "kind": "claim",
        "part": "claims",
        "id": name,
        "name": name,
        "title": name,
        "unit": "h",
        "claimed": value,
        "low": low,
        "mean": (low + high) / 2,
        "high": high,
        "state": state,
    }


WAIT = claim("wait_p95_h", 0.1, 13, 16, "too_good")
KEPT = claim("capex_usd", 2e6, 2e6, 2e6, "within")


def test_a_wait_far_better_than_what_was_played_leaves_nothing_of_the_measure() -> None:
    (alone,) = promised([WAIT], 1.0)
    assert (alone.measure.key, alone.score) == ("claims", 0)
    assert "0.1 h claimed, 13.0 to 16.0 played" in alone.to_dict()["explanation"]  # type: ignore[operator]
    (one,) = promised([KEPT, WAIT], 1.0)
    assert one.score == pytest.approx(0.25)
    assert promised([KEPT], 1.0)[0].score == 1


def test_without_claims_nothing_is_measured_and_honesty_alone_is_no_merit() -> None:
    assert promised([], 1.0) == []
    assert promised([KEPT], 0.0)[0].score == 0


@pytest.mark.parametrize(("value", "score"), [(9.0, 1.0), (4.5, 0.0), (6.0, 2 / 3), (0.0, 0.0)])
def test_a_claim_loses_by_how_much_better_it_is_than_the_best_year(
    value: float, score: float
) -> None:
    (one,) = promised([claim("wait_p95_h", value, 9, 14, "too_good")], 1.0)
    assert one.score == pytest.approx(score)
    more = claim("gpu_hours", 2_000_000, 900_000, 1_000_000, "too_good")
    assert promised([more], 1.0)[0].score == 0


def test_a_finding_that_is_set_aside_takes_its_claim_out() -> None:
    year = dict.fromkeys(
        (
            "waits_met",
            "wait_p95_h",
            "delivered",
            "utilisation",
            "months_over",
            "saturated",
            "unused",
            "usd_per_gpu_hour",
        ),
        50.0,
    )
    best = {**year, "waits_met": 90.0, "delivered": 90.0, "wait_p95_h": 5.0}
    reading = {
        "played": {"plan": [best], "naive": [year], "reference": [best]},
        "changes": 1,
        "capex_usd": 0,
        "orders": [],
        "claims": [KEPT, WAIT],
        "bottlenecks": [],
        "findings": [{"id": "over_claim/wait_p95_h", "finding": "over_claim", "rows": []}],
        "checks": [],
        "notes": [],
    }
    aside = {"statement": "over_claim/wait_p95_h", "subject": "over_claim", "verdict": "none"}
    scores = [
        next(one.score for one in assess(reading, said).measures if one.measure.key == "claims")
        for said in ([], [aside])
    ]
    assert scores == [pytest.approx(0.25), 1.0]
