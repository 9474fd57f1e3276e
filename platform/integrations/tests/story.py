"""What stories with tracking systems share: a connection, the workers' rounds, a candidate who hands in."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.roles import ADMINISTRATOR
from assessments import attempts
from assessments.models import Attempt
from assessments.tests.stage import POLICIES, Stage, member, submit
from hiring.models import Invitation
from integrations import deliveries
from integrations.models import Connection, ConnectionKind
from integrations.outgoing import request_for
from integrations.tests.world import Receiver
from integrations.tracking import arrivals, connections, orders
from integrations.tracking.connections import Terms
from reviews.scoring import evaluations
from reviews.tests.scene import grade, score_all

PAGE = "http://localhost:8000/admin/attempts/"


@pytest.fixture
def adam(stage: Stage, published: list[Any]) -> User:
    """In whose name the systems invite; he may read ratings."""
    return member("adam", ADMINISTRATOR)


def connected(
    kind: ConnectionKind, person: User, receiver: Receiver, **more: Any
) -> tuple[Connection, str]:
    given: dict[str, Any] = {"label": kind.label, "person": person, "base_url": receiver.url}
    return connections.make(Terms(kind=kind, **given, **more), by=person, now=timezone.now())


def pass_on(now: datetime | None = None) -> None:
    """What the workers do several times a minute."""
    at = now or timezone.now()
    arrivals.take_in_due("worker", lambda: at)
    orders.tell_all(at)
    deliveries.send_due(request_for, "worker", lambda: at)


def mira() -> Invitation:
    found: Invitation = Invitation.objects.get(candidate__email="mira@example.com")
    return found


def begin_now(stage: Stage) -> Attempt:
    return attempts.start(
        invitation=mira(), exercise=stage.exercise, policies=POLICIES, now=timezone.now()
    )


def hand_in(attempt: Attempt) -> None:
    submit(attempt, "My reasons.", at=timezone.now())
    grade(attempt)


def score(attempt: Attempt, stage: Stage, level: int = 4) -> None:
    now = timezone.now()
    evaluations.assign(attempt=attempt, evaluator=stage.ines, by=stage.rhea, now=now)
    score_all(attempt, stage.ines, level=level, now=now)
