"""What is kept of attempts: the rows of what candidates do, of what was drawn for them, and of what failed."""

from __future__ import annotations

from assessments.models.afterwards import DataRequest, Impression
from assessments.models.ahead import AdvanceRelease
from assessments.models.assistant import AssistantTurn
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
from assessments.models.enquiries import Announcement, Enquiry
from assessments.models.live_slurm import ClusterLook, KeptCluster, LiveCluster
from assessments.models.own_work import OwnWorkRound, OwnWorkSave
from assessments.models.prepared import PreparedVariant
from assessments.models.presence import Presence
from assessments.models.sitting import PadSave, Showing, Sitting
from assessments.models.terminal import TerminalChunk, TerminalCommand, TerminalSession

__all__ = [
    "AdvanceRelease",
    "Announcement",
    "AssistantTurn",
    "Attempt",
    "AttemptQuerySet",
    "ClusterLook",
    "DataRequest",
    "Draft",
    "Enquiry",
    "GradingPart",
    "GradingRun",
    "Impression",
    "KeptCluster",
    "LiveCluster",
    "Outage",
    "OwnWorkRound",
    "OwnWorkSave",
    "PadSave",
    "PreparedVariant",
    "Presence",
    "Pulse",
    "RevisionRound",
    "Run",
    "Showing",
    "Sitting",
    "Submission",
    "TerminalChunk",
    "TerminalCommand",
    "TerminalSession",
    "TimeEvent",
    "body_digest",
]
