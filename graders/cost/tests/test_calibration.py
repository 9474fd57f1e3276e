from __future__ import annotations

import json

from benchmarks import calibrate, cost_variants
from scenarios.packs import load_pack

PACK = load_pack("cost/fleet-bill")
KEPT = calibrate.FOLDER / "cost-fleet-bill.json"


def test_kept_calibration_meets_every_bar() -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    assert cost_variants.faults(PACK, kept) == []
    assert kept["commit"]
    for level in PACK.levels:
        found = kept["summary"][level]
        assert found["expert"]["least"] > found["solid"]["most"]
        for name in ("naive", "eloquent", "silent"):
            assert found["solid"]["least"] > found[name]["most"]


def test_what_does_not_close_is_named() -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    row = kept["table"]["mid"]["101"]
    row["checks"]["sums"] = ["invoice 7 is a cent off"]
    row["goldens"]["expert"]["score"] = 0.2
    said = cost_variants.faults(PACK, kept)
    assert "mid seed 101: sums: invoice 7 is a cent off" in said
    assert any(one.startswith("mid: seed 101: expert comes to 0.2 in score") for one in said)
