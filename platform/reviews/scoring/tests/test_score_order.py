"""One exercise across candidates: a stable random order for each evaluator, and marks of who was not blind."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from assessments import attempts
from assessments.models import Attempt
from assessments.tests.stage import NOW, POLICIES, Stage, submit
from hiring import seen_by
from hiring.invitations import invite
from hiring.models import Candidate, Mode
from library.models import Question
from reviews.feedback import defence
from reviews.interviews import interviews
from reviews.models import Acquaintance, Evaluation, QuestionSet, QuestionSetItem
from reviews.scoring import blindness, evaluations
from reviews.scoring.score_order import next_to_score, order
from reviews.tests.scene import LATER, score_all

Clients = dict[str, Client]


def another(stage: Stage, name: str) -> Attempt:
    """Somebody else's answer in the same exercise, which Ines and Otto score."""
    who = Candidate.objects.create(name=name, email=f"{name}@example.com", created_at=NOW)
    invitation, _ = invite(
        opening=stage.opening,
        candidate=who,
        exercises=[stage.exercise],
        by=stage.rhea,
        now=NOW,
        opens_at=NOW - timedelta(days=1),
        closes_at=NOW + timedelta(days=6),
    )
    attempt = attempts.start(
        invitation=invitation, exercise=stage.exercise, policies=POLICIES, now=NOW
    )
    submit(attempt, f"By {name}.", at=NOW + timedelta(minutes=5))
    for person in (stage.ines, stage.otto):
        evaluations.assign(attempt=attempt, evaluator=person, by=stage.rhea, now=LATER)
    return attempt


@pytest.fixture
def many(stage: Stage, published: list[Any]) -> list[Attempt]:
    return [another(stage, f"person{n}") for n in range(12)]


def url(stage: Stage) -> str:
    return reverse("admin:score-order", args=[stage.opening.pk, stage.exercise.pk])


def keys(places: list[Any]) -> list[Any]:
    return [place.attempt for place in places]


def test_order_is_stable_and_differs_by_evaluator(stage: Stage, many: list[Attempt]) -> None:
    mine = keys(order(stage.ines, stage.exercise))
    assert sorted(mine) == sorted(attempt.pk for attempt in many)
    assert mine == keys(order(stage.ines, stage.exercise))
    assert mine != keys(order(stage.otto, stage.exercise))
    assert mine not in (keys_by_time(many), keys_by_time(many)[::-1])


def keys_by_time(many: list[Attempt]) -> list[Any]:
    return [attempt.pk for attempt in many]


def test_somebody_who_comes_later_moves_nobody(stage: Stage, many: list[Attempt]) -> None:
    before = keys(order(stage.ines, stage.exercise))
    late = another(stage, "late")
    after = keys(order(stage.ines, stage.exercise))
    assert [key for key in after if key != late.pk] == before


@pytest.mark.nightly
def test_next_goes_through_all_of_them_once(
    clients: Clients, stage: Stage, many: list[Attempt]
) -> None:
    for attempt_key in keys(order(stage.ines, stage.exercise)):
        answer = clients["ines"].get(url(stage) + "?next")
        assert answer["Location"] == reverse("admin:score", args=[attempt_key, 1])
        score_all(Attempt.objects.get(pk=attempt_key), stage.ines)
    done = clients["ines"].get(url(stage) + "?next", follow=True).content.decode()
    assert "Nothing is left to score" in done
    assert next_to_score(order(stage.ines, stage.exercise)) is None


def test_next_after_one_goes_on_from_there(stage: Stage, many: list[Attempt]) -> None:
    places = order(stage.ines, stage.exercise)
    following = next_to_score(places, after=places[4].attempt)
    assert following == places[5]
    wrapped = next_to_score(places, after=places[-1].attempt)
    assert wrapped == places[0]


def test_list_shows_pseudonyms_and_only_what_is_assigned(
    clients: Clients, stage: Stage, many: list[Attempt], django_user_model: Any
) -> None:
    page = clients["ines"].get(url(stage)).content.decode()
    assert "person3" not in page
    assert many[3].invitation.candidate.pseudonym in page
    assert "You are not asked to score anybody" in clients["hana"].get(url(stage)).content.decode()
    for name, status in {"adam": 403, "rhea": 403, "nobody": 302}.items():
        assert clients[name].get(url(stage)).status_code == status
    elsewhere = reverse("admin:score-order", args=[stage.opening.pk, 999_999])
    assert clients["ines"].get(elsewhere).status_code == 404


