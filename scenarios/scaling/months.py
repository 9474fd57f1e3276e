"""The rows of a year: a month, and a class over the year, with every figure that is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from scenarios.scaling.budget import Bill
from scenarios.scaling.estate import Standing
from scenarios.scaling.played import Played
from scenarios.scaling.scene import Work
from scenarios.scaling.tally import Counted, Tally


def quantiles(rows: Iterable[tuple[float, float]], *parts: float) -> list[float]:
    """Of (value, weight), for each part: the smallest value that so much of the weight does not exceed; 0 for
    none.
    """
    ordered = sorted(rows)
    if not ordered:
        return [0.0] * len(parts)
    values, weights = zip(*ordered, strict=True)
    total = sum(weights)
    if weights.count(1.0) == len(weights):
        return [_counted(values, part * total) for part in parts]
    return [_weighed(ordered, part * total) for part in parts]


def _counted(values: Sequence[float], left: float) -> float:
    """The first value but for which less than so many would be reached."""
    place = max(1, int(left))
    return values[min(place + (left - place > ALMOST), len(values)) - 1]


def _weighed(ordered: Sequence[tuple[float, float]], left: float) -> float:
    for value, weight in ordered:
        left -= weight
        if left <= ALMOST:
            return value
    return ordered[-1][0]


ALMOST = 1e-9
"""Weight that sums of parts may miss."""


def month_rows(played: Played) -> list[dict[str, Any]]:
    """One row for each month."""
    return [
        _month(played, index, tally, played.bills[index])
        for index, tally in enumerate(played.tallies)
    ]


def _month(played: Played, index: int, tally: Tally, bill: Bill) -> dict[str, Any]:
    month, standing = played.scene.months[index], played.stands[index]
    classes = {one.job_class: _class(one, tally.of(one.job_class)) for one in played.scene.work}
    delivered = sum(one["delivered_gpu_hours"] for one in classes.values())
    asked = sum(one["asked_gpu_hours"] for one in classes.values())
    late = sum(one.late_usd * classes[one.job_class]["late_gpu_hours"] for one in played.scene.work)
    cost = bill.spent.running + bill.spent.written_off
    return {
        "month": month.name,
        "quarter": month.quarter,
        "classes": classes,
        "asked_gpu_hours": round(asked, 1),
        "delivered_gpu_hours": round(delivered, 1),
        "own": _own(tally),
        "cloud": _cloud(tally),
        "sites": {
            there.place.site.name: _site(there, tally, site) for site, there in enumerate(standing)
        },
        "storage_full_percent": _percent(max(one.storage_full for one in tally.sites), tally.hours),
        "spine_full_percent": _percent(max(one.spine_full for one in tally.sites), tally.hours),
        "saturated_percent": _percent(tally.any_full, tally.hours),
        "link_full_percent": _percent(tally.link_full, tally.hours),
        "failures": tally.failures,
        "money": _money(bill),
        "unused_gpu_hours": round(unused(tally), 1),
        "unused_nodes": sum(one.unused for one in standing),
        "over": over(standing, bill),
        "usd_per_gpu_hour": round(cost / delivered, 4) if delivered > 1 else 0.0,
        "late_usd": round(late, 2),
        "year_usd": round((cost + late) / max(1.0, asked), 4),
    }


def unused(tally: Tally) -> float:
    """GPU-hours paid for that nobody could use, or committed to and left: nodes that lack power, ports or a
    rack, and reserved GPUs on which nothing lay."""
    return max(0.0, tally.paid - tally.placed) + max(0.0, tally.committed - tally.committed_held)


def over(standing: Sequence[Standing], bill: Bill) -> list[str]:
    """What of budget, power, ports and racks is exceeded."""
    found = []
    if bill.capex_left < -0.5:
        found.append("capex")
    if bill.opex_left < -0.5:
        found.append("opex")
    lacks = {group.lacks for there in standing for group in there.groups if group.lacks}
    if any(there.switches_off for there in standing):
        lacks.add("power")
    found += sorted(lacks)
    if any(there.storage_uncabled_tb > 0 for there in standing):
        found.append("storage")
    return found


def _class(work: Work, counted: Counted) -> dict[str, Any]:
    p50, p95 = quantiles(counted.waits, 0.5, 0.95)
    delivered = counted.own + counted.cloud
    return {
        "wait_p50_h": round(p50, 3),
        "wait_p95_h": round(p95, 3),
        "wait_target_h": work.wait_target_h,
        "met": bool(p95 <= work.wait_target_h),
        "late_gpu_hours": round(_late(work, counted), 1),
        "asked_gpu_hours": round(counted.asked, 1),
        "delivered_gpu_hours": round(max(0.0, delivered), 1),
        "cloud_gpu_hours": round(counted.cloud, 1),
        "lost_gpu_hours": round(counted.lost, 1),
        "withdrawn_gpu_hours": round(counted.withdrawn, 1),
        "slowed_percent": _percent(counted.stretched, counted.at_work),
        "blocked_hours": {name: counted.blocked[name] for name in sorted(counted.blocked)},
    }


def _late(work: Work, counted: Counted) -> float:
    """GPU-hours asked for that were not served at once, or by jobs that waited longer than promised."""
    if work.steady:
        return sum(part * asked for part, asked in counted.waits)
    late = sum(weight for wait, weight in counted.waits if wait > work.wait_target_h)
    return counted.asked * late / max(1.0, sum(weight for _, weight in counted.waits))


def _own(tally: Tally) -> dict[str, Any]:
    return {
        "paid_gpu_hours": round(tally.paid, 1),
        "working_gpu_hours": round(tally.working, 1),
        "held_gpu_hours": round(tally.held, 1),
        "idle_held_gpu_hours": round(tally.idle, 1),
        "allocated_percent": _percent(tally.held, tally.paid),
        "utilisation_percent": _percent(own_delivered(tally), tally.paid),
        "stranded_gpus": round(tally.stranded / max(1, tally.hours), 2),
    }


def own_delivered(tally: Tally) -> float:
    """GPU-hours of own GPUs that did work, without time lost on full storage or network."""
    slowed = sum(one.stretched for one in tally.classes.values())
    return max(0.0, tally.useful - slowed)


def _cloud(tally: Tally) -> dict[str, Any]:
    return {
        "paid_gpu_hours": round(tally.cloud_paid, 1),
        "used_gpu_hours": round(tally.cloud_held, 1),
        "utilisation_percent": _percent(tally.cloud_held, tally.cloud_paid),
    }


def _site(there: Standing, tally: Tally, site: int) -> dict[str, Any]:
    counted = tally.sites[site]
    return {
        "nodes": there.nodes,
        "gpus": there.gpus,
        "unused_nodes": there.unused,
        "power_kw": round(there.power_kw, 1),
        "power_limit_kw": round(there.power_limit_kw, 1),
        "drawn_kw": round(counted.kwh / max(1, tally.hours), 1),
        "peak_kw": round(counted.peak_kw, 1),
        "storage_load_percent": _percent(counted.storage, tally.hours),
        "spine_load_percent": _percent(counted.spine, tally.hours),
        "storage_full_percent": _percent(counted.storage_full, tally.hours),
        "spine_full_percent": _percent(counted.spine_full, tally.hours),
    }


def _money(bill: Bill) -> dict[str, Any]:
    return {
        "capex_usd": round(bill.spent.capex, 2),
        "opex_usd": round(bill.spent.running, 2),
        "written_off_usd": round(bill.spent.written_off, 2),
        "capex_left_usd": round(bill.capex_left, 2),
        "opex_left_usd": round(bill.opex_left, 2),
        "parts": {name: round(value, 2) for name, value in bill.spent.opex.items()},
    }


def _percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 2) if whole > 0 else 0.0


def class_rows(played: Played, months: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Class -> its figures over the year."""
    found = {}
    for work in played.scene.work:
        rows = [one["classes"][work.job_class] for one in months]
        waits = chain.from_iterable(tally.of(work.job_class).waits for tally in played.tallies)
        p50, p95 = quantiles(waits, 0.5, 0.95)
        asked = sum(one["asked_gpu_hours"] for one in rows)
        delivered = sum(one["delivered_gpu_hours"] for one in rows)
        found[work.job_class] = {
            "title": work.title,
            "wait_p50_h": round(p50, 3),
            "wait_p95_h": round(p95, 3),
            "wait_target_h": work.wait_target_h,
            "months_met": sum(one["met"] for one in rows),
            "asked_gpu_hours": round(asked, 1),
            "delivered_gpu_hours": round(delivered, 1),
            "cloud_gpu_hours": round(sum(one["cloud_gpu_hours"] for one in rows), 1),
            "delivered_percent": min(100.0, _percent(delivered, asked)),
        }
    return found
