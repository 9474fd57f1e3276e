"""Each occasion tells the right people, once, and no evaluator learns a name by mail."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.core import mail

from accounts.models import User
from assessments.jobs import Result
from assessments.models import Attempt, GradingRun
from assessments.submissions import close_due, request_grading
from assessments.tasks import sweep
from assessments.tests.stage import NOW, Stage, begin, submit
from hiring.messages import to_candidates
from hiring.messages.digests import write_all
from hiring.models import Accommodation, Invitation, MailPreference, Message
from hiring.tests.mails import send_all
from reviews.feedback.feedback import Wording, release, write
from reviews.messages import to_staff
from reviews.messages.listening import listen
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, grade, ready_for_feedback, score_all

NAMES = ("Fontaine", "Ada ", "ada@example.com")


@pytest.fixture
def addressed(stage: Stage) -> Stage:
    for person in User.objects.all():
        person.email = f"{person.username}@corp.example"
        person.save()
    for name in ("rhea", "ines", "otto", "hana"):
        getattr(stage, name).refresh_from_db()
    stage.opening.hiring_manager = stage.hana
    stage.opening.save()
    return stage


def told(occasion: str) -> list[str]:
    """Who was told of it: user names, "" for the candidate."""
    rows = Message.objects.filter(occasion=occasion).order_by("pk")
    return [row.recipient.username if row.recipient else "" for row in rows]


def answered(stage: Stage, *evaluators: User) -> Attempt:
    attempt = begin(stage)
    for person in evaluators:
        evaluations.assign(attempt=attempt, evaluator=person, by=stage.rhea, now=NOW)
    submit(attempt, "My reasons.", at=NOW + timedelta(minutes=30))
    return Attempt.objects.get(pk=attempt.pk)


def test_receipt_goes_to_the_candidate_with_a_link_and_both_zones(
    addressed: Stage, published: object
) -> None:
    addressed.ada.time_zone = "Asia/Tokyo"
    addressed.ada.save()
    addressed.invitation.candidate.refresh_from_db()
    answered(addressed)
    send_all(NOW + timedelta(hours=1))
    (message,) = mail.outbox
    assert message.to == ["ada@example.com"]
    assert "Monday 2 March 2026, 18:30 (Asia/Tokyo), 09:30 (UTC)" in str(message.body)
    assert "/t/" in str(message.body)


def test_answer_that_the_clock_hands_in_is_told_of_as_well(
    addressed: Stage, published: object
) -> None:
    begin(addressed)
    close_due(now=NOW + timedelta(hours=2))
    close_due(now=NOW + timedelta(hours=3))
    assert told("receipt") == [""]


def test_whoever_is_assigned_is_told_and_owes_a_card_when_the_answer_is_in(
    addressed: Stage, published: object
) -> None:
    attempt = begin(addressed)
    for _ in range(2):
        evaluations.assign(attempt=attempt, evaluator=addressed.ines, by=addressed.rhea, now=NOW)
    assert told("assigned") == ["ines"]
    assert told("card_owed") == []
    submit(attempt, "My reasons.", at=NOW + timedelta(minutes=30))
    assert told("card_owed") == ["ines"]


def test_feedback_opens_a_revision_and_both_are_told(addressed: Stage, published: object) -> None:
    attempt = answered(addressed, addressed.ines)
    grade(attempt)
    score_all(attempt, addressed.ines)
    assert told("decision_owed") == ["hana"]
    words = ready_for_feedback(attempt, addressed.ines)
    feedback = write(attempt=attempt, wording=Wording(**words), by=addressed.ines, now=LATER)
    release(feedback, by=addressed.ines, now=LATER)
    assert told("revision_opened") == [""]
    assert "15 minutes" in Message.objects.get(occasion="revision_opened").text


def test_two_cards_far_apart_ask_for_a_third_and_three_for_a_discussion(
    addressed: Stage, published: object
) -> None:
    stage = addressed
    third = User.objects.create_user("tess", email="tess@corp.example", is_staff=True)
    third.groups.set(stage.ines.groups.all())
    attempt = answered(stage, stage.ines, stage.otto)
    grade(attempt)
    score_all(attempt, stage.ines, level=1)
    assert told("third_evaluator") == []  # one alone differs from nobody
    score_all(attempt, stage.otto, level=5)
    assert told("third_evaluator") == ["hana", "rhea"]
    evaluations.assign(attempt=attempt, evaluator=third, by=stage.rhea, now=LATER)
    assert told("dispute") == []
    score_all(attempt, third, level=3)
    assert sorted(told("dispute")) == ["ines", "otto", "tess"]


def test_decision_is_owed_only_when_every_card_is_in(addressed: Stage, published: object) -> None:
    attempt = answered(addressed, addressed.ines, addressed.otto)
    grade(attempt)
    score_all(attempt, addressed.ines)
    assert told("decision_owed") == []
    score_all(attempt, addressed.otto)
    assert told("decision_owed") == ["hana"]


def test_grading_that_is_given_up_is_told_to_who_can_repeat_it(
    addressed: Stage, published: object
) -> None:
    attempt = answered(addressed)
    GradingRun.objects.update(tries=3)
    sweep()
    run = GradingRun.objects.get()
    assert run.result == Result.INFRASTRUCTURE_ERROR
    assert told("grading_failed") == ["hana"]  # a recruiter cannot grade again
    request_grading(run.submission, now=LATER)
    assert attempt.submissions.count() == 1


def test_missing_card_is_asked_for_once_more(addressed: Stage, published: object) -> None:
    answered(addressed, addressed.ines)
    to_staff.late_cards(now=NOW + timedelta(days=2))
    assert told("card_owed") == ["ines"]
    for days in (4, 5):
        to_staff.late_cards(now=NOW + timedelta(days=days))
    assert told("card_owed") == ["ines", "ines"]
    to_staff.late_cards(now=NOW + timedelta(days=100))
    assert len(told("card_owed")) == 2


def test_no_message_to_staff_names_the_candidate(addressed: Stage, published: object) -> None:
    """Whatever is told on the whole way, evaluators and all others read the pseudonym."""
    stage = addressed
    attempt = answered(stage, stage.ines, stage.otto)
    GradingRun.objects.update(tries=3)
    sweep()
    score_all(attempt, stage.ines, level=1)
    score_all(attempt, stage.otto, level=5)
    to_staff.late_cards(now=NOW + timedelta(days=4))
    MailPreference.objects.create(user=stage.ines, digest=True)
    to_staff.answer_in(attempt.submissions.get(), now=LATER)
    write_all(now=NOW + timedelta(days=1))
    send_all(NOW + timedelta(days=1))
    assert len(mail.outbox) > 6
    for message in mail.outbox:
        if message.to == ["ada@example.com"]:
            continue
        said = f"{message.subject} {message.message().as_string()}"
        assert [name for name in NAMES if name in said] == []
    staff = Message.objects.exclude(recipient=None)
    assert {row.occasion for row in staff} >= {"assigned", "card_owed", "third_evaluator"}
    assert all(stage.ada.pseudonym in row.text for row in staff)


@pytest.mark.parametrize(
    ("at", "expected"),
    [(timedelta(days=4), 0), (timedelta(days=5, hours=1), 1), (timedelta(days=7), 0)],
)
def test_reminder_goes_a_day_before_the_window_closes(
    addressed: Stage, at: timedelta, expected: int
) -> None:
    Invitation.objects.update(sent_at=NOW)
    assert to_candidates.remind_all(now=NOW + at) == expected
    assert to_candidates.remind_all(now=NOW + at) == 0


def test_nobody_is_reminded_who_began_or_was_not_invited_by_mail(
    addressed: Stage, published: object
) -> None:
    late = NOW + timedelta(days=5, hours=1)
    assert to_candidates.remind_all(now=late) == 0
    Invitation.objects.update(sent_at=NOW)
    begin(addressed)
    assert to_candidates.remind_all(now=late) == 0


def test_extra_time_moves_the_reminder_with_the_window(addressed: Stage) -> None:
    Invitation.objects.update(sent_at=NOW)
    Accommodation.objects.create(
        candidate=addressed.ada, multiplier="1.50", granted_by=addressed.rhea, granted_at=NOW
    )
    assert to_candidates.remind_all(now=NOW + timedelta(days=5, hours=1)) == 0
    widened: datetime = Invitation.objects.get().window_closes_at()
    assert to_candidates.remind_all(now=widened - timedelta(hours=20)) == 1


def test_listening_twice_tells_once(addressed: Stage, published: object) -> None:
    listen()
    answered(addressed, addressed.ines)
    assert told("card_owed") == ["ines"]
