"""Figures that an answer stands for, held against what its plan comes to in the hidden years."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graders.scaling.findings import Finding, sheet_id
from graders.scaling.playing import play_median, unchanged
from graders.scaling.tables import table
from scenarios.scaling.assumptions import MONTH_H
from scenarios.scaling.items import items
from scenarios.scaling.plan import Plan
from scenarios.scaling.scene import Scene

Json = dict[str, Any]
OWN_RUNNING = 1 / 3
"""Running costs of an own GPU over the rent of one on demand, near the domain handbook's 2.9."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A figure that can be claimed, as `claims.toml` has it and says of each field."""

    title: str
    unit: str
    low: bool
    slack: float
    least: float
    careful: float = 0.0
    over: float = 1.0
    label: str = "(?!)"


STATED: Mapping[str, Stated] = {name: Stated(**row) for name, row in table("claims").items()}


def _money(name: str) -> Callable[[Json], float]:
    return lambda year: float(sum(month["money"][name] for month in year["months"]))


OF_YEAR: Mapping[str, Callable[[Json], float]] = {
    "capex_usd": _money("capex_usd"),
    "opex_usd": _money("opex_usd"),
    "cloud_usd": lambda year: float(
        sum(month["money"]["parts"]["cloud"] for month in year["months"])
    ),
    "wait_p95_h": lambda year: float(year["measures"]["wait_p95_h"]),
    "gpu_hours": lambda year: float(sum(month["delivered_gpu_hours"] for month in year["months"])),
}
"""Figure -> its value in a year of `Year.to_dict`."""


def expected_claims(scene: Scene, plan: Plan) -> dict[str, float]:
    """What somebody may claim who ran the plan over the expected year and takes a little off."""
    year = play_median(scene, plan)
    found = {
        name: round(about.careful * OF_YEAR[name](year), 1 if about.unit == "h" else 0)
        for name, about in STATED.items()
        if about.careful
    }
    months = against_renting(scene, plan, found["capex_usd"])
    if months:
        found["payback_months"] = round(months, 1)
    return {name: float(value) for name, value in found.items()}


def _bought(scene: Scene, plan: Plan) -> float:
    """GPUs of all nodes ordered."""
    known = items(scene)
    return float(
        sum(known[one.item].gpus * one.count for one in plan.purchases if one.item in known)
    )


def against_renting(scene: Scene, plan: Plan, capex: float) -> float:
    """Months until the orders cost less than renting as many GPUs on demand; 0 where no GPUs are bought.

    What is saved is the rent without the running costs of own GPUs.
    """
    hourly = _rent(scene) * (1 - OWN_RUNNING)
    gpus = _bought(scene, plan)
    return capex / (gpus * MONTH_H * hourly) if gpus else 0.0


def soonest(scene: Scene, plan: Plan, capex: float) -> float:
    """The shortest payback that can be argued: every GPU-hour that is bought, and every one that the present
    cluster loses or does not deliver, replaces one on demand, and running costs are nothing."""
    year = unchanged(scene.profile, scene.level, scene.seed)
    lost = [_lost(month) for month in year["months"]]
    hours = _bought(scene, plan) * MONTH_H + max(lost)
    return capex / (hours * _rent(scene)) if hours > 0 else 0.0


def _rent(scene: Scene) -> float:
    """USD of a GPU-hour on demand, where it is dearest."""
    known = [one.usd for one in scene.rents if one.kind == "on_demand"]
    return max(known, default=scene.profile.price_book.on_demand_gpu_hour)


def _lost(month: Json) -> float:
    """GPU-hours of a month that were held idle, stood scattered, were slowed down, or were not delivered."""
    own = month["own"]
    found = own["idle_held_gpu_hours"] + own["stranded_gpus"] * MONTH_H
    for one in month["classes"].values():
        found += one["delivered_gpu_hours"] * one["slowed_percent"] / 100
        found += max(0.0, one["asked_gpu_hours"] - one["delivered_gpu_hours"])
    return float(found)


