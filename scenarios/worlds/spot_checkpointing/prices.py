"""Spot prices as steps in time, and what a node costs between two instants."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from scenarios.simulator.agenda import HOUR


@dataclass(slots=True)
class PricePath:
    """USD for a node-hour, from each time in ms until the next; the first time is 0."""

    points: Sequence[tuple[int, float]]
    _times: list[int] = field(init=False)
    _paid: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self._times = [at for at, _ in self.points]
        self._paid = [0.0]
        for (at, price), (until, _) in zip(self.points, self.points[1:], strict=False):
            self._paid.append(self._paid[-1] + price * (until - at) / HOUR)

    def at(self, now: int) -> float:
        """The price in force at `now` ms."""
        return self.points[bisect_right(self._times, now) - 1][1]

    def _total(self, now: int) -> float:
        index = bisect_right(self._times, now) - 1
        at, price = self.points[index]
        return self._paid[index] + price * (now - at) / HOUR

    def charge(self, begin: int, end: int) -> float:
        """USD for one node from `begin` to `end` ms."""
        return self._total(end) - self._total(begin)


def flat(price: float) -> PricePath:
    """A price that never changes."""
    return PricePath(((0, price),))
