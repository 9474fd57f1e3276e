"""Sums the readings of one run up; takes no reading itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Literal

from sandbox.gpu.reading import Reading


@dataclass(frozen=True)
class Summary:
    """One run on one unit; None where the driver does not say.

    Means are over time, in per cent and MHz. `memory_peak_mb` (MiB) is above what was in use
    before. `energy_j` (J) comes from the card's own counter, or from power over time where it has
    none: `energy_from` says which. `clock_reasons` maps each reason for changed clocks to the
    share of time (0 to 1) it was seen.
    """

    duration_s: float
    samples: int
    utilisation_mean: float | None
    memory_peak_mb: int | None
    energy_j: float | None
    energy_from: Literal["counter", "power", ""]
    power_mean_w: float | None
    temperature_max_c: float | None
    sm_clock_mean_mhz: float | None
    clock_reasons: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return asdict(self)


class Telemetry:
    """Grows by one reading at a time."""

    def __init__(self) -> None:
        self._readings: list[Reading] = []

    @property
    def readings(self) -> tuple[Reading, ...]:
        return tuple(self._readings)

    def add(self, reading: Reading) -> None:
        """A lost card has nothing to add."""
        if not reading.lost:
            self._readings.append(reading)

    def summary(self, base_mb: int = 0) -> Summary:
        """`base_mb` (MiB) was in use before the run."""
        seen = self._readings
        duration = seen[-1].at - seen[0].at if seen else 0.0
        power = _mean((one.at, one.power_w) for one in seen)
        counter = _risen([one.energy_j for one in seen])
        from_power = None if power is None else power * duration
        used = [one.memory_used_mb for one in seen if one.memory_used_mb is not None]
        heat = [one.temperature_c for one in seen if one.temperature_c is not None]
        return Summary(
            duration_s=duration,
            samples=len(seen),
            utilisation_mean=_mean((one.at, one.utilisation) for one in seen),
            memory_peak_mb=max(0, max(used) - base_mb) if used else None,
            energy_j=counter if counter is not None else from_power,
            energy_from="counter" if counter is not None else "power" if power is not None else "",
            power_mean_w=power,
            temperature_max_c=max(heat, default=None),
            sm_clock_mean_mhz=_mean((one.at, one.sm_clock_mhz) for one in seen),
            clock_reasons=_shares(seen),
        )


Row = tuple[float, float | None, float | None, int | None, float | None]


def rows(readings: Iterable[Reading]) -> list[Row]:
    """(CLOCK_MONOTONIC in s, utilisation in per cent, W, MiB in use, J so far) of each reading."""
    return [
        (one.at, one.utilisation, one.power_w, one.memory_used_mb, one.energy_j) for one in readings
    ]


def between(found: Iterable[Row], begin: float, end: float) -> Summary:
    """The part of a run's rows from `begin` to `end` (CLOCK_MONOTONIC in s), summed up.

    The last row before each end belongs to it, so that a counter's rise is not cut short.
    """
    kept = Telemetry()
    held = list(found)
    last_before = max((row[0] for row in held if row[0] <= begin), default=begin)
    for at, busy, power, memory, energy in held:
        if last_before <= at <= end:
            kept.add(
                Reading(
                    "", at, utilisation=busy, power_w=power, memory_used_mb=memory, energy_j=energy
                )
            )
    return kept.summary()


def _mean(points: Iterable[tuple[float, float | None]]) -> float | None:
    """Over time by the trapezoidal rule; a single reading is its own mean."""
    known = [(at, value) for at, value in points if value is not None]
    if not known:
        return None
    span = known[-1][0] - known[0][0]
    if span <= 0:
        return float(known[-1][1])
    pairs = pairwise(known)
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairs) / span


def _risen(counts: list[float | None]) -> float | None:
    """Last minus first; None for a counter that is absent or was set back."""
    if len(counts) < 2 or counts[0] is None or counts[-1] is None or counts[-1] < counts[0]:
        return None
    return counts[-1] - counts[0]


def _shares(seen: list[Reading]) -> dict[str, float]:
    """Each reading stands for the time up to the next one."""
    span = seen[-1].at - seen[0].at if seen else 0.0
    shares: dict[str, float] = {}
    for one, after in pairwise(seen):
        for reason in one.clock_reasons:
            shares[reason] = shares.get(reason, 0.0) + (after.at - one.at) / span if span else 0.0
    return {reason: min(1.0, share) for reason, share in shares.items()}
