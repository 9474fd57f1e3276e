"""Averages and percentiles as measures use them, and the one that every world has: trouble answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scenarios.worlds.contract import Figures

Measure = Callable[[Sequence[Figures]], float | None]


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


def mean_over(value: Callable[[Figures], float | None]) -> Measure:
    """A measure: the mean of a workload's value over all workloads."""
    return lambda spans: mean_of([value(span) for span in spans])


def trouble_answered(spans: Sequence[Figures]) -> float | None:
    """Percent of trouble answered in time: the mean over the kinds met.

    So much of one kind cannot hide another. A broken rule is a kind of its own, never answered.
    None if there was no trouble.
    """
    kinds: dict[str, list[bool]] = {}
    for span in spans:
        for _, kind, _, handled in span["incidents"]:
            kinds.setdefault(kind, []).append(handled)
        for _ in span["broken_rules"]:
            kinds.setdefault("broken rule", []).append(False)
    return mean_of([100.0 * sum(rows) / len(rows) for _, rows in sorted(kinds.items())])


def incident_rows(figures: Figures) -> list[dict[str, Any]]:
    """A workload's trouble for the evidence, with names for the columns."""
    return [
        dict(zip(("t", "kind", "subject", "handled"), row, strict=True))
        for row in figures["incidents"]
    ]


def rounded(value: Any, digits: int) -> Any:
    """A float, or every float in a list or a table of figures, to so many digits; others as they are."""
    if isinstance(value, float):
        return round(value, digits)
    if isinstance(value, dict):
        return {key: rounded(one, digits) for key, one in value.items()}
    return [rounded(one, digits) for one in value] if isinstance(value, list) else value
