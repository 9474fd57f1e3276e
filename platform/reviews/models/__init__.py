"""What people made of it: assignments, evaluations and ratings, feedback, notes, decisions, interviews."""

from __future__ import annotations

from reviews.models.agreement import CalibrationCard, DiscussionOutcome
from reviews.models.decisions import Decision
from reviews.models.feedback import EarlyRelease, Feedback, FeedbackQuerySet, Note, NoteQuerySet
from reviews.models.interview_scores import InterviewScore
from reviews.models.interviews import AskedQuestion, InterviewSession, QuestionSet, QuestionSetItem
from reviews.models.matches import MatchCorrection
from reviews.models.overrides import MeasureOverride
from reviews.models.pdf_files import PdfFile, ReportLink, ReportLinkOpening, ReportLinkQuerySet
from reviews.models.pins import Pin, PinQuerySet, PinWording
from reviews.models.scoring import (
    Assignment,
    Evaluation,
    EvaluationQuerySet,
    Rating,
    others_open_to,
    own_card_in,
)
from reviews.models.self_description import SelfDescription
from reviews.models.similarity import Comparison, Fingerprint, Likeness
from reviews.models.talk_plans import TalkQuestion
from reviews.models.talks import (
    Acquaintance,
    Defence,
    DefenceQuerySet,
    DefenceQuestion,
    SpokenNotes,
)

__all__ = [
    "Acquaintance",
    "AskedQuestion",
    "Assignment",
    "CalibrationCard",
    "Comparison",
    "Decision",
    "Defence",
    "DefenceQuerySet",
    "DefenceQuestion",
    "DiscussionOutcome",
    "EarlyRelease",
    "Evaluation",
    "EvaluationQuerySet",
    "Feedback",
    "FeedbackQuerySet",
    "Fingerprint",
    "InterviewScore",
    "InterviewSession",
    "Likeness",
    "MatchCorrection",
    "MeasureOverride",
    "Note",
    "NoteQuerySet",
    "PdfFile",
    "Pin",
    "PinQuerySet",
    "PinWording",
    "QuestionSet",
    "QuestionSetItem",
    "Rating",
    "ReportLink",
    "ReportLinkOpening",
    "ReportLinkQuerySet",
    "SelfDescription",
    "SpokenNotes",
    "TalkQuestion",
    "others_open_to",
    "own_card_in",
]
