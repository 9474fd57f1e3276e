from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks import calibrate, troubleshooting_variants, written_variants
from benchmarks.troubleshooting_checks import MISSING
from graders.troubleshooting.calibration import SEEDS
from graders.troubleshooting.makers import MAKERS
from scenarios.packs import load_pack

PACK = load_pack("troubleshooting/slow-training")
KEPT = calibrate.FOLDER / "troubleshooting-slow-training.json"


def test_kept_calibration_meets_every_bar() -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    assert troubleshooting_variants.faults(PACK, kept) == []
    assert kept["commit"]
    assert sum(kept["checks"]["metrics"].values()) == len(SEEDS) * len(PACK.levels) == 90
    for level in PACK.levels:
        found = kept["summary"][level]
        assert found["expert"]["least"] > found["competent"]["most"]
        for name in ("guesser", "guesser_everywhere", "herring_chaser", "generic", "silent"):
            assert found["competent"]["least"] > found[name]["most"]


def row(score: float) -> dict[str, Any]:
    keys = ("causes_found", "claims_hold", "order", "herrings", "hours_explained")
    golden = {"score": score, "measures": dict.fromkeys(keys, 100 * score)}
    return {
        "goldens": dict.fromkeys(MAKERS, golden),
        "checks": {"metrics": "ok", "slurm_conf": MISSING},
        "variant": {"answer": "a", "mb": 1, "off": 0.0, "hours": 15},
    }


def test_stopped_calibration_goes_on_and_a_changed_source_starts_anew(
    tmp_path: Path,
) -> None:
    path = tmp_path / KEPT.name
    table = {"junior": {"101": row(0.5)}}
    written_variants.write(path, PACK, {"commit": "abc", "digest": "digest"}, table)
    assert written_variants.kept(path, "digest") == table
    assert written_variants.kept(path, "other") == {}
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert kept["checks"] == {"metrics": {"ok": 1}, "slurm_conf": {MISSING: 1}}
    assert kept["summary"]["junior"]["expert"]["mean"] == 0.5


def test_every_missed_bar_is_named() -> None:
    bad = row(0.5)
    bad["checks"] = {"rules": "line 3: no", "slurm_conf": MISSING}
    bad["variant"] = {"answer": "a", "mb": 99, "off": 0.2, "hours": 13}
    said = troubleshooting_variants.faults(PACK, {"table": {"mid": {"1": bad, "2": row(0.5)}}})
    for part in (
        "junior: 0 of 30 variants played",
        "mid: two seeds have the same answer",
        "mid seed 1: rules: line 3: no",
        "99 MB",
        "20.0% off the gap",
        "the job takes 13 h",
        "mid: seed 1: expert comes to 0.5 in score",
    ):
        assert any(part in one for one in said), part
    assert not any(MISSING in one for one in said)
