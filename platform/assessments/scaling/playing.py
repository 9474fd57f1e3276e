"""Plays a plan for a worker: in a process of its own, bounded, its memory given back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from assessments.escapes import writable
from assessments.models import Attempt
from assessments.scaling.player import OUT_OF_MEMORY

# Against a process that hangs: its processor time is bounded by itself, and a busy host takes longer.
WALL_S = 600
LOOK_S = 0.1
PLAYER = ["-m", "assessments.scaling.player"]
TOO_LARGE = (
    "This plan takes more time or memory to play than a what-if may. It was not counted: take out orders that "
    "are far beyond what the sites can hold, then ask again."
)
STAFF_ONLY = ("reference", "score", "explanation")
"""Of a measure: tell how good plans do, which is what a candidate is to find out."""


class Failed(RuntimeError):
    """The plan could not be played here; one sentence for the operator."""


def play(
    attempt: Attempt,
    files: Mapping[str, str],
    workload: str,
    cancel: threading.Event | None = None,
) -> dict[str, Any]:
    """The report of `graders.kinds.run_public`, without what only staff may know.

    A plan that uses up the processor time or memory it may have is a candidate_error; that costs no
    what-if, and no time is given back for it. Setting `cancel` ends it at once, as `cancelled`. Raises
    Failed where it went wrong on our side.
    """
    asked = {
        "pack": attempt.pack_version.name,
        "level": attempt.level,
        "seed": attempt.seed,
        "files": {path: writable(text) for path, text in files.items()},
        "workload": workload,
        "company": attempt.company,
    }
    done = _run(json.dumps(asked), cancel or threading.Event())
    if done is None:
        said = "The what-if was cancelled."
        return {"status": "cancelled", "detail": said, "measures": [], "timeline": {}}
    if done.returncode in (-signal.SIGXCPU, OUT_OF_MEMORY):
        return {"status": "candidate_error", "detail": TOO_LARGE, "measures": [], "timeline": {}}
    if done.returncode:
        raise Failed(f"The plan could not be played: {done.stderr.strip()[-500:]}")
    report: dict[str, Any] = json.loads(done.stdout)
    return for_candidate(report)


def for_candidate(report: dict[str, Any]) -> dict[str, Any]:
    """A report without scores and without what the reference plan reached."""
    measures = [
        {key: value for key, value in row.items() if key not in STAFF_ONLY}
        for row in report.get("measures", [])
    ]
    return {key: value for key, value in report.items() if key != "score"} | {"measures": measures}


def _run(asked: str, cancel: threading.Event) -> subprocess.CompletedProcess[str] | None:
    """None where it was cancelled."""
    inherited = {name: os.environ[name] for name in ("PATH", "LANG", "HOME") if name in os.environ}
    command = [sys.executable, *PLAYER]
    with subprocess.Popen(  # noqa: S603 - our own command line
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=settings.ROOT,
        env=inherited
        | {"PYTHONPATH": f"{settings.ROOT}/platform:{settings.ROOT}", "OPENBLAS_NUM_THREADS": "1"},
        text=True,
    ) as player:
        try:
            return _heard(player, asked, cancel)
        finally:
            player.kill()


def _heard(
    player: subprocess.Popen[str], asked: str, cancel: threading.Event
) -> subprocess.CompletedProcess[str] | None:
    until = time.monotonic() + WALL_S
    question: str | None = asked
    while time.monotonic() < until:
        if cancel.is_set():
            return None
        try:
            said, complained = player.communicate(question, timeout=LOOK_S)
        except subprocess.TimeoutExpired:
            question = None  # it keeps what it has not passed on
        else:
            return subprocess.CompletedProcess(player.args, player.returncode, said, complained)
    raise Failed(f"Playing the plan took longer than {WALL_S} s.")
