"""Questions about this very answer: where they come from, what they say, and who may not see them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.tests.reading import words_of
from assessments.models import Attempt
from assessments.tests.stage import Stage
from reviews.feedback.proposals import FROM_GUIDE, FROM_MACHINE, FROM_REVISION, proposals
from reviews.models import Defence, Feedback
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, grade, score_all

Clients = dict[str, Client]
STOPPED = "KeyError at 14:20 of the day."


@pytest.fixture
def graded(handed_in: Attempt, stage: Stage) -> Attempt:
    grade(handed_in)
    return Attempt.objects.get(pk=handed_in.pk)


def by_source(attempt: Attempt, viewer: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for one in proposals(attempt, viewer):
        found.setdefault(one.source, []).append(one)
    return found


def test_the_same_answer_gives_the_same_questions_with_place_and_expectation(
    graded: Attempt, stage: Stage
) -> None:
    found = proposals(graded, stage.hana)
    assert found == proposals(Attempt.objects.get(pk=graded.pk), stage.hana)
    assert len({one.key for one in found}) == len(found) >= 6
    assert all(one.place and one.expected and all(one.expected) for one in found)


def test_findings_of_the_program_are_asked_about_and_name_what_it_saw(
    graded: Attempt, stage: Stage
) -> None:
    rows = by_source(graded, stage.hana)[FROM_MACHINE]
    assert any(STOPPED in one.expected[0] for one in rows)
    measured = next(one for one in rows if "High priority wait" in one.text)
    assert "came to 17.53 min" in measured.expected[0]
    assert "17.53" not in measured.text


def test_guide_s_questions_stand_beside_a_line_of_this_answer(
    graded: Attempt, stage: Stage
) -> None:
    rows = by_source(graded, stage.hana)[FROM_GUIDE]
    assert any("line " in one.place for one in rows)


def test_what_the_feedback_challenged_is_asked_first(graded: Attempt, stage: Stage) -> None:
    Feedback.objects.create(
        attempt=graded,
        author=stage.hana,
        strength="Calm loops.",
        improvement="Say what happens when the API is slow.",
        improvement_place="controller.py, lines 3 to 9",
        written_at=LATER,
        released_at=LATER,
    )
    first = proposals(graded, stage.hana)[0]
    assert (first.source, first.place) == (FROM_REVISION, "controller.py, lines 3 to 9")
    assert "API is slow" in first.expected[0]


def test_whoever_owes_a_scorecard_is_told_nothing_of_the_program(
    clients: Clients, graded: Attempt, stage: Stage
) -> None:
    evaluations.assign(attempt=graded, evaluator=stage.ines, by=stage.rhea, now=LATER)
    assert FROM_MACHINE not in by_source(graded, stage.ines)
    url = reverse("admin:defence", args=[graded.pk])
    assert STOPPED not in clients["ines"].get(url).content.decode()
    score_all(graded, stage.ines)
    assert STOPPED in words_of(clients["ines"].get(url))


def test_a_proposal_is_taken_or_left_on_the_page_of_the_talk(
    clients: Clients, graded: Attempt, stage: Stage
) -> None:
    taken, left = proposals(graded, stage.hana)[:2]
    url = reverse("admin:defence", args=[graded.pk])
    assert taken.expected[0] in words_of(clients["hana"].get(url))
    sent = {
        f"about-{taken.key}": "yes",
        f"about-note-{taken.key}": "Named it at once.",
        "level": "4",
    }
    assert clients["hana"].post(url, sent).status_code == 302
    row = Defence.objects.get(attempt=graded)
    assert [(put.text, put.note) for put in row.questions.all()] == [
        (taken.text, "Named it at once.")
    ]
    again = clients["hana"].get(url, {"correct": ""}).content.decode()
    assert again.count("Named it at once.") == 2  # on record, and in the form to correct
    assert left.text not in [put.text for put in row.questions.all()]
