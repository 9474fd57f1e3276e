"""Every backend shows the same behaviours."""

from __future__ import annotations

import pytest

from sandbox import Backend
from sandbox.tests.behaviours import BOUNDED, ORDINARY, Behaviour
from sandbox.tests.episode import Steps, run
from sandbox.tests.hostile import FENCED, HOSTILE

ALL = [*ORDINARY, *BOUNDED, *HOSTILE, *FENCED]
# Each behaviour on both engines, in turn in a sandbox started for it and in one that was there before.
BY_DAY = [
    (wanted, start)
    for number, wanted in enumerate(ALL)
    for start in (("namespace", "docker_ahead"), ("namespace_ahead", "docker"))[number % 2]
]


@pytest.mark.by_day("wanted,any_start", BY_DAY)
@pytest.mark.parametrize("wanted", ALL, ids=lambda wanted: wanted.name)
def test_backend_shows(
    wanted: Behaviour, any_start: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY_SECRET", "canary")
    session = Steps(wanted.steps)
    outcome = run(any_start, wanted.program, session, wanted.files, **wanted.limits)
    assert outcome.status == wanted.status, outcome
    assert wanted.holds(outcome, session), outcome
    assert outcome.reduced == []
    assert outcome.backend == any_start.name
    assert outcome.image.startswith("python@sha256:") or outcome.status == "sandbox_error"
