from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest

from graders import playing
from graders.__main__ import backend_from_environment
from graders.grading import grade, run_public
from graders.tests.local_backend import LocalBackend
from graders.tests.test_grading import GOLDENS, PACK, golden, program
from sandbox import Backend, Limits, SandboxUnavailable


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    try:
        found = backend_from_environment()
    except SandboxUnavailable as missing:
        if os.environ.get("HEADNODE_REQUIRE_ALL"):
            raise
        pytest.skip(f"no sandbox here: {missing}")
    yield found
    found.close()


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDENS.glob("*.py")))
def test_golden_runs_in_the_sandbox_as_it_does_outside(backend: Backend, name: str) -> None:
    files = golden(name)
    inside = grade(PACK, "mid", 5, files, backend, 1).to_dict()
    outside = grade(PACK, "mid", 5, files, LocalBackend(), 1).to_dict()
    assert inside["status"] == outside["status"]
    assert inside["measures"] == outside["measures"]
    assert json.dumps(inside["evidence"][0]["series"]) == json.dumps(
        outside["evidence"][0]["series"]
    )


def test_program_that_loops_for_ever_is_stopped_and_not_measured(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "LIMITS", Limits(wall_s=2.0))
    report = run_public(PACK, "mid", 5, program("while True:\n    pass\n"), backend)
    assert report.status == "timeout"
    assert report.to_dict()["score"] is None
    assert "2 s" in report.detail
    assert "not let a single minute" in report.detail
