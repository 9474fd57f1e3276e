"""The fixed sample of goldens; `make calibrate` plays thirty seeds of every level."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graders.__main__ import main
from graders.troubleshooting.calibration import SEEDS, missed, play, stated, summary
from graders.troubleshooting.makers import MAKERS, write_golden
from scenarios.packs import load_pack

PACK = load_pack("troubleshooting/slow-training")
SAMPLE = (11, 12)


@pytest.mark.parametrize("level", PACK.levels)
@pytest.mark.parametrize("seed", SAMPLE)
@pytest.mark.by_day(ids=["11-junior"])
def test_goldens_come_out_within_their_bounds_and_in_order(level: str, seed: int) -> None:
    rows = {str(seed): play(PACK, level, seed)}
    assert missed(PACK, rows) == []
    assert set(summary(rows)) == set(MAKERS)


def test_every_golden_has_bounds_and_every_bar_is_told_when_missed() -> None:
    table = stated(PACK)
    assert set(table["bounds"]) == set(MAKERS)
    keys = ("causes_found", "claims_hold", "order", "herrings", "hours_explained")
    flat = {"score": 0.5, "measures": dict.fromkeys(keys, 50.0)}
    said = missed(PACK, {"1": dict.fromkeys(MAKERS, flat)})
    assert any("expert comes to 50.0 in causes_found" in one for one in said)
    assert any("competent is 0.000 above guesser" in one for one in said)
    assert not set(SAMPLE) & set(SEEDS)


@pytest.mark.nightly
def test_command_line_grades_one_answer_and_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = tmp_path / "mine.json"
    one.write_text(write_golden(PACK, "senior", "competent", 7)["answer.json"], encoding="utf-8")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "answer.json").write_text("{", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    start = ["grade", PACK.name, "--level", "senior", "--seed", "7"]
    assert main([*start, "--answer", str(one), "--hidden-seeds", "9", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["status"] == "done"
    assert {"pack", "level", "seed", "measures", "evidence", "score", "versions"} <= set(report)
    assert main([*start, "--answers", str(tmp_path), "--json"]) == 0
    rows = {row["answer"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert rows["mine.json"]["score"] == report["score"]
    assert rows["broken"]["status"] == "candidate_error"
    assert "name the answer that" in rows["empty"]["detail"]
    assert main([*start, "--answer", str(tmp_path / "empty")]) == 2
    assert "name the answer that" in capsys.readouterr().err
