"""What exercises are made of, as versioned rows: scenario packs, rubrics, the question bank."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from scenarios.kinds import CHOICES

LOWEST, HIGHEST = 1, 5


class Seniority(models.TextChoices):
    JUNIOR = "junior", "Junior"
    MID = "mid", "Mid"
    SENIOR = "senior", "Senior"


class PackVersion(models.Model):
    """One version of a scenario pack that was loaded, known by the digest of its folder."""

    name = models.CharField(max_length=100)
    version = models.CharField(max_length=40)
    digest = models.CharField(max_length=64)
    kind = models.CharField(max_length=20, choices=CHOICES)
    title = models.CharField(max_length=200)
    levels = models.JSONField(default=list)
    loaded_at = models.DateTimeField()

    class Meta:
        verbose_name = "scenario pack"
        ordering = ["name", "-loaded_at"]
        constraints = [models.UniqueConstraint(fields=["name", "digest"], name="pack_version_once")]

    def __str__(self) -> str:
        return f"{self.title} ({self.version})"


class Rubric(models.Model):
    """Criteria for one pack at one level. A rubric in use is never changed: edits make a new version."""

    pack_name = models.CharField(max_length=100)
    level = models.CharField(max_length=10, choices=Seniority)
    version = models.PositiveIntegerField(default=1)
    title = models.CharField(max_length=200)
    source_digest = models.CharField(max_length=64, blank=True, editable=False)
    based_on = models.ForeignKey("self", models.PROTECT, null=True, blank=True, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, editable=False
    )
    created_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["pack_name", "level", "-version"]
        constraints = [
            models.UniqueConstraint(
                fields=["pack_name", "level", "version"], name="rubric_version_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.title}, version {self.version}"

    def snapshot(self) -> dict[str, Any]:
        """All that an evaluation needs, copied so that later versions change nothing."""
        return {
            "rubric": self.pk,
            "title": self.title,
            "version": self.version,
            "criteria": [criterion.snapshot() for criterion in self.criteria.all()],
        }


class Criterion(models.Model):
    """One thing to rate, with five described levels."""

    class Dimension(models.TextChoices):
        TECHNICAL = "technical quality", "Technical quality"
        METHOD = "method", "Method"
        RELIABILITY = "reliability", "Reliability"
        OBSERVABILITY = "observability", "Observability"
        BUSINESS = "business awareness", "Business awareness"
        COMMUNICATION = "communication", "Communication"
        ADAPTABILITY = "adaptability", "Adaptability"

    rubric = models.ForeignKey(Rubric, models.CASCADE, related_name="criteria")
    key = models.SlugField(max_length=40)
    title = models.CharField(max_length=120)
    dimension = models.CharField(max_length=20, choices=Dimension)
    round = models.PositiveSmallIntegerField(
        default=1, help_text="1: rates the first answer. 2: rates the revision."
    )
    weight = models.DecimalField(
        max_digits=4, decimal_places=2, default=1, validators=[MinValueValidator(0)]
    )
    weight_reason = models.CharField(
        max_length=300, blank=True, help_text="Needed where the weight is not 1."
    )
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name_plural = "criteria"
        ordering = ["round", "position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["rubric", "key"], name="criterion_key_once"),
            models.CheckConstraint(condition=Q(round__in=(1, 2)), name="criterion_round_1_or_2"),
            models.CheckConstraint(
                condition=Q(weight=1) | ~Q(weight_reason=""), name="criterion_weight_has_reason"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def snapshot(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "title": self.title,
            "dimension": self.dimension,
            "round": self.round,
            "weight": str(self.weight),
            "levels": {str(level.value): level.text for level in self.levels.all()},
        }


class CriterionLevel(models.Model):
    """What a rating of 1, 2, 3, 4 or 5 looks like for this criterion."""

    criterion = models.ForeignKey(Criterion, models.CASCADE, related_name="levels")
    value = models.PositiveSmallIntegerField(
        validators=[MinValueValidator(LOWEST), MaxValueValidator(HIGHEST)]
    )
    text = models.TextField()

    class Meta:
        verbose_name = "described level"
        ordering = ["value"]
        constraints = [
            models.UniqueConstraint(fields=["criterion", "value"], name="level_value_once"),
            models.CheckConstraint(
                condition=Q(value__gte=LOWEST) & Q(value__lte=HIGHEST), name="level_value_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.value}: {self.text}"


def new_family() -> str:
    """What the versions of one own question share; those of a shipped one share its key in the files."""
    return f"own-{uuid.uuid4().hex}"


class Question(models.Model):
    """A bank question. Everything but `text` is for interviewers only.

    A row that was asked never changes: another wording is another version in the same family.
    """

    topic_id = models.CharField("topic’s code", max_length=20)
    topic = models.CharField(max_length=200)
    section = models.CharField(max_length=100)
    optional = models.BooleanField(default=False, help_text="Ask only when there is time to spare.")
    text = models.TextField("question")
    level = models.CharField(max_length=10, choices=Seniority)
    tags = models.JSONField(default=list, blank=True)
    related_exercise = models.CharField(max_length=20, choices=CHOICES, blank=True)
    expected_points = models.JSONField(default=list)
    follow_ups = models.JSONField(default=list, blank=True)
    follow_up_answers = models.JSONField(default=list, db_default=[], blank=True)
    weak_answers = models.JSONField(default=list, db_default=[], blank=True)
    red_flags = models.JSONField(default=list, db_default=[], blank=True)
    hints = models.JSONField(default=list, blank=True)
    discussion_points = models.JSONField(default=list, blank=True)
    shipped = models.BooleanField(default=False, editable=False)
    family = models.CharField(max_length=40, default=new_family, editable=False)
    version = models.PositiveIntegerField(default=1, editable=False)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, editable=False
    )
    replaced_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["section", "topic_id", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["family", "version"], name="question_version_once"),
        ]

    def __str__(self) -> str:
        return f"{self.topic_id} {self.topic}"

    def deeper(self) -> list[dict[str, str]]:
        """Each follow-up with what a good answer says; "" where nobody wrote it."""
        answers = self.follow_up_answers or [""] * len(self.follow_ups)
        return [
            {"text": text, "answer": answer}
            for text, answer in zip(self.follow_ups, answers, strict=True)
        ]


class CompanyProfile(models.Model):
    """A version of a company's cluster as exercises see it. Rows never change; a change is another version.

    `toml` names every table, so that nothing of it changes with the defaults of a later Headnode.
    """

    class Origin(models.TextChoices):
        FORM = "form", "Written in the form"
        FILE = "file", "From a profile's file"
        EXPORTS = "exports", "Fitted from exports"

    family = models.UUIDField(default=uuid.uuid4, editable=False)
    version = models.PositiveIntegerField(default=1, editable=False)
    name = models.CharField(max_length=40, editable=False)
    summary = models.CharField(max_length=120, editable=False)
    toml = models.TextField(editable=False)
    digest = models.CharField(max_length=64, editable=False)
    origin = models.CharField(max_length=10, choices=Origin, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", editable=False
    )
    created_at = models.DateTimeField(editable=False)
    replaced_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["name", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["family", "version"], name="company_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.name}, version {self.version} ({self.summary})"


class KeptExemplar(models.Model):
    """An answer of a member of staff's own trial, kept with levels for evaluators to calibrate by."""

    pack_name = models.CharField(max_length=100)
    level = models.CharField(max_length=10, choices=Seniority)
    body = models.JSONField()
    body_sha256 = models.CharField(max_length=64)
    agreed = models.JSONField(help_text="By criterion: the level and the reason for it.")
    digest = models.CharField(max_length=64)
    kept_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    kept_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["pack_name", "level", "body_sha256"], name="exemplar_kept_once"
            )
        ]

    def __str__(self) -> str:
        return f"Exemplar {self.pk} of {self.pack_name}, {self.level}"
