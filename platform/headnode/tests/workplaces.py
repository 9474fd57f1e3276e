"""Ada's attempts with a room of materials, and one that she may read ahead: for tests of addresses."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from assessments import answers, attempts
from assessments.ahead import release
from assessments.materials.variants import NotBuilt
from assessments.models import Attempt, GradingRun, Run
from assessments.tests.stage import NOW, POLICIES, Stage, hand_in
from assessments.troubleshooting.tests.troubleshooting_stage import INCIDENT
from assessments.workplace.access import NotThere
from hiring.models import Exercise, Invitation
from reviews.evidence import cost_key, scaling_key, troubleshooting_key
from reviews.tests.scene import LATER

YEAR = {"kind": "year", "draw": 1, "measures": {}, "naive": {}, "reference": {}}
WORKPLACES = {
    "troubleshooting": (INCIDENT, "troubleshooting"),
    "cost": ("cost/fleet-bill", "cost"),
    "scaling": ("scaling-plan/growth-year", "scaling-plan"),
}
"""Kind's name -> the pack and the kind of an exercise with materials."""
AT = {"bill": "cost", "plan": "scaling", "years": "scaling"}
"""Part of an address -> the kind it is for; every other is of any room."""


def _exercise(stage: Stage, pack: str, kind: str) -> Exercise:
    exercise = Exercise.objects.create(
        opening=stage.opening,
        pack_name=pack,
        kind=kind,
        level="mid",
        limit_minutes=40,
        revision_minutes=8,
    )
    stage.invitation.exercises.add(exercise)
    return exercise


@pytest.fixture
def in_workplaces(
    stage: Stage, handed_in: Attempt, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Attempt]:
    """Ada's attempts with a room of materials, which nobody makes here: whoever is let in is told so."""
    found = {}
    for name, (pack, kind) in WORKPLACES.items():
        attempt = attempts.start(
            invitation=stage.invitation,
            exercise=_exercise(stage, pack, kind),
            policies=POLICIES,
            now=NOW,
            seed=1,
        )
        hand_in(attempt, answers.starting_body(attempt), at=NOW + timedelta(minutes=5))
        found[name] = attempt
    years = GradingRun.objects.filter(submission__attempt=found["scaling"])
    years.update(finished_at=LATER, result="done", report={"evidence": [YEAR]})

    def unmade(*_: object) -> None:
        raise NotThere

    monkeypatch.setattr("assessments.workplace.access.room", unmade)
    # All are imported before the first is replaced: one that takes `key_of` from another would keep ours.
    for module in (troubleshooting_key, cost_key, scaling_key):
        monkeypatch.setattr(module, "key_of", unmade)
    return found


@pytest.fixture
def read_ahead(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Exercise:
    """One that Ada may read before she starts it, and has; nor are its materials made here."""
    exercise, now = _exercise(stage, *WORKPLACES["cost"]), timezone.now()
    row = Invitation.objects.filter(pk=stage.invitation.pk)
    row.update(opens_at=now - timedelta(days=1), closes_at=now + timedelta(days=1))
    stage.invitation.refresh_from_db()
    release.arrange(stage.invitation, opens_at=now, by=stage.rhea, now=now)
    release.look(stage.invitation, exercise, now=now)

    def unmade(*_: object, **__: object) -> None:
        raise NotBuilt

    monkeypatch.setattr("assessments.materials.rebuilding.folder", unmade)
    return exercise


def in_a_workplace(pattern: str, in_workplaces: dict[str, Attempt]) -> dict[str, Any]:
    """Which attempt an address below the room, of the key or of a match is about."""
    found = re.search(r"/attempts/<uuid:pk>/(room|key|matches|years)/(bill|plan)?", f"/{pattern}")
    if not found:
        return {}
    attempt = in_workplaces[AT.get(found[2] or found[1], "troubleshooting")]
    grading = attempt.submissions.get().latest_grading()
    own: dict[str, Any] = {"pk": attempt.pk, "grading": grading.pk if grading else 0}
    own["position"] = 1
    if found[2] == "plan":
        own["run"] = Run.objects.create(
            attempt=attempt,
            round=1,
            draft=attempt.drafts.get(),
            workload="what-if",
            created_at=NOW,
            finished_at=NOW,
            result="done",
            report={},
        ).pk
    return own
