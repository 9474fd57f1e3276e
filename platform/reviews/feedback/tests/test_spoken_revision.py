"""A revision by speech (E14): the interviewer's notes are the answer of round 2, and nothing else is."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.not_possible import NotPossible
from assessments import attempts, spoken
from assessments.models import Attempt, GradingRun, Submission
from assessments.submissions import close_due
from assessments.tests.stage import Stage, enter, save
from hiring.models import Invitation
from library.models import Question
from reviews.models import InterviewSession, SpokenNotes
from reviews.scoring.evaluations import begin
from reviews.tests.scene import LATER, score_all

Clients = dict[str, Client]
SAID = "She would drain the node first,\nbecause a job may still hold it."


@pytest.fixture
def open_round(scored: Attempt, stage: Stage) -> Attempt:
    attempts.open_revision(
        scored.pk,
        strength="a",
        improvement="b",
        focus="controller.py",
        start_now=True,
        by=stage.ines,
        now=LATER,
    )
    return Attempt.objects.get(pk=scored.pk)


def url(attempt: Attempt) -> str:
    return reverse("admin:spoken-revision", args=[attempt.pk])


def hand_in(attempt: Attempt, stage: Stage, at: Any = LATER + timedelta(minutes=5)) -> Submission:
    return spoken.hand_in_notes(attempt.pk, notes=SAID, by=stage.ines, now=at)


def second(attempt: Attempt) -> Submission:
    return attempt.submissions.get(round=2, superseded_at=None)


def test_notes_close_the_round_and_nothing_is_run(open_round: Attempt, stage: Stage) -> None:
    gradings = GradingRun.objects.count()
    hand_in(open_round, stage)
    answer = second(open_round)
    assert answer.body == {"files": {}, "sections": {spoken.NOTES: SAID}}
    assert answer.source == "spoken"
    assert GradingRun.objects.count() == gradings
    fresh = Attempt.objects.get(pk=open_round.pk)
    assert fresh.phase(LATER + timedelta(hours=9)) == "revision_submitted"
    assert fresh.time_events.last().actor == stage.ines  # type: ignore[union-attr]


@pytest.mark.nightly
def test_page_hands_in_and_adaptability_is_scored(
    clients: Clients, open_round: Attempt, stage: Stage
) -> None:
    assert clients["ines"].get(url(open_round)).status_code == 200
    assert clients["ines"].post(url(open_round), {"notes": " "}).status_code == 400
    assert clients["ines"].post(url(open_round), {"notes": SAID}).status_code == 302
    assert SpokenNotes.objects.get().typed_by == stage.ines
    page = clients["ines"].get(reverse("admin:score", args=[open_round.pk, 2])).content.decode()
    assert "because a job may still hold it." in page
    assert "Notes of the spoken revision" in page
    assert "Difference between the rounds" not in page
    card = begin(attempt=open_round, round=2, evaluator=stage.ines, now=LATER)
    assert "adaptability" in {item["dimension"] for item in card.criteria()}
    score_all(open_round, stage.ines, round=2)
    assert clients["hana"].get(reverse("admin:decision", args=[open_round.pk])).status_code == 200
    assert clients["ines"].post(url(open_round), {"notes": SAID}).status_code == 302  # twice
    again = clients["ines"].post(url(open_round), {"notes": "More."})
    assert again.status_code == 409
    assert second(open_round).body["sections"][spoken.NOTES] == SAID


def test_what_the_candidate_typed_is_never_mixed_with_notes(
    clients: Clients, open_round: Attempt
) -> None:
    save(open_round, "Typed by Ada.", at=LATER + timedelta(minutes=1))
    answer = clients["ines"].post(url(open_round), {"notes": SAID})
    assert answer.status_code == 409
    assert "never mixed" in answer.content.decode()
    assert not open_round.submissions.filter(round=2, source="spoken").exists()


def test_notes_replace_what_the_clock_handed_in_unchanged(
    open_round: Attempt, stage: Stage
) -> None:
    late = LATER + timedelta(hours=3)
    close_due(now=late)
    promoted = second(open_round)
    assert promoted.source == "promoted"
    hand_in(open_round, stage, late)
    promoted.refresh_from_db()
    assert promoted.superseded_at == late
    assert second(open_round).source == "spoken"


def test_a_revision_that_was_not_started_is_started_and_ended(
    scored: Attempt, stage: Stage
) -> None:
    attempts.open_revision(
        scored.pk,
        strength="a",
        improvement="b",
        focus="",
        start_now=False,
        by=stage.ines,
        now=LATER,
    )
    hand_in(scored, stage)
    kinds = [event.kind for event in Attempt.objects.get(pk=scored.pk).time_events.all()]
    assert kinds[-3:] == ["revision_opened", "revision_started", "submitted"]


@pytest.mark.parametrize("notes", ["  ", "x\x00", "x" * 400_001])
def test_rubbish_is_refused(open_round: Attempt, stage: Stage, notes: str) -> None:
    with pytest.raises(NotPossible):
        spoken.hand_in_notes(open_round.pk, notes=notes, by=stage.ines, now=LATER)
    assert not open_round.submissions.filter(round=2).exists()


def test_before_the_feedback_there_is_no_revision(
    clients: Clients, scored: Attempt, stage: Stage
) -> None:
    page = clients["ines"].get(url(scored), follow=True).content.decode()
    assert "release the feedback first" in page
    with pytest.raises(NotPossible, match="not open"):
        hand_in(scored, stage)


def test_receipt_says_that_it_was_spoken(
    clients: Clients, open_round: Attempt, stage: Stage, client: Client
) -> None:
    hand_in(open_round, stage)
    Invitation.objects.update(closes_at=LATER + timedelta(days=9000))
    enter(client, stage.token)
    page = client.get(reverse("receipt", args=[open_round.pk])).content.decode()
    assert "You revised by speech" in page
    assert "What you said, as the interviewer wrote it down" in page


def test_bank_questions_linked_to_the_exercise_are_asked_in_the_round(
    clients: Clients, open_round: Attempt, stage: Stage
) -> None:
    page = reverse("admin:revision-interview", args=[open_round.pk])
    empty = clients["ines"].post(page, {"linked": "1"}).content.decode()
    assert "No question of the bank is linked" in empty
    facts: dict[str, Any] = {"topic": "T", "section": "S", "level": "mid", "created_at": LATER}
    Question.objects.create(topic_id="X1", text="Why?", related_exercise="automation", **facts)
    Question.objects.create(topic_id="X2", text="How?", related_exercise="cost", **facts)
    answer = clients["ines"].post(page, {"linked": "1"})
    session = InterviewSession.objects.get()
    assert answer["Location"] == reverse("admin:interview", args=[session.pk])
    assert session.revision == open_round.revision
    assert [item.question.topic_id for item in session.question_set.items.all()] == ["X1"]
    clients["ines"].post(page, {"linked": "1"})  # the same set and talk again
    assert InterviewSession.objects.count() == 1
