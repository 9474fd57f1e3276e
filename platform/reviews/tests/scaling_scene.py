"""A scaling attempt, handed in, graded and assigned: what tests of its staff pages begin with."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assessments import answers, attempts
from assessments.models import Attempt, GradingRun
from assessments.scaling.workplace import PLAN as PLAN_FILE
from assessments.tests.kept_variants import lend_variant
from assessments.tests.stage import NOW, POLICIES, Stage, hand_in
from graders.kinds import grade as graded
from graders.scaling.makers import write_golden
from reviews.scoring import evaluations
from reviews.tests.scene import LATER
from scenarios.packs import load_pack

PLAN, LEVEL, SEED = "scaling-plan/growth-year", "junior", 7
YEARS = 2
"""Hidden years that the scene's grading plays: fewer than a real one, for time."""


def turn_to_plan(stage: Stage) -> None:
    """Make the stage's exercise the scaling plan."""
    exercise = stage.exercise
    exercise.pack_name, exercise.kind, exercise.level = PLAN, "scaling-plan", LEVEL
    exercise.save()


def answer(attempt: Attempt) -> dict[str, Any]:
    """The over-claimer's plan and prose, with a row of their own money table."""
    golden = json.loads(write_golden(load_pack(PLAN), LEVEL, "over_claimer", SEED)["answer.json"])
    plan = golden["plan"]
    plan["sheet"] = [{"label": "Our own line", "cells": ["1000", "=A1*2"], "values": [1000, 2000]}]
    body = answers.starting_body(attempt)
    files = {PLAN_FILE: json.dumps(plan)}
    return {"files": files, "sections": body["sections"] | golden["sections"]}


@pytest.fixture(scope="session")
def built_scaling(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of variants that holds the one of `scaling_attempt`."""
    return lend_variant(tmp_path_factory.mktemp("plans"), PLAN, LEVEL, SEED)


@pytest.fixture(scope="session")
def scaling_report() -> dict[str, Any]:
    """Filled by the first test that needs it."""
    return {}


@pytest.fixture
def scaling_attempt(
    stage: Stage,
    built_scaling: Path,
    settings: Any,
    published: list[Any],
    scaling_report: dict[str, Any],
) -> Attempt:
    """Ada handed in after half an hour; the grading is done; Ines is asked to score."""
    settings.VARIANTS = built_scaling
    turn_to_plan(stage)
    begun = attempts.start(
        invitation=stage.invitation, exercise=stage.exercise, policies=POLICIES, now=NOW, seed=SEED
    )
    body = answer(begun)
    hand_in(begun, body, at=NOW + timedelta(minutes=30))
    if not scaling_report:
        files = answers.program(begun, body)
        scaling_report |= graded(PLAN, LEVEL, SEED, files, hidden=YEARS).to_dict()
    run = GradingRun.objects.get(submission__attempt=begun)
    run.finished_at, run.result, run.report = LATER, "done", scaling_report
    run.save()
    evaluations.assign(attempt=begun, evaluator=stage.ines, by=stage.rhea, now=LATER)
    return Attempt.objects.get(pk=begun.pk)
