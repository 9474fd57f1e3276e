"""The value of each measure from the raw figures of workloads; knows no anchor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scenarios.worlds.averages import mean_of, percentile
from scenarios.worlds.contract import Figures


def _late(weeks: Sequence[Figures]) -> float | None:
    """A deadline that is met is met: being done earlier earns nothing more."""
    return mean_of([mean_of(week["hours_late"]) for week in weeks])


def total_cost(week: Figures) -> float:
    """USD for nodes and transfers, for what had to be bought elsewhere, and for being late."""
    return float(week["spend_usd"] + week["left_over_usd"] + week["penalty_usd"])


def _cost(weeks: Sequence[Figures]) -> float | None:
    return mean_of([total_cost(week) for week in weeks])


def saving_pct(week: Figures) -> float:
    """Share of the saving asked for against on demand that was reached, 0 to 100."""
    asked = week["ondemand_usd"] - week["goal_usd"]
    reached = (week["ondemand_usd"] - total_cost(week)) / asked
    return float(100 * min(1.0, max(0.0, reached)))


def _saving(weeks: Sequence[Figures]) -> float | None:
    return mean_of([saving_pct(week) for week in weeks])


def _lost_work(weeks: Sequence[Figures]) -> float | None:
    return mean_of([week["lost_gpu_h"] + week["missing_gpu_h"] for week in weeks])


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


def _goodput(weeks: Sequence[Figures]) -> float | None:
    return mean_of([bought(week) for week in weeks])


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


def _store_hours(weeks: Sequence[Figures]) -> float | None:
    return mean_of([week["store_out_of_order_h"] for week in weeks])


def _incidents(weeks: Sequence[Figures]) -> float | None:
    """Mean over the kinds of trouble met, so that much of one kind cannot hide another."""
    kinds: dict[str, list[bool]] = {}
    for week in weeks:
        for _, kind, _, handled in week["incidents"]:
            kinds.setdefault(kind, []).append(handled)
        for _ in week["broken_rules"]:
            kinds.setdefault("broken rule", []).append(False)
    if not kinds:
        return 0.0
    return mean_of([100.0 * sum(rows) / len(rows) for _, rows in sorted(kinds.items())])


MEASURES: Mapping[str, Callable[[Sequence[Figures]], float | None]] = {
    "late": _late,
    "cost": _cost,
    "saving": _saving,
    "lost_work": _lost_work,
    "goodput": _goodput,
    "resume_p95": _resume_p95,
    "right_resumes": _right_resumes,
    "proof": _proof,
    "store_hours": _store_hours,
    "incidents": _incidents,
}


def summary(figures: Figures) -> dict[str, Any]:
    """The workload's raw figures in short: stops as percentiles, trouble as rows with names."""
    rest = {
        key: round(value, 4) if isinstance(value, float) else value
        for key, value in figures.items()
        if type(value) in (int, float)
    }
    return {
        "cost_usd": round(total_cost(figures), 2),
        "share_of_ondemand_pct": round(100 * total_cost(figures) / figures["ondemand_usd"], 2),
        "saving_reached_pct": round(saving_pct(figures), 2),
        "useful_gpu_h_per_100_usd": round(bought(figures), 2),
        "goodput_pct": round(goodput_pct(figures), 2),
        "resume_p50_min": _rounded(percentile(figures["resume_min"], 0.5)),
        "resume_p95_min": _rounded(percentile(figures["resume_min"], 0.95)),
        "interruptions": len(figures["resume_min"]),
        **rest,
        "on_time_pct": figures["on_time_pct"],
        "finish_h": [round(hours, 2) for hours in figures["finish_h"]],
        "hours_late": [round(hours, 2) for hours in figures["hours_late"]],
        "phase_gpu_h": {key: round(value, 2) for key, value in figures["phase_gpu_h"].items()},
        "wrong_resumes": [{"t": at, "what": what} for at, what in figures["wrong_resumes"]],
        "broken_rules": [{"t": at, "rule": rule} for at, rule in figures["broken_rules"]],
        "incidents": [
            {"t": at, "kind": kind, "subject": subject, "handled": handled}
            for at, kind, subject, handled in figures["incidents"]
        ],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def account(figures: Figures) -> str:
    """One sentence for a workload seen to its end."""
    share = 100 * total_cost(figures) / figures["ondemand_usd"]
    done, of = figures["finished"], figures["trainings"]
    if of == 1:
        state = "The training was finished" if done else "The training was not finished"
    else:
        state = f"{done} of {of} trainings were finished"
    return f"{state} for {share:.0f} % of the on-demand price."
