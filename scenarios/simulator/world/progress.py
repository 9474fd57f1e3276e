"""How far work has come, and what it keeps when it is stopped."""

from __future__ import annotations

from dataclasses import dataclass


def saved(done: int, every: int) -> int:
    """What the newest of the saves holds that are made after each `every` of work (0: of none)."""
    return done // every * every if every else 0


@dataclass(slots=True)
class Pace:
    """How far work has come that goes on by `units` in each `span` of time; all whole numbers.

    `done` had been reached at `since`; a `since` still to come is when the work begins.
    """

    done: int = 0
    since: int = 0
    units: int = 0
    span: int = 1

    def at(self, now: int) -> int:
        """What is done by `now`; a unit counts once it is whole."""
        return self.done + max(0, now - self.since) * self.units // self.span

    def when(self, target: int) -> int:
        """The first instant at which so much is done; only while the work goes on."""
        return self.since - (self.done - target) * self.span // self.units

    def settle(self, now: int) -> None:
        """From `now` on the work may have another pace; the part of a unit begun is kept."""
        if self.units and now > self.since:
            done = self.at(now)
            self.done, self.since = done, self.when(done)

    def halt(self, now: int) -> None:
        """The work stands still from `now` on; the part of a unit begun is lost."""
        self.done, self.since, self.units = self.at(now), now, 0
