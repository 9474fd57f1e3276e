"""What is measured over several periods, from their figures; knows no anchor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scenarios.worlds.averages import mean_of, percentile
from scenarios.worlds.cloud_bursting.workload import PRIORITIES
from scenarios.worlds.contract import Figures

WEIGHTS = {"residency": 5.0}
"""A broken rule counts as one wrong decision; data that left where it may not counts as five."""


def _wait(priority: int) -> Callable[[Sequence[Figures]], float | None]:
    return lambda runs: mean_of([percentile(one["waits_min"][priority], 0.95) for one in runs])


def _cost(runs: Sequence[Figures]) -> float | None:
    return mean_of([one["compute_usd"] + one["transfer_usd"] + one["overflow_usd"] for one in runs])


def _decisions(runs: Sequence[Figures]) -> float | None:
    """Percent of burst decisions that were right, all periods together."""
    right = sum(one["right_bursts"] for one in runs)
    wrong = sum(one["missed_bursts"] for one in runs)
    for one in runs:
        wrong += sum(WEIGHTS.get(rule, 1.0) for _, rule, _ in one["broken_rules"])
    return 100.0 * right / (right + wrong) if right + wrong else None


def _share(part: str, whole: str) -> Callable[[Sequence[Figures]], float | None]:
    def percent(runs: Sequence[Figures]) -> float | None:
        return mean_of([100.0 * one[part] / one[whole] if one[whole] else None for one in runs])

    return percent


def _waste(runs: Sequence[Figures]) -> float | None:
    return mean_of([one["lost_gpu_h"] + one["hung_gpu_h"] + one["idle_gpu_h"] for one in runs])


def _incidents(runs: Sequence[Figures]) -> float | None:
    """Mean over the kinds of trouble met, so that much of one kind cannot hide another."""
    kinds: dict[str, list[bool]] = {}
    for one in runs:
        for _, kind, _, handled in one["incidents"]:
            kinds.setdefault(kind, []).append(handled)
        for _ in one["broken_rules"]:
            kinds.setdefault("broken rule", []).append(False)
    return mean_of([100.0 * sum(rows) / len(rows) for rows in kinds.values()])


MEASURES: Mapping[str, Callable[[Sequence[Figures]], float | None]] = {
    "wait_high_p95": _wait(0),
    "wait_normal_p95": _wait(1),
    "wait_low_p95": _wait(2),
    "cost": _cost,
    "decisions": _decisions,
    "states": _share("true_states", "state_checks"),
    "logs": _share("log_lines_collected", "log_lines"),
    "waste": _waste,
    "incidents": _incidents,
}


def summary(figures: Figures) -> dict[str, Any]:
    """The figures in short."""
    rules: dict[str, int] = {}
    for _, rule, _ in figures["broken_rules"]:
        rules[rule] = rules.get(rule, 0) + 1
    plain = tuple(
        (
            "compute_usd transfer_usd overflow_usd left_over_gpu_h lost_gpu_h hung_gpu_h idle_gpu_h "
            "bursts right_bursts missed_bursts jobs jobs_done calls_refused_by_rate"
        ).split()
    )
    short = {key: round(figures[key], 2) for key in plain}
    incidents = [
        {"t": at, "kind": kind, "subject": subject, "handled": handled}
        for at, kind, subject, handled in figures["incidents"]
    ]
    return {**_waits(figures), **short, "broken_rules": rules, "incidents": incidents}


def _waits(figures: Figures) -> dict[str, float]:
    """Waits as percentiles, in minutes."""
    found = {}
    for name, values in zip(PRIORITIES, figures["waits_min"], strict=True):
        for share in (0.5, 0.95):
            value = percentile(values, share)
            if value is not None:
                found[f"wait_{name}_p{round(100 * share)}_min"] = round(value, 2)
    return found


def account(figures: Figures) -> str:
    """One sentence about a period seen to its end."""
    broken = len(figures["broken_rules"])
    rules = "no rule was broken" if not broken else f"rules were broken {broken} times"
    return (
        f"{figures['jobs_done']} of {figures['jobs']} jobs were finished, {figures['bursts']} runs"
        f" were placed in remote clouds and {rules}."
    )
