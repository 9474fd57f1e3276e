"""Functions over ranges: each window of each series, as Prometheus 2 does it (both ends included)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenarios.troubleshooting.columns import Real, Whole
from scenarios.troubleshooting.promql.vectors import (
    Label,
    Matrix,
    Present,
    Samples,
    Vector,
    unnamed,
)

Places = NDArray[np.intp]
NEAR = 1.1
"""A window's edge this many intervals or less from a sample counts as reached by the series."""


@dataclass(slots=True)
class Windows:
    """The windows of one series: samples `low` to `high` (excluded) of `times` (s) and `values`."""

    times: Real
    values: Real
    low: Places
    high: Places
    ends: Real
    length: float

    @property
    def count(self) -> Places:
        return self.high - self.low

    def reduced(self, ufunc: np.ufunc, values: Real | None = None) -> Real:
        """`ufunc` over each window; meaningless for an empty one."""
        values = self.values if values is None else values
        edges = np.empty(2 * len(self.low), dtype=np.intp)
        edges[0::2] = np.minimum(self.low, len(values) - 1)
        edges[1::2] = self.high
        # One sample more, never counted, so that an edge may stand behind the last.
        found: Real = ufunc.reduceat(np.append(values, values[-1:]), edges)[0::2]
        return found

    def spread(self) -> tuple[Real, Present]:
        """(values, which of them count), a row for each window: for what needs every sample at once."""
        width = max(int(self.count.max(initial=0)), 1)
        at = self.low[:, None] + np.arange(width)
        return self.values[np.minimum(at, len(self.values) - 1)], at < self.high[:, None]

    def first(self, of: Real) -> Real:
        return of[np.minimum(self.low, len(of) - 1)]

    def last(self, of: Real, back: int = 1) -> Real:
        return of[np.maximum(self.high - back, 0)]


Found = Real
Over = Callable[[Windows, float], Found]


def _drops(values: Real) -> Real:
    """What a counter had lost in resets up to each sample."""
    lost = np.where(values[1:] < values[:-1], values[:-1], 0.0)
    return np.concatenate(([0.0], np.cumsum(lost)))


def _extrapolated(w: Windows, counter: bool, per_second: bool) -> Found:
    """Prometheus' `extrapolatedRate`: to the window's edges, or half an interval where those are far."""
    first, last = w.first(w.values), w.last(w.values)
    found = last - first
    if counter:
        lost = _drops(w.values)
        found = found + w.last(lost) - w.first(lost)
    start, end = w.first(w.times), w.last(w.times)
    sampled, between = end - start, np.maximum(w.count - 1, 1)
    to_start, to_end = start - (w.ends - w.length), w.ends - end
    if counter:
        to_zero = sampled * (first / found)
        nearer = (found > 0) & (first >= 0) & (to_zero < to_start)
        to_start = np.where(nearer, to_zero, to_start)
    mean = sampled / between
    reach = sampled + np.where(to_start < mean * NEAR, to_start, mean / 2)
    reach = reach + np.where(to_end < mean * NEAR, to_end, mean / 2)
    factor = reach / sampled / (w.length if per_second else 1.0)
    return np.asarray(found * factor)


def _last_step(w: Windows, counter: bool, per_second: bool) -> Found:
    """From the last sample but one to the last."""
    last, before = w.last(w.values), w.last(w.values, 2)
    found = np.where(last < before, last, last - before) if counter else last - before
    return found / (w.last(w.times) - w.last(w.times, 2)) if per_second else np.asarray(found)


def _mean(w: Windows, _: float) -> Found:
    return w.reduced(np.add) / w.count


def _variance(w: Windows, _: float) -> Found:
    values, counts = w.spread()
    mean = np.where(counts, values, 0.0).sum(axis=1) / w.count
    return np.asarray(np.where(counts, (values - mean[:, None]) ** 2, 0.0).sum(axis=1) / w.count)


def _quantile(w: Windows, share: float) -> Found:
    values, counts = w.spread()
    return quantile(np.where(counts, values, np.inf), w.count, share)


def quantile(values: Real, count: NDArray[np.intp], share: float) -> Real:
    """Quantiles of rows of which the first `count` values in order count; the others are infinite."""
    if share != share:
        return np.full(len(values), np.nan)
    if not 0 <= share <= 1:
        return np.full(len(values), -np.inf if share < 0 else np.inf)
    ordered = np.sort(values, axis=1)
    rank = share * (count - 1)
    low = np.maximum(np.floor(rank).astype(np.intp), 0)
    high = np.minimum(low + 1, np.maximum(count - 1, 0))
    each = np.arange(len(values))
    weight = rank - np.floor(rank)
    a, b = ordered[each, low], ordered[each, high]
    return np.asarray(np.where(weight == 0, a, a * (1 - weight) + b * weight))


