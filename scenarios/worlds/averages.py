"""Averages and percentiles as measures use them."""

from __future__ import annotations

from collections.abc import Sequence


def percentile(values: Sequence[float], share: float) -> float | None:
    """Nearest-rank percentile of sorted values, `share` 0 to 1; None if there are none."""
    if not values:
        return None
    rank = max(1, -int(-share * len(values) // 1))
    return values[min(rank, len(values)) - 1]


def mean_of(values: Sequence[float | None]) -> float | None:
    """Mean of the values that are known; None if none is."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
