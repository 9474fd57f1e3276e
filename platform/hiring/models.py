"""Who is assessed, for which opening, on what and when: openings, exercises, candidates, invitations."""

from __future__ import annotations

import secrets
import uuid
from datetime import datetime, timedelta
from decimal import Decimal

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q

from hiring.policies import ASSISTANTS, REFERENCES
from library.models import CompanyProfile, Seniority
from scenarios.kinds import CHOICES, Kind, kind_of

GRACE = timedelta(seconds=20)

# Titles and names go into the subjects of messages and into lists: one line, nothing invisible.
one_line = RegexValidator(
    "[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]",
    "Write it on one line: line breaks and control characters cannot be used.",
    inverse_match=True,
)


class Calibration(models.TextChoices):
    """What happens where somebody scores who has not scored the exercise's exemplars."""

    OFF = "off", "Nothing"
    WARN = "warn", "They and whoever assigns them are told"


class Opening(models.Model):
    """A role being hired for."""

    title = models.CharField(max_length=150, validators=[one_line])
    level = models.CharField("seniority", max_length=10, choices=Seniority)
    description = models.TextField(blank=True, help_text="Shown to candidates on their first page.")
    hiring_manager = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="openings"
    )
    company = models.ForeignKey(
        CompanyProfile,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="openings",
        verbose_name="company profile",
        help_text="The cluster that exercises are about. Who has begun keeps the one they began with.",
    )
    work_sample_weight = models.PositiveSmallIntegerField(
        "work-sample weight (%)",
        default=50,
        validators=[MaxValueValidator(100)],
        help_text="Share of the work samples in the overall evaluation; 40 to 60 is advised.",
    )
    retention_months = models.PositiveSmallIntegerField(
        "keep for (months)",
        null=True,
        blank=True,
        validators=[MaxValueValidator(240)],
        help_text="After the decision; then the candidates' data goes. Empty: the organisation's "
        "rule. 0: kept until somebody asks.",
    )
    levels_apart = models.PositiveSmallIntegerField(
        "levels apart",
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(4)],
        help_text="Two scorecards so far apart on a criterion ask for another evaluator. Empty: the "
        "organisation's rule.",
    )
    means_apart = models.DecimalField(
        "means apart",
        max_digits=3,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(Decimal("0.25")), MaxValueValidator(Decimal(4))],
        help_text="So do two whose mean levels are so far apart. Empty: the organisation's rule.",
    )
    calibration = models.CharField(
        "calibration of evaluators",
        max_length=4,
        choices=Calibration,
        default=Calibration.OFF,
        help_text="Whether evaluators are asked to score the exemplars of an exercise first.",
    )
    created_at = models.DateTimeField(editable=False)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(work_sample_weight__lte=100), name="weight_at_most_100"
            )
        ]

    def __str__(self) -> str:
        return self.title


class Mode(models.TextChoices):
    TAKE_HOME = "take_home", "Take-home link"
    ON_SITE = "on_site", "On site"
    LIVE = "live", "Live, remote"


LEAST_HIDDEN = 5


class AnswerForm(models.TextChoices):
    """What an automation exercise asks for; people score both, only code is also run."""

    CODE = "code", "Working code"
    PSEUDOCODE = "pseudocode", "Pseudocode or a written design"


class Exercise(models.Model):
    """One exercise configured for an opening: pack, level, limits, policies."""

    opening = models.ForeignKey(Opening, models.CASCADE, related_name="exercises")
    pack_name = models.CharField("scenario pack", max_length=100)
    kind = models.CharField(max_length=20, choices=CHOICES, editable=False)
    level = models.CharField(max_length=10, choices=Seniority)
    mode = models.CharField(max_length=10, choices=Mode, default=Mode.TAKE_HOME)
    answer_form = models.CharField(
        "asks for", max_length=12, choices=AnswerForm, default=AnswerForm.CODE
    )
    limit_minutes = models.PositiveSmallIntegerField(
        validators=[MinValueValidator(5), MaxValueValidator(600)]
    )
    revision_minutes = models.PositiveSmallIntegerField(
        validators=[MinValueValidator(5), MaxValueValidator(120)]
    )
    hidden_workloads = models.PositiveSmallIntegerField(
        default=5, validators=[MinValueValidator(LEAST_HIDDEN), MaxValueValidator(50)]
    )
    references_policy = models.TextField("what may be consulted", default=REFERENCES)
    assistants_policy = models.TextField("AI assistants", default=ASSISTANTS)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(limit_minutes__gte=5) & Q(revision_minutes__gte=5),
                name="limits_at_least_5_minutes",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} ({self.get_level_display().lower()})"

    @property
    def traits(self) -> Kind:
        """What is true of its kind."""
        return kind_of(self.kind)

    @property
    def limit(self) -> timedelta:
        return timedelta(minutes=self.limit_minutes)

    @property
    def is_measured(self) -> bool:
        """Whether a machine has something to say about the answer."""
        return self.answer_form == AnswerForm.CODE

    @property
    def is_run(self) -> bool:
        """Whether the answer is a program that is run."""
        return self.is_measured and self.traits.is_run

    @property
    def has_room(self) -> bool:
        """Whether the candidate works in a room of materials rather than at a program."""
        return self.is_measured and self.traits.has_materials

    @property
    def has_terminal(self) -> bool:
        """Whether the room has a cluster in it to be asked: terminal, logs and metrics."""
        return self.has_room and self.traits.has_terminal

    @property
    def revision_limit(self) -> timedelta:
        return timedelta(minutes=self.revision_minutes)


