"""Sums over time: what was asked for, served and used; each changes at one instant only."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenarios.simulator.agenda import HOUR
from scenarios.worlds.mig_sharing.kinds import COMPUTE, SLICES


@dataclass
class Meter:
    """Integrals in ms of what holds now. `touch` comes before every change.

    `asked` and `served` count replicas by class; `useful` compute slices that serve a wanted
    replica or train, `training` those of gangs.
    What runs where the rules of isolation are broken is neither served nor useful.
    """

    asked: list[int] = field(default_factory=lambda: [0, 0, 0])
    served: list[int] = field(default_factory=lambda: [0, 0, 0])
    useful: int = 0
    training: int = 0
    asked_ms: list[int] = field(default_factory=lambda: [0, 0, 0])
    served_ms: list[int] = field(default_factory=lambda: [0, 0, 0])
    useful_ms: int = 0
    at: int = 0

    def touch(self, now: int) -> None:
        """Bring the sums up to `now` ms."""
        passed = now - self.at
        if passed:
            for slo in range(3):
                self.asked_ms[slo] += self.asked[slo] * passed
                self.served_ms[slo] += self.served[slo] * passed
            self.useful_ms += self.useful * passed
            self.at = now

    def count(self, slo: int, kind: int, wanted: int, kept: int, sign: int) -> None:
        """Take a service's figures in (`sign` 1) or out (-1); `kept` replicas serve by the rules."""
        good = min(kept, wanted)
        self.asked[slo] += sign * wanted
        self.served[slo] += sign * good
        self.useful += sign * good * COMPUTE[kind]

    def train(self, gpus: int, percent: int, sign: int, counts: bool = True) -> None:
        """Take a running gang in or out; one at reduced speed is of so much less use."""
        self.useful += sign * (SLICES * gpus * percent // 100) * counts
        self.training += sign * SLICES * gpus


class Ledger:
    """What each tenant used by hour and profile, and what the controller billed for it.

    `used[tenant][hour][what]` in ms, `what` a kind of instance or -1 for whole GPUs;
    `filed[tenant, hour]` maps the same to s.
    """

    def __init__(self, tenants: int, hours: int) -> None:
        self.used: list[list[dict[int, int]]] = [[{} for _ in range(hours)] for _ in range(tenants)]
        self.filed: dict[tuple[int, int], dict[int, float]] = {}
        self.hours = hours

    def charge(self, tenant: int, what: int, begin: int, end: int, times: int = 1) -> None:
        """The tenant held `times` of it from `begin` to `end` ms."""
        while begin < end:
            hour = begin // HOUR
            until = min(end, (hour + 1) * HOUR)
            if hour < self.hours:
                row = self.used[tenant][hour]
                row[what] = row.get(what, 0) + (until - begin) * times
            begin = until

    def error(self, tenant: int, hour: int, wanted: bool = False) -> float:
        """How far the hour's bill is off, in percent of what was used, at most 100.

        A tenant that `wanted` service and used nothing was not served: that its bill is empty is no
        credit to it.
        """
        bill = self.filed.get((tenant, hour))
        used = self.used[tenant][hour]
        if bill is None or (wanted and not any(used.values())):
            return 100.0
        off = sum(
            abs(bill.get(what, 0.0) - used.get(what, 0) / 1000) for what in sorted({*bill, *used})
        )
        return min(100.0, 100.0 * off / max(60.0, sum(used.values()) / 1000))
