"""Rows of a terminal: the session, its bytes while they are needed, and what was run in it."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q

SILENT = timedelta(seconds=20)
"""A host says of its sessions at least this often that they live."""


class TerminalSession(models.Model):
    """One shell in one sandbox. `worker` is the process that hosts it, as in execution.worker_name."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waits for a place"
        LIVE = "live", "Runs"
        ENDED = "ended", "Ended"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    attempt = models.ForeignKey(
        "assessments.Attempt", models.CASCADE, related_name="terminal_sessions"
    )
    round = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    worker = models.CharField(max_length=120, blank=True)
    asked_at = models.DateTimeField()
    looked_at = models.DateTimeField(help_text="When the page last asked, while it waits.")
    started_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField(null=True, help_text="When its host last said that it lives.")
    typed_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    ending = models.CharField(max_length=10, blank=True)
    trouble = models.TextField(blank=True, help_text="What failed on our side; for staff.")
    columns = models.PositiveSmallIntegerField(default=80)
    rows = models.PositiveSmallIntegerField(default=24)
    typed = models.JSONField(default=dict, help_text="Of each page, the newest number it has sent.")
    typed_bytes = models.PositiveIntegerField(default=0)
    inputs = models.PositiveIntegerField(default=0, help_text="Number of the newest input row.")

    class Meta:
        ordering = ["asked_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["attempt"], condition=~Q(state="ended"), name="one_terminal_at_a_time"
            )
        ]
        indexes = [
            models.Index(fields=["asked_at"], name="terminals_open", condition=~Q(state="ended"))
        ]

    def __str__(self) -> str:
        return f"Terminal of {self.asked_at:%Y-%m-%d %H:%M:%S}"

    @property
    def is_open(self) -> bool:
        return self.state != self.State.ENDED

    def is_silent(self, now: datetime) -> bool:
        """Its host has gone: it has said nothing for too long."""
        live = self.state == self.State.LIVE
        return live and (self.seen_at is None or now - self.seen_at > SILENT)


class TerminalChunk(models.Model):
    """Bytes typed or printed, in order. Of what was printed the newest are kept with the attempt; what was
    typed is there for the way to the shell, and goes a day after.
    """

    class Direction(models.TextChoices):
        IN = "in", "Typed"
        OUT = "out", "Printed"
        SIZE = "size", "Columns and rows"

    session = models.ForeignKey(TerminalSession, models.CASCADE, related_name="chunks")
    direction = models.CharField(max_length=4, choices=Direction)
    seq = models.PositiveIntegerField(
        help_text="From 1; typing and sizes are counted together, what was printed by itself."
    )
    at = models.DateTimeField()
    data = models.BinaryField()

    class Meta:
        ordering = ["session", "seq"]
        constraints = [
            models.UniqueConstraint(
                fields=["session", "direction", "seq"], name="terminal_chunk_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.direction} {self.seq}"


class TerminalCommand(models.Model):
    """A command line with its time: as the shell reported it, or as the cluster was asked it.

    A shell's report can be forged or left out by whoever sits at it; the cluster's rows cannot.
    """

    class Source(models.TextChoices):
        SHELL = "shell", "Reported by the shell"
        CLUSTER = "cluster", "Answered by the cluster"

    session = models.ForeignKey(TerminalSession, models.CASCADE, related_name="commands")
    source = models.CharField(max_length=8, choices=Source)
    at = models.DateTimeField(help_text="When it had ended.")
    host = models.CharField(max_length=100)
    line = models.TextField()
    code = models.PositiveSmallIntegerField()
    ms = models.PositiveIntegerField(help_text="How long it took.")

    class Meta:
        ordering = ["at", "pk"]
        indexes = [models.Index(fields=["session", "at"], name="terminal_commands_at")]

    def __str__(self) -> str:
        return f"{self.host}: {self.line[:60]}"
