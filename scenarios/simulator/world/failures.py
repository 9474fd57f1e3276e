"""Clocks by which machines break and are reclaimed, and the notice that clouds give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import cos, pi

from scenarios.simulator.streams import Stream

NOTICE_S: Mapping[str, int] = {"aws": 120, "azure": 30, "google": 30}
"""Seconds between a spot notice and the loss of the node, as each cloud documents it.

AWS: interruption notice. Azure: the least a Preempt event gives. Google: best effort.
"""

HOUR_S = 3_600.0
DAY_HOURS = 24
PEAK_HOUR = 14.0
"""Offices and web sites are busiest in the early afternoon, and what they use is short then."""


def swing(hour: float, share: float) -> float:
    """A factor around 1 that is `1 + share` in the afternoon and `1 - share` at night."""
    return 1 + share * cos(2 * pi * (hour - PEAK_HOUR) / DAY_HOURS)


@dataclass(frozen=True, slots=True)
class Clock:
    """Strikes without memory, `mean` apart over a day; times in the unit that has `hour` to an hour.

    With `daily` above 0 it strikes more often in the afternoon and less at night, by that share:
    a Poisson process at the peak's rate, thinned.
    """

    chance: Stream
    mean: float
    daily: float = 0.0
    hour: float = HOUR_S

    def after(self, time: float) -> float:
        """When it strikes next."""
        if not self.daily:
            return time + self.chance.exponential(self.mean)
        peak = 1 + self.daily
        while True:
            time += self.chance.exponential(self.mean / peak)
            if self.chance.chance(swing(time / self.hour, self.daily) / peak):
                return time

    def strikes(self, begin: float, end: float) -> Iterator[float]:
        """Every strike after `begin` and before `end`."""
        while (begin := self.after(begin)) < end:
            yield begin
