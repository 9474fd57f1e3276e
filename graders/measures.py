"""From raw figures of days to measures between two anchors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scenarios.packs import Measure

Figures = Mapping[str, Any]
"""What an episode's `figures()` returned."""


def percentile(values: Sequence[float], share: float) -> float | None:
    """Nearest-rank percentile of sorted values, `share` 0 to 1; None if there are none."""
    if not values:
        return None
    rank = max(1, -int(-share * len(values) // 1))
    return values[min(rank, len(values)) - 1]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _wait(priority: int) -> Callable[[Sequence[Figures]], float | None]:
    return lambda days: _mean([percentile(day["waits_min"][priority], 0.95) for day in days])


def _cost(days: Sequence[Figures]) -> float | None:
    return _mean([day["spend_usd"] + day["overflow_usd"] for day in days])


def _scaling_errors(days: Sequence[Figures]) -> float | None:
    return _mean([_wrong_decisions(day) for day in days])


def _wrong_decisions(day: Figures) -> float:
    return float(day["short_lived_nodes"] + day["missed_half_hours"] + day["idle_half_hours"])


def _misfit(days: Sequence[Figures]) -> float | None:
    return _mean([day["misfit_gpu_h"] for day in days])


def _work_lost(days: Sequence[Figures]) -> float | None:
    return _mean([day["lost_gpu_h"] + day["undone_gpu_h"] for day in days])


def _incidents(days: Sequence[Figures]) -> float | None:
    """Mean over the kinds of trouble met, so that much of one kind cannot hide another."""
    kinds: dict[str, list[bool]] = {}
    for day in days:
        for _, kind, _, handled in day["incidents"]:
            kinds.setdefault(kind, []).append(handled)
        for _ in day["broken_rules"]:
            kinds.setdefault("broken rule", []).append(False)
    return _mean([100.0 * sum(rows) / len(rows) for rows in kinds.values()])


COMPUTE: Mapping[str, Callable[[Sequence[Figures]], float | None]] = {
    "wait_high_p95": _wait(0),
    "wait_normal_p95": _wait(1),
    "wait_low_p95": _wait(2),
    "cost": _cost,
    "misfit": _misfit,
    "scaling_errors": _scaling_errors,
    "work_lost": _work_lost,
    "incidents": _incidents,
}


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure: score = (value - naive) / (reference - naive), not clipped."""

    measure: Measure
    value: float
    naive: float
    reference: float

    @property
    def score(self) -> float:
        # 0.0 is added because a difference of nothing can come out as minus zero
        return (self.value - self.naive) / (self.reference - self.naive) + 0.0

    def to_dict(self) -> dict[str, object]:
        """The measure object of a grade report."""
        measure = self.measure
        return {
            "key": measure.key,
            "label": measure.label,
            "value": round(self.value, 4),
            "unit": measure.unit,
            "better": measure.better,
            "naive": round(self.naive, 4),
            "reference": round(self.reference, 4),
            "score": round(self.score, 4),
            "explanation": self._explanation(),
        }

    def _explanation(self) -> str:
        unit = "" if self.measure.unit == "count" else f" {self.measure.unit}"
        if self.score >= 1:
            place = "as good as the reference or better"
        elif self.score <= 0:
            place = "no better than the existing script"
        else:
            place = f"{self.score:.0%} of the way from the existing script to the reference"
        return (
            f"{self.value:,.1f}{unit}: {place} (script {self.naive:,.1f}, reference"
            f" {self.reference:,.1f}). {self.measure.meaning}"
        )


def _apart(measure: Measure, naive: float, reference: float) -> float:
    """The reference anchor, moved if need be so that the anchors are the measure's floor apart.

    On a day on which the existing script does as well as the reference a small difference
    would otherwise decide everything.
    """
    sign = 1.0 if measure.better == "higher" else -1.0
    gap = max(measure.floor, sign * (reference - naive))
    return naive + sign * gap


def measure_days(
    measures: Sequence[Measure],
    days: Sequence[Figures],
    naive: Sequence[Figures],
    reference: Sequence[Figures],
) -> list[Measured]:
    """Every measure that the days allow, in the pack's order; the days of all three match."""
    found = []
    for measure in measures:
        compute = COMPUTE[measure.key]
        values = compute(days), compute(naive), compute(reference)
        if values[1] is None or values[2] is None:
            continue
        value = values[0]
        if value is None:
            continue
        found.append(Measured(measure, value, values[1], _apart(measure, values[1], values[2])))
    return found


def total(measured: Sequence[Measured]) -> float | None:
    """Mean of the measures, each clipped to 0..1; None when nothing was measured."""
    if not measured:
        return None
    scores = [min(1.0, max(0.0, round(m.score, 4))) for m in measured]
    return round(sum(scores) / len(scores), 4)
