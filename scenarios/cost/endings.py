"""How jobs of each kind of work use their GPUs, and how they end."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.cost.job import Job
from scenarios.simulator.streams import Stream

FAILURES = ("FAILED", "OUT_OF_MEMORY", "NODE_FAIL")
"""Ends whose work is lost."""
STEP = 6
"""Minutes: every job lasts a multiple, so that GPU-hours have one decimal and sums close."""
_SOON = {"FAILED": (9.0, 54), "OUT_OF_MEMORY": (12.0, 36)}
"""Median and most minutes after which a job dies that is not sound: it shows soon."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Percent of GPU use and part of a GPU's memory, from and to; shares of ends other than COMPLETED."""

    util: tuple[float, float]
    memory: tuple[float, float]
    ends: tuple[tuple[str, float], ...]


KINDS = {
    "training": Kind(
        (68, 96),
        (0.6, 0.95),
        (("FAILED", 0.07), ("OUT_OF_MEMORY", 0.02), ("TIMEOUT", 0.04), ("CANCELLED", 0.08)),
    ),
    "fine_tuning": Kind(
        (52, 90),
        (0.5, 0.94),
        (("FAILED", 0.06), ("OUT_OF_MEMORY", 0.035), ("TIMEOUT", 0.02), ("CANCELLED", 0.06)),
    ),
    "inference": Kind(
        (18, 62),
        (0.3, 0.85),
        (("FAILED", 0.03), ("OUT_OF_MEMORY", 0.01), ("TIMEOUT", 0.03), ("CANCELLED", 0.05)),
    ),
    "interactive": Kind(
        (3, 34),
        (0.05, 0.6),
        (("FAILED", 0.02), ("OUT_OF_MEMORY", 0.01), ("TIMEOUT", 0.13), ("CANCELLED", 0.2)),
    ),
    "batch": Kind(
        (30, 78),
        (0.2, 0.7),
        (("FAILED", 0.05), ("OUT_OF_MEMORY", 0.015), ("TIMEOUT", 0.02), ("CANCELLED", 0.03)),
    ),
}


def ended(job: Job, kind: str, draw: Stream) -> Job:
    """The job with an end that is usual for its kind, and as long as such an end leaves it."""
    at, state = draw.unit(), "COMPLETED"
    for name, share in KINDS[kind].ends:
        if at < share:
            state = name
            break
        at -= share
    if state in _SOON:
        median, most = _SOON[state]
        minutes = min(
            job.minutes, most, max(STEP, round(draw.lognormal(median, 0.7) / STEP) * STEP)
        )
        job.minutes = minutes
    if state == "TIMEOUT":
        limit = max(60, round(job.minutes / 60) * 60)
        job.minutes = job.limit = limit
    job.state = state
    return job
