"""Between the course of a living cluster, in its sandbox's thread, and the host's, which has the database."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from graders.live_slurm.course import Begun
from graders.live_slurm.living import Kept, View
from graders.live_slurm.reading import Seen


@dataclass(frozen=True, slots=True)
class Ready:
    """The cluster is there: how it began, and its jobs now."""

    begun: Begun
    seen: list[Seen]


@dataclass(frozen=True, slots=True)
class Stored:
    """It was kept; `wished` says that somebody waited for that."""

    kept: Kept
    wished: bool


Found = Ready | View | Stored


class Box:
    """A graders.live_slurm.living.Keeper: holds what was found until it is taken."""

    def __init__(self, opened: Callable[[], None]) -> None:
        """`opened` is called once the cluster is there."""
        self._lock = threading.Lock()
        self._opened = opened
        self._found: list[Found] = []
        self._wish = self._answers = self._end = False
        self.has_ended = False

    # Told by the course

    def ready(self, begun: Begun, seen: list[Seen]) -> None:
        self._put(Ready(begun, seen))
        self._opened()

    def viewed(self, view: View) -> None:
        self._put(view)

    def kept(self, kept: Kept) -> None:
        with self._lock:
            wished, self._answers = self._answers, False
            self._found.append(Stored(kept, wished))
            self.has_ended = kept.final

    def wants_keeping(self) -> bool:
        with self._lock:
            wish, self._wish = self._wish, False
            self._answers = self._answers or wish
            return wish

    def wants_end(self) -> bool:
        with self._lock:
            return self._end

    def _put(self, found: Found) -> None:
        with self._lock:
            self._found.append(found)

    # Asked by the host

    def take(self) -> list[Found]:
        """What was found since the last time, in order."""
        with self._lock:
            found, self._found = self._found, []
        return found

    def put_back(self, found: list[Found]) -> None:
        """What could not be stored now and has to be taken again."""
        with self._lock:
            self._found = found + self._found

    def wish(self) -> None:
        """Have it kept soon, with all that has changed until now."""
        with self._lock:
            self._wish = True

    def end(self) -> None:
        """Have it kept for the last time."""
        with self._lock:
            self._end = True
