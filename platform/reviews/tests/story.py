"""Ada's whole way: two answers, three scorecards, a talk, feedback, interviews; what a report is made of."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

from assessments import attempts
from assessments.models import Attempt, GradingRun
from assessments.tests.stage import NOW, Stage, submit
from library.models import Question
from reviews.interviews import interview_scores, interviews
from reviews.models import (
    Defence,
    DefenceQuestion,
    DiscussionOutcome,
    InterviewSession,
    MeasureOverride,
    Note,
    QuestionSet,
    QuestionSetItem,
)
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, REPORT, grade, score_all

PHRASE = "quokkas balance the queue"
NEXT_DAY = LATER + timedelta(days=1)


def whole(stage: Stage, attempt: Attempt, report: dict[str, Any] | None = None) -> Attempt:
    """From the scored first answer on: `attempt` is handed in and Ines is asked to score it.

    `report`: the machine's of the revision.
    """
    evaluations.assign(attempt=attempt, evaluator=stage.otto, by=stage.rhea, now=LATER)
    score_all(attempt, stage.ines, level=3)
    score_all(attempt, stage.otto, level=4)
    talk_about_it(stage, attempt)
    attempts.open_revision(
        attempt.pk,
        strength="In architecture you part deciding from acting.",
        improvement="In controller.py a call that fails is tried for ever.",
        focus="",
        start_now=True,
        by=stage.ines,
        now=LATER,
    )
    agree(stage, attempt)
    revise(stage, attempt, report)
    override(stage, attempt)
    ask(stage)
    return Attempt.objects.get(pk=attempt.pk)


def agree(stage: Stage, attempt: Attempt) -> None:
    """After a discussion of the first criterion they settled on the higher level."""
    card = attempt.submissions.get(round=1).evaluations.first()
    assert card is not None
    DiscussionOutcome.objects.create(
        submission=card.submission,
        criterion_key=card.criteria()[0]["key"],
        level=4,
        reason=f"Both had missed that {PHRASE}.",
        recorded_by=stage.otto,
        recorded_at=LATER,
    )


def talk_about_it(stage: Stage, attempt: Attempt) -> None:
    row = Defence.objects.create(
        attempt=attempt,
        by=stage.ines,
        recorded_at=LATER,
        notes=f"Said that {PHRASE}.",
        level=4,
        level_text="Gives the reasons and what was decided against.",
    )
    DefenceQuestion.objects.create(
        defence=row, position=1, text="Why three replicas?", note=f"Because {PHRASE}."
    )


def revise(stage: Stage, attempt: Attempt, report: dict[str, Any] | None) -> None:
    fresh = Attempt.objects.get(pk=attempt.pk)
    submit(fresh, f"Revised: {PHRASE}.", at=LATER + timedelta(minutes=10))
    better = {**REPORT, "score": 0.8, "measures": [{**REPORT["measures"][0], "score": 0.8}]}
    grade(fresh, 2, report or better)
    score_all(fresh, stage.ines, round=2, level=4, now=NEXT_DAY)
    score_all(fresh, stage.otto, round=2, level=5, now=NEXT_DAY)


def override(stage: Stage, attempt: Attempt) -> None:
    run = GradingRun.objects.filter(submission__attempt=attempt, submission__round=1).latest("pk")
    first = (run.report or REPORT)["measures"][0]
    MeasureOverride.objects.create(
        grading=run,
        measure=first["key"],
        machine_score=first["score"],
        score=0.6,
        by=stage.ines,
        reason=f"The trace was cut short; {PHRASE}.",
        at=LATER,
    )


def ask(stage: Stage) -> InterviewSession:
    """Hana asked two questions of the bank and entered what a talk about the team came to."""
    questions = [
        Question.objects.create(
            topic_id=f"X{at}",
            topic=topic,
            section="S",
            text="How would you go about it?",
            level="mid",
            created_at=NOW,
            expected_points=["one", "two", "three"],
            hints=["a hint"],
        )
        for at, topic in enumerate(("Fair sharing", "Reading nvidia-smi"), 1)
    ]
    chosen = QuestionSet.objects.create(
        title="Operations", opening=stage.opening, minutes=30, created_by=stage.hana,
        created_at=NOW, changed_at=NOW,
    )  # fmt: skip
    for at, question in enumerate(questions, 1):
        QuestionSetItem.objects.create(
            question_set=chosen, question=question, position=at, minutes=10
        )
    session, _ = interviews.plan(
        opening=stage.opening, candidate=stage.ada, interviewer=stage.hana, question_set=chosen,
        by=stage.hana, now=NEXT_DAY,
    )  # fmt: skip
    session = interviews.begin(session, now=NEXT_DAY)
    for at, asked in enumerate(session.asked.all(), 1):
        written = interviews.Written(points=range(at), note=f"Told how {PHRASE}.", score=at + 2)
        interviews.write(asked, written, now=NEXT_DAY)
    interviews.submit(session, summary=f"In short: {PHRASE}.", now=NEXT_DAY)
    interview_scores.give(
        id=uuid4(), opening=stage.opening, candidate=stage.ada, about="team", score=4,
        reasons=f"Listens; {PHRASE}.", by=stage.hana, now=NEXT_DAY,
    )  # fmt: skip
    return session


def remark(stage: Stage, attempt: Attempt) -> None:
    Note.objects.create(attempt=attempt, author=stage.ines, text=PHRASE, written_at=LATER)
