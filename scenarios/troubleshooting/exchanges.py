"""Disks of the capacity pool that storage's staff exchange, one of an array at a time, through both runs.

The training reads and writes the flash pool, so that none of it costs anything.
"""

from __future__ import annotations

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.faults.loader import CheckpointOnDisks
from scenarios.troubleshooting.plant import Ost
from scenarios.troubleshooting.truth import Incident

OFTEN = 0.45
"""Part of the capacity pool's arrays that are being rebuilt at any time while a recalled batch is exchanged."""


def exchanged(incident: Incident) -> frozenset[str]:
    """Names of the targets in rebuild; none where the training's own checkpoints lie on the pool."""
    if not incident.settings.fleet:
        return frozenset()
    if any(isinstance(cause.fault, CheckpointOnDisks) for cause in incident.causes):
        return frozenset()
    pool = (ost for ost in incident.plant.storage.osts if ost.pool == "capacity")
    return frozenset(ost.name for ost in pool if _draw(incident, ost).chance(OFTEN))


def place(incident: Incident, ost: Ost) -> tuple[int, float]:
    """Which of ten disks is out, and how far the rebuild has come (0 to 1)."""
    draw = _draw(incident, ost)
    draw.unit()
    return int(draw.between(0, 10)), draw.between(0.05, 0.95)


def _draw(incident: Incident, ost: Ost) -> Stream:
    return Stream(incident.seed, f"exchanged {ost.name}")
