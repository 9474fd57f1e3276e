"""From the figures of all workloads to one value for each measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scenarios.worlds.averages import mean_of, percentile
from scenarios.worlds.contract import Figures

Compute = Callable[[Sequence[Figures]], float | None]
RULE_COSTS = 3
"""A broken rule counts as three wrong decisions: somebody has to apologise for it."""


def _each(value: Callable[[Figures], float | None]) -> Compute:
    return lambda all_of_them: mean_of([value(figures) for figures in all_of_them])


def _minimum(figures: Figures) -> float | None:
    """Mean over the teams and, once more, the worst of them; an outside tenant counts twice."""
    known = {k: v for k, v in figures["minimum_met_pct"].items() if v is not None}
    if not known:
        return None
    weights = {name: 2 if name in figures["contract"] else 1 for name in known}
    total = sum(known[name] * weights[name] for name in known) + min(known.values())
    return float(total / (sum(weights.values()) + 1))


def _inference_wait(figures: Figures) -> float | None:
    return percentile(figures["inference_waits_min"], 0.95)


def _starvation(figures: Figures) -> float | None:
    """The worst team's 95th percentile, and the mean of all teams', half each."""
    waits = list(figures["training_wait_p95_h"].values())
    return (max(waits) + sum(waits) / len(waits)) / 2 if waits else None


def _misplaced(figures: Figures) -> float:
    return float(figures["misplaced_gpu_h"] / figures["days"])


def _unfair(figures: Figures) -> float | None:
    shared = figures["shared_gpu_h"]
    return 100.0 * figures["unfair_gpu_h"] / shared if shared else None


def _utilisation(figures: Figures) -> float | None:
    usable = figures["usable_gpu_h"]
    return 100.0 * figures["useful_gpu_h"] / usable if usable else None


def _waste(figures: Figures) -> float:
    return float((figures["idle_held_gpu_h"] + figures["thrown_away_gpu_h"]) / figures["days"])


def _decisions(figures: Figures) -> float:
    return float(
        figures["missed_blocks"]
        + figures["reversals"]
        + len(figures["lost_writes"])
        + RULE_COSTS * len(figures["broken_rules"])
    )


def _records(figures: Figures) -> float:
    """Two thirds the rows of the reports that are right, one third the templates published."""
    rows = figures["report_rows"]
    right = figures["report_rows_right"] / rows if rows else 0.0
    templates = len(figures["templates"]) / len(figures["templates_wanted"])
    return float(100.0 * (2 * right + templates) / 3)


MEASURES: Mapping[str, Compute] = {
    "minimum_met": _each(_minimum),
    "inference_wait": _each(_inference_wait),
    "misplaced": _each(_misplaced),
    "starvation": _each(_starvation),
    "unfairness": _each(_unfair),
    "utilisation": _each(_utilisation),
    "waste": _each(_waste),
    "decisions": _each(_decisions),
    "records": _each(_records),
}


def summary(figures: Figures) -> dict[str, Any]:
    """The quarter in short: waits as percentiles, everything else rounded."""
    waits = figures["inference_waits_min"]
    short = {
        key: round(value, 3) if isinstance(value, float) else value
        for key, value in figures.items()
        if key not in ("inference_waits_min", "thrown_away_by_gpu_h")
    }
    thrown = {k: round(v, 2) for k, v in figures["thrown_away_by_gpu_h"].items()}
    return {
        "inference_wait_p50_min": percentile(waits, 0.5),
        "inference_wait_p95_min": percentile(waits, 0.95),
        **short,
        "thrown_away_by_gpu_h": thrown,
    }


def account(figures: Figures) -> str:
    """One sentence for a quarter that was seen to its end."""
    done, jobs, broken = figures["jobs_done"], figures["jobs"], len(figures["broken_rules"])
    rules = "no rule was broken" if not broken else f"{broken} rules were broken"
    rules = "1 rule was broken" if broken == 1 else rules
    return f"{done:,} of {jobs:,} jobs were finished, and {rules}."
