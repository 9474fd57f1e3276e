"""What the candidate did: attempts, their clock's events, drafts, submissions, runs and gradings."""

from __future__ import annotations

import hashlib
import json
import uuid
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from assessments.clock import Clock, Event, EventKind, Phase, Rules, replay
from assessments.jobs import Job, Result
from hiring.models import GRACE, Exercise, Invitation
from library.models import PackVersion


def body_digest(body: dict[str, Any]) -> str:
    """SHA-256 of an answer in its one canonical spelling."""
    text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class AttemptQuerySet(models.QuerySet["Attempt"]):
    def unsubmitted(self) -> AttemptQuerySet:
        """Attempts whose present round still waits for a submission."""
        return self.filter(awaiting_round=F("round"))

    def running(self, now: datetime) -> AttemptQuerySet:
        return self.unsubmitted().filter(deadline_at__gt=now)

    def past_deadline(self, now: datetime) -> AttemptQuerySet:
        """Candidates for promotion; the caller still asks each one's phase, which knows its grace."""
        return self.unsubmitted().filter(deadline_at__lte=now)


class Attempt(models.Model):
    """One candidate's timed run at one exercise. It owns the clock.

    `deadline_at`, `round` and `awaiting_round` repeat what the time events say so that a query can
    find rows whose moment has come; assessments.ledger is the only place that writes them.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    invitation = models.ForeignKey(Invitation, models.PROTECT, related_name="attempts")
    exercise = models.ForeignKey(Exercise, models.PROTECT, related_name="attempts")
    pack_version = models.ForeignKey(PackVersion, models.PROTECT)
    level = models.CharField(max_length=10)
    seed = models.PositiveBigIntegerField()
    company = models.TextField(
        blank=True,
        help_text="The company profile at the start, as TOML; empty: the default cluster.",
    )
    policies = models.JSONField(help_text="What the candidate accepted, word for word.")
    ahead_from = models.DateTimeField(
        null=True,
        blank=True,
        help_text="From when it could be read before the start; empty: a surprise.",
    )
    ahead_opened_at = models.DateTimeField(
        null=True, blank=True, help_text="When the candidate first read it before the start."
    )
    accepted_at = models.DateTimeField()
    started_at = models.DateTimeField()
    deadline_at = models.DateTimeField()
    multiplier = models.DecimalField(
        max_digits=3,
        decimal_places=2,
        default=1,
        help_text="The person's factor of time when round 1 began.",
    )
    revision_multiplier = models.DecimalField(
        max_digits=3,
        decimal_places=2,
        null=True,
        blank=True,
        help_text="The same when the revision began; empty: none has begun.",
    )
    round = models.PositiveSmallIntegerField(default=1)
    awaiting_round = models.PositiveSmallIntegerField(null=True, default=1)
    last_draft = models.PositiveIntegerField(default=0, help_text="Number of the newest draft.")
    head = models.PositiveIntegerField(default=0, help_text="Newest draft of the main line.")

    objects = AttemptQuerySet.as_manager()

    class Meta:
        ordering = ["-started_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["invitation", "exercise"], name="one_attempt_per_exercise"
            ),
            models.CheckConstraint(
                condition=Q(deadline_at__gt=F("started_at")), name="deadline_after_start"
            ),
            models.CheckConstraint(condition=Q(round__in=(1, 2)), name="attempt_round_1_or_2"),
        ]
        indexes = [
            models.Index(
                fields=["deadline_at"],
                name="attempt_deadlines",
                condition=Q(awaiting_round__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"{self.exercise.get_kind_display()} by {self.invitation.candidate.pseudonym}"

    @property
    def rules(self) -> Rules:
        return Rules(
            limit=self.exercise.limit,
            revision_limit=self.exercise.revision_limit,
            grace=GRACE,
            multiplier=self.multiplier,
            revision_multiplier=self.revision_multiplier,
        )

    def factor_of(self, round: int) -> Decimal:
        """The factor by which the round's time was lengthened, as it was when the round began."""
        return self.rules.factor(round)

    def clock(self) -> Clock:
        return replay(event.as_fact() for event in self.time_events.all())

    def phase(self, now: datetime) -> Phase:
        clock = self.clock()
        return clock.phase(self.rules.grace_time(clock.round), now)


class TimeEvent(models.Model):
    """One change of an attempt's clock: by whom, why, from when to when. Never edited."""

    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="time_events")
    kind = models.CharField(max_length=20, choices=[(kind.value, kind.value) for kind in EventKind])
    at = models.DateTimeField()
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    actor_name = models.CharField(max_length=150)
    reason = models.CharField(max_length=300, blank=True)
    before = models.DateTimeField(null=True)
    after = models.DateTimeField(null=True)
    lost_from = models.DateTimeField(null=True, help_text="Of a credit: the time it gives back.")
    lost_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.kind} at {self.at:%Y-%m-%d %H:%M:%S} by {self.actor_name}"

    def as_fact(self) -> Event:
        return Event(EventKind(self.kind), self.at, self.before, self.after)


class Draft(models.Model):
    """One acknowledged autosave. Append-only; `number` counts per attempt in order of arrival."""

    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="drafts")
    round = models.PositiveSmallIntegerField()
    number = models.PositiveIntegerField()
    client = models.UUIDField()
    seq = models.PositiveBigIntegerField()
    body = models.JSONField()
    sha256 = models.CharField(max_length=64)
    size = models.PositiveIntegerField(help_text="Bytes of text.")
    received_at = models.DateTimeField()
    diverged = models.BooleanField(
        default=False, help_text="Saved from a page that had not seen the newest draft."
    )
    late = models.BooleanField(default=False, help_text="Came after grace: kept, never graded.")

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["attempt", "client", "seq"],
                condition=Q(late=False),
                name="draft_once",
            ),
            models.UniqueConstraint(fields=["attempt", "number"], name="draft_number_once"),
        ]

    def __str__(self) -> str:
        return f"Draft {self.number}"


