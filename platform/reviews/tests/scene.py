"""Ada's answer is in and graded: what tests of scoring, feedback and decisions begin with."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from accounts.models import User
from accounts.roles import ADMINISTRATOR
from assessments.models import Attempt, GradingRun
from assessments.tests.stage import NOW, Stage, begin, submit
from library.models import HIGHEST, LOWEST
from reviews.feedback import defence, early_release
from reviews.models import Evaluation, Feedback
from reviews.scoring import evaluations

LATER = NOW + timedelta(hours=1)
SECRET_SCORE = 0.4321
REPORT: dict[str, Any] = {
    "measures": [
        {
            "key": "wait_high_p95",
            "label": "High priority wait",
            "unit": "min",
            "value": 17.53,
            "naive": 44.0,
            "reference": 4.0,
            "score": SECRET_SCORE,
            "better": "lower",
            "explanation": "Averaged over the hidden days.",
        }
    ],
    "evidence": [
        {
            "kind": "workload",
            "name": "hidden-1",
            "title": "A day with a burst",
            "family": "burst",
            "status": "candidate_error",
            "detail": "KeyError at 14:20 of the day.",
            "summary": {"secret": SECRET_SCORE},
            "measures": [{"key": "wait_high_p95", "score": SECRET_SCORE}],
            "replay": {
                "t": [0, 300, 600],
                "series": [
                    {
                        "key": "queue_high",
                        "label": "High priority waiting",
                        "unit": "jobs",
                        "group": "queue",
                        "values": [1, 4, 2],
                    },
                    {
                        "key": "cost",
                        "label": "Spent so far",
                        "unit": "USD",
                        "group": "cost",
                        "values": [0.0, 8.2, 16.4],
                    },
                ],
                "marks": [{"t": 300, "kind": "fault", "text": "A call timed out."}],
                "gantt": {"rows": ["od-001"], "bars": [[0, 0, 300, "job 1, 8 GPUs here", "high"]]},
            },
            "stderr": "KeyError: 'pool'",
        }
    ],
    "score": SECRET_SCORE,
    "status": "done",
    "detail": "Measured on 1 hidden day.",
    "marks": [],
    "versions": {"pack": "1.0.0"},
}


def grade(attempt: Attempt, round: int = 1, report: dict[str, Any] | None = None) -> GradingRun:
    run: GradingRun = GradingRun.objects.filter(
        submission__attempt=attempt, submission__round=round
    ).latest("pk")
    run.finished_at, run.result, run.report = LATER, "done", report or REPORT
    run.save()
    return run


@pytest.fixture
def handed_in(stage: Stage, published: list[Any]) -> Attempt:
    """Ada handed in after half an hour; the grading is done; Ines is asked to score."""
    attempt = begin(stage)
    submit(attempt, "My reasons.", at=NOW + timedelta(minutes=30))
    grade(attempt)
    evaluations.assign(attempt=attempt, evaluator=stage.ines, by=stage.rhea, now=LATER)
    return Attempt.objects.get(pk=attempt.pk)


def score_all(
    attempt: Attempt, who: User, *, round: int = 1, level: int = 4, now: datetime = LATER
) -> Evaluation:
    """A complete scorecard, submitted."""
    assert LOWEST <= level <= HIGHEST
    card = evaluations.begin(attempt=attempt, round=round, evaluator=who, now=now)
    for item in card.criteria():
        evaluations.rate(card, criterion=item["key"], level=level, note="", now=now)
    evaluations.submit(card, now=now)
    card.refresh_from_db()
    return card


def ready_for_feedback(attempt: Attempt, who: User, now: datetime = LATER) -> dict[str, str]:
    """Explain and defend is on record; the words of a feedback that can be released."""
    defence.hold(
        attempt=attempt,
        by=who,
        questions=[defence.Put("Why this threshold?", "It follows the queue's own ordinary_time.")],
        notes="Calm under questions.",
        level=4,
        now=now,
    )
    return {
        "strength": "Retries are bounded.",
        "strength_place": "part-controller.py",
        "improvement": "Drain before scaling down.",
        "improvement_place": "part-controller.py",
        "focus": "controller.py",
    }


def let_go_early(feedback: Feedback, one: User, other: User, now: datetime = LATER) -> None:
    """Two people say that the feedback goes out although somebody owes a scorecard."""
    asked = early_release.ask(feedback, reason="The visit is today.", by=one, now=now)
    early_release.agree(feedback, request=asked.pk, by=other, now=now)


@pytest.fixture
def scored(handed_in: Attempt, stage: Stage) -> Attempt:
    """Ines' scorecard of the first answer is in."""
    score_all(handed_in, stage.ines)
    return handed_in


@pytest.fixture
def clients(stage: Stage) -> dict[str, Client]:
    """A signed-in browser for each of the people, and one for nobody."""
    adam = User.objects.create_user("adam", first_name="Adam", is_staff=True)
    adam.groups.add(Group.objects.get(name=ADMINISTRATOR))
    people = {"adam": adam, "rhea": stage.rhea, "ines": stage.ines, "otto": stage.otto}
    people["hana"] = stage.hana
    found = {name: Client() for name in (*people, "nobody")}
    for name, person in people.items():
        found[name].force_login(person)
    return found
