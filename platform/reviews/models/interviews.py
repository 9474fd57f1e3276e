"""Question sets, and interviews in which they were asked: one session for each interviewer."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Exists, OuterRef, Q, Value

from accounts.models import User
from assessments.models import Attempt, RevisionRound, Sitting
from hiring.models import Candidate, Opening, one_line
from hiring.oversight import openings_overseen_by, sees_every_opening
from library.models import HIGHEST, LOWEST, Question
from reviews.models.scoring import Assignment, others_open_to, own_card_in


class QuestionSetQuerySet(models.QuerySet["QuestionSet"]):
    def visible_to(self, viewer: User) -> QuestionSetQuerySet:
        """All but those that tell of an attempt's ratings to somebody who still owes their own."""
        if not viewer.has_perm("reviews.view_questionset"):
            return self.none()
        rows = self.annotate(about_round=Value(1))
        open_to = others_open_to(viewer, attempt="attempt", round="about_round")
        return rows.filter(Q(attempt=None) | Q(created_by=viewer) | open_to)


class QuestionSet(models.Model):
    """Questions for one interview, in order; `attempt` where its weakest criteria chose them."""

    title = models.CharField(max_length=150, validators=[one_line])
    opening = models.ForeignKey(Opening, models.PROTECT, null=True, blank=True, related_name="+")
    attempt = models.ForeignKey(
        Attempt, models.SET_NULL, null=True, blank=True, related_name="+", editable=False
    )
    minutes = models.PositiveSmallIntegerField(
        "minutes available", validators=[MinValueValidator(5), MaxValueValidator(240)]
    )
    job_text = models.TextField(blank=True, help_text="The job description it was built from.")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", editable=False
    )
    created_at = models.DateTimeField(editable=False)
    changed_at = models.DateTimeField(editable=False)
    retired_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = QuestionSetQuerySet.as_manager()

    class Meta:
        ordering = ["-changed_at", "-pk"]

    def __str__(self) -> str:
        return self.title


class QuestionSetItem(models.Model):
    """One question of a set, with the minutes planned for it and why it was chosen."""

    question_set = models.ForeignKey(QuestionSet, models.CASCADE, related_name="items")
    question = models.ForeignKey(Question, models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField()
    minutes = models.PositiveSmallIntegerField()
    why = models.CharField(max_length=400, blank=True)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["question_set", "question"], name="in_a_set_once")
        ]

    def __str__(self) -> str:
        return f"{self.position}. {self.question}"


class InterviewSessionQuerySet(models.QuerySet["InterviewSession"]):
    def current(self) -> InterviewSessionQuerySet:
        """Without those that a later correction replaced."""
        return self.filter(corrections=None)

    def known_to(self, viewer: User) -> InterviewSessionQuerySet:
        """Of which interviews somebody may know that they are planned; not what is in them."""
        if not viewer.has_perm("reviews.add_interviewsession"):
            return self.visible_to(viewer)
        if sees_every_opening(viewer):
            return self
        return self.filter(Q(interviewer=viewer) | Q(opening__in=openings_overseen_by(viewer)))

    def visible_to(self, viewer: User) -> InterviewSessionQuerySet:
        """One's own; others' when submitted, once one owes neither an interview nor a scorecard."""
        if not viewer.has_perm("reviews.view_interviewsession"):
            return self.none()
        same = InterviewSession.objects.filter(
            interviewer=viewer, candidate=OuterRef("candidate"), opening=OuterRef("opening")
        )
        mine_in = same.exclude(submitted_at=None)
        mine_open = same.filter(submitted_at=None, supersedes=None)
        rows = self.annotate(owes_card=owes_a_first_card(viewer))
        others = Q(~Exists(mine_open), submitted_at__isnull=False, owes_card=False)
        if not sees_every_opening(viewer):
            others &= Q(Exists(mine_in)) | Q(opening__in=openings_overseen_by(viewer))
        return rows.filter(Q(interviewer=viewer) | others)


