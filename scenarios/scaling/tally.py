"""What is counted while a year is played, month by month."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Counted:
    """One class in one month. asked, own, cloud, lost, withdrawn in GPU-hours.

    waits: (h, weight) of jobs that started or were withdrawn then; the weight of serving is the GPUs it asked
    for in an hour. blocked: reason -> hours in which the first of a queue stood for it.
    """

    asked: float = 0.0
    own: float = 0.0
    cloud: float = 0.0
    lost: float = 0.0
    withdrawn: float = 0.0
    waits: list[tuple[float, float]] = field(default_factory=list)
    blocked: Counter[str] = field(default_factory=Counter)
    stretched: float = 0.0
    at_work: float = 0.0
    """GPU-hours at work, and the part of them lost to full storage or network (stretched)."""


@dataclass(slots=True)
class SiteCounted:
    """One site in one month. Hours of full storage and spine; kWh; sums of load over the hours."""

    storage_full: int = 0
    spine_full: int = 0
    kwh: float = 0.0
    storage: float = 0.0
    spine: float = 0.0
    peak_kw: float = 0.0


@dataclass(slots=True)
class Tally:
    """One month. GPU-hours: paid for on own nodes; placed: of nodes with power, ports and a rack; of those
    working, held, useful; held idle; stranded. committed: of rents that are paid, used or not."""

    hours: int = 0
    paid: float = 0.0
    placed: float = 0.0
    working: float = 0.0
    held: float = 0.0
    useful: float = 0.0
    idle: float = 0.0
    stranded: float = 0.0
    failures: int = 0
    any_full: int = 0
    cloud_paid: float = 0.0
    cloud_held: float = 0.0
    committed: float = 0.0
    committed_held: float = 0.0
    rent: dict[str, float] = field(default_factory=dict)
    """Row of the plan -> USD."""
    egress_usd: float = 0.0
    link_full: int = 0
    classes: dict[str, Counted] = field(default_factory=dict)
    sites: list[SiteCounted] = field(default_factory=list)

    def of(self, job_class: str) -> Counted:
        """The class's counts."""
        found = self.classes.get(job_class)
        if found is None:
            found = self.classes[job_class] = Counted()
        return found
