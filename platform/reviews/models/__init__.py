"""What people made of it: assignments, evaluations and ratings, feedback, notes, decisions, interviews."""

from __future__ import annotations

from reviews.models.decisions import Decision
from reviews.models.feedback import Feedback, FeedbackQuerySet, Note, NoteQuerySet
from reviews.models.interviews import AskedQuestion, InterviewSession, QuestionSet, QuestionSetItem
from reviews.models.scoring import (
    Assignment,
    Evaluation,
    EvaluationQuerySet,
    Rating,
    others_open_to,
    own_card_in,
)

__all__ = [
    "AskedQuestion",
    "Assignment",
    "Decision",
    "Evaluation",
    "EvaluationQuerySet",
    "Feedback",
    "FeedbackQuerySet",
    "InterviewSession",
    "Note",
    "NoteQuerySet",
    "QuestionSet",
    "QuestionSetItem",
    "Rating",
    "others_open_to",
    "own_card_in",
]