def owes_a_first_card(viewer: User) -> Exists:
    """Whether the viewer is to score this candidate for this opening and has a round 1 to send."""
    owed = Assignment.objects.annotate(first=Value(1)).filter(
        ~own_card_in(viewer, attempt="attempt", round="first"),
        evaluator=viewer,
        attempt__invitation__candidate=OuterRef("candidate"),
        attempt__invitation__opening=OuterRef("opening"),
    )
    return Exists(owed)


class InterviewSession(models.Model):
    """One interviewer's talk with a candidate. Frozen when submitted; a correction is a new row."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    opening = models.ForeignKey(Opening, models.PROTECT, related_name="interviews")
    candidate = models.ForeignKey(Candidate, models.PROTECT, related_name="interviews")
    interviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="interviews"
    )
    question_set = models.ForeignKey(QuestionSet, models.PROTECT, related_name="interviews")
    sitting = models.ForeignKey(
        Sitting,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="sessions",
        help_text="The talk that the interviewers of one plan hold together.",
    )
    revision = models.ForeignKey(
        RevisionRound,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="interviews",
        help_text="The revision round in which the questions were asked.",
    )
    planned_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    planned_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    summary = models.TextField(blank=True)
    supersedes = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="corrections"
    )
    correction_reason = models.CharField(max_length=300, blank=True)

    objects = InterviewSessionQuerySet.as_manager()

    class Meta:
        verbose_name = "interview"
        ordering = ["-planned_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["opening", "candidate", "interviewer", "question_set"],
                condition=Q(supersedes=None),
                name="one_interview_per_set",
            ),
            models.UniqueConstraint(fields=["supersedes"], name="interview_corrected_once"),
            models.CheckConstraint(
                condition=Q(supersedes=None) | ~Q(correction_reason=""),
                name="interview_correction_has_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.interviewer} asks {self.candidate.pseudonym}"

    @property
    def state(self) -> str:
        """planned, started or submitted."""
        if self.submitted_at:
            return "submitted"
        return "started" if self.started_at else "planned"


class AskedQuestion(models.Model):
    """One question of a session as it stood then, and what came of it."""

    session = models.ForeignKey(InterviewSession, models.CASCADE, related_name="asked")
    question = models.ForeignKey(
        Question,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="asked",
        help_text="Of the bank; none where it was about the candidate's answer.",
    )
    position = models.PositiveSmallIntegerField()
    minutes = models.PositiveSmallIntegerField()
    snapshot = models.JSONField(help_text="The question as it was when the interview began.")
    asked_at = models.DateTimeField(null=True, blank=True)
    seconds = models.PositiveIntegerField(default=0)
    skipped = models.BooleanField(default=False)
    points = models.JSONField(default=list, help_text="Numbers of the expected points reached.")
    hints_given = models.JSONField(default=list)
    follow_ups_asked = models.JSONField(default=list)
    note = models.TextField(blank=True)
    score = models.PositiveSmallIntegerField(null=True, blank=True)
    score_text = models.TextField(blank=True)
    changed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["session", "question"], name="asked_once"),
            models.CheckConstraint(
                condition=Q(score=None) | Q(score__gte=LOWEST, score__lte=HIGHEST),
                name="question_score_in_range",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position}. {self.snapshot['topic']}"

    def reached(self) -> list[dict[str, Any]]:
        """Each expected point with whether it was reached."""
        points = self.snapshot["expected_points"]
        return [{"text": text, "done": at in self.points} for at, text in enumerate(points)]

    def helped(self) -> list[dict[str, Any]]:
        """Each hint with whether it was given."""
        hints = self.snapshot["hints"]
        return [{"text": text, "done": at in self.hints_given} for at, text in enumerate(hints)]

    def went_on(self) -> list[dict[str, Any]]:
        """Each follow-up with what a good answer says ("" where nobody wrote it) and whether it was asked."""
        rows = self.snapshot["follow_ups"]
        answers = self.snapshot.get("follow_up_answers") or [""] * len(rows)
        return [
            {"text": text, "answer": answer, "done": at in self.follow_ups_asked}
            for at, (text, answer) in enumerate(zip(rows, answers, strict=True))
        ]
