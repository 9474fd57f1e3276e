"""The value of each measure from the raw figures of all workloads; knows no anchor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scenarios.worlds.contract import Figures


def _share(key: str) -> Callable[[Sequence[Figures]], float | None]:
    """Percent of all cases for which the key is true; a case without an answer is left out."""

    def compute(weeks: Sequence[Figures]) -> float | None:
        found = [case[key] for week in weeks for case in week["cases"] if case[key] is not None]
        return 100.0 * sum(found) / len(found) if found else 0.0

    return compute


def _delay(weeks: Sequence[Figures]) -> float | None:
    found = [case["delay_h"] for week in weeks for case in week["cases"]]
    return sum(found) / len(found) if found else 0.0


def _signal(weeks: Sequence[Figures]) -> float | None:
    """Percent of what people were bothered with that was worth it; 0 when nothing was said."""
    right = float(sum(week["alerts_right"] for week in weeks))
    noise = float(sum(week["noise"] for week in weeks))
    return 100.0 * right / (right + noise) if right + noise else 0.0


def _dashboard(weeks: Sequence[Figures]) -> float | None:
    return sum(float(week["dashboard_percent"]) for week in weeks) / len(weeks)


def _wasted(weeks: Sequence[Figures]) -> float | None:
    """GPU-hours wasted or destroyed for each hundred in service."""
    lost = sum(week["gpu_h_wasted"] + week["gpu_h_of_work_destroyed"] for week in weeks)
    return float(100.0 * lost / sum(week["gpu_h_in_service"] for week in weeks))


MEASURES: Mapping[str, Callable[[Sequence[Figures]], float | None]] = {
    "found": _share("in_time"),
    "delay": _delay,
    "signal": _signal,
    "causes": _share("cause_right"),
    "evidence": _share("evidence_right"),
    "closed": _share("closed_right"),
    "routing": _share("routed"),
    "dashboard": _dashboard,
    "wasted": _wasted,
}


def summary(figures: Figures) -> dict[str, Any]:
    """The figures in short: counts instead of the list of cases."""
    cases = figures["cases"]
    causes: dict[str, int] = {}
    for case in cases:
        causes[case["cause"]] = causes.get(case["cause"], 0) + 1
    rest = {
        key: round(value, 2) if isinstance(value, float) else value
        for key, value in figures.items()
        if key not in ("cases", "lost_writes")
    }
    return {
        "cases": len(cases),
        "cases_by_cause": dict(sorted(causes.items())),
        "cases_alerted_in_time": sum(case["in_time"] for case in cases),
        "cases_with_right_cause": sum(case["cause_right"] for case in cases),
        **rest,
    }


def account(figures: Figures) -> str:
    """One sentence for a run seen to its end."""
    cases = figures["cases"]
    found = sum(case["in_time"] for case in cases)
    wrong = figures["alerts_false"] + figures["alerts_repeated"]
    return f"{found} of {len(cases)} cases were alerted in time, {wrong} alerts were false or repeated."
