"""What is kept of attempts: the rows of what candidates do, of what was drawn for them, and of what failed."""

from __future__ import annotations

from assessments.models.ahead import AdvanceRelease
from assessments.models.attempts import (
    Attempt,
    AttemptQuerySet,
    Draft,
    GradingPart,
    GradingRun,
    Outage,
    Pulse,
    RevisionRound,
    Run,
    Submission,
    TimeEvent,
    body_digest,
)
from assessments.models.prepared import PreparedVariant
from assessments.models.terminal import TerminalChunk, TerminalCommand, TerminalSession

__all__ = [
    "AdvanceRelease",
    "Attempt",
    "AttemptQuerySet",
    "Draft",
    "GradingPart",
    "GradingRun",
    "Outage",
    "PreparedVariant",
    "Pulse",
    "RevisionRound",
    "Run",
    "Submission",
    "TerminalChunk",
    "TerminalCommand",
    "TerminalSession",
    "TimeEvent",
    "body_digest",
]
