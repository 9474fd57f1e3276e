"""One rule says where somebody stands and whose turn it is."""

from __future__ import annotations

import pytest

from assessments.clock import Phase
from assessments.standing import Dispute, Facts, State, Turn, standing_of, state_of, turn_of

IN, IN_2 = Phase.SUBMITTED, Phase.REVISION_SUBMITTED


@pytest.mark.parametrize(
    ("facts", "words", "turn"),
    [
        (Facts(), "Invited", Turn.CANDIDATE),
        (Facts(opened=True), "Opened", Turn.CANDIDATE),
        (Facts(opened=True, practised=True), "Practised", Turn.CANDIDATE),
        (Facts("over", opened=True), "Not started in time", Turn.EXTENDING),
        (Facts("revoked"), "Revoked", Turn.NOBODY),
        (Facts(phase=Phase.RUNNING), "Working", Turn.CANDIDATE),
        (Facts("over", phase=Phase.RUNNING), "Working", Turn.CANDIDATE),
        (Facts(phase=IN), "Handed in", Turn.ASSIGNING),
        (Facts(phase=IN, graded="done", asked=2), "Graded", Turn.SCORING),
        (Facts(phase=IN, graded="infrastructure_error", asked=2), "Handed in", Turn.GRADING),
        (Facts(phase=IN, graded="done", cards=1, asked=2), "Scored 1 of 2", Turn.SCORING),
        (Facts(phase=IN, cards=2, asked=2), "Scored 2 of 2", Turn.FEEDING_BACK),
        (Facts(phase=IN, cards=2, asked=2, dispute=Dispute.ANOTHER), "Disputed", Turn.ASSIGNING),
        (Facts(phase=IN, cards=2, asked=3, dispute=Dispute.ASKED), "Disputed", Turn.SCORING),
        (Facts(phase=IN, cards=3, asked=3, dispute=Dispute.TALK), "Disputed", Turn.DISCUSSING),
        (Facts(phase=Phase.REVISION_OPEN, cards=2, asked=2), "Feedback given", Turn.CANDIDATE),
        (Facts(phase=Phase.REVISING), "Revising", Turn.CANDIDATE),
        (Facts(phase=IN_2, asked=2), "Revision handed in", Turn.SCORING),
        (Facts(phase=IN_2, cards=1, asked=2), "Revision scored 1 of 2", Turn.SCORING),
        (Facts(phase=IN_2, cards=2, asked=2), "Revision scored 2 of 2", Turn.DECIDING),
        (Facts(phase=IN_2, decision="Make an offer", ends=True), "Decided", Turn.NOBODY),
        (Facts(phase=IN_2, decision="Hold"), "Decided", Turn.DECIDING),
    ],
)
def test_words_and_turn_follow_from_the_facts(facts: Facts, words: str, turn: Turn) -> None:
    assert standing_of(facts).words == words
    assert turn_of(facts) == turn


def test_time_left_stands_beside_work_that_goes_on() -> None:
    assert standing_of(Facts(phase=Phase.RUNNING), "12 min").detail == "12 min left"
    assert standing_of(Facts(phase=Phase.OVERDUE), "12 min").detail == "time is up"


def test_every_phase_has_a_state() -> None:
    assert {state_of(Facts(phase=phase)) for phase in Phase} == {
        State.WORKING,
        State.HANDED_IN,
        State.FEEDBACK,
        State.REVISING,
    }
