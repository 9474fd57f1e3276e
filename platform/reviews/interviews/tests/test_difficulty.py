"""How hard a question was, from the scores of interviews: told with its interval, and only of enough people."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from assessments.tests.stage import NOW, Stage
from hiring.models import Candidate
from library.exposure import FEWEST, difficulty
from library.models import Question
from reviews.interviews.tests.test_interviews import held, three
from reviews.models import QuestionSet

__all__ = ["three"]


def test_difficulty_is_told_with_its_interval_once_enough_people_were_asked(
    clients: dict[str, Client], stage: Stage, three: QuestionSet
) -> None:
    own = Question.objects.get(topic_id="OWN1")
    url = reverse("admin:library_question_changelist")
    for number in range(FEWEST):
        assert difficulty([own]) == {}
        stage.ada = Candidate.objects.create(
            name=f"Person {number}", email=f"p{number}@example.com", created_at=NOW
        )
        held(stage, three, stage.otto, score=2 + number % 2)
    found = difficulty([own])[own.family]
    assert (found.n, found.mean) == (FEWEST, 2.5)
    assert found.low < 2.5 < found.high
    assert round(found.high - found.mean, 2) == 0.45  # 2.365 x 0.535 / sqrt(8)
    page = " ".join(clients["ines"].get(url, {"asked": "often"}).content.decode().split())
    assert f"mean score 2.5 of 5 (2.1 to 2.9, {FEWEST} candidates)" in page
