"""Whether any host could hold the live clusters of an opening, for whoever is about to invite somebody."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from assessments.pulses import CLUSTER, is_alive
from hiring.models import Exercise

NOWHERE = (
    "{exercise}: no host of this site can hold a live cluster at the moment, so nobody who is invited could "
    "work at it. “headnode doctor” on the terminals’ host says what is missing there."
)


def unserved(exercises: Iterable[Exercise], now: datetime) -> list[str]:
    """A sentence for each exercise that needs a cluster while no host can hold one."""
    rows = [row for row in exercises if row.is_measured and row.traits.needs_cluster]
    if not rows or is_alive(CLUSTER, now):
        return []
    return [NOWHERE.format(exercise=row) for row in rows]
