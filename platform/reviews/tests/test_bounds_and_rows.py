"""Bounds hold to the last one that fits, and of two texts or reports no row is lost."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from accounts.not_possible import NotPossible
from assessments.models import Attempt
from assessments.tests.stage import NOW, Stage
from graders.scaling.grading import KIND as GRADER
from library.models import Question
from reviews.evidence import scaling
from reviews.evidence.answer_text import side_by_side
from reviews.feedback import feedback
from reviews.interviews import question_sets
from reviews.models import Feedback, QuestionSet
from reviews.privacy import retention
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, ready_for_feedback


def questions(count: int) -> list[tuple[Question, int, str]]:
    rows = [
        Question.objects.create(
            topic_id=f"OWN{number}",
            topic="Our racks",
            section="Ours",
            text=f"Which is rack {number}?",
            level="junior",
            expected_points=["It."],
            hints=["Look."],
            created_at=NOW,
        )
        for number in range(count)
    ]
    return [(row, 1, "") for row in rows]


def test_a_set_may_have_as_many_questions_as_are_allowed(stage: Stage) -> None:
    items = questions(question_sets.MOST_QUESTIONS + 1)
    row = QuestionSet(title="Long", minutes=60, opening=stage.opening)
    with pytest.raises(NotPossible, match="at most"):
        question_sets.save_set(row, items, by=stage.rhea, now=NOW)
    saved = question_sets.save_set(row, items[:-1], by=stage.rhea, now=NOW)
    assert saved.items.count() == question_sets.MOST_QUESTIONS


def test_who_owes_a_scorecard_releases_no_feedback(scored: Attempt, stage: Stage) -> None:
    wording = feedback.Wording(**ready_for_feedback(scored, stage.ines))
    feedback.write(attempt=scored, wording=wording, by=stage.ines, now=LATER)
    evaluations.assign(attempt=scored, evaluator=stage.otto, by=stage.rhea, now=LATER)
    with pytest.raises(NotPossible, match="your own scores"):
        feedback.release(Feedback.objects.get(), by=stage.otto, now=LATER)
    assert Feedback.objects.get().released_at is None


@pytest.mark.parametrize(
    ("before", "after", "rows"),
    [("a\nb\nz", "a\nc\nd\ne\nz", 5), ("a\nb\nc\nd\nz", "a\nx\nz", 5), ("a", "a\nb", 2)],
)
def test_a_comparison_has_every_line_of_both(before: str, after: str, rows: int) -> None:
    found = side_by_side(before, after)
    assert len(found) == rows
    said = "\n".join(map(repr, found))
    assert all(f"'{line}'" in said for line in {*before.split("\n"), *after.split("\n")})


def test_orders_are_read_before_the_scorecard_is_in_and_say_nothing_of_being_late() -> None:
    order = {"id": "p1", "count": 4, "item": "leaf", "site": "A", "month": "2026-03"}
    rows = [{**order, "arrives": "2026-09", "late": True}, {**order, "id": "p2", "arrives": ""}]
    report: dict[str, Any] = {"evidence": [{"kind": GRADER.reading, "orders": rows}]}
    first, second = scaling.arrivals(report)
    assert (first["what"], first["arrives"], first["late"]) == ("4 × leaf", "2026-09", False)
    assert second["arrives"] == "after the year"
    assert scaling.arrivals(None) == []


def test_the_file_is_written_anew_only_where_somebody_has_gone(
    scored: Attempt, stage: Stage, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[bool] = []

    def compact() -> bool:
        written.append(True)
        return True

    monkeypatch.setattr(retention, "compact", compact)
    assert retention.carry_out(LATER) == []
    assert not written
    stage.opening.retention_months = 1
    stage.opening.closed_at = NOW
    stage.opening.save()
    assert len(retention.carry_out(LATER + timedelta(days=400))) == 1
    assert written == [True]
