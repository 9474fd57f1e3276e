from __future__ import annotations

import json

import pytest

from graders import playing
from graders.kinds import grade, run_public
from graders.tests.local_backend import LocalBackend
from graders.tests.sandboxes import backend, unhurried
from graders.tests.test_grading import PACK, golden, program
from sandbox import Backend, Limits

__all__ = ["backend", "unhurried"]


@pytest.mark.usefixtures("unhurried")
def test_grade_is_the_same_to_the_byte_wherever_the_answer_runs(backend: Backend) -> None:
    inside = grade(PACK, "mid", 5, golden("competent"), backend, 1).to_dict()
    outside = grade(PACK, "mid", 5, golden("competent"), LocalBackend(), 1).to_dict()
    for report in (inside, outside):
        del report["versions"]
    assert json.dumps(inside) == json.dumps(outside)


def test_program_that_loops_for_ever_is_stopped_and_not_measured(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "LIMITS", Limits(wall_s=2.0))
    report = run_public(PACK, "mid", 5, program("while True:\n    pass\n"), backend)
    assert report.status == "timeout"
    assert report.to_dict()["score"] is None
    assert "2 s" in report.detail
    assert "not let a single tick of the day" in report.detail
