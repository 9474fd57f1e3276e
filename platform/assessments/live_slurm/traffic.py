"""The judge's end of a live cluster's channel: the shell's bytes, and the course that keeps the cluster."""

from __future__ import annotations

import threading

from assessments.terminal.cluster import Cluster
from assessments.terminal.traffic import NOT_KNOWN, Traffic
from graders.live_slurm.orders import Course, Driver
from sandbox import CallRefused

OF_THE_SHELL = ("output", "report")


def _no_copy() -> Cluster:
    raise CallRefused("unknown", NOT_KNOWN)


class LiveTraffic(Traffic):
    """Plays a course beside the shell. `trouble` says why it cannot go on, "" while it can."""

    def __init__(self, news: threading.Event) -> None:
        super().__init__(_no_copy, news)
        self._driver: Driver[bool] | None = None

    def play(self, course: Course[bool]) -> None:
        """Before the sandbox is there."""
        self._driver = Driver(course)

    @property
    def trouble(self) -> str:
        return self._driver.trouble if self._driver else ""

    def open_shell(self) -> None:
        """The candidate's shell, or a new one in its place."""
        self._say({"open": True})

    def call(self, method: str, params: dict[str, object]) -> object:
        if method in OF_THE_SHELL:
            return super().call(method, params)
        if self._driver is None:
            raise CallRefused("unknown", NOT_KNOWN)
        answer = self._driver.call(method, params)
        if self.trouble:
            self.stop.set()
        self._news.set()
        return answer
