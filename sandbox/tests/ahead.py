"""A backend whose every run gets a spare that has stood ready for it."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from sandbox import Backend, Outcome, Report, Session, Spec, open_backend


class Ahead:
    """Waits before each run until the spare stands, and fails when the run did not take it."""

    def __init__(self, name: str, state_dir: Path, docker_url: str, spares: int = 1) -> None:
        self.under: Any = open_backend(
            name, state_dir=state_dir, docker_url=docker_url, spares=spares
        )
        self.name = name

    @classmethod
    def over(cls, backend: Backend) -> Ahead:
        """The same for a backend that is open already, and keeps spares."""
        ahead = cls.__new__(cls)
        ahead.under, ahead.name = backend, backend.name
        return ahead

    def run(self, spec: Spec, session: Session, cancel: threading.Event | None = None) -> Outcome:
        self.wait_for_spare(spec)
        before = self.standing()
        outcome: Outcome = self.under.run(spec, session, cancel)
        left = self.standing()
        assert any(one not in left for one in before), "the run should have taken the spare"
        return outcome

    def wait_for_spare(self, spec: Spec, number: int = 1) -> None:
        for _ in range(number):
            self.under.prepare(spec)
        shape = self.under._here().shape(spec.limits, spec.sdk)
        deadline = time.monotonic() + 20
        while self.under._keeper.spares.standing(shape) < number:
            assert time.monotonic() < deadline, "no spare came up"
            time.sleep(0.005)

    def standing(self) -> list[Any]:
        """The sandboxes that wait now."""
        return [spare.sandbox for spare in self.under._keeper.spares._idle]

    def probe(self) -> Report:
        report: Report = self.under.probe()
        return report

    def sweep(self) -> list[str]:
        swept: list[str] = self.under.sweep()
        return swept

    def close(self) -> None:
        self.under.close()