class Submission(models.Model):
    """A frozen answer, round 1 or 2. A reopened attempt replaces it by a new row."""

    class Source(models.TextChoices):
        CANDIDATE = "candidate", "Submitted by the candidate"
        PROMOTED = "promoted", "Last saved draft, taken at the end of the time"
        SPOKEN = "spoken", "Revised by speech; the interviewer's notes"

    attempt = models.ForeignKey(Attempt, models.PROTECT, related_name="submissions")
    round = models.PositiveSmallIntegerField()
    body = models.JSONField()
    sha256 = models.CharField(max_length=64)
    draft = models.ForeignKey(Draft, models.PROTECT, null=True, blank=True)
    source = models.CharField(max_length=10, choices=Source)
    submitted_at = models.DateTimeField()
    superseded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["attempt", "round", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["attempt", "round"],
                condition=Q(superseded_at=None),
                name="one_submission_per_round",
            )
        ]

    def __str__(self) -> str:
        return f"{self.attempt}, round {self.round}"

    def latest_grading(self) -> GradingRun | None:
        return self.grading_runs.order_by("-pk").first()


class Run(Job):
    """The candidate pressed Run: their draft against a public workload."""

    PATIENCE = timedelta(minutes=10)
    GAVE_UP = (
        "The platform could not run your program. That is our fault, not yours, and the time it "
        "took is given back to you. Press Run again; if it happens again, write to us."
    )
    STOPPED = "You stopped this run."

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="runs")
    round = models.PositiveSmallIntegerField()
    draft = models.ForeignKey(Draft, models.PROTECT, related_name="runs")
    workload = models.CharField(max_length=40)
    stop_requested_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(
                fields=["lease_until"], name="run_leases", condition=Q(finished_at__isnull=True)
            )
        ]

    def __str__(self) -> str:
        return f"Run of draft {self.draft.number} on {self.workload}"

    def stop(self, now: datetime) -> bool:
        """End it at once where it waits; its worker ends it where one has it. False: it had ended.

        The request is written first: a worker that claims the row meanwhile reads it then.
        """
        row = Run.objects.filter(pk=self.pk)
        row.unfinished().filter(stop_requested_at=None).update(stop_requested_at=now)
        row.waiting(now).update(finished_at=now, result=Result.STOPPED, detail=self.STOPPED)
        self.refresh_from_db()
        return self.finished_at is None or self.result == Result.STOPPED

    def is_to_stop(self) -> bool:
        return Run.objects.filter(pk=self.pk, stop_requested_at__isnull=False).exists()


class GradingRun(Job):
    """One grading of a submission on hidden workloads. A regrade is a new row."""

    GAVE_UP = (
        "The platform could not finish this grading after several tries. That says nothing about "
        "the answer. Mend what is named below, then grade it again."
    )

    submission = models.ForeignKey(Submission, models.PROTECT, related_name="grading_runs")
    hidden_workloads = models.PositiveSmallIntegerField()
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    reason = models.CharField(max_length=300, blank=True)
    comes_last = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Begun only while no other grading waits: nobody waits for this one.",
    )
    progress = models.PositiveSmallIntegerField(default=0, help_text="Workloads done.")

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(
                fields=["lease_until"], name="grading_leases", condition=Q(finished_at__isnull=True)
            )
        ]

    def __str__(self) -> str:
        return f"Grading {self.pk} of {self.submission}"


class GradingPart(Job):
    """One hidden workload of a grading, for whichever worker is free. Gone once the grading is done."""

    grading_run = models.ForeignKey(GradingRun, models.CASCADE, related_name="parts")
    number = models.PositiveSmallIntegerField(help_text="Of the hidden workload, from 1.")

    class Meta:
        ordering = ["grading_run", "number"]
        constraints = [models.UniqueConstraint(fields=["grading_run", "number"], name="part_once")]

    def __str__(self) -> str:
        return f"Part {self.number} of grading {self.grading_run_id}"


class RevisionRound(models.Model):
    """A released feedback and the second clock it opens; what the candidate sees of the feedback."""

    attempt = models.OneToOneField(Attempt, models.PROTECT, related_name="revision")
    strength = models.TextField()
    improvement = models.TextField()
    focus = models.CharField(
        max_length=200,
        blank=True,
        help_text="File or section to revise; the rest is read-only. Empty: everything.",
    )
    also = models.JSONField(
        default=list,
        blank=True,
        help_text="Further files and sections that may change beside the focus.",
    )
    subject = models.CharField(
        max_length=100, blank=True, help_text="Row of the focus that the revision is about."
    )
    opened_at = models.DateTimeField()
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"Revision of {self.attempt}"

    def may_change(self, name: str) -> bool:
        """Whether a file or section is the candidate's to revise."""
        return not self.focus or name == self.focus or name in self.also


class Pulse(models.Model):
    """When a part of the platform was last known to be alive."""

    component = models.CharField(max_length=20, primary_key=True)
    at = models.DateTimeField()
    slow_since = models.DateTimeField(
        null=True, help_text="Since when the site answers too slowly; not credited yet."
    )

    def __str__(self) -> str:
        return f"{self.component} at {self.at:%H:%M:%S}"


class Outage(models.Model):
    """A stretch in which a part of the platform was not there; who was working got the time back."""

    component = models.CharField(max_length=20)
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    credited = models.PositiveIntegerField(default=0, help_text="Attempts that were credited.")

    class Meta:
        ordering = ["-began_at"]

    def __str__(self) -> str:
        return f"{self.component}, {(self.ended_at - self.began_at).total_seconds():.0f} s"
