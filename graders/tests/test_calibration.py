from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graders import calibration
from graders.calibration import calibrate, faults
from graders.goldens import expected
from scenarios.packs import Pack, all_packs, load_pack

KEPT = Path(__file__).resolve().parents[2] / "benchmarks" / "calibration"
PACK = load_pack("automation/queue-autoscaler")
ROW = {"total": 0.5, "mean": 0.5, "scores": {"cost": 0.5}}


@pytest.mark.parametrize("name", [pack.name for pack in all_packs() if pack.kind == "automation"])
def test_every_pack_was_calibrated_and_meets_its_bars(name: str) -> None:
    path = KEPT / f"{name.replace('/', '-')}.json"
    kept = json.loads(path.read_text(encoding="utf-8"))
    pack = load_pack(name)
    assert faults(pack, kept["summary"]) == []
    assert kept["commit"]
    for level in pack.levels:
        assert kept["summary"][level]["do_nothing"]["total"] <= 0.1
        if pack.anchor(level, "reference") is not None:
            assert kept["summary"][level]["expert"]["total"] >= 0.9
        for rows in kept["table"][level].values():
            assert len(rows) == len(calibration.SEEDS) == 10


def test_stopped_calibration_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[tuple[str, str, int]] = []

    def row(pack: Pack, level: str, name: str, seed: int) -> dict[str, Any]:
        if len(played) == 5:
            raise KeyboardInterrupt
        played.append((level, name, seed))
        return dict(ROW)

    monkeypatch.setattr(calibration, "_row", row)
    with pytest.raises(KeyboardInterrupt):
        calibrate(PACK, tmp_path, "abc", lambda line: None)

    def rest(pack: Pack, level: str, name: str, seed: int) -> dict[str, Any]:
        played.append((level, name, seed))
        return dict(ROW)

    monkeypatch.setattr(calibration, "_row", rest)
    path = calibrate(PACK, tmp_path, "abc", lambda line: None)
    assert len(played) == len(set(played)) == 10 * 7 * len(PACK.levels)
    assert json.loads(path.read_text())["summary"]["mid"]["naive"] == {
        "mean": 0.5,
        "total": 0.5,
        "spread": 0.0,
    }


def test_every_missed_bar_is_named() -> None:
    golden = {"mean": 0.5, "total": 0.5, "spread": 0.9}
    names = ("do_nothing", "naive", "competent", "expert", "thrasher", "budget_breaker", "cheater")
    found = faults(PACK, {level: dict.fromkeys(names, golden) for level in PACK.levels})
    stated = expected(PACK)
    margins = [line for line in found if "above" in line]
    assert len(margins) == len(stated.margins) * len(PACK.levels)
    assert any("spread of competent" in line for line in found)
    assert any("do_nothing comes to 0.5" in line for line in found)
    assert faults(PACK, {})[0].endswith("not played.")
