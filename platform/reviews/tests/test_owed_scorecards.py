"""Who owes a scorecard of the answer that counts knows no name; of no other answer is one owed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from assessments import attempts
from assessments.models import Attempt
from assessments.tests.stage import Stage, submit
from reviews.decisions import decisions
from reviews.feedback import feedback
from reviews.models import Feedback
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, grade, ready_for_feedback, score_all
from reviews.visibility import may_read_decisions, may_see_identity, owed_by


@pytest.fixture
def decided(scored: Attempt, stage: Stage) -> Attempt:
    """Ines has scored the only answer, and there is a decision."""
    decisions.decide(
        opening=stage.opening,
        candidate=stage.ada,
        outcome="decline",
        reasons="Seen.",
        by=stage.hana,
        now=LATER,
    )
    return scored


def owes(stage: Stage, who: str, attempt: Attempt) -> bool:
    return Attempt.objects.filter(owed_by(getattr(stage, who)), pk=attempt.pk).exists()


def test_who_has_scored_owes_nothing_and_who_has_not_does(decided: Attempt, stage: Stage) -> None:
    assert not owes(stage, "ines", decided)
    assert may_see_identity(stage.ines, decided)
    evaluations.assign(attempt=decided, evaluator=stage.otto, by=stage.rhea, now=LATER)
    assert owes(stage, "otto", decided)
    assert not may_see_identity(stage.otto, decided)
    assert not may_read_decisions(stage.otto, decided)


def test_an_answer_that_was_replaced_is_owed_by_nobody(decided: Attempt, stage: Stage) -> None:
    """Otto came after the first answer was replaced: only the second one counts."""
    attempts.reopen(decided.pk, minutes=30, by=stage.rhea, reason="Network failed.", now=LATER)
    evaluations.assign(attempt=decided, evaluator=stage.otto, by=stage.rhea, now=LATER)
    assert not owes(stage, "otto", decided)
    submit(decided, "A different answer.", at=LATER + timedelta(minutes=10))
    grade(decided)
    assert owes(stage, "otto", decided)
    assert owes(stage, "ines", decided)  # the card of the first answer is none of the second
    score_all(decided, stage.otto)
    assert not owes(stage, "otto", decided)
    assert owes(stage, "ines", decided)


def test_the_card_of_one_round_is_none_of_the_other(decided: Attempt, stage: Stage) -> None:
    wording = feedback.Wording(**ready_for_feedback(decided, stage.ines))
    feedback.write(attempt=decided, wording=wording, by=stage.ines, now=LATER)
    feedback.release(Feedback.objects.get(), by=stage.ines, now=LATER)
    attempts.start_revision(decided.pk, now=LATER)
    assert not owes(stage, "ines", decided)
    submit(decided, "Better.", at=LATER + timedelta(minutes=1))
    grade(decided, 2)
    assert owes(stage, "ines", decided)
    assert not may_see_identity(stage.ines, decided)


def test_another_attempt_of_the_same_person_is_told_apart(decided: Attempt, stage: Stage) -> None:
    evaluations.assign(attempt=decided, evaluator=stage.otto, by=stage.rhea, now=LATER)
    assert Attempt.objects.filter(owed_by(stage.otto)).count() == 1
    assert not Attempt.objects.filter(owed_by(stage.ines)).exists()
