"""Ways round independence that go by another exercise, another round or another page of the same person."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from accounts.not_possible import NotPossible
from assessments import attempts
from assessments.models import Attempt
from assessments.tests.stage import NOW, PACK, POLICIES, Stage, submit
from hiring.invitations import invite
from hiring.models import Exercise
from reviews.decisions import decisions
from reviews.feedback import feedback
from reviews.models import Evaluation, Feedback, Note
from reviews.scoring import agreement, evaluations
from reviews.tests.scene import LATER, grade, let_go_early, ready_for_feedback, score_all

Clients = dict[str, Client]
REASONS = "The drains were weak in both exercises."


@pytest.fixture
def two(handed_in: Attempt, stage: Stage) -> tuple[Attempt, Attempt]:
    """Ada handed in two exercises of one opening; Ines was asked to score the first."""
    second = Exercise.objects.create(
        opening=stage.opening,
        pack_name=PACK,
        kind="automation",
        level="mid",
        limit_minutes=60,
        revision_minutes=15,
        position=1,
    )
    link, _ = invite(
        opening=stage.opening,
        candidate=stage.ada,
        exercises=[second],
        by=stage.rhea,
        opens_at=NOW - timedelta(days=1),
        closes_at=NOW + timedelta(days=6),
        now=NOW,
    )
    other = attempts.start(invitation=link, exercise=second, policies=POLICIES, now=NOW)
    submit(other, "The second answer.", at=NOW + timedelta(minutes=20))
    grade(other)
    return handed_in, Attempt.objects.get(pk=other.pk)


def text_of(client: Client, name: str, *args: Any) -> str:
    return client.get(reverse(f"admin:{name}", args=args), follow=True).content.decode()


def decide(stage: Stage, outcome: str) -> None:
    decisions.decide(
        opening=stage.opening,
        candidate=stage.ada,
        outcome=outcome,
        reasons=REASONS,
        by=stage.hana,
        now=LATER,
    )


PAGES = ("attempt", "decision", "report", "feedback", "defence", "compare", "work-history")


def test_the_name_is_not_on_the_pages_of_another_exercise(
    clients: Clients, two: tuple[Attempt, Attempt], stage: Stage
) -> None:
    first, second = two
    evaluations.assign(attempt=first, evaluator=stage.hana, by=stage.rhea, now=LATER)
    for name in PAGES:
        assert stage.ada.name not in text_of(clients["hana"], name, second.pk), name
    listed = reverse("admin:assessments_attempt_changelist")
    assert stage.ada.name not in clients["hana"].get(listed).content.decode()
    assert clients["hana"].get(listed, {"q": "Fontaine"}).context["cl"].result_count == 0
    assert stage.ada.name in text_of(clients["adam"], "attempt", second.pk)


def test_the_name_waits_for_the_scorecards_of_all_exercises(
    clients: Clients, two: tuple[Attempt, Attempt], stage: Stage
) -> None:
    first, second = two
    evaluations.assign(attempt=second, evaluator=stage.ines, by=stage.rhea, now=LATER)
    score_all(first, stage.ines)
    decide(stage, "hire")
    for name in PAGES:
        assert stage.ada.name not in text_of(clients["ines"], name, first.pk), name
    score_all(second, stage.ines)
    assert stage.ada.name in text_of(clients["ines"], "attempt", first.pk)


def test_a_decision_is_not_read_while_another_exercise_is_to_be_scored(
    clients: Clients, two: tuple[Attempt, Attempt], stage: Stage
) -> None:
    first, second = two
    evaluations.assign(attempt=second, evaluator=stage.ines, by=stage.rhea, now=LATER)
    score_all(first, stage.ines)
    decide(stage, "hold")
    for name in PAGES:
        assert REASONS not in text_of(clients["ines"], name, first.pk), name
    score_all(second, stage.ines)
    assert REASONS in text_of(clients["ines"], "attempt", first.pk)


def test_the_revision_is_scored_after_the_first_answer(
    clients: Clients, scored: Attempt, stage: Stage
) -> None:
    """Round 2 rates the first answer's criteria again, so others' round 2 tells of their round 1."""
    evaluations.assign(attempt=scored, evaluator=stage.otto, by=stage.rhea, now=LATER)
    words = feedback.Wording(**ready_for_feedback(scored, stage.ines))
    feedback.write(attempt=scored, wording=words, by=stage.ines, now=LATER)
    let_go_early(Feedback.objects.get(), stage.ines, stage.hana)
    feedback.release(Feedback.objects.get(), by=stage.ines, now=LATER)
    attempts.start_revision(scored.pk, now=LATER)
    submit(scored, "Better.", at=LATER + timedelta(minutes=1))
    grade(scored, 2)
    with pytest.raises(NotPossible, match="first answer"):
        evaluations.begin(attempt=scored, round=2, evaluator=stage.otto, now=LATER)
    page = clients["otto"].get(reverse("admin:score", args=[scored.pk, 2]), follow=True)
    assert "Score the first answer first" in page.content.decode()
    score_all(scored, stage.otto)
    assert evaluations.begin(attempt=scored, round=2, evaluator=stage.otto, now=LATER).round == 2


def test_the_trail_of_an_attempt_tells_a_recruiter_no_level(
    clients: Clients, scored: Attempt, stage: Stage
) -> None:
    evaluations.assign(attempt=scored, evaluator=stage.otto, by=stage.rhea, now=LATER)
    score_all(scored, stage.otto, level=1)
    url = reverse("admin:discussion", args=[scored.pk, 1])
    key = agreement.levels_of(Evaluation.objects.all()[0]).popitem()[0]
    sent = {"criterion": key, "level": "3", "reason": "The retries are bounded."}
    assert clients["ines"].post(url, sent).status_code == 302
    trail = text_of(clients["rhea"], "assessments_attempt_history", scored.pk)
    assert "Recorded what was agreed" in trail
    assert "3 after discussion" not in trail


def test_the_decision_page_shows_what_was_agreed_to_whom_it_may(
    clients: Clients, scored: Attempt, stage: Stage
) -> None:
    evaluations.assign(attempt=scored, evaluator=stage.otto, by=stage.rhea, now=LATER)
    score_all(scored, stage.otto, level=1)
    cards = list(Evaluation.objects.all())
    key = agreement.levels_of(cards[0]).popitem()[0]
    answer = scored.submissions.get()
    for level, reason in ((2, "Said at first."), (3, "Settled by the log.")):
        agreement.record(
            answer, cards, criterion=key, level=level, reason=reason, by=stage.ines, now=LATER
        )
    page = text_of(clients["hana"], "decision", scored.pk)
    assert "Settled by the log." in page
    assert "Said at first." not in page
    assert "Settled by the log." not in text_of(clients["rhea"], "decision", scored.pk)
    evaluations.assign(attempt=scored, evaluator=stage.hana, by=stage.rhea, now=LATER)
    assert "Settled by the log." not in text_of(clients["hana"], "decision", scored.pk)


def test_a_full_note_with_many_lines_loses_nothing_on_submitting(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    """A browser counts a new line once and sends it as two characters."""
    note = ("a" * 48 + "\n\n") * 100
    card = evaluations.begin(attempt=handed_in, round=1, evaluator=stage.ines, now=LATER)
    form = {f"level-{item['key']}": "4" for item in card.criteria()}
    key = card.criteria()[0]["key"]
    form |= {"card": str(card.pk), f"note-{key}": note.replace("\n", "\r\n")}
    url = reverse("admin:score", args=[handed_in.pk, 1])
    assert clients["ines"].post(url, form).status_code == 302
    assert len(note) == 5000
    assert card.ratings.get(criterion_key=key).note == note


def test_what_was_written_for_a_replaced_answer_is_shown_to_copy(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    card = evaluations.begin(attempt=handed_in, round=1, evaluator=stage.ines, now=LATER)
    key = card.criteria()[0]["key"]
    url = reverse("admin:score", args=[handed_in.pk, 1])
    form = {"card": str(card.pk + 1), f"note-{key}": "Bounded\r\nretries & a\r\nqueue."}
    answer = clients["ines"].post(url, form)
    assert answer.status_code == 409
    assert answer.context["unkept"] == [
        (card.criteria()[0]["title"], "Bounded\nretries & a\nqueue.")
    ]
    assert "retries &amp; a<br>queue." in answer.content.decode()
    evaluations.rate(card, criterion=key, level=3, note=answer.context["unkept"][0][1], now=LATER)
    again = clients["ines"].post(url, form | {"card": str(card.pk)})
    assert again.status_code == 409  # criteria without a level
    assert again.context["unkept"] == []


def test_a_pins_form_that_names_no_place_comes_back_as_it_was_sent(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    clients["ines"].get(reverse("admin:score", args=[handed_in.pk, 1]))
    where = "line|answer|controller.py"
    form = {
        "id": str(uuid4()),
        "where": where,
        "first": "90000",
        "last": "",
        "text": "Why a <loop>?",
    }
    answer = clients["ines"].post(reverse("admin:pin", args=[handed_in.pk, 1]), form)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Why a &lt;loop&gt;?</textarea>" in page
    assert 'value="90000"' in page
    assert f'<option value="{where}" selected>' in page
    assert "choose the place anew" in page


def test_a_full_note_about_an_attempt_is_kept(clients: Clients, handed_in: Attempt) -> None:
    text = ("a" * 49 + "\n") * 99 + "b" * 50
    url = reverse("admin:note", args=[handed_in.pk])
    clients["ines"].post(url, {"text": text.replace("\n", "\r\n")})
    assert Note.objects.get().text == text
