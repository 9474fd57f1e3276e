"""What every association has used, decayed as Slurm's priority plugin decays it."""

from __future__ import annotations

from collections.abc import Callable

from scenarios.simulator.slurm.shares import Tree


def decay_per_second(half_life: float) -> float:
    """Slurm's factor per second for a half-life in seconds; 0 means no decay at all.

    0.693 stands where ln 2 would be exact: so read off usage that slurmctld 22.05.8 printed.
    """
    return 1.0 - 0.693 / half_life if half_life else 1.0


class Usage:
    """Raw usage in billing units x seconds per association of a tree, root included.

    Every `period` seconds from `phase` on all usage is decayed and each running job adds
    billing x dt x d^dt for what it ran since; a job adds its remainder at its end, unless
    `charge_remainder` is off (as where limits are not enforced). Periods in which nothing
    starts or ends are summed in closed form, so idle months cost nothing. Times are
    integers; `second` of them make a second.
    """

    def __init__(
        self,
        tree: Tree,
        half_life: float,
        period: int = 300,
        phase: int = 0,
        charge_remainder: bool = True,
        second: int = 1,
    ) -> None:
        self.raw = [0.0] * len(tree.parent)
        self.period, self.second = period, second
        self.decay = decay_per_second(half_life)
        self.boundary = phase
        """When the usage was last brought up to date, a whole number of periods after `phase`."""
        self.charge_remainder = charge_remainder
        self._parents = tree.parent
        self._running: dict[int, tuple[int, float, int]] = {}

    def started(self, job: int, association: int, billing: float, now: int) -> None:
        """`job` runs from `now` on and is charged to `association`."""
        self.advance(now)
        self._running[job] = (association, billing, now)

    def ended(self, job: int, now: int) -> None:
        """`job` runs no more; what it ran since the last period is charged."""
        self.advance(now)
        association, billing, since = self._running.pop(job)
        if self.charge_remainder:
            span = (now - max(since, self.boundary)) / self.second
            self._add(association, billing * span * self.decay**span)

    def advance(self, now: int) -> bool:
        """Apply every period that has ended by `now`; whether there was one."""
        count = (now - self.boundary) // self.period
        if count <= 0:
            return False
        length = self.period / self.second
        faded = self.decay ** (length * count)
        self.raw = [each * faded for each in self.raw]
        for association, billing, since in self._running.values():
            self._add(association, billing * self._spread(since, count, length))
        self.boundary += count * self.period
        return True

    def _spread(self, since: int, count: int, length: float) -> float:
        """Decayed seconds of a job that ran through `count` periods, from `since` in the first."""
        one = float(self.decay**length)
        first = min((self.boundary + self.period - since) / self.second, length)
        later = count - 1
        whole = (1.0 - one**later) / (1.0 - one) if one < 1.0 else float(later)
        return first * float(self.decay**first) * float(one**later) + length * one * whole

    def _add(self, association: int, amount: float) -> None:
        while association >= 0:
            self.raw[association] += amount
            association = self._parents[association]


class FairShare:
    """The factor of each association, renewed at the end of every period of its usage."""

    def __init__(self, usage: Usage, factors: Callable[[list[float]], list[float | None]]) -> None:
        self.usage = usage
        self._calculate = factors
        self.factor = factors(usage.raw)

    def started(self, job: int, association: int, billing: float, now: int) -> None:
        """`job` runs from `now` on and is charged to `association`."""
        self.advance(now)
        self.usage.started(job, association, billing, now)

    def ended(self, job: int, now: int) -> None:
        """`job` runs no more; its remainder counts from the next period on."""
        self.advance(now)
        self.usage.ended(job, now)

    def advance(self, now: int) -> bool:
        """Renew the factors if a period has ended by `now`; whether they were renewed."""
        if not self.usage.advance(now):
            return False
        self.factor = self._calculate(self.usage.raw)
        return True
