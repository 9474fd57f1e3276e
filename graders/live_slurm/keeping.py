"""Keeps a cluster as one text, and has it come back from that in another sandbox."""

from __future__ import annotations

from graders.live_slurm import reading
from graders.live_slurm.course import set_up
from graders.live_slurm.events import MARK
from graders.live_slurm.orders import ClusterFailed, Course, Order
from graders.live_slurm.watching import UP, look

_LOST = 8
LARGEST = 280_000
"""Characters of a kept cluster; one of these has about thirty thousand."""


def keep() -> Course[str]:
    """The settings, the controller's memory of jobs and nodes, and scratch folders, as text.

    Raises ClusterFailed where the files are too large to be kept.
    """
    said = yield Order("sync; python3 ~/run/snapshot.py save", within_s=30.0)
    text = said.out.strip()
    if said.code != 0 or not text or len(text) > LARGEST:
        raise ClusterFailed("The cluster's files could not be kept: they are too large.")
    return text


def come_back(kept: str) -> Course[list[reading.Seen]]:
    """Bring a kept cluster up in a fresh sandbox; returns the jobs that its controller knows.

    What ran is queued anew by the controller, since its nodes know nothing of it. No jobs where the
    controller does not start from the files that somebody left. Raises ClusterFailed.
    """
    yield set_up({"/box/run/kept": kept})
    said = yield Order(
        f"python3 ~/run/snapshot.py restore ~/run/kept || exit {_LOST}\nservice all start\n{UP}true",
        within_s=120.0,
    )
    if said.code == _LOST:
        raise ClusterFailed("The kept cluster's files could not be put back.")
    yield MARK
    found = yield from look()
    return found
