"""Quantiles of classic histograms: series that differ in `le` alone count what was at most so large."""

from __future__ import annotations

import numpy as np

from scenarios.troubleshooting.columns import Real
from scenarios.troubleshooting.promql.vectors import (
    Label,
    Present,
    Vector,
    grouped,
    key_of,
    somewhere,
)

BOUND = "le"


def histogram_quantile(share: Real, vector: Vector) -> Vector:
    """Prometheus' `bucketQuantile`, for every instant: within a bucket values lie evenly."""
    bounds = [_bound(one) for one in vector.labels]
    vector = vector.keep([place for place, bound in enumerate(bounds) if bound is not None])
    upper = np.array([bound for bound in bounds if bound is not None])
    rows = []
    for key, places in grouped(vector.labels, lambda one: key_of(one, (BOUND,))).items():
        order = [places[place] for place in np.argsort(upper[places], kind="stable")]
        present = vector.present[order]
        values = _quantiles(share, upper[order], vector.values[order], present)
        rows.append((dict(key), values, somewhere(present)))
    return Vector.of(rows, len(share))


def _bound(labels: Label) -> float | None:
    try:
        return float(labels[BOUND])
    except (KeyError, ValueError):
        return None


def _quantiles(share: Real, upper: Real, counts: Real, present: Present) -> Real:
    """At each instant, from the buckets that are present there."""
    found = np.full(len(share), np.nan)
    patterns, which = np.unique(present.T, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        at = np.flatnonzero(which.ravel() == number)
        found[at] = _of_buckets(share[at], upper[pattern], counts[pattern][:, at])
    return np.where(share < 0, -np.inf, np.where(share > 1, np.inf, found))


def _of_buckets(share: Real, upper: Real, counts: Real) -> Real:
    """A row of `counts` for each bound in rising order; rows of one bound are one bucket."""
    nothing = np.full(len(share), np.nan)
    if not len(upper) or not np.isposinf(upper[-1]):
        return nothing
    bounds, first = np.unique(upper, return_index=True)
    whole = np.maximum.accumulate(np.add.reduceat(counts, first, axis=0), axis=0)
    if len(bounds) < 2:
        return nothing
    with np.errstate(all="ignore"):
        rank = share * whole[-1]
        bucket = np.argmax(np.vstack([whole[:-1] >= rank, np.ones_like(rank, dtype=bool)]), axis=0)
        each, inside = np.arange(len(share)), np.minimum(bucket, len(bounds) - 2)
        below = np.where(inside > 0, whole[np.maximum(inside - 1, 0), each], 0.0)
        start = np.where(inside > 0, bounds[np.maximum(inside - 1, 0)], 0.0)
        part = (rank - below) / (whole[inside, each] - below)
        found = start + (bounds[inside] - start) * part
        found = np.where((bucket == 0) & (bounds[0] <= 0), bounds[0], found)
        found = np.where(bucket == len(bounds) - 1, bounds[-2], found)
    return np.where((whole[-1] == 0) | np.isnan(share), np.nan, found)
