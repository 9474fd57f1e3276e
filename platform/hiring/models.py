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

from graders.own_work import asker_of
from hiring.choices import AnswerForm as AnswerForm
from hiring.choices import Assistants as Assistants
from hiring.choices import Calibration as Calibration
from hiring.choices import Mode as Mode
from hiring.choices import OwnWork as OwnWork
from hiring.language_choices import language_field
from hiring.message_rows import MailedLink as MailedLink
from hiring.message_rows import MailPreference as MailPreference
from hiring.message_rows import Message as Message
from hiring.message_rows import MessageWords as MessageWords
from hiring.message_rows import known_zone
from hiring.not_for_real import NotForReal
from hiring.policies import ASSISTANTS, REFERENCES
from hiring.time_allowed import stretch
from hiring.trace_rows import Erasure as Erasure
from hiring.trace_rows import Sighting as Sighting
from library.models import CompanyProfile, Seniority
from scenarios.kinds import CHOICES, Kind, kind_of
from scenarios.packs import PackNotFound

GRACE = timedelta(seconds=20)

# Titles and names go into the subjects of messages and into lists: one line, nothing invisible.
one_line = RegexValidator(
    "[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]",
    "Write it on one line: line breaks and control characters cannot be used.",
    inverse_match=True,
)


class Opening(NotForReal):
    """A role being hired for."""

    title = models.CharField(max_length=150, validators=[one_line])
    level = models.CharField("seniority", max_length=10, choices=Seniority)
    description = models.TextField(blank=True, help_text="Shown to candidates on their first page.")
    hiring_manager = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="openings",
        help_text="Sees its candidates by name and decides. Hiring managers whom no opening names "
        "see none.",
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
    evaluators_per_answer = models.PositiveSmallIntegerField(
        "evaluators for each answer",
        default=2,
        db_default=2,
        validators=[MinValueValidator(1), MaxValueValidator(4)],
        help_text="How many are asked when answers are assigned together; two is advised.",
    )
    repeat_months = models.PositiveSmallIntegerField(
        "same exercise within (months)",
        null=True,
        blank=True,
        validators=[MaxValueValidator(120)],
        help_text="Whoever did an exercise so recently is invited to it again only with a reason. "
        "Empty: the organisation's rule. 0: nobody asks.",
    )
    answer_languages = models.CharField(
        "answers in",
        max_length=120,
        default="English",
        db_default="English",
        validators=[one_line],
        help_text="The languages in which candidates may write, as they read it: “English or German”. "
        "Where a program compares answers with a key it reads sentences in English, German, French, "
        "Spanish, Italian, Portuguese and Dutch; of any other language places, figures and the words of "
        "the trade.",
    )
    language = language_field(
        help_text="Of candidates’ pages and messages, unless they choose another. Empty: their browser’s."
    )
    own_work = models.CharField(
        "questions about the own answer",
        max_length=5,
        choices=OwnWork,
        default=OwnWork.OFF,
        db_default=OwnWork.OFF,
        help_text="A short round of questions that only the answer’s author finds easy. Candidates read "
        "of it before they start; whoever started before that is not asked.",
    )
    own_work_minutes = models.PositiveSmallIntegerField(
        "time for them (minutes)",
        default=6,
        db_default=6,
        validators=[MinValueValidator(2), MaxValueValidator(60)],
        help_text="Four questions take about six. Extra time lengthens it as everything else.",
    )
    created_at = models.DateTimeField(editable=False)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        permissions = [
            ("oversee_opening", "Can see every opening and its candidates"),
            ("lead_opening", "Can be named hiring manager of an opening"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(work_sample_weight__lte=100), name="weight_at_most_100"
            )
        ]

    def __str__(self) -> str:
        return self.title


LEAST_HIDDEN = 5


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
    assistants = models.CharField(
        "AI assistants",
        max_length=10,
        choices=Assistants,
        default=Assistants.DECLARED,
        db_default=Assistants.DECLARED,
    )
    assistants_policy = models.TextField("what is said of assistants", default=ASSISTANTS)
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
        return f"{self.traits.title} ({self.get_level_display().lower()})"

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
    def asks_about_it(self) -> bool:
        """Whether questions about an answer to it can be found by a machine."""
        try:
            return self.is_measured and asker_of(self.pack_name) is not None
        except PackNotFound:
            return False

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


class Candidate(NotForReal):
    """A person who is assessed. Evaluators see the pseudonym until there is a decision."""

    name = models.CharField(max_length=150, validators=[one_line])
    email = models.EmailField(unique=True)
    pseudonym = models.CharField(max_length=12, unique=True, default=new_pseudonym, editable=False)
    time_zone = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        validators=[known_zone],
        help_text="For example Europe/Berlin: messages say times in it as well. Empty: not known.",
    )
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
    language = language_field(editable=False)
    practised_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When the practice room was first used; nothing else is kept of it.",
    )
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
    repeat_reason = models.CharField(
        max_length=300,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="Why somebody who did an exercise of it not long ago was invited all the same.",
    )

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
        return self.opens_at + stretch(length, self.candidate.multiplier())

    def state(self, now: datetime) -> str:
        """revoked, scheduled, open or over; attempts may go on after the window is over."""
        opens, closes = self.opens_at.timestamp(), self.window_closes_at().timestamp()
        return window_state(self.revoked_at is not None, opens, closes, now.timestamp())


def window_state(revoked: bool, opens: float, closes: float, now: float) -> str:
    """The state of a window from moments in seconds: as Invitation.state says it."""
    if revoked:
        return "revoked"
    if now < opens:
        return "scheduled"
    return "open" if now < closes else "over"
