"""The people and things that tests begin with: Ada, Ines, Otto, Rhea, an opening, an invitation."""

from __future__ import annotations

import socket
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from accounts.models import User
from accounts.roles import HIRING_MANAGER, INTERVIEWER, RECRUITER
from assessments import answers, attempts
from assessments.drafts import Saved, save_draft
from assessments.models import Attempt, Run
from hiring.invitations import invite
from hiring.models import Candidate, Exercise, Invitation, Opening

PACK = "automation/queue-autoscaler"
SECTION = "architecture"
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
POLICIES = {"references": "Public documentation.", "assistants": "Allowed and declared."}


@dataclass
class Stage:
    """What most tests need at hand."""

    opening: Opening
    exercise: Exercise
    invitation: Invitation
    token: str
    ada: Candidate
    rhea: User
    ines: User
    otto: User
    hana: User


def member(name: str, role: str) -> User:
    user = User.objects.create_user(name, first_name=name.title(), is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    return user


def make_stage(now: datetime = NOW) -> Stage:
    rhea, ines = member("rhea", RECRUITER), member("ines", INTERVIEWER)
    otto, hana = member("otto", INTERVIEWER), member("hana", HIRING_MANAGER)
    opening = Opening.objects.create(
        title="GPU engineer", level="mid", hiring_manager=hana, created_at=now
    )
    exercise = Exercise.objects.create(
        opening=opening,
        pack_name=PACK,
        kind="automation",
        level="mid",
        limit_minutes=60,
        revision_minutes=15,
    )
    ada = Candidate.objects.create(name="Ada Fontaine", email="ada@example.com", created_at=now)
    invitation, token = invite(
        opening=opening,
        candidate=ada,
        exercises=[exercise],
        opens_at=now - timedelta(days=1),
        closes_at=now + timedelta(days=6),
        by=rhea,
        now=now,
    )
    return Stage(opening, exercise, invitation, token, ada, rhea, ines, otto, hana)


@pytest.fixture
def stage(db: None) -> Stage:
    return make_stage()


@pytest.fixture
def attempt(stage: Stage) -> Attempt:
    """Ada pressed Start at NOW; her limit is 60 minutes."""
    return begin(stage)


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """What was sent to the workers."""
    sent: list[tuple[str, Any]] = []
    monkeypatch.setattr("assessments.queue.publish", lambda task, pk, **_: sent.append((task, pk)))
    return sent


def begin(stage: Stage, now: datetime = NOW) -> Attempt:
    return attempts.start(
        invitation=stage.invitation, exercise=stage.exercise, policies=POLICIES, now=now
    )


def begin_as_another(stage: Stage, exercise: Exercise, now: datetime = NOW) -> Attempt:
    """Bela's attempt at an exercise of Ada's opening."""
    bela = Candidate.objects.create(name="Bela Kiss", email="bela@example.com", created_at=now)
    window: dict[str, Any] = {"opens_at": now - timedelta(days=1)}
    window["closes_at"] = now + timedelta(days=6)
    invitation, _ = invite(
        opening=stage.opening,
        candidate=bela,
        exercises=[exercise],
        by=stage.rhea,
        now=now,
        **window,
    )
    return attempts.start(invitation=invitation, exercise=exercise, policies=POLICIES, now=now)


def body(attempt: Attempt, text: str) -> dict[str, Any]:
    """What the round began with, and `text` as the section SECTION."""
    answer = answers.starting_body(attempt)
    return {"files": answer["files"], "sections": answer["sections"] | {SECTION: text}}


def save(
    attempt: Attempt,
    text: str,
    *,
    at: datetime,
    seq: int = 1,
    client: uuid.UUID | None = None,
    base: int | None = None,
    resolve: bool = False,
) -> Saved:
    return save_draft(
        attempt.pk,
        client=client or uuid.uuid4(),
        seq=seq,
        base=base,
        resolve=resolve,
        body=body(attempt, text),
        now=at,
    )


def run_of(attempt: Attempt, at: datetime = NOW) -> Run:
    """A run that waits since `at`."""
    draft = attempt.drafts.first() or save(attempt, "text", at=NOW).draft
    given = {"round": attempt.round, "workload": "public-1", "created_at": at}
    return Run.objects.create(attempt=attempt, draft=draft, **given)


def submit(attempt: Attempt, text: str, *, at: datetime) -> None:
    submission, _ = attempts.submit(
        attempt.pk, client=uuid.uuid4(), seq=1, base=None, body=body(attempt, text), now=at
    )
    assert submission is not None


def hand_in(attempt: Attempt, answer: dict[str, Any], *, at: datetime) -> None:
    """As submit, with an answer of one's own."""
    submission, _ = attempts.submit(
        attempt.pk, client=uuid.uuid4(), seq=1, base=None, body=answer, now=at
    )
    assert submission is not None


def another_worker(host: str = "") -> str:
    """Who holds a lease beside this process: another of this host, or of the one named."""
    return f"{host or socket.gethostname()}:1:1"


def enter(client: Client, token: str) -> None:
    """Open the link as a browser does; the client may call the endpoints from then on."""
    response = client.get(f"/t/{token}/", follow=True)
    assert response.status_code == 200