@pytest.mark.nightly
def test_long_lists_have_pages_and_open_at_what_is_next(
    clients: Clients, stage: Stage, many: list[Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviews.scoring.pages.score_order.SHOWN", 5)
    drawn = keys(order(stage.ines, stage.exercise))
    for key in drawn[:7]:
        score_all(Attempt.objects.get(pk=key), stage.ines)
    page = clients["ines"].get(url(stage)).content.decode()
    shown = [key for key in drawn if str(key) in page]
    assert shown == drawn[5:10]
    last = clients["ines"].get(url(stage) + "?page=3").content.decode()
    assert [key for key in drawn[10:] if str(key) in last] == drawn[10:]
    for rubbish in ("0", "99", "x", "9" * 40):
        assert clients["ines"].get(url(stage) + f"?page={rubbish}").status_code == 200


@pytest.mark.nightly
def test_queries_do_not_grow_with_candidates(
    clients: Clients, stage: Stage, many: list[Attempt]
) -> None:
    clients["ines"].get(url(stage))
    with CaptureQueriesContext(connection) as few:
        clients["ines"].get(url(stage))
    count = len(few)  # later requests empty the log
    for n in range(20, 30):
        another(stage, f"person{n}")
    with CaptureQueriesContext(connection) as more:
        clients["ines"].get(url(stage))
    assert len(more) == count


def held_a_talk(attempt: Attempt, stage: Stage, at: Any) -> None:
    defence.hold(
        attempt=attempt, by=stage.ines, questions=[defence.Put("Why?")], notes="", level=3, now=at
    )


def interviewed(attempt: Attempt, stage: Stage, at: Any) -> None:
    question = Question.objects.create(
        topic_id="X1", topic="T", section="S", text="Why?", level="mid", created_at=NOW
    )
    asked = QuestionSet.objects.create(
        title="Set", minutes=30, created_by=stage.hana, created_at=NOW, changed_at=NOW
    )
    QuestionSetItem.objects.create(question_set=asked, question=question, position=1, minutes=5)
    session, _ = interviews.plan(
        opening=stage.opening,
        candidate=stage.ada,
        interviewer=stage.ines,
        question_set=asked,
        by=stage.hana,
        now=at,
    )
    interviews.begin(session, now=at)


def saw_the_name(attempt: Attempt, stage: Stage, at: Any) -> None:
    seen_by.note(stage.ines, stage.ada, "candidate", now=at)


def opened_in_person(attempt: Attempt, stage: Stage, at: Any) -> None:
    stage.exercise.mode = Mode.ON_SITE
    stage.exercise.save()
    attempts.open_revision(
        attempt.pk, strength="a", improvement="b", focus="", start_now=True, by=stage.ines, now=at
    )


def said_so(attempt: Attempt, stage: Stage, at: Any) -> None:
    blindness.declare(attempt=attempt, person=stage.ines, how="We worked together.", now=at)


@pytest.mark.parametrize(
    "meet", [held_a_talk, interviewed, saw_the_name, opened_in_person, said_so]
)
@pytest.mark.by_day(but=["held_a_talk", "interviewed", "said_so", "saw_the_name"])
def test_ratings_after_a_meeting_are_marked_and_earlier_ones_are_not(
    scored: Attempt, stage: Stage, meet: Any, clients: Clients
) -> None:
    """Whoever meets the candidate scores round 1 first; what they rate later is marked not blind."""
    evaluations.assign(attempt=scored, evaluator=stage.otto, by=stage.rhea, now=LATER)
    score_all(scored, stage.otto, now=LATER + timedelta(days=9))
    meet(scored, stage, LATER + timedelta(days=1))
    first = Evaluation.objects.get(evaluator=stage.ines)
    again = evaluations.correct(first, reason="Misread.", now=LATER + timedelta(days=2))
    rows = Evaluation.objects.select_related("submission__attempt__invitation", "evaluator")
    marks = {card.pk: card.not_blind for card in blindness.marked(rows)}  # type: ignore[attr-defined]
    assert marks[first.pk] == ""
    assert "before this was submitted" not in marks[again.pk]
    assert "Ines" in marks[again.pk]
    assert [mark for pk, mark in marks.items() if pk not in (first.pk, again.pk)] == [""]
    page = clients["ines"].get(reverse("admin:score", args=[scored.pk, 1])).content.decode()
    assert "Not blind." in page
    evaluations.submit(again, now=LATER + timedelta(days=3))
    table = clients["hana"].get(reverse("admin:attempt", args=[scored.pk])).content.decode()
    assert "not blind" in table


def test_looking_before_being_asked_to_score_is_not_blind(handed_in: Attempt, stage: Stage) -> None:
    seen_by.note(stage.hana, stage.ada, "attempt", now=LATER - timedelta(minutes=5))
    evaluations.assign(attempt=handed_in, evaluator=stage.hana, by=stage.rhea, now=LATER)
    seen_by.note(stage.ines, stage.ada, "attempt", now=LATER + timedelta(minutes=5))
    for person in (stage.hana, stage.ines):
        score_all(handed_in, person, now=timezone.now())
    rows = Evaluation.objects.select_related("submission__attempt__invitation", "evaluator")
    marks = {card.evaluator: card.not_blind for card in blindness.marked(rows)}  # type: ignore[attr-defined]
    assert "saw who the candidate is" in marks[stage.hana]
    assert marks[stage.ines] == ""


def test_evaluators_declare_whom_they_know(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    url = reverse("admin:met", args=[handed_in.pk, 1])
    empty = clients["ines"].post(url, {"how": " "}, follow=True)
    assert "Say in a few words" in empty.content.decode()
    for _ in range(2):  # pressed twice
        page = clients["ines"].post(url, {"how": "Same team in 2024."}, follow=True)
    assert "Same team in 2024." in page.content.decode()
    assert Acquaintance.objects.count() == 1
    statuses = {name: clients[name].post(url, {"how": "x"}).status_code for name in clients}
    assert statuses == {
        "adam": 403,
        "rhea": 403,
        "ines": 302,
        "otto": 404,
        "hana": 404,
        "nobody": 302,
    }
