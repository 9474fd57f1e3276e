"""A demo to look at: one opening, its staff, three candidates in different phases."""

from __future__ import annotations

import json
import os
import secrets
import tomllib
import uuid
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.roles import ADMINISTRATOR, HIRING_MANAGER, INTERVIEWER, RECRUITER
from assessments import answers, attempts
from assessments.link import mark_opened
from assessments.models import Attempt, Run
from assessments.queue import enqueue_run
from hiring.invitations import invite, link_to
from hiring.models import Accommodation, Candidate, Exercise, Invitation, Mode, Opening
from hiring.policies import default_limits
from library.bank import load_questions
from library.models import Kind, Seniority
from library.packs import load_packs, pack_of
from reviews.evaluations import assign

PACK = "automation/queue-autoscaler"
STAFF: list[tuple[str, str, str, str]] = [
    ("admin", "Alma", "Reyes", ADMINISTRATOR),
    ("rhea", "Rhea", "Lindqvist", RECRUITER),
    ("hana", "Hana", "Okafor", HIRING_MANAGER),
    ("ines", "Ines", "Moreau", INTERVIEWER),
    ("otto", "Otto", "Brandt", INTERVIEWER),
]
DESCRIPTION = (
    "You will run a shared cluster of GPU nodes for four research teams: keep their jobs moving, "
    "keep the bill explainable, and automate what a person should not have to watch."
)
ANSWER = Path(__file__).parent / "demo_answer.toml"


def credentials_path() -> Path:
    return settings.DATA / "demo.json"


def credentials() -> dict[str, str]:
    """User name, password and a candidate link of the demo that is loaded."""
    data = json.loads(credentials_path().read_text())
    return {
        "username": data["username"],
        "password": data["password"],
        "link": link_to(data["token"]),
    }


class NotEmpty(Exception):
    """The database holds data of somebody's own, which the demo must not touch."""


def load(*, now: datetime | None = None) -> dict[str, str]:
    """Load the demo unless it is there, and give its credentials.

    Raises NotEmpty where there are openings or staff that the demo did not make.
    """
    own = Opening.objects.exists() or User.objects.exists()
    if own and not credentials_path().exists():
        raise NotEmpty("The demo is for an empty database; this one has openings or staff already.")
    if not own:
        _remember(_build(now or timezone.now()))
    return credentials()


def _remember(data: dict[str, str]) -> None:
    """Keep the generated password where only this account can read it."""
    path = credentials_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(data, file)


@transaction.atomic
def _build(now: datetime) -> dict[str, str]:
    password = secrets.token_urlsafe(12)
    staff = {row[0]: _member(*row, password) for row in STAFF}
    load_packs(now=now)
    load_questions(now=now)
    opening, exercise = _opening(staff["hana"], now)
    ada = _invite(opening, exercise, staff["rhea"], "Ada Fontaine", now)
    _working(_invite(opening, exercise, staff["rhea"], "Bashir Haddad", now), staff, now)
    _submitted(_invite(opening, exercise, staff["rhea"], "Chiara Lombardi", now), staff, now)
    return {"username": "admin", "password": password, "token": ada[1]}


def _member(name: str, first: str, last: str, role: str, password: str) -> User:
    user = User.objects.create_user(
        name,
        f"{name}@example.com",
        password,
        first_name=first,
        last_name=last,
        is_staff=True,
        is_superuser=role == ADMINISTRATOR,
    )
    user.groups.add(Group.objects.get(name=role))
    return user


def _opening(manager: User, now: datetime) -> tuple[Opening, Exercise]:
    opening = Opening.objects.create(
        title="GPU platform engineer",
        level=Seniority.MID,
        description=DESCRIPTION,
        hiring_manager=manager,
        created_at=now - timedelta(days=9),
    )
    work, revision = default_limits(Kind.AUTOMATION, take_home=True)
    exercise = Exercise.objects.create(
        opening=opening,
        pack_name=PACK,
        kind=Kind.AUTOMATION,
        level=Seniority.MID,
        mode=Mode.TAKE_HOME,
        limit_minutes=work,
        revision_minutes=revision,
    )
    return opening, exercise


def _invite(
    opening: Opening, exercise: Exercise, recruiter: User, name: str, now: datetime
) -> tuple[Invitation, str]:
    candidate = Candidate.objects.create(
        name=name,
        email=f"{name.split()[0].lower()}@example.com",
        created_at=now - timedelta(days=3),
    )
    return invite(
        opening=opening,
        candidate=candidate,
        exercises=[exercise],
        opens_at=now - timedelta(days=3),
        closes_at=now + timedelta(days=7),
        by=recruiter,
        now=now - timedelta(days=3),
    )


def _start(invitation: Invitation, at: datetime) -> Attempt:
    mark_opened(invitation, now=at)
    exercise = invitation.exercises.get()
    accepted = {
        "references": exercise.references_policy,
        "assistants": exercise.assistants_policy,
    }
    return attempts.start(invitation=invitation, exercise=exercise, policies=accepted, now=at)


def _working(made: tuple[Invitation, str], staff: dict[str, User], now: datetime) -> None:
    """Somebody with extra time, forty minutes in, with a run under way."""
    invitation, _ = made
    Accommodation.objects.create(
        candidate=invitation.candidate,
        multiplier="1.25",
        note="Agreed by e-mail before the invitation.",
        granted_by=staff["rhea"],
        granted_at=now - timedelta(days=3),
    )
    attempt = _start(invitation, now - timedelta(minutes=40))
    body = answers.starting_body(attempt)
    parts = tomllib.loads(ANSWER.read_text())["sections"]
    body["sections"]["architecture"] = parts["architecture"]
    draft = _save(attempt, body, 1, now - timedelta(minutes=5)).draft
    run = Run.objects.create(
        attempt=attempt, round=1, draft=draft, workload="public-1", created_at=now
    )
    enqueue_run(run.pk)


def _submitted(made: tuple[Invitation, str], staff: dict[str, User], now: datetime) -> None:
    """Somebody who handed in, to be scored by two people."""
    began = now - timedelta(days=1)
    attempt = _start(made[0], began)
    answer = tomllib.loads(ANSWER.read_text())
    body = answers.starting_body(attempt)
    body["sections"] |= answer["sections"]
    _save(attempt, body, 1, began + timedelta(minutes=25))
    program = (pack_of(PACK).folder / "goldens/competent.py").read_text()
    body = {"files": body["files"] | {"controller.py": program}, "sections": body["sections"]}
    attempts.submit(
        attempt.pk,
        client=uuid.uuid4(),
        seq=2,
        base=None,
        body=body,
        now=began + timedelta(minutes=112),
    )
    for name in ("ines", "otto"):
        assign(attempt=attempt, evaluator=staff[name], by=staff["rhea"], now=now)


def _save(attempt: Attempt, body: dict[str, Any], seq: int, at: datetime) -> attempts.Saved:
    return attempts.save_draft(
        attempt.pk, client=uuid.uuid4(), seq=seq, base=None, resolve=False, body=body, now=at
    )
