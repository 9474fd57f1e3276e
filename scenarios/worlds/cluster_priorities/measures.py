"""The value of each measure from the raw figures of spans; knows no anchor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scenarios.worlds.averages import (
    Measure,
    incident_rows,
    mean_of,
    mean_over,
    percentile,
    rounded,
)
from scenarios.worlds.contract import Figures


def _deadlines(spans: Sequence[Figures]) -> float | None:
    """Over the deadlines of all spans together: one has too few."""
    return _percent([share for span in spans for share in span["on_time"]])


def _percent(shares: Sequence[float]) -> float | None:
    mean = mean_of(shares)
    return None if mean is None else 100.0 * mean


def _wait(share: float) -> Measure:
    return mean_over(lambda span: percentile(span["wait_min"], share))


def _progress(span: Figures) -> float | None:
    """The worst day of the worst-served team: starving for a day is not made up for."""
    return min(span["plan_pct"], default=None)


def total_cost(span: Figures) -> float:
    """USD for nodes, and for the work that is left and has to be bought elsewhere."""
    return float(span["spend_usd"] + span["left_over_usd"])


def wasted(span: Figures) -> float:
    """GPU-hours that did no lasting work: starting, saving, thrown away, and work never begun."""
    phases = span["phase_gpu_h"]
    held = phases["starting"] + phases["saving"]
    return float(held + span["lost_gpu_h"] + span["never_begun_gpu_h"])


def _undisturbed(spans: Sequence[Figures]) -> float | None:
    return _percent([float(kept) for span in spans for kept in span["undisturbed"]])


def _incidents(spans: Sequence[Figures]) -> float | None:
    """Mean over the kinds of trouble met, so that much of one kind cannot hide another."""
    kinds: dict[str, list[bool]] = {}
    for span in spans:
        for _, kind, _, handled in span["incidents"]:
            kinds.setdefault(kind, []).append(handled)
    if not kinds:
        return 0.0
    return mean_of([100.0 * sum(rows) / len(rows) for _, rows in sorted(kinds.items())])


MEASURES: Mapping[str, Measure] = {
    "deadlines": _deadlines,
    "wait_p50": _wait(0.5),
    "wait_p95": _wait(0.95),
    "progress": mean_over(_progress),
    "idle": mean_over(lambda span: float(span["idle_gpu_h"])),
    "cost": mean_over(total_cost),
    "agreement": mean_over(lambda span: float(span["out_of_agreement_h"])),
    "lost_work": mean_over(wasted),
    "undisturbed": _undisturbed,
    "incidents": _incidents,
}


def summary(figures: Figures) -> dict[str, Any]:
    """The span's raw figures in short, with trouble and broken rules by name."""
    numbers = {key: value for key, value in figures.items() if type(value) in (int, float)}
    return {
        "cost_usd": round(total_cost(figures), 2),
        "wasted_gpu_h": round(wasted(figures), 2),
        "wait_p50_min": rounded(percentile(figures["wait_min"], 0.5), 2),
        "wait_p95_min": rounded(percentile(figures["wait_min"], 0.95), 2),
        "deadlines_due": len(figures["on_time"]),
        "deadlines_met": sum(share == 1.0 for share in figures["on_time"]),
        "plan_pct_by_day": [round(share, 1) for share in figures["plan_pct"]],
        **rounded(numbers, 4),
        "phase_gpu_h": rounded(figures["phase_gpu_h"], 2),
        "broken_rules": [{"t": at, "rule": rule} for at, rule in figures["broken_rules"]],
        "incidents": incident_rows(figures),
    }


def account(figures: Figures) -> str:
    """One sentence for a span seen to its end."""
    met = sum(share == 1.0 for share in figures["on_time"])
    return (
        f"{figures['finished']} of {figures['workloads']} workloads were finished and {met} of"
        f" {len(figures['on_time'])} deadlines met."
    )