def _line(w: Windows, from_end: bool) -> tuple[Real, Real]:
    """(slope per second, value at the window's end or first sample) of the straight line through a window."""
    values, counts = w.spread()
    at = w.low[:, None] + np.arange(values.shape[1])
    times = w.times[np.minimum(at, len(w.times) - 1)]
    origin = w.ends if from_end else w.first(w.times)
    x = np.where(counts, times - origin[:, None], 0.0)
    y = np.where(counts, values, 0.0)
    n = w.count
    covariance = (x * y).sum(axis=1) - x.sum(axis=1) * y.sum(axis=1) / n
    slope = covariance / ((x * x).sum(axis=1) - x.sum(axis=1) ** 2 / n)
    return slope, y.sum(axis=1) / n - slope * x.sum(axis=1) / n


def _predicted(w: Windows, seconds: float) -> Found:
    slope, now = _line(w, from_end=True)
    return slope * seconds + now


def smoothed(level: float, trend: float) -> Over:
    """Holt's double exponential smoothing, Prometheus' `holt_winters`: needs two samples at least."""

    def over(w: Windows, _: float) -> Found:
        values, counts = w.spread()
        before, now = np.zeros(len(values)), values[:, 0]
        slope = values[:, 1] - values[:, 0] if values.shape[1] > 1 else np.zeros(len(values))
        for place in range(1, values.shape[1]):
            rise = slope if place == 1 else trend * (now - before) + (1 - trend) * slope
            after = level * values[:, place] + (1 - level) * (now + rise)
            inside = counts[:, place]
            slope = np.where(inside, rise, slope)
            before, now = np.where(inside, now, before), np.where(inside, after, now)
        return np.asarray(now)

    return over


def _steps(w: Windows, differs: Callable[[Real, Real], Present]) -> Found:
    """How many neighbouring samples of each window differ so."""
    marks = np.concatenate(([0.0], differs(w.values[1:], w.values[:-1]).astype(float)))
    sums = np.cumsum(marks)
    return w.last(sums) - w.first(sums)


def _changed(a: Real, b: Real) -> Present:
    return np.asarray((a != b) & ~(np.isnan(a) & np.isnan(b)))


PAIRS: dict[str, Over] = {
    "rate": lambda w, _: _extrapolated(w, True, True),
    "increase": lambda w, _: _extrapolated(w, True, False),
    "delta": lambda w, _: _extrapolated(w, False, False),
    "irate": lambda w, _: _last_step(w, True, True),
    "idelta": lambda w, _: _last_step(w, False, False),
    "deriv": lambda w, _: _line(w, from_end=False)[0],
    "predict_linear": _predicted,
    "holt_winters": smoothed(0.5, 0.5),
}
"""Functions that need two samples at least."""
ANY: dict[str, Over] = {
    "avg_over_time": _mean,
    "sum_over_time": lambda w, _: w.reduced(np.add),
    "min_over_time": lambda w, _: w.reduced(np.fmin),
    "max_over_time": lambda w, _: w.reduced(np.fmax),
    "count_over_time": lambda w, _: w.count.astype(float),
    "stddev_over_time": lambda w, _: np.sqrt(_variance(w, _)),
    "stdvar_over_time": _variance,
    "quantile_over_time": _quantile,
    "last_over_time": lambda w, _: w.last(w.values),
    "present_over_time": lambda w, _: np.ones(len(w.low)),
    "changes": lambda w, _: _steps(w, _changed),
    "resets": lambda w, _: _steps(w, lambda a, b: np.asarray(a < b)),
}
FUNCTIONS = PAIRS | ANY


def over(
    name: str,
    matrix: Matrix,
    number: float,
    pause: Callable[[int], None],
    work: Over | None = None,
) -> Vector:
    """A function over every window of every series, or `work` with that one's rules. `pause(cells)` is told
    of what there is to do before each."""
    work, least = work or FUNCTIONS[name], 2 if name in PAIRS else 1
    rows: list[tuple[Label, Real, Present]] = []
    for one in matrix.rows:
        low = np.searchsorted(one.times, matrix.ends - matrix.range_ms, side="left")
        high = np.searchsorted(one.times, matrix.ends, side="right")
        pause(int((high - low).max(initial=1)) * len(low))
        present: Present = high - low >= least
        # Only windows that hold enough are worked on: the rest would divide by nothing.
        some = np.flatnonzero(present)
        if not len(some):
            continue
        base = one.times[0]
        windows = Windows(
            (one.times - base) / 1000,
            one.values,
            low[some],
            high[some],
            (matrix.ends[some] - base) / 1000,
            matrix.range_ms / 1000,
        )
        values = np.zeros(len(low))
        with np.errstate(all="ignore"):
            values[some] = work(windows, number)
        rows.append((one.labels, values, present))
    found = Vector.of(rows, len(matrix.ends))
    return found if name == "last_over_time" else unnamed(found)


def of_vector(inner: Vector, at: Whole, ends: Whole, range_ms: int) -> Matrix:
    """A subquery: an instant vector at many instants becomes a range vector."""
    rows = [
        Samples(labels, at[present], values[present])
        for labels, values, present in zip(inner.labels, inner.values, inner.present, strict=True)
        if present.any()
    ]
    return Matrix(rows, ends, range_ms)
