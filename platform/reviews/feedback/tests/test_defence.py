"""Explain and defend (E16): questions put, notes and rating, before feedback; append-only and independent."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.not_possible import NotPossible
from assessments.models import Attempt
from assessments.tests.stage import Stage
from library.exposure import with_exposure
from library.models import Question
from reviews.feedback import defence
from reviews.models import Defence
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, score_all

Clients = dict[str, Client]


@pytest.fixture
def linked(db: None) -> Question:
    Question.objects.create(
        topic_id="X2",
        topic="Elsewhere",
        section="S",
        text="About cost?",
        level="mid",
        related_exercise="cost",
        created_at=LATER,
    )
    return Question.objects.create(
        topic_id="X1",
        topic="Loops",
        section="S",
        text="Why this interval?",
        level="mid",
        related_exercise="automation",
        follow_ups=["And at night?"],
        created_at=LATER,
    )


def url(attempt: Attempt) -> str:
    return reverse("admin:defence", args=[attempt.pk])


def form(question: Question, **more: str) -> dict[str, str]:
    return {
        f"put-{question.pk}": "yes",
        f"note-{question.pk}": "Follows the queue's pace.",
        "own-1": "What would break it?",
        "own-note-1": "A slow API.",
        "notes": "Calm.",
        "level": "4",
    } | more


def test_talk_is_recorded_with_questions_notes_rating_who_and_when(
    clients: Clients, scored: Attempt, stage: Stage, linked: Question
) -> None:
    page = clients["ines"].get(url(scored)).content.decode()
    assert "Why this interval?" in page
    assert "About cost?" not in page  # of another exercise
    assert all(text in page for text in defence.LEVELS.values())
    assert clients["ines"].post(url(scored), form(linked)).status_code == 302
    row = Defence.objects.get()
    assert (row.by, row.level, row.level_text) == (stage.ines, 4, defence.LEVELS[4])
    assert [(put.question, put.text, put.note) for put in row.questions.all()] == [
        (linked, "Why this interval?", "Follows the queue's pace."),
        (None, "What would break it?", "A slow API."),
    ]
    after = clients["ines"].get(url(scored)).content.decode()
    assert "A slow API." in after
    assert "Record the talk" not in after
    assert LogEntry.objects.filter(change_message="Recorded explain and defend.").exists()


@pytest.mark.parametrize(
    ("missing", "said"),
    [("level", "Choose the level"), ("questions", "Record one question at least")],
)
def test_gaps_are_named_and_nothing_typed_is_lost(
    clients: Clients, scored: Attempt, linked: Question, missing: str, said: str
) -> None:
    sent = form(linked, notes="Typed at length.")
    gone = (
        ["level"]
        if missing == "level"
        else [key for key in sent if key[:3] in ("put", "own", "not")]
    )
    for key in gone:
        if key != "notes":
            sent.pop(key)
    answer = clients["ines"].post(url(scored), sent)
    assert answer.status_code == 409
    assert said in answer.content.decode()
    assert "Typed at length." in answer.content.decode()
    assert not Defence.objects.exists()


def test_leaving_it_out_needs_a_reason(clients: Clients, scored: Attempt) -> None:
    assert clients["ines"].post(url(scored), {"skip": "1", "because": " "}).status_code == 409
    sent = {"skip": "1", "because": "The candidate asked for feedback in writing."}
    assert clients["ines"].post(url(scored), sent).status_code == 302
    assert Defence.objects.get().level is None
    assert "asked for feedback in writing" in clients["ines"].get(url(scored)).content.decode()


@pytest.mark.nightly
def test_a_second_record_is_a_correction_with_a_reason(
    clients: Clients, scored: Attempt, linked: Question
) -> None:
    clients["ines"].post(url(scored), form(linked))
    assert clients["ines"].post(url(scored), form(linked, level="2")).status_code == 409
    filled = clients["ines"].get(url(scored) + "?correct").content.decode()
    assert "Follows the queue&#x27;s pace." in filled
    sent = form(linked, level="2", reason="I mixed two candidates up.")
    assert clients["ines"].post(url(scored), sent).status_code == 302
    assert Defence.objects.current().get().level == 2
    assert Defence.objects.count() == 2
    assert "I mixed two candidates up." in clients["ines"].get(url(scored)).content.decode()


def test_whoever_scores_does_not_meet_the_candidate_before(
    clients: Clients, handed_in: Attempt, linked: Question
) -> None:
    answer = clients["ines"].post(url(handed_in), form(linked))
    assert answer.status_code == 409
    assert "submit that scorecard first" in answer.content.decode()
    assert not Defence.objects.exists()


def test_records_wait_for_the_own_scorecard(
    clients: Clients, scored: Attempt, stage: Stage, linked: Question
) -> None:
    evaluations.assign(attempt=scored, evaluator=stage.otto, by=stage.rhea, now=LATER)
    clients["ines"].post(url(scored), form(linked))
    for name in ("defence", "attempt", "feedback", "decision"):
        page = clients["otto"].get(reverse(f"admin:{name}", args=[scored.pk])).content.decode()
        assert "A slow API." not in page
    for name in ("defence", "attempt", "decision"):
        page = clients["hana"].get(reverse(f"admin:{name}", args=[scored.pk])).content.decode()
        assert "A slow API." in page
    score_all(scored, stage.otto)
    assert "A slow API." in clients["otto"].get(url(scored)).content.decode()


def test_a_question_that_was_put_counts_as_asked(
    clients: Clients, scored: Attempt, linked: Question
) -> None:
    clients["ines"].post(url(scored), form(linked))
    clients["ines"].post(url(scored), form(linked, level="2", reason="Misheard."))
    row = with_exposure(Question.objects.all()).get(pk=linked.pk)
    assert row.times_asked == 1  # type: ignore[attr-defined]
    assert row.last_asked == (  # type: ignore[attr-defined]
        Defence.objects.filter(supersedes=None).get().recorded_at
    )


def test_pressing_twice_records_once(clients: Clients, scored: Attempt, linked: Question) -> None:
    for sent in (form(linked), form(linked)):
        assert clients["ines"].post(url(scored), sent).status_code == 302
    assert Defence.objects.count() == 1
    sent = {"skip": "1", "because": "In writing."}
    statuses = [clients["hana"].post(url(scored), sent).status_code for _ in range(2)]
    assert statuses == [302, 302]
    assert Defence.objects.count() == 2


def test_nothing_to_defend_before_the_answer_is_in(attempt: Attempt, stage: Stage) -> None:
    with pytest.raises(NotPossible, match="not handed in"):
        defence.skip(attempt=attempt, by=stage.hana, because="x", now=LATER)


def test_a_row_is_rated_or_skipped(scored: Attempt, stage: Stage) -> None:
    row: dict[str, Any] = {"attempt": scored, "by": stage.ines, "recorded_at": LATER}
    for wrong in ({}, {"level": 3, "skipped_because": "x"}, {"level": 6}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Defence.objects.create(**row, **wrong)
