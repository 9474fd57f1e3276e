"""A troubleshooting attempt, handed in, graded and assigned: what tests of its staff pages begin with."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assessments import answers
from assessments.materials import rebuilding, variants
from assessments.models import Attempt, GradingRun
from assessments.tests.stage import NOW, Stage, hand_in
from assessments.troubleshooting.tests.troubleshooting_stage import INCIDENT, LEVEL, SEED
from graders.kinds import grade as graded
from graders.troubleshooting.matching import spoken_of
from reviews.scoring import evaluations
from reviews.tests.scene import LATER


def key() -> dict[str, Any]:
    """The truth of the scene's variant; it has to be built."""
    return variants.key_of(INCIDENT, LEVEL, SEED)


def claim_of(cause: dict[str, Any]) -> str:
    """What the key says of a cause, in one sentence."""
    return f"{cause['title']}: {cause['story'].replace('. ', ', ')}"


def known_causes(truth: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Causes whose own words in the key the grader knows; of the scene's variant where none is given."""
    return [
        cause
        for cause in (truth or key())["causes"]
        if cause["key"] in {one.key for one, _ in spoken_of(claim_of(cause))}
    ]


def answer(attempt: Attempt) -> dict[str, Any]:
    """The first cause on the board with a true pin, the second in prose, a herring taken for a cause."""
    truth = variants.key_of(*rebuilding.of_attempt(attempt))
    first, second, *_ = known_causes(truth)
    herring = truth["herrings"][0]
    line = first["lines"][0]
    pin = {"kind": "log", "path": line["path"], "line": line["spans"][0][0], "text": line["first"]}
    card = {
        "id": "h1",
        "claim": claim_of(first),
        "status": "supported",
        "hours": first["hours"],
        "seconds_per_step": None,
        "priority": 1,
        "mitigation": first["mitigation"],
        "prevention": "",
        "reason": "",
        "opened_min": 9,
        "decided_min": 60,
        "pins": [pin],
    }
    herring_card = card | {
        "id": "h2",
        "claim": herring["title"],
        "priority": 2,
        "pins": [],
        "hours": 1.0,
        "opened_min": 20,
        "decided_min": None,
    }
    body = answers.starting_body(attempt)
    board = json.dumps({"hypotheses": [card, herring_card]})
    sections = body["sections"] | {"issues": claim_of(second), "first_look": "The job's own log."}
    return {"files": {"board.json": board}, "sections": sections}


@pytest.fixture(scope="session")
def troubleshooting_report(built: Path) -> dict[str, Any]:
    """Filled by the first test that needs it: reading a variant's truth takes seconds."""
    return {}


@pytest.fixture
def troubleshooting_attempt(
    incident: Attempt, stage: Stage, published: list[Any], troubleshooting_report: dict[str, Any]
) -> Attempt:
    """Ada handed in after half an hour; the grading is done; Ines is asked to score."""
    body = answer(incident)
    hand_in(incident, body, at=NOW + timedelta(minutes=30))
    if not troubleshooting_report:
        files = answers.program(incident, body)
        troubleshooting_report |= graded(INCIDENT, LEVEL, SEED, files, None).to_dict()
    run = GradingRun.objects.get(submission__attempt=incident)
    run.finished_at, run.result, run.report = LATER, "done", troubleshooting_report
    run.save()
    evaluations.assign(attempt=incident, evaluator=stage.ines, by=stage.rhea, now=LATER)
    return Attempt.objects.get(pk=incident.pk)
