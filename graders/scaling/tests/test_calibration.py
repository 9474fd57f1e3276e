from __future__ import annotations

import json
from typing import Any

from benchmarks import calibrate, scaling_variants
from graders.scaling.makers import MAKERS
from graders.scaling.measuring import measures
from scenarios.packs import load_pack

PACK = load_pack("scaling-plan/growth-year")
KEPT = calibrate.FOLDER / "scaling-plan-growth-year.json"


def test_kept_calibration_meets_every_bar() -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    assert scaling_variants.faults(PACK, kept) == []
    assert kept["commit"]
    for rows in kept["table"].values():
        for row in rows.values():
            scores = {name: one["score"] for name, one in row["goldens"].items()}
            assert scores["expert"] > scores["solid"] > scores["naive"]
            assert scores["solid"] > max(scores["eloquent"], scores["silent"])


def row(score: float) -> dict[str, Any]:
    golden = {"score": score, "measures": dict.fromkeys(measures(), 50.0), "findings": {}}
    return {
        "goldens": dict.fromkeys(MAKERS, golden),
        "checks": {"tables": [], "over-claimer's rows": []},
        "variant": {"bottlenecks": {"spine": 0.7}, "expert": golden["measures"], "mb": 1.0},
    }


def test_every_missed_bar_is_named() -> None:
    bad = row(0.5)
    bad["checks"] = {"tables": ["a.csv has no rows"], "reference": ["too much"]}
    said = scaling_variants.faults(PACK, {"table": {"mid": {"1": bad, "2": row(0.5)}}})
    for part in (
        "junior: 0 of 30 variants played",
        "mid: two seeds have the same answer",
        "mid seed 1: tables: a.csv has no rows",
        "mid seed 1: reference: too much",
        "mid: seed 1: expert comes to 0.5 in score",
        "mid: seed 2: solid is 0.000 above naive",
    ):
        assert any(part in one for one in said), part


def test_the_pack_is_calibrated_with_the_others() -> None:
    assert calibrate.written(PACK) is scaling_variants
    assert calibrate.is_calibrated_here(PACK)
