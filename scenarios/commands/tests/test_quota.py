from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenarios.__main__ import main
from scenarios.simulator.kueue.tests.test_case import CASE, changed


def write(path: Path, data: object) -> Path:
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_quota_answers_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["quota", str(write(tmp_path / "case.json", CASE)), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer == {
        "id": "own-1",
        "evicted": [{"workload": "new", "reason": "InCohortReclamation"}],
    }


def test_quota_answers_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    big = changed("incoming/requests/gpu", "99")
    assert main(["quota", str(write(tmp_path / "case.json", big))]) == 0
    assert capsys.readouterr().out == "Nobody is evicted.\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("\x00", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "one JSON object"),
        (json.dumps(changed("target_cq", 3)), "target_cq must be a text"),
    ],
)
def test_a_bad_case_is_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    (tmp_path / "case.json").write_text(text, encoding="utf-8")
    assert main(["quota", str(tmp_path / "case.json"), "--json"]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert said in streams.err
    assert streams.err.count("\n") == 1


def test_an_absent_case_is_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["quota", str(tmp_path / "none.json")]) == 2
    assert "cannot be read" in capsys.readouterr().err
