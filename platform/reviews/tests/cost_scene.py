"""A cost attempt, handed in, graded and assigned: what tests of its staff pages begin with."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assessments import answers, attempts
from assessments.cost.workplace import OPPORTUNITIES
from assessments.models import Attempt, GradingRun
from assessments.tests.kept_variants import lend_variant
from assessments.tests.stage import NOW, POLICIES, Stage, hand_in
from graders.cost.makers import write_golden
from graders.kinds import grade as graded
from reviews.scoring import evaluations
from reviews.tests.scene import LATER
from scenarios.packs import load_pack

COST, LEVEL, SEED = "cost/fleet-bill", "junior", 3_117_955_031_777_209_420


def turn_to_cost(stage: Stage) -> None:
    """Make the stage's exercise the cost exercise."""
    exercise = stage.exercise
    exercise.pack_name, exercise.kind, exercise.level = COST, "cost", LEVEL
    exercise.save()


def answer(attempt: Attempt) -> dict[str, Any]:
    """The over-claimer's table and prose, and a ninth row that means nothing."""
    golden = json.loads(write_golden(load_pack(COST), LEVEL, "over_claimer", SEED)["answer.json"])
    rows = golden["opportunities"]
    rows.append({"id": "odd", "what": "Ask the finance team for ideas.", "where": {}, "saving": {}})
    body = answers.starting_body(attempt)
    files = {OPPORTUNITIES: json.dumps({"opportunities": rows})}
    return {"files": files, "sections": body["sections"] | golden["sections"]}


@pytest.fixture(scope="session")
def built_cost(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of variants that holds the one of `cost_attempt`."""
    return lend_variant(tmp_path_factory.mktemp("bills"), COST, LEVEL, SEED)


@pytest.fixture(scope="session")
def cost_report() -> dict[str, Any]:
    """Filled by the first test that needs it."""
    return {}


@pytest.fixture
def cost_attempt(
    stage: Stage,
    built_cost: Path,
    settings: Any,
    published: list[Any],
    cost_report: dict[str, Any],
) -> Attempt:
    """Ada handed in after half an hour; the grading is done; Ines is asked to score."""
    settings.VARIANTS = built_cost
    turn_to_cost(stage)
    begun = attempts.start(
        invitation=stage.invitation, exercise=stage.exercise, policies=POLICIES, now=NOW, seed=SEED
    )
    body = answer(begun)
    hand_in(begun, body, at=NOW + timedelta(minutes=30))
    if not cost_report:
        files = answers.program(begun, body)
        cost_report |= graded(COST, LEVEL, SEED, files, None).to_dict()
    run = GradingRun.objects.get(submission__attempt=begun)
    run.finished_at, run.result, run.report = LATER, "done", cost_report
    run.save()
    evaluations.assign(attempt=begun, evaluator=stage.ines, by=stage.rhea, now=LATER)
    return Attempt.objects.get(pk=begun.pk)
