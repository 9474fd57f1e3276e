"""What a terminal's host hosts: a sandbox with a shell in it, towards which a session's bytes go."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import datetime

from assessments.kinds import workplace_of
from assessments.models.terminal import TerminalSession
from assessments.terminal.cluster import Cluster
from assessments.terminal.traffic import Traffic
from sandbox import Spec

Prepare = Callable[[TerminalSession], tuple[Spec, Cluster]]


class Guest(ABC):
    """One session's sandbox. `traffic` carries its bytes, from before the sandbox is there."""

    traffic: Traffic
    trouble: str = ""
    """Why it cannot go on, which is our failure; "" while it can."""

    @abstractmethod
    def prepare(self) -> Spec:
        """What the sandbox gets; in a thread of its own, may take seconds. Raises what goes wrong."""

    @abstractmethod
    def tend(self, now: datetime) -> None:
        """Keep what has come of it, in each turn of the host; raises what a database raises."""

    def may_stop(self, now: datetime) -> bool:
        """Whether it has come to its end, once that is wanted; asked again until it has."""
        return True


class Shell(Guest):
    """A shell on a copied cluster that stands still."""

    def __init__(self, row: TerminalSession, news: threading.Event, prepare: Prepare) -> None:
        self._row, self._prepare = row, prepare
        self._cluster: list[Cluster] = []
        self.traffic = Traffic(lambda: self._cluster[0], news)

    def prepare(self) -> Spec:
        spec, cluster = self._prepare(self._row)
        self._cluster.append(cluster)
        return spec

    def tend(self, now: datetime) -> None:
        """What a shell does is kept by its traffic."""


def guest_of(row: TerminalSession, news: threading.Event, prepare: Prepare) -> Guest:
    """What the exercise's workplace has in its terminals; `news` is set when there is something to take."""
    own = workplace_of(row.attempt.exercise).guest(row, news)
    return own if isinstance(own, Guest) else Shell(row, news, prepare)
