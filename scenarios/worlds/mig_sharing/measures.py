"""From the figures of all days to one value a measure; knows no anchor and no score."""

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
    trouble_answered,
)
from scenarios.worlds.contract import Figures


def _availability(*classes: str) -> Measure:
    def value(days: Sequence[Figures]) -> float | None:
        asked = sum(day["asked_h"][name] for day in days for name in classes)
        served = sum(day["served_h"][name] for day in days for name in classes)
        return 100.0 * served / asked if asked else None

    return value


def _gang_wait(days: Sequence[Figures]) -> float | None:
    """Over the gangs of all days together: a day has too few for a percentile of its own."""
    return percentile(sorted(wait for day in days for wait in day["gang_waits_h"]), 0.95)


def _training(days: Sequence[Figures]) -> float | None:
    possible = sum(day["training_possible_gpu_h"] for day in days)
    done = sum(day["training_done_gpu_h"] for day in days)
    return 100.0 * done / possible if possible else None


def _isolated(days: Sequence[Figures]) -> float | None:
    """Of what was asked for: a cluster that runs next to nothing keeps next to no promise.

    Only what keeps the rules is served, and never more of it than was wanted.
    """
    asked = sum(hours for day in days for hours in day["asked_h"].values())
    served = sum(hours for day in days for hours in day["served_h"].values())
    return 100.0 * served / asked if asked else None


def wrong_decisions(day: Figures) -> float:
    """Everything done too soon and every half hour in which something was left undone."""
    done = day["layout_flaps"] + day["services_cut_short"] + day["gangs_cut_short"]
    return float(done + sum(day["missed_half_hours"].values()))


def _charge(days: Sequence[Figures]) -> float | None:
    return mean_of([error for day in days for error in day["bill_errors_pct"]])


MEASURES: Mapping[str, Measure] = {
    "availability_critical": _availability("critical"),
    "availability_other": _availability("standard", "batch"),
    "gang_wait_p95": _gang_wait,
    "training_done": _training,
    "utilisation": mean_over(lambda day: float(day["used_pct"])),
    "isolation": _isolated,
    "wrong_decisions": mean_over(wrong_decisions),
    "charge_error": _charge,
    "incidents": trouble_answered,
}


def summary(day: Figures) -> dict[str, Any]:
    """The day's figures in short, for the evidence."""
    asked, served = day["asked_h"], day["served_h"]
    served_pct = {
        f"availability_{name}_pct": round(100.0 * served[name] / hours, 2)
        for name, hours in asked.items()
        if hours
    }
    wait = percentile(day["gang_waits_h"], 0.95)
    errors = mean_of(day["bill_errors_pct"])
    left_out = ("asked_h", "served_h", "gang_waits_h", "bill_errors_pct", "incidents")
    rest = {key: value for key, value in day.items() if key not in left_out}
    return {
        **served_pct,
        "gang_wait_p95_h": rounded(wait, 3),
        "charge_error_pct": rounded(errors, 3),
        **rounded(rest, 3),
        "incidents": incident_rows(day),
    }


def account(day: Figures) -> str:
    """One sentence about a day seen to its end."""
    asked, served = sum(day["asked_h"].values()), sum(day["served_h"].values())
    share = 100.0 * served / asked if asked else 0.0
    return (
        f"{share:.1f} % of the replica-hours that {day['services']} services asked for were served,"
        f" and {day['jobs_done']} of {day['jobs']} training jobs were finished."
    )
