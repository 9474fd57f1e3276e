"""The value of each measure from the raw figures of workloads; knows no anchor."""

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


def total_cost(week: Figures) -> float:
    """USD for nodes and transfers, for what had to be bought elsewhere, and for being late."""
    return float(week["spend_usd"] + week["left_over_usd"] + week["penalty_usd"])


def saving_pct(week: Figures) -> float:
    """Share of the saving asked for against on demand that was reached, 0 to 100."""
    asked = week["ondemand_usd"] - week["goal_usd"]
    reached = (week["ondemand_usd"] - total_cost(week)) / asked
    return float(100 * min(1.0, max(0.0, reached)))


def goodput_pct(week: Figures) -> float:
    """GPU time of the steps that count, as a share of all GPU time that was paid for."""
    paid = sum(week["phase_gpu_h"].values())
    return float(100 * week["useful_gpu_h"] / paid) if paid else 0.0


def bought(week: Figures) -> float:
    """GPU-hours of the steps that count for 100 USD of the week's whole cost.

    What had to be bought elsewhere is in the cost, so that a few cheap hours and nothing more
    are no bargain.
    """
    cost = total_cost(week)
    return float(100 * week["useful_gpu_h"] / cost) if cost else 0.0


def _resume_p95(weeks: Sequence[Figures]) -> float | None:
    """Over the interruptions of all workloads together: one has too few for a percentile of its own."""
    return percentile(sorted(minutes for week in weeks for minutes in week["resume_min"]), 0.95)


def _right_resumes(weeks: Sequence[Figures]) -> float | None:
    """Share of all launches that loaded something; a program that never launched got none right."""
    right = sum(week["right_resumes"] for week in weeks)
    wrong = sum(len(week["wrong_resumes"]) for week in weeks)
    return 100.0 * right / (right + wrong) if right + wrong else 0.0


def _proof(weeks: Sequence[Figures]) -> float | None:
    """A program that never resumed has proven nothing, unless it never had to."""
    due = sum(week["proofs_due"] for week in weeks)
    if due:
        return float(100 * sum(week["proofs_true"] for week in weeks) / due)
    done = all(week["finished"] == week["trainings"] for week in weeks)
    return 100.0 if done else 0.0


MEASURES: Mapping[str, Measure] = {
    # a deadline that is met is met: being done earlier earns nothing more
    "late": mean_over(lambda week: mean_of(week["hours_late"])),
    "cost": mean_over(total_cost),
    "saving": mean_over(saving_pct),
    "lost_work": mean_over(lambda week: float(week["lost_gpu_h"] + week["missing_gpu_h"])),
    "goodput": mean_over(bought),
    "resume_p95": _resume_p95,
    "right_resumes": _right_resumes,
    "proof": _proof,
    "store_hours": mean_over(lambda week: float(week["store_out_of_order_h"])),
    "incidents": lambda weeks: trouble_answered(weeks) or 0.0,
}


def summary(figures: Figures) -> dict[str, Any]:
    """The workload's raw figures in short: stops as percentiles, trouble as rows with names."""
    plain = {key: value for key, value in figures.items() if type(value) in (int, float)}
    waits = figures["resume_min"]
    short = {
        "cost_usd": total_cost(figures),
        "share_of_ondemand_pct": 100 * total_cost(figures) / figures["ondemand_usd"],
        "saving_reached_pct": saving_pct(figures),
        "useful_gpu_h_per_100_usd": bought(figures),
        "goodput_pct": goodput_pct(figures),
        "resume_p50_min": percentile(waits, 0.5),
        "resume_p95_min": percentile(waits, 0.95),
        "interruptions": len(waits),
    }
    lists = {key: figures[key] for key in ("finish_h", "hours_late", "phase_gpu_h")}
    return {
        **rounded(short, 2),
        **rounded(plain, 4),
        "on_time_pct": figures["on_time_pct"],
        **rounded(lists, 2),
        "wrong_resumes": [{"t": at, "what": what} for at, what in figures["wrong_resumes"]],
        "broken_rules": [{"t": at, "rule": rule} for at, rule in figures["broken_rules"]],
        "incidents": incident_rows(figures),
    }


def account(figures: Figures) -> str:
    """One sentence for a workload seen to its end."""
    share = 100 * total_cost(figures) / figures["ondemand_usd"]
    done, of = figures["finished"], figures["trainings"]
    if of == 1:
        state = "The training was finished" if done else "The training was not finished"
    else:
        state = f"{done} of {of} trainings were finished"
    return f"{state} for {share:.0f} % of the on-demand price."