def new_pseudonym() -> str:
    """Six characters by which evaluators know a candidate; no letter is easily mistaken."""
    return "".join(secrets.choice("23456789ABCDEFGHJKMNPQRSTVWXYZ") for _ in range(6))


class Candidate(models.Model):
    """A person who is assessed. Evaluators see the pseudonym until there is a decision."""

    name = models.CharField(max_length=150, validators=[one_line])
    email = models.EmailField(unique=True)
    pseudonym = models.CharField(max_length=12, unique=True, default=new_pseudonym, editable=False)
    created_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["name"]
        permissions = [("erase_candidate", "Can export and erase candidate")]

    def __str__(self) -> str:
        return self.name

    def multiplier(self) -> Decimal:
        """How much longer everything timed is for this person; 1 without an accommodation."""
        rows = self.accommodations.all()  # read whole, so that lists can prefetch it
        latest = max(rows, key=lambda row: (row.granted_at, row.pk), default=None)
        return latest.multiplier if latest else Decimal(1)


class Accommodation(models.Model):
    """Extra time as a factor. Append-only: the latest row counts. Never shown to evaluators."""

    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="accommodations")
    multiplier = models.DecimalField(
        max_digits=3,
        decimal_places=2,
        validators=[MinValueValidator(Decimal(1)), MaxValueValidator(Decimal(4))],
        help_text="1.25 is a quarter more time; it lengthens work, window, grace and revision.",
    )
    note = models.CharField(
        max_length=300, blank=True, help_text="What was agreed. Do not record a diagnosis."
    )
    granted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, editable=False)
    granted_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["-granted_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(multiplier__gte=1) & Q(multiplier__lte=4),
                name="multiplier_1_to_4",
            )
        ]

    def __str__(self) -> str:
        return f"{self.multiplier} × time"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def usable(self) -> InvitationQuerySet:
        return self.filter(revoked_at=None)


class Invitation(models.Model):
    """The link: one candidate, one or more exercises, a window in which they may be started."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    opening = models.ForeignKey(Opening, models.PROTECT, related_name="invitations")
    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="invitations")
    exercises = models.ManyToManyField(Exercise, related_name="invitations")
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    link_made_at = models.DateTimeField(editable=False)
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, editable=False)
    created_at = models.DateTimeField(editable=False)
    first_opened_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
    )
    revoke_reason = models.CharField(max_length=300, blank=True, editable=False)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(closes_at__gt=F("opens_at")), name="window_ends_after_it_opens"
            )
        ]

    def __str__(self) -> str:
        return f"Invitation of {self.candidate.pseudonym} for {self.opening}"

    def window_closes_at(self) -> datetime:
        """End of the window, widened in proportion to the candidate's accommodation."""
        length = self.closes_at - self.opens_at
        return self.opens_at + length * float(self.candidate.multiplier())

    def state(self, now: datetime) -> str:
        """revoked, scheduled, open or over; attempts may go on after the window is over."""
        if self.revoked_at is not None:
            return "revoked"
        if now < self.opens_at:
            return "scheduled"
        return "open" if now < self.window_closes_at() else "over"


class Erasure(models.Model):
    """The tombstone of a candidate whose data went: numbers and times, and no word of theirs."""

    class Mode(models.TextChoices):
        ERASE = "erase", "Erase everything"
        PSEUDONYMISE = "pseudonymise", "Forget who it was, keep work and scores"

    candidate_number = models.PositiveBigIntegerField(db_index=True)
    mode = models.CharField(max_length=12, choices=Mode)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )  # null: the schedule
    counts = models.JSONField(help_text="How many rows of each kind went or lost the name.")
    known_since = models.DateTimeField()
    erased_at = models.DateTimeField()

    class Meta:
        ordering = ["-erased_at", "-pk"]

    def __str__(self) -> str:
        return f"Candidate {self.candidate_number}, {self.get_mode_display().lower()}"


class Sighting(models.Model):
    """Somebody of the staff opened a page about a candidate. Append-only."""

    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="sightings")
    page = models.CharField(max_length=60)
    at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["candidate", "by", "page", "at"], name="sighting_again")]

    def __str__(self) -> str:
        return f"{self.by} opened {self.page} at {self.at:%Y-%m-%d %H:%M}"
