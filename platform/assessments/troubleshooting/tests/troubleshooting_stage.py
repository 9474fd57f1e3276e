"""An attempt at the troubleshooting exercise, with one variant built for a whole test run."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from assessments import attempts
from assessments.models import Attempt
from assessments.tests.kept_variants import lend_variant
from assessments.tests.stage import NOW, POLICIES, Stage

INCIDENT = "troubleshooting/slow-training"
LEVEL, SEED = "junior", 4_203_117_955_031_777_209


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of variants that holds the one of `incident`."""
    return lend_variant(tmp_path_factory.mktemp("variants"), INCIDENT, LEVEL, SEED)


def turn_to_incident(stage: Stage) -> None:
    """Make the stage's exercise one at which the candidate works in a room."""
    exercise = stage.exercise
    exercise.pack_name, exercise.kind, exercise.level = INCIDENT, "troubleshooting", LEVEL
    exercise.save()


def start_incident(stage: Stage, now: Any = NOW) -> Attempt:
    turn_to_incident(stage)
    return attempts.start(
        invitation=stage.invitation,
        exercise=stage.exercise,
        policies=POLICIES,
        now=now,
        seed=SEED,
    )


@pytest.fixture
def incident(stage: Stage, built: Path, settings: Any) -> Attempt:
    """Ada began the exercise at NOW; its materials are on disk."""
    settings.VARIANTS = built
    return start_incident(stage)


def fake_build(calls: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A build writes the least that it may, and notes its command line."""

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        out = Path(command[command.index("--out") + 1])
        out.mkdir(parents=True)
        incident = {"window": {"from_ms": 0, "to_ms": 1}, "hosts": []}
        manifest = {"seed": 1, "files": [], "incident": incident}
        (out / "manifest.json").write_text(json.dumps(manifest))
        key = Path(command[command.index("--key") + 1])
        key.parent.mkdir(parents=True, exist_ok=True)
        key.write_text('{"causes": []}')
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr("assessments.materials.variants.subprocess.run", run)
