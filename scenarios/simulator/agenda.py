"""A heap of things that will happen, in an order that never depends on chance."""

from __future__ import annotations

from enum import IntEnum
from heapq import heappop, heappush

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
"""Simulated time is a whole number of milliseconds from the start of the episode."""


class EventKind(IntEnum):
    """What happens first among events of one instant: the smaller value.

    Work that ends frees its GPUs before anything is taken away, capacity comes back
    before new work arrives, and measuring comes last.
    """

    JOB_END = 0
    JOB_SAVED = 1
    NODE_DOWN = 2
    NODE_SLOW = 3
    RECLAIM_WAVE = 4
    RECLAIM_NOTICE = 5
    RECLAIM = 6
    START_FAILED = 7
    NODE_READY = 8
    JOB_ELIGIBLE = 9
    JOB_SUBMIT = 10
    DEADLINE = 11
    SAMPLE = 12


Event = tuple[int, int, int, int, int]
"""(time in ms, kind, sequence, subject, version): sequence settles what is still tied."""


class Agenda:
    """Events in the order time, kind, sequence of scheduling.

    An event whose subject has changed since is not removed: its version is out of
    date, and whoever handles it compares versions and drops it.
    """

    __slots__ = ("_heap", "_sequence")

    def __init__(self) -> None:
        self._heap: list[Event] = []
        self._sequence = 0

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, time: int, kind: IntEnum, subject: int, version: int = 0) -> None:
        """Schedule an event at `time` ms about `subject` as it is in `version`."""
        heappush(self._heap, (time, int(kind), self._sequence, subject, version))
        self._sequence += 1

    def next_time(self) -> int | None:
        """Time in ms of the earliest event; None when nothing will happen."""
        return self._heap[0][0] if self._heap else None

    def take(self, time: int) -> Event | None:
        """Remove and return the earliest event if it is due by `time` ms."""
        if self._heap and self._heap[0][0] <= time:
            return heappop(self._heap)
        return None
