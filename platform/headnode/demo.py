"""A demo to look at: four openings, their staff, six candidates in different phases."""

from __future__ import annotations

import json
import os
import secrets
import tomllib
import uuid
from dataclasses import dataclass
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
from assessments.ahead import release
from assessments.drafts import Saved, save_draft
from assessments.link import mark_opened
from assessments.models import Attempt, Run
from assessments.prepared.drawing import prepare
from assessments.queue import enqueue_run
from headnode.demo_alive import ask_for
from hiring.invitations import invite
from hiring.models import Accommodation, Candidate, Exercise, Invitation, Mode, Opening
from hiring.tokens import link_to
from library.bank import load_questions
from library.models import Seniority
from library.packs import load_packs, pack_of
from reviews.scoring.evaluations import assign
from scenarios.packs import all_packs

PACK = "automation/queue-autoscaler"
TITLE = "GPU platform engineer"
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


@dataclass(frozen=True)
class Sample:
    """An opening with a written exercise. `key` names its candidate's link, `what` says what it leads to;
    `ahead`: read before the start."""

    key: str
    what: str
    pack: str
    title: str
    description: str
    candidate: str
    age: timedelta
    ahead: bool = False


SAMPLES = (
    Sample(
        key="incident",
        what="troubleshooting",
        pack="troubleshooting/slow-training",
        title="Training cluster reliability engineer",
        description=(
            "You will keep long training runs at the speed that the hardware allows: find out what "
            "holds them up, put it right, and see to it that it does not come back."
        ),
        candidate="Dilan Aydin",
        age=timedelta(days=16),
    ),
    Sample(
        key="cost",
        what="cost optimisation",
        pack="cost/fleet-bill",
        title="GPU cost engineer",
        description=(
            "You will know what every GPU-hour costs and why: read the bills, find what is paid for "
            "nothing, and say what may be saved without anybody's work getting slower."
        ),
        candidate="Esther Njoroge",
        age=timedelta(days=19),
        ahead=True,
    ),
    Sample(
        key="scaling",
        what="scaling plan",
        pack="scaling-plan/growth-year",
        title="GPU capacity planner",
        description=(
            "You will plan what is bought, rented and changed so that the cluster grows with the work "
            "and the money: know the demand, the lead times, the power, and what to do first."
        ),
        candidate="Farid Rahimi",
        age=timedelta(days=23),
        ahead=True,
    ),
)
"""Older than the opening above them, so that it stays the first in the lists."""
ANSWER = Path(__file__).parent / "demo_answer.toml"


def credentials_path() -> Path:
    return settings.DATA / "demo.json"


def credentials() -> dict[str, str]:
    """User name, password and the candidates' links of the demo that is loaded.

    `link` leads to the automation exercise; `incident`, `cost` and `scaling` to the others ("" in a
    demo that was loaded before there was one).
    """
    data = json.loads(credentials_path().read_text())
    return {
        "username": data["username"],
        "password": data["password"],
        "link": link_to(data["token"]),
        **{one.key: link_to(data[one.key]) if one.key in data else "" for one in SAMPLES},
    }


def further_links(known: dict[str, str]) -> list[tuple[str, str]]:
    """(link, what the exercise is) of the credentials' other candidates."""
    return [(known[one.key], one.what) for one in SAMPLES if known[one.key]]


class NotEmpty(Exception):
    """The database holds data of somebody's own, which the demo must not touch."""


def load(*, now: datetime | None = None, alive: bool = False) -> dict[str, str]:
    """Load the demo unless it is there, and give its credentials.

    `alive`: where it is made now, workers go on with it (headnode/living). Raises NotEmpty where there
    are openings or staff that the demo did not make.
    """
    own = Opening.objects.exists() or User.objects.exists()
    if own and not credentials_path().exists():
        raise NotEmpty("The demo is for an empty database; this one has openings or staff already.")
    if not own:
        made = now or timezone.now()
        _remember(_build(made))
        if alive:
            ask_for(made)
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
    staff = {row[0]: member(*row, password) for row in STAFF}
    load_packs(now=now)
    load_questions(now=now)
    opening, exercise = _opening(staff["hana"], now)
    ada = _invite(opening, exercise, staff["rhea"], "Ada Fontaine", now)
    _working(_invite(opening, exercise, staff["rhea"], "Bashir Haddad", now), staff, now)
    _submitted(_invite(opening, exercise, staff["rhea"], "Chiara Lombardi", now), staff, now)
    there = {pack.name for pack in all_packs()}
    links = {one.key: _sample(one, staff, now) for one in SAMPLES if one.pack in there}
    return {"username": "admin", "password": password, "token": ada[1], **links}


def _sample(sample: Sample, staff: dict[str, User], now: datetime) -> str:
    """The opening with its candidate; gives the token of their link."""
    exercise = _written(sample, staff["hana"], now)
    invitation, token = _invite(exercise.opening, exercise, staff["rhea"], sample.candidate, now)
    if sample.ahead:
        opens_at = invitation.opens_at - timedelta(days=1)
        release.arrange(invitation, opens_at=opens_at, by=staff["rhea"], now=opens_at)
    prepare(invitation, now=now)
    return token


def member(name: str, first: str, last: str, role: str, password: str) -> User:
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
        title=TITLE,
        level=Seniority.MID,
        description=DESCRIPTION,
        hiring_manager=manager,
        created_at=now - timedelta(days=9),
    )
    pack = pack_of(PACK)
    times = pack.times(Seniority.MID)
    exercise = Exercise.objects.create(
        opening=opening,
        pack_name=PACK,
        kind=pack.kind,
        level=Seniority.MID,
        mode=Mode.TAKE_HOME,
        limit_minutes=times.take_home,
        revision_minutes=times.revision,
    )
    return opening, exercise


def _written(sample: Sample, manager: User, now: datetime) -> Exercise:
    """An opening with one exercise that is answered in writing from generated materials."""
    pack = pack_of(sample.pack)
    opening = Opening.objects.create(
        title=sample.title,
        level=Seniority.MID,
        description=sample.description,
        hiring_manager=manager,
        created_at=now - sample.age,
    )
    times = pack.times(Seniority.MID)
    return Exercise.objects.create(
        opening=opening,
        pack_name=pack.name,
        kind=pack.kind,
        level=Seniority.MID,
        mode=Mode.TAKE_HOME,
        limit_minutes=times.take_home,
        revision_minutes=times.revision,
    )


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


def _save(attempt: Attempt, body: dict[str, Any], seq: int, at: datetime) -> Saved:
    return save_draft(
        attempt.pk, client=uuid.uuid4(), seq=seq, base=None, resolve=False, body=body, now=at
    )
