"""The living demo: people in every state, made once, act by act, and never among somebody's own data."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from accounts.models import User
from assessments.models import (
    Announcement,
    Attempt,
    Draft,
    GradingRun,
    Sitting,
    Submission,
    TimeEvent,
)
from assessments.submissions import close_due
from headnode import demo, demo_alive
from headnode.living import acts, bodies, stage
from headnode.living.people import source
from hiring.models import Candidate, Invitation, Message, Opening
from library.models import Seniority
from reviews.models import Decision, Evaluation, Feedback, InterviewSession
from reviews.scoring.agreement import agreement_of_round, with_known_cards
from reviews.workload import waiting_for

pytestmark = pytest.mark.django_db
ROWS = [{"id": f"o{n}", "what": f"Give back what is idle ({n})", "priority": n} for n in (1, 2)]
FILES = {
    "automation": {"controller.py": "def run():\n    pass\n"},
    "cost": {"opportunities.json": '{"opportunities": [%s]}'},
    "scaling-plan": {"plan.json": "{}\n"},
    "troubleshooting": {"board.json": '{"hypotheses": []}\n'},
}
REPORT: dict[str, Any] = {
    "status": "done",
    "measures": [],
    "evidence": [],
    "score": None,
    "versions": {},
}


def quick_parts(attempt: Attempt, golden: str) -> tuple[dict[str, str], dict[str, str]]:
    """Instead of a golden, which takes seconds to write."""
    import json

    files = dict(FILES[attempt.exercise.kind])
    if "opportunities.json" in files:
        files["opportunities.json"] = json.dumps({"opportunities": ROWS})
    return files, {}


def grade_all(now: datetime) -> int:
    """What the workers would do with the gradings that somebody waits for, at once."""
    done = {"result": "done", "report": REPORT, "finished_at": now}
    return GradingRun.objects.filter(finished_at=None, comes_last=False).update(**done)


def quick_grading(pk: int, clock: Callable[[], datetime]) -> bool:
    """Instead of a grading, which takes seconds: it ends when the clock says."""
    done = {"result": "done", "report": REPORT, "finished_at": clock()}
    assert GradingRun.objects.claim(pk, "worker-1", timezone.now())
    return bool(GradingRun.objects.filter(pk=pk, finished_at=None).update(**done))


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 11, 23, 9, 0, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings.DATA = tmp_path
    monkeypatch.setattr(bodies, "golden_parts", quick_parts)
    monkeypatch.setattr(acts, "execute_grading", quick_grading)
    return tmp_path


def rows() -> dict[str, int]:
    kinds: tuple[Any, ...] = (Invitation, Attempt, Draft, Submission, TimeEvent, Evaluation)
    return {kind.__name__: kind.objects.count() for kind in (*kinds, Feedback, Decision, User)}


@pytest.mark.nightly
def test_the_living_demo_has_somebody_in_every_state(folder: Path, now: datetime) -> None:
    demo.load(now=now, alive=True)
    small = Candidate.objects.count()
    for _ in range(12):  # one act each time, as if the worker was killed after it
        assert stage.go_on(at_once=0) is stage.Left.MORE
        assert close_due(now=now) == 0  # nobody is found in the past with a clock that ran out
    while (left := stage.go_on(at_once=600)) is not stage.Left.NOTHING:
        if left is stage.Left.WAITS:
            assert grade_all(now)
    assert Candidate.objects.count() == small + len(source().people)
    assert not demo_alive.made_at()
    check_states()
    before = rows()
    demo_alive.ask_for(now)  # a start whose mark was lost finds everything there
    assert stage.go_on(at_once=600) is stage.Left.NOTHING
    assert rows() == before
    check_work_waits(now)
    check_talks(now)
    check_what_was_asked()


def check_states() -> None:
    never_opened = Invitation.objects.filter(first_opened_at=None)
    assert never_opened.filter(candidate__name="Uma Joshi").exists()
    assert not Invitation.objects.get(candidate__name="Gita Raman").attempts.exists()
    cards = {name: cards_of(name) for name in ("Quentin Roux", "Jonas Weber", "Tove Berg")}
    assert cards == {"Quentin Roux": 0, "Jonas Weber": 1, "Tove Berg": 2}
    assert agreed("Imani Wekesa") == "ask"
    assert agreed("Kaveh Moradi") == "settled"
    lucia, oskar, samir = (
        attempt_of(name) for name in ("Lucia Ferrer", "Oskar Lind", "Samir Khalil")
    )
    assert (lucia.round, lucia.awaiting_round, hasattr(lucia, "revision")) == (1, None, True)
    assert (oskar.round, oskar.awaiting_round) == (2, 2)
    assert samir.submissions.count() == 2
    said = Feedback.objects.get(attempt=oskar)
    assert said.strength_row
    assert said.strength_row != said.challenged_row
    decided = dict(Decision.objects.values_list("candidate__name", "outcome"))
    assert decided == {"Henrik Dahl": "advance", "Mei Tanaka": "decline"}
    assert Submission.objects.values("attempt__exercise__kind").distinct().count() == 4
    # nothing of it came before the gradings that somebody waits for
    theirs = GradingRun.objects.filter(comes_last=True)
    assert theirs.count() == GradingRun.objects.count() - 1
    # each ended soon after its answer came in, as on the day itself
    took = [run.finished_at - run.created_at for run in theirs.exclude(finished_at=None)]
    assert took
    assert max(took) < timedelta(minutes=10)


def check_talks(now: datetime) -> None:
    """One is over with both records, one has a record that is owed, one is still to come."""
    rows = InterviewSession.objects.values_list("candidate__name", "started_at", "submitted_at")
    counts = {
        name: [(bool(begun), bool(done)) for who, begun, done in rows if who == name]
        for name in {who for who, _, _ in rows}
    }
    assert {name: sorted(found) for name, found in counts.items()} == {
        "Henrik Dahl": [(True, True), (True, True)],
        "Kaveh Moradi": [(False, False), (False, False)],
        "Samir Khalil": [(True, False), (True, True)],
    }
    to_come = Sitting.objects.get(invitation__candidate__name="Kaveh Moradi")
    assert to_come.begins_at
    assert to_come.begins_at > now
    told = Message.objects.filter(occasion__in=["interview_planned", "interview_asked"])
    assert told.count() == 3  # the candidate, and who holds it
    held = InterviewSession.objects.exclude(submitted_at=None)
    assert not held.filter(submitted_at__gt=now).exists()


def check_what_was_asked() -> None:
    """One question with its answer, and what all at the exercise were told after it, with time."""
    noor = attempt_of("Noor Saleh")
    question = noor.enquiries.get()
    answer = question.answers.get()
    assert answer.to_id == noor.pk
    told = Announcement.objects.get(to=None)
    assert (told.exercise_id, told.is_correction, told.minutes) == (noor.exercise_id, True, 3)
    assert noor.time_events.filter(kind="credited").count() == 1


def check_work_waits(now: datetime) -> None:
    """Staff find something to do on their first page."""
    titles = {
        section.title
        for name in ("admin", "otto", "hana")
        for section in waiting_for(User.objects.get(username=name), now)
        if section.rows
    }
    assert {"To score", "Feedback owed", "Another evaluator needed", "Running now"} <= titles


def attempt_of(name: str) -> Attempt:
    return Attempt.objects.get(invitation__candidate__name=name)


def cards_of(name: str) -> int:
    return Evaluation.objects.submitted().filter(submission__attempt=attempt_of(name)).count()


def agreed(name: str) -> str:
    viewer = User.objects.get(username="admin")
    found = Attempt.objects.prefetch_related(with_known_cards(viewer), "assignments")
    attempt = found.get(invitation__candidate__name=name)
    return str(agreement_of_round(attempt, attempt.judged[0]))  # type: ignore[attr-defined]


@pytest.mark.nightly
def test_a_site_that_somebody_uses_gets_nothing_of_it(folder: Path, now: datetime) -> None:
    demo.load(now=now)
    before = rows()
    assert stage.go_on() is stage.Left.NOTHING  # nobody asked for more
    assert rows() == before
    demo_alive.ask_for(now)
    Opening.objects.create(title="Our own", level=Seniority.MID, created_at=now)
    before = rows()
    assert stage.go_on() is stage.Left.NOTHING
    assert rows() == before
    assert not demo_alive.made_at()
