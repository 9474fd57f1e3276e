"""The measures of a year: what each is, its unit and which way is better."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scenarios.scaling.content import rows
from scenarios.scaling.months import own_delivered, unused
from scenarios.scaling.played import Played
from scenarios.scaling.scene import Scene


@dataclass(frozen=True, slots=True)
class Measure:
    """better: high or low. about: how it is computed, for those who read it."""

    key: str
    title: str
    unit: str
    better: str
    about: str = ""


MEASURES: Mapping[str, Measure] = {row["key"]: Measure(**row) for row in rows("measures")}


def measured(
    played: Played, months: Sequence[Mapping[str, Any]], classes: Mapping[str, Mapping[str, Any]]
) -> dict[str, float]:
    """Key -> value."""
    asked = sum(one["asked_gpu_hours"] for one in classes.values()) or 1.0
    delivered = sum(one["delivered_gpu_hours"] for one in classes.values())
    paid = sum(one.paid for one in played.tallies) or 1.0
    rented = sum(one.cloud_paid for one in played.tallies)
    idle = sum(unused(one) for one in played.tallies)
    cells = [one["met"] for month in months for one in month["classes"].values()]
    cost = sum(one.spent.running + one.spent.written_off for one in played.bills)
    hours = sum(one.hours for one in played.tallies) or 1
    borne = cost + broken_usd(played.scene, months) + beyond_usd(months)
    found = {
        "waits_met": 100 * sum(cells) / max(1, len(cells)),
        "wait_p50_h": _weighted(classes, "wait_p50_h", asked),
        "wait_p95_h": _weighted(classes, "wait_p95_h", asked),
        "delivered": min(100.0, 100 * delivered / asked),
        "utilisation": 100 * sum(own_delivered(one) for one in played.tallies) / paid,
        "months_over": float(sum(bool(one["over"]) for one in months)),
        "saturated": 100 * sum(one.any_full for one in played.tallies) / hours,
        "unused": 100 * idle / (paid + rented),
        "usd_per_gpu_hour": cost / max(1.0, delivered),
        "year_usd": borne / max(1.0, asked),
    }
    return {key: round(value, 4) if math.isfinite(value) else 0.0 for key, value in found.items()}


def broken_usd(scene: Scene, months: Sequence[Mapping[str, Any]]) -> float:
    """What the company loses by GPU-hours that came later than promised, USD."""
    price = {one.job_class: one.late_usd for one in scene.work}
    return float(
        sum(
            price[name] * one["late_gpu_hours"]
            for month in months
            for name, one in month["classes"].items()
        )
    )


def beyond_usd(months: Sequence[Mapping[str, Any]]) -> float:
    """USD beyond the budgets, quarter by quarter: they are taken from others, and count once more."""
    last = {month["quarter"]: month["money"] for month in months}
    return float(
        sum(
            max(0.0, -money[key])
            for money in last.values()
            for key in ("capex_left_usd", "opex_left_usd")
        )
    )


def _weighted(classes: Mapping[str, Mapping[str, Any]], key: str, asked: float) -> float:
    return float(sum(one[key] * one["asked_gpu_hours"] for one in classes.values()) / asked)
