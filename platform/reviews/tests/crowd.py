"""An opening with as many candidates as asked for, each with exercises, scorecards and gradings.

Written in bulk: only what lists, scoring, comparison and exports read. All numbers come from a seed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

from accounts.models import User
from accounts.roles import ADMINISTRATOR, HIRING_MANAGER, INTERVIEWER, RECRUITER
from assessments.clock import EventKind
from assessments.models import Attempt, GradingRun, Submission, TimeEvent
from assessments.tests.stage import PACK, POLICIES, member
from hiring.models import Candidate, Exercise, Invitation, Opening
from library.models import PackVersion, Rubric
from library.packs import latest_rubric, load_packs, load_rubric, pack_of
from reviews.models import Assignment, Evaluation, Rating
from reviews.tests.scene import REPORT

SIXTY = timedelta(minutes=60)
BATCH = 500


@dataclass
class Crowd:
    """What was built. `alma`, `rhea`, `hana`: one of each role; `panel`: who scored everybody."""

    opening: Opening
    exercises: list[Exercise]
    alma: User
    rhea: User
    hana: User
    panel: list[User]
    candidates: list[Candidate] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)

    def add(self, people: int, *, now: datetime, seed: int = 1) -> None:
        """More candidates, each with every exercise handed in and scored by the whole panel."""
        attempts = _candidates(self, people, now)
        submissions = _answers(self, attempts, now, Random(seed))
        _scorecards(self, submissions, now, Random(seed))


def build(
    people: int, *, now: datetime, exercises: int = 4, evaluators: int = 3, seed: int = 1
) -> Crowd:
    """An opening whose every candidate handed in every exercise and was scored by everybody asked."""
    crowd = _cast(exercises, evaluators, now)
    crowd.add(people, now=now, seed=seed)
    return crowd


def _cast(exercises: int, evaluators: int, now: datetime) -> Crowd:
    load_packs(now=now)
    hana = member("crowd-hana", HIRING_MANAGER)
    opening = Opening.objects.create(
        title="GPU platform engineer", level="mid", hiring_manager=hana, created_at=now
    )
    rows = [
        Exercise.objects.create(
            opening=opening,
            pack_name=PACK,
            kind="automation",
            level="mid",
            limit_minutes=60,
            revision_minutes=15,
            position=position,
        )
        for position in range(exercises)
    ]
    return Crowd(
        opening,
        rows,
        alma=member("crowd-alma", ADMINISTRATOR),
        rhea=member("crowd-rhea", RECRUITER),
        hana=hana,
        panel=[member(f"panel{number}", INTERVIEWER) for number in range(evaluators)],
    )


def _candidates(crowd: Crowd, people: int, now: datetime) -> list[Attempt]:
    first = len(crowd.candidates)
    made = Candidate.objects.bulk_create(
        [
            Candidate(
                name=f"Person {number:04d}",
                email=f"person{number:04d}@example.com",
                pseudonym=f"P{number:05d}",
                created_at=now,
            )
            for number in range(first, first + people)
        ],
        BATCH,
    )
    links = Invitation.objects.bulk_create(
        [
            Invitation(
                opening=crowd.opening,
                candidate=candidate,
                token_hash=hashlib.sha256(candidate.email.encode()).hexdigest(),
                link_made_at=now,
                opens_at=now - timedelta(days=1),
                closes_at=now + timedelta(days=6),
                created_by=crowd.rhea,
                created_at=now,
            )
            for candidate in made
        ],
        BATCH,
    )
    crowd.candidates += made
    attempts = _attempts(crowd, links, now)
    crowd.attempts += attempts
    return attempts


def _attempts(crowd: Crowd, links: list[Invitation], now: datetime) -> list[Attempt]:
    version = PackVersion.objects.filter(name=PACK).latest("loaded_at")
    return Attempt.objects.bulk_create(
        [
            Attempt(
                invitation=link,
                exercise=exercise,
                pack_version=version,
                level="mid",
                seed=1,
                policies=POLICIES,
                accepted_at=now,
                started_at=now,
                deadline_at=now + SIXTY,
                awaiting_round=None,
            )
            for link in links
            for exercise in crowd.exercises
        ],
        BATCH,
    )


def _answers(
    crowd: Crowd, attempts: list[Attempt], now: datetime, random: Random
) -> list[Submission]:
    events = []
    for attempt in attempts:
        more: dict[str, Any] = {"attempt": attempt, "actor_name": "candidate"}
        events += [
            TimeEvent(kind=EventKind.STARTED, at=now, after=now + SIXTY, **more),
            TimeEvent(
                kind=EventKind.SUBMITTED,
                at=now + SIXTY / 2,
                before=now + SIXTY,
                after=now + SIXTY,
                **more,
            ),
        ]
    TimeEvent.objects.bulk_create(events, BATCH)
    body = {"files": {"controller.py": "print(1)\n" * 60}, "sections": {"architecture": "Words."}}
    submissions = Submission.objects.bulk_create(
        [
            Submission(
                attempt=attempt,
                round=1,
                body=body,
                sha256="0" * 64,
                source="candidate",
                submitted_at=now + SIXTY / 2,
            )
            for attempt in attempts
        ],
        BATCH,
    )
    _gradings(submissions, now, random)
    return submissions


def _gradings(submissions: list[Submission], now: datetime, random: Random) -> None:
    GradingRun.objects.bulk_create(
        [
            GradingRun(
                submission=row,
                hidden_workloads=5,
                created_at=now,
                finished_at=now + SIXTY,
                result="done",
                report={**REPORT, "score": round(random.random(), 4)},
            )
            for row in submissions
        ],
        BATCH,
    )


def _scorecards(crowd: Crowd, submissions: list[Submission], now: datetime, random: Random) -> None:
    asked = [
        Assignment(attempt=row.attempt, evaluator=who, assigned_by=crowd.rhea, assigned_at=now)
        for row in submissions
        for who in crowd.panel
    ]
    Assignment.objects.bulk_create(asked, BATCH)
    rubric = latest_rubric(PACK, "mid") or load_rubric(pack_of(PACK), "mid", now=now)
    snapshot = Rubric.objects.prefetch_related("criteria__levels").get(pk=rubric.pk).snapshot()
    cards = Evaluation.objects.bulk_create(
        [
            Evaluation(
                submission=row,
                evaluator=who,
                rubric=rubric,
                snapshot=snapshot,
                created_at=now,
                submitted_at=now + SIXTY,
            )
            for row in submissions
            for who in crowd.panel
        ],
        BATCH,
    )
    keys = [item["key"] for item in snapshot["criteria"] if item["round"] == 1]
    Rating.objects.bulk_create(
        [
            Rating(
                evaluation=card,
                criterion_key=key,
                level=random.choice((2, 3, 3, 4, 4, 5)),
                level_text="",
                rated_at=now,
            )
            for card in cards
            for key in keys
        ],
        4 * BATCH,
    )
