"""From values of measures to scores between two anchors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scenarios.packs import Measure
from scenarios.worlds import Figures

Computes = Mapping[str, Callable[[Sequence[Figures]], float | None]]


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
            f" {self.reference:,.1f}). {self.measure.meaning}{self._ceiling()}"
        )

    def _ceiling(self) -> str:
        if self.measure.ceiling == 1.0:
            return ""
        return (
            f" This is the point of the exercise: it holds the total at {_most(self):.0%} at most."
        )


def _anchors(measure: Measure, naive: float, reference: float) -> tuple[float, float]:
    """Both anchors, moved if need be so that they are the measure's floor apart.

    On a day on which the existing script does as well as the reference a small difference
    would otherwise decide everything. The reference is moved away from the script as far as
    the measure goes (a percentage to 0 and 100, anything else to 0), then the script is moved:
    nobody is asked for more than everything.
    """
    sign = 1.0 if measure.better == "higher" else -1.0
    if sign * (reference - naive) >= measure.floor:
        return naive, reference
    most = 100.0 if measure.unit == "%" else math.inf
    moved = min(max(naive + sign * measure.floor, 0.0), most)
    # A reference that lies beyond the end by its own figure stays where it is.
    best = reference if sign * (reference - moved) > 0 else moved
    return best - sign * measure.floor, best


def measure_workloads(
    measures: Sequence[Measure],
    computes: Computes,
    days: Sequence[Figures],
    naive: Sequence[Figures],
    reference: Sequence[Figures],
) -> list[Measured]:
    """Every measure that the workloads allow, in the pack's order; those of all three match.

    `computes` is the world's: key -> value over all workloads.
    """
    found = []
    for measure in measures:
        compute = computes[measure.key]
        values = compute(days), compute(naive), compute(reference)
        if values[1] is None or values[2] is None:
            continue
        value = values[0]
        if value is None:
            continue
        found.append(Measured(measure, value, *_anchors(measure, values[1], values[2])))
    return found


def _clipped(measured: Measured) -> float:
    return min(1.0, max(0.0, round(measured.score, 4)))


def _most(measured: Measured) -> float:
    """What the total may come to by this measure: its ceiling at 0, everything at 1."""
    ceiling = measured.measure.ceiling
    return ceiling + (1.0 - ceiling) * _clipped(measured)


def total(measured: Sequence[Measured]) -> float | None:
    """Mean of the measures, each clipped to 0..1; None when nothing was measured.

    It goes no higher than a measure with a ceiling lets it.
    """
    if not measured:
        return None
    mean = sum(map(_clipped, measured)) / len(measured)
    return round(min(mean, *map(_most, measured)), 4)
