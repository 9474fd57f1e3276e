"""The value of each measure from the raw figures of days; knows no anchor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scenarios.worlds.averages import mean_of, percentile
from scenarios.worlds.contract import Figures


def _wait(priority: int) -> Callable[[Sequence[Figures]], float | None]:
    return lambda days: mean_of([percentile(day["waits_min"][priority], 0.95) for day in days])


def _cost(days: Sequence[Figures]) -> float | None:
    return mean_of([day["spend_usd"] + day["overflow_usd"] for day in days])


def _scaling_errors(days: Sequence[Figures]) -> float | None:
    return mean_of([_wrong_decisions(day) for day in days])


def _wrong_decisions(day: Figures) -> float:
    return float(day["short_lived_nodes"] + day["missed_half_hours"] + day["idle_half_hours"])


def _misfit(days: Sequence[Figures]) -> float | None:
    return mean_of([day["misfit_gpu_h"] for day in days])


def _work_lost(days: Sequence[Figures]) -> float | None:
    return mean_of([day["lost_gpu_h"] + day["undone_gpu_h"] for day in days])


def _incidents(days: Sequence[Figures]) -> float | None:
    """Mean over the kinds of trouble met, so that much of one kind cannot hide another."""
    kinds: dict[str, list[bool]] = {}
    for day in days:
        for _, kind, _, handled in day["incidents"]:
            kinds.setdefault(kind, []).append(handled)
        for _ in day["broken_rules"]:
            kinds.setdefault("broken rule", []).append(False)
    return mean_of([100.0 * sum(rows) / len(rows) for rows in kinds.values()])


def _promises(days: Sequence[Figures]) -> float | None:
    """Mean over the tenants, so that a large one cannot hide a small one."""
    kept: dict[str, list[int]] = {}
    for day in days:
        for tenant, (good, due) in day.get("promises", {}).items():
            row = kept.setdefault(tenant, [0, 0])
            row[0] += good
            row[1] += due
    return mean_of([100.0 * good / due for good, due in kept.values() if due])


def _over_budget(days: Sequence[Figures]) -> float | None:
    return mean_of([day.get("over_budget_usd") for day in days])


MEASURES: Mapping[str, Callable[[Sequence[Figures]], float | None]] = {
    "wait_high_p95": _wait(0),
    "wait_normal_p95": _wait(1),
    "wait_low_p95": _wait(2),
    "cost": _cost,
    "misfit": _misfit,
    "scaling_errors": _scaling_errors,
    "work_lost": _work_lost,
    "incidents": _incidents,
    "promises": _promises,
    "over_budget": _over_budget,
}


def summary(figures: Figures) -> dict[str, Any]:
    """The day's raw figures in short: waits as percentiles, the rest as they are."""
    waits = {
        f"wait_{name}_p{round(100 * share)}_min": _rounded(percentile(values, share))
        for name, values in zip(("high", "normal", "low"), figures["waits_min"], strict=True)
        for share in (0.5, 0.95)
    }
    rest = {
        key: round(value, 4) if isinstance(value, float) else value
        for key, value in figures.items()
        if key not in ("waits_min", "incidents")
    }
    rows = figures["incidents"]
    incidents = [
        {"t": at, "kind": kind, "subject": subject, "handled": handled}
        for at, kind, subject, handled in rows
    ]
    return {**waits, **rest, "incidents": incidents}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def account(figures: Figures) -> str:
    """One sentence for a day seen to its end."""
    return f"{figures['jobs_done']} of {figures['jobs']} jobs were finished."
