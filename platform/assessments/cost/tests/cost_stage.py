"""An attempt at the cost exercise, with one variant and its tables built for a whole test run."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments import attempts
from assessments.cost import api
from assessments.models import Attempt
from assessments.tests.kept_variants import lend_variant
from assessments.tests.stage import NOW, POLICIES, Stage, enter

BILL = "cost/fleet-bill"
LEVEL, SEED = "junior", 2_718_281_828_459_045
Asked = Callable[..., Any]


@pytest.fixture(scope="session")
def bills(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of variants that holds the one of `bill`."""
    return lend_variant(tmp_path_factory.mktemp("bills"), BILL, LEVEL, SEED)


def start_bill(stage: Stage, now: Any = NOW) -> Attempt:
    exercise = stage.exercise
    exercise.pack_name, exercise.kind, exercise.level = BILL, "cost", LEVEL
    exercise.save()
    return attempts.start(
        invitation=stage.invitation,
        exercise=exercise,
        policies=POLICIES,
        now=now,
        seed=SEED,
    )


@pytest.fixture
def bill(client: Client, stage: Stage, bills: Path, settings: Any) -> Attempt:
    """Ada at her browser, five minutes into the exercise; its materials are on disk."""
    settings.VARIANTS = bills
    stage.invitation.opens_at = timezone.now() - timedelta(days=1)
    stage.invitation.closes_at = timezone.now() + timedelta(days=6)
    stage.invitation.save()
    attempt = start_bill(stage, timezone.now() - timedelta(minutes=5))
    enter(client, stage.token)
    return attempt


@pytest.fixture
def asked(client: Client, bill: Attempt, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Ask an address of the bill: (name, body for POST or None, query) -> (status, what was said)."""
    monkeypatch.setattr(api, "PACE", api.Pace(10_000, 1.0))

    def ask(name: str, body: Any = None, **query: str) -> tuple[int, Any]:
        url = reverse(f"room-bill-{name}", args=[bill.pk])
        if body is None:
            answer = client.get(url, query)
        else:
            answer = client.post(url, json.dumps(body), content_type="application/json")
        return answer.status_code, answer.json()

    return ask
