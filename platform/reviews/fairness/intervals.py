"""How sure a mean of ratings is: 95 % intervals from how far evaluators of one answer lie apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from library.models import HIGHEST, LOWEST
from library.student_t import quantile

ONE = "one evaluator: no interval"
NONE = "not rated yet"
FEWEST = 3  # degrees of freedom below which a spread says nothing
FEW = "too few second opinions in this opening: no interval"


@dataclass(frozen=True)
class Spread:
    """How far ratings of one and the same answer lie apart, pooled over all answers.

    deviation: standard deviation within answers, in levels. freedom: its degrees of freedom, which
    is ratings less answers; 0 where no answer was rated twice, and then there is no deviation.
    """

    deviation: float = 0.0
    freedom: int = 0


@dataclass(frozen=True)
class Estimate:
    """A mean on the scale of 1 to 5 with its 95 % interval; `why_not` says why there is none."""

    value: float | None = None
    count: int = 0
    low: float | None = None
    high: float | None = None
    why_not: str = NONE
    error: float | None = None  # half the interval before it is cut to the scale

    @property
    def has_interval(self) -> bool:
        return self.low is not None


def pooled(groups: Iterable[Sequence[float]]) -> Spread:
    """The spread within groups: each group holds what several people gave one answer."""
    squares, freedom = 0.0, 0
    for marks in groups:
        if len(marks) > 1:
            middle = fmean(marks)
            squares += sum((mark - middle) ** 2 for mark in marks)
            freedom += len(marks) - 1
    return Spread(sqrt(squares / freedom), freedom) if freedom else Spread()


def estimate(marks: Sequence[float], spread: Spread, *, one: str = ONE) -> Estimate:
    """The mean of what several people gave one answer: plus or minus t x deviation / sqrt(people)."""
    if not marks:
        return Estimate()
    value = fmean(marks)
    if len(marks) == 1:
        return Estimate(value, 1, why_not=one)
    if spread.freedom < FEWEST:
        return Estimate(value, len(marks), why_not=FEW)
    return _around(
        value, len(marks), quantile(spread.freedom) * spread.deviation / sqrt(len(marks))
    )


def _around(value: float, count: int, error: float) -> Estimate:
    low, high = max(float(LOWEST), value - error), min(float(HIGHEST), value + error)
    return Estimate(value, count, low, high, "", error)


def mean_of(parts: Sequence[Estimate]) -> Estimate:
    """The plain mean of independent estimates; without an interval where a part has none."""
    return weighted([(1 / len(parts), part) for part in parts]) if parts else Estimate()


def weighted(parts: Sequence[tuple[float, Estimate]]) -> Estimate:
    """The sum of weight x estimate; its error is the root of the sum of squares (independent parts)."""
    if not parts or any(part.value is None for _, part in parts):
        return Estimate()
    value = sum(weight * (part.value or 0.0) for weight, part in parts)
    count = sum(part.count for _, part in parts)
    if reason := next((part.why_not for _, part in parts if part.error is None), ""):
        return Estimate(value, count, why_not=reason)
    error = sqrt(sum((weight * (part.error or 0.0)) ** 2 for weight, part in parts))
    return _around(value, count, error)
