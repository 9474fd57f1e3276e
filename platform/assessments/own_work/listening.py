"""An answer was handed in: questions about it are looked for, by a worker."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from assessments.happened import handed_in
from assessments.models import Submission
from assessments.own_work import rounds


def _handed_in(submission: Submission, now: datetime, **_: Any) -> None:
    rounds.request(submission, now=now)


def listen() -> None:
    """Connecting twice changes nothing."""
    handed_in.connect(_handed_in, dispatch_uid="own-work")
