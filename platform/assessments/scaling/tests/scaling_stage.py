"""An attempt at the scaling plan; its checks and what-ifs need no materials on disk."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments import answers, attempts
from assessments.models import Attempt
from assessments.scaling.access import scene
from assessments.scaling.workplace import PLAN
from assessments.tests.stage import NOW, POLICIES, Stage, enter

PACK, LEVEL, SEED = "scaling-plan/growth-year", "junior", 4_203_117_955_031_777_209
EMPTY: dict[str, Any] = {
    "purchases": [],
    "cloud": [],
    "retire": [],
    "policies": [],
    "phases": [],
    "risks": [],
    "sheet": [],
    "claims": {},
}


def turn_to_plan(stage: Stage) -> None:
    """Make the stage's exercise one at which the candidate writes a plan."""
    exercise = stage.exercise
    exercise.pack_name, exercise.kind, exercise.level = PACK, "scaling-plan", LEVEL
    exercise.save()


def start_plan(stage: Stage, now: Any = NOW) -> Attempt:
    turn_to_plan(stage)
    return attempts.start(
        invitation=stage.invitation, exercise=stage.exercise, policies=POLICIES, now=now, seed=SEED
    )


@pytest.fixture
def ada(client: Client, stage: Stage) -> tuple[Client, Attempt]:
    """Ada at her browser, five minutes into the exercise."""
    now = timezone.now()
    stage.invitation.opens_at = now - timedelta(days=1)
    stage.invitation.closes_at = now + timedelta(days=6)
    stage.invitation.save()
    attempt = start_plan(stage, now - timedelta(minutes=5))
    enter(client, stage.token)
    return client, attempt


def staff_only(attempt: Attempt) -> list[str]:
    """What would give the truth of the year away: its seed, and what holds the work up, in the key's words."""
    found = scene(attempt).bottlenecks
    assert found
    return [str(SEED), "bottleneck", "cured_by", *(one.title for one in found)]


def plan(**lists: Any) -> str:
    """The text of plan.json with these lists in it."""
    return json.dumps(EMPTY | lists)


def order(count: int, item: str = "rack", month: str = "2026-01") -> dict[str, Any]:
    """A purchase at the only site."""
    named = {"id": "p1", "month": month, "item": item, "site": "Site A", "note": ""}
    return named | {"count": count}


def check(client: Client, attempt: Attempt, text: Any) -> Any:
    """Ask for the checks of a plan's text."""
    url = reverse("plan-checks", args=[attempt.pk])
    return client.post(url, {"plan": text}, content_type="application/json")


def play(client: Client, attempt: Attempt, text: str, seq: int = 1) -> Any:
    """Ask for a what-if of a plan's text."""
    body = answers.starting_body(attempt)
    sent = {
        "client": str(uuid.uuid4()),
        "seq": seq,
        "base": attempt.head or None,
        "resolve": True,
        "body": {"files": {PLAN: text}, "sections": body["sections"]},
    }
    url = reverse("plan-what-ifs", args=[attempt.pk])
    return client.post(url, sent, content_type="application/json")