def claimed(scene: Scene, plan: Plan, years: Sequence[Json]) -> tuple[list[Json], list[Finding]]:
    """Rows of evidence for every claim that is known, and a finding for each that is too good.

    years: the hidden ones. The expected year counts as well: nobody claims too much who repeats a what-if.
    """
    rows: list[Json] = []
    found: list[Finding] = []
    if not any(_all(plan)):
        return rows, found
    years = [play_median(scene, plan), *years]
    for part, given, name, value in _all(plan):
        low, mean, high = _range(scene, plan, years, name)
        about = STATED[name]
        state = _state(about, value, low, high)
        rows.append(
            {
                "kind": "claim",
                "part": part,
                "id": given,
                "name": name,
                "title": about.title,
                "unit": about.unit,
                "claimed": round(value, 4),
                "low": round(low, 4),
                "mean": round(mean, 4),
                "high": round(high, 4),
                "state": state,
            }
        )
        if state == "too_good":
            figures = (("Claimed", value, about.unit), ("Played, mean", mean, about.unit))
            text = _text(about, name, value, low, high)
            found.append(Finding("over_claim", text, ((part, given),), figures=figures))
    return rows, found


def _all(plan: Plan) -> Iterator[tuple[str, str, str, float]]:
    """(part, id, figure, claimed value) of claims, and of rows of the sheet that say what they are."""
    for name, value in plan.claims.items():
        if name in STATED:
            yield "claims", name, name, float(value)
    for row in plan.sheet:
        label = str(row.get("label", "")).strip()
        name = next(
            (key for key, one in STATED.items() if re.fullmatch(one.label, label, re.I)), ""
        )
        total = _total(row.get("values"))
        if name and total:
            yield "sheet", sheet_id(plan.sheet, row), name, total


def _total(values: object) -> float | None:
    """The year's total of a row of the sheet: its thirteenth value, or the sum of its months."""
    if not isinstance(values, (list, tuple)):
        return None
    numbers = [float(one) if isinstance(one, (int, float)) else None for one in values[:13]]
    if len(numbers) == 13 and numbers[12] is not None:
        return numbers[12]
    months = [one for one in numbers[:12] if one is not None]
    return sum(months) if len(months) == 12 else None


def _range(
    scene: Scene, plan: Plan, years: Sequence[Json], name: str
) -> tuple[float, float, float]:
    """Least, mean and most of the figure over the years."""
    if name == "payback_months":
        capex = min(OF_YEAR["capex_usd"](year) for year in years)
        least = soonest(scene, plan, capex)
        likely = against_renting(scene, plan, capex)
        return least, max(likely, least), max(likely, least)
    values = [OF_YEAR[name](year) for year in years]
    return min(values), statistics.fmean(values), max(values)


def _state(about: Stated, value: float, low: float, high: float) -> str:
    """too_good, careful (worse than in every year), or within."""
    best, worst = (low, high) if about.low else (high, low)
    sign = 1.0 if about.low else -1.0
    if sign * (best - value) > max(about.slack * abs(best), about.least):
        return "too_good"
    if sign * (value - worst) > max(about.slack * abs(worst), about.least):
        return "careful"
    return "within"


def _text(about: Stated, name: str, value: float, low: float, high: float) -> str:
    said = f"{about.title}: {_said(value, about.unit)} is claimed; "
    if name == "payback_months":
        return (
            f"{said}even if every GPU-hour that is bought, and every one that the cluster loses today, took the"
            f" place of one rented on demand, it would be more than {_said(low, about.unit)}."
        )
    if _said(low, about.unit) == _said(high, about.unit):
        return f"{said}the plan comes to {_said(low, about.unit)}."
    return (
        f"{said}the plan comes to {_said(low, '')} to {_said(high, about.unit)} in the expected and the"
        " hidden years."
    )


def _said(value: float, unit: str) -> str:
    digits = 1 if abs(value) < 100 else 0
    return f"{value:,.{digits}f} {unit}".strip()
