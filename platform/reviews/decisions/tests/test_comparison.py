"""Side by side: what one may see, in the order asked for, with intervals, nobody turned down (S3, S5, E9)."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from assessments.models import Attempt
from assessments.tests.stage import NOW, Stage
from hiring.models import Sighting
from library.student_t import quantile
from reviews.decisions.candidate_scores import candidate_scores, exercise_marks
from reviews.decisions.comparison import Order, in_order
from reviews.evidence.automation import workload_scores
from reviews.fairness.intervals import FEW, ONE, Spread, estimate, pooled, weighted
from reviews.models import Decision
from reviews.scoring import evaluations
from reviews.tests.crowd import Crowd, build
from reviews.tests.scene import LATER, score_all

PLATFORM = Path(__file__).resolve().parents[3]


@pytest.fixture
def crowd(db: None) -> Crowd:
    return build(5, now=NOW, exercises=2, evaluators=3)


def page(user: User, crowd: Crowd, **query: Any) -> Any:
    client = Client()
    client.force_login(user)
    return client.get(reverse("admin:comparison", args=[crowd.opening.pk]), query)


def test_interval_is_as_a_table_of_students_t_has_it() -> None:
    """Two ratings each of four answers: s^2 = (0.5 + 0.5 + 2 + 0) / 4, t(4; 0.975) = 2.776."""
    groups = [[3.0, 4.0], [2.0, 3.0], [1.0, 3.0], [4.0, 4.0]]
    spread = pooled(groups)
    assert spread.freedom == 4
    assert spread.deviation == pytest.approx(0.75**0.5)
    found = estimate([3.0, 4.0], spread)
    half = 2.776 * (0.75 / 2) ** 0.5
    assert (found.value, found.low, found.high) == pytest.approx((3.5, 3.5 - half, 5.0))
    assert quantile(60) == pytest.approx(2.0003, abs=2e-4)
    assert quantile(120) == pytest.approx(1.9799, abs=2e-4)


def test_one_evaluator_has_no_interval_and_few_say_nothing() -> None:
    wide = Spread(0.5, 20)
    assert estimate([3.0], wide).why_not == ONE
    assert not estimate([3.0], wide).has_interval
    assert estimate([3.0, 4.0], Spread(0.5, 2)).why_not == FEW
    both = weighted([(0.5, estimate([3.0, 4.0], wide)), (0.5, estimate([2.0], wide))])
    assert both.value == 2.75
    assert both.why_not == ONE


def test_order_comes_from_the_address_and_the_unrated_come_last() -> None:
    people = [(1, "AAA"), (2, "BBB"), (3, "CCC")]
    values = {1: 2.0, 3: 4.0}
    assert [pk for pk, _ in in_order(people, values, down=True)] == [3, 1, 2]
    assert [pk for pk, _ in in_order(people, values, down=False)] == [1, 3, 2]
    assert Order.asked("-work", {"work"}) == Order("work", down=True)
    assert Order.asked("password", {"work"}) == Order()
    assert Order("work", down=True).then("work") == "work"


def test_rating_is_the_weighted_mean_and_the_revision_counts_by_its_own_criteria(
    stage: Stage, scored: Attempt
) -> None:
    """Level 4 on the first answer; nothing of round 2 is in."""
    marks = exercise_marks(stage.hana, stage.opening)
    assert list(marks.values()) == [[4.0]]
    card = scored.submissions.get().evaluations.get()
    assert evaluations.mean_rating(card) == 4.0
    candidate_score = candidate_scores(stage.hana, stage.opening)[stage.ada.pk]
    assert candidate_score.work.value == 4.0
    assert candidate_score.combined.value is None


def test_marks_agree_with_the_scorecards_own_mean(crowd: Crowd) -> None:
    marks = exercise_marks(crowd.hana, crowd.opening)
    assert len(marks) == 10
    attempt = crowd.attempts[0]
    cards = attempt.submissions.get().evaluations.prefetch_related("ratings")
    own = [evaluations.mean_rating(card) for card in cards]
    key = (attempt.invitation.candidate_id, attempt.exercise_id)
    assert sorted(marks[key]) == pytest.approx(sorted(mean for mean in own if mean))


def test_page_shows_everybody_with_intervals_and_a_plot(crowd: Crowd) -> None:
    text = page(crowd.hana, crowd).content.decode()
    assert all(person.name in text for person in crowd.candidates)
    assert "<svg" in text
    assert "95 % interval" in text
    assert text.count('method="post"') == 1  # signing out: nothing can be decided from here


@pytest.mark.parametrize("sort", ["work", "-work", "interviews", "candidate", "-candidate", "x"])
@pytest.mark.by_day(every=3)
def test_every_order_answers(crowd: Crowd, sort: str) -> None:
    assert page(crowd.hana, crowd, sort=sort).status_code == 200


def test_criterion_by_criterion(crowd: Crowd) -> None:
    exercise = crowd.exercises[1].pk
    first = page(crowd.hana, crowd, exercise=exercise)
    columns = [column.key for column in first.context["columns"]]
    criterion = next(key for key in columns if key.startswith("criterion-"))
    answer = page(crowd.hana, crowd, exercise=exercise, sort=f"-{criterion}")
    means = [cells[0]["mean"] for _, cells in answer.context["rows"]]
    assert means == sorted(means, reverse=True)
    assert len(answer.context["rows"][0][1][0]["given"]) == 3
    assert "Machine" in answer.content.decode()


def test_whoever_was_on_the_page_was_seen_once_an_hour(crowd: Crowd) -> None:
    page(crowd.hana, crowd)
    page(crowd.hana, crowd, sort="-work")
    seen = Sighting.objects.filter(by=crowd.hana, page="comparison")
    assert {row.candidate_id for row in seen} == {person.pk for person in crowd.candidates}
    assert seen.count() == 5


def test_machine_scores_have_a_ring_for_each_seed(crowd: Crowd) -> None:
    exercise = crowd.exercises[0].pk
    text = page(crowd.hana, crowd, exercise=exercise, plot="machine").content.decode()
    assert text.count("<svg") == 2
    report = {
        "evidence": [
            {"kind": "workload", "measures": [{"score": 0.5}, {"score": 1.5}]},
            {"kind": "workload", "measures": [{"score": -1.0}, {"score": None}]},
            {"kind": "code"},
        ]
    }
    assert workload_scores(report) == [0.75, 0.0]
    assert (
        "Machine scores"
        not in page(crowd.rhea, crowd, exercise=exercise, plot="machine").content.decode()
    )


def test_whoever_owes_a_scorecard_sees_neither_ratings_nor_names_nor_machine(
    stage: Stage, handed_in: Attempt
) -> None:
    hidden = "0.43"
    score_all(handed_in, evaluator(stage, handed_in), level=2)
    client = Client()
    client.force_login(stage.ines)
    url = reverse("admin:comparison", args=[stage.opening.pk])
    for query in ({}, {"exercise": stage.exercise.pk}):
        text = client.get(url, query).content.decode()
        assert stage.ada.pseudonym in text
        assert stage.ada.name not in text
        assert "2.00" not in text
        assert hidden not in text
    score_all(handed_in, stage.ines, level=4)
    text = client.get(url, {"exercise": stage.exercise.pk}).content.decode()
    assert "3.00" in text
    assert hidden in text


def evaluator(stage: Stage, attempt: Attempt) -> User:
    evaluations.assign(attempt=attempt, evaluator=stage.otto, by=stage.rhea, now=LATER)
    return stage.otto


def test_interviewer_of_another_opening_finds_nothing(stage: Stage, crowd: Crowd) -> None:
    assert page(stage.otto, crowd).status_code == 404


@pytest.mark.nightly
def test_no_path_leads_from_scores_to_a_decision(crowd: Crowd) -> None:
    """Decisions are made by reviews.decisions.decisions.decide alone, which only the decision page calls."""
    makers, callers = [], []
    for path in PLATFORM.rglob("*.py"):
        if {"tests", "migrations"} & set(path.relative_to(PLATFORM).parts):
            continue
        text = path.read_text()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                if called == "Decision" or (
                    called.startswith("Decision.objects.")
                    and called.endswith(
                        ("create", "get_or_create", "bulk_create", "update_or_create")
                    )
                ):
                    makers.append(path.stem)
                if called in ("decide", "decisions.decide"):
                    callers.append(path.relative_to(PLATFORM).as_posix())
    assert makers == ["decisions"]
    # A person's page, and the demo, which plays people who are named.
    assert sorted(callers) == ["headnode/living/acts.py", "reviews/decisions/pages/decision.py"]
    for sort in ("work", "combined"):
        assert page(crowd.hana, crowd, sort=sort).status_code == 200
    assert not Decision.objects.exists()
