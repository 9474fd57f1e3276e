"""An answer was handed in: it is compared with the others, by a worker."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from assessments.happened import handed_in
from assessments.models import Submission
from reviews.similarity import comparing


def _handed_in(submission: Submission, now: datetime, **_: Any) -> None:
    comparing.request(submission, now=now)


def listen() -> None:
    """Connecting twice changes nothing."""
    handed_in.connect(_handed_in, dispatch_uid="similarity")
