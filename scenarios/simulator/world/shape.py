"""What a workload looks like, in figures that can be read off a trace and drawn from again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

DAY_S = 86_400
WEEK_DAYS = 7
WEEKEND = (5, 6)
"""Days of the week, counted from the trace's beginning, that are its weekend."""


@dataclass(frozen=True, slots=True)
class Tenant:
    """Who submits, and by what habits: `share` of the arrivals, median run time in seconds.

    `gangs` maps a power of two of processors to its weight.
    """

    name: str
    share: float
    run_median_s: float
    gangs: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Shape:
    """`jobs` submissions over `length_s` seconds.

    The arrival rate follows 1 + `day_swing` x cos(2 pi (hour - `day_peak_hour`) / 24), times
    `weekend` on two days in seven. With probability `burst_share` an arrival is a burst of at
    least two jobs, `burst_mean` in the mean, of one tenant and size. Run times are log-normal
    about the tenant's median with `run_sigma`, at most `longest_s`. A share `exact` of the
    estimates is right; the others exceed the run time by a log-normal factor: median
    `over_median` (1 means twice the run time), `over_sigma` of the logarithm.
    """

    jobs: int
    length_s: int
    tenants: tuple[Tenant, ...]
    run_sigma: float = 1.5
    longest_s: int = 7 * DAY_S
    day_swing: float = 0.0
    day_peak_hour: float = 15.0
    weekend: float = 1.0
    burst_share: float = 0.0
    burst_mean: float = 2.0
    exact: float = 0.0
    over_median: float = 1.0
    over_sigma: float = 0.5

    def __post_init__(self) -> None:
        """ValueError names the first figure that cannot be."""
        if self.jobs < 1 or self.length_s < 1 or not self.tenants:
            raise ValueError("A workload has at least one job, one second and one tenant.")
        for name in ("day_swing", "burst_share", "exact"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it lies from 0 to 1.")
        if self.weekend < 0 or self.burst_mean < 2:
            raise ValueError("weekend is at least 0 and burst_mean at least 2.")
        for tenant in self.tenants:
            wrong = [size for size in tenant.gangs if size < 1 or size & (size - 1)]
            if wrong or not tenant.gangs or tenant.share <= 0 or tenant.run_median_s <= 0:
                raise ValueError(
                    f"Tenant {tenant.name!r} needs a share, a median and gangs of powers of two."
                )
