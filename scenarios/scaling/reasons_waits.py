"""Why work waited: what the first of a queue stood for, what slowed it, and what had not arrived."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scenarios.scaling.content import content
from scenarios.scaling.played import Played
from scenarios.scaling.scene import Work
from scenarios.scaling.wording import amount

BLOCKED: Mapping[str, str] = content("reasons")["blocked"]
LEAST_H = 5
"""Hours of a reason below which it is not told."""


def row(
    figure: str, month: str, text: str, parts: list[list[Any]], job_class: str = ""
) -> dict[str, Any]:
    """One row of the reasons."""
    return {"figure": figure, "month": month, "job_class": job_class, "text": text, "parts": parts}


def waits(
    played: Played, months: Sequence[Mapping[str, Any]], measures: Mapping[str, float]
) -> Iterator[dict[str, Any]]:
    """Rows for waits_met, wait_p50_h and wait_p95_h: by class and month, by class, and of the year."""
    for work in played.scene.work:
        for index, month in enumerate(months):
            yield _month(played, work, index, month)
        yield from _class(work, months)
    yield from _year(played, months, measures)


def _month(played: Played, work: Work, index: int, month: Mapping[str, Any]) -> dict[str, Any]:
    one = month["classes"][work.job_class]
    name, p95 = month["month"], one["wait_p95_h"]
    promise = f"{work.wait_target_h:g} h promised"
    what = "How late serving answers at p95" if work.steady else f"p95 wait of {work.title.lower()}"
    text = f"{what} in {name}: {p95:.1f} h, {promise}."
    text += (
        f" Asked for {amount(one['asked_gpu_hours'])} GPU-hours, delivered "
        f"{amount(one['delivered_gpu_hours'])}."
    )
    parts: list[list[Any]] = [
        ["p50", one["wait_p50_h"], "h"],
        ["p95", p95, "h"],
        ["Promised", work.wait_target_h, "h"],
        ["Asked for", one["asked_gpu_hours"], "GPU-hours"],
        ["Delivered", one["delivered_gpu_hours"], "GPU-hours"],
    ]
    told = []
    for key, hours in sorted(one["blocked_hours"].items(), key=lambda pair: (-pair[1], pair[0])):
        parts.append([f"A queue stood because {BLOCKED[key]}", hours, "queue-hours"])
        if hours >= LEAST_H:
            told.append(BLOCKED[key])
    if told:
        text += " Queues stood because " + "; also because ".join(told[:2]) + "."
    if one["slowed_percent"] >= 1:
        text += f" Full storage or network made its jobs {one['slowed_percent']:.0f} % slower."
    parts.append(["Slower for full storage or network", one["slowed_percent"], "%"])
    held = month["own"]["idle_held_gpu_hours"]
    parts.append(["Held by sessions that did nothing", held, "GPU-hours"])
    if not one["met"]:
        text += _coming(played, index, parts)
    return row("wait_p95_h", name, text, parts, work.job_class)


def _coming(played: Played, index: int, parts: list[list[Any]]) -> str:
    """Nodes that are ordered and not there yet."""
    found = ""
    for order in played.made:
        if order.item.kind == "node" and order.ordered <= index < order.arrives:
            when = (
                f"in use from {played.scene.months[order.arrives].name}"
                if order.in_year
                else "after the year"
            )
            found += f" {order.item.quantity(order.row.count)} of order {order.row.id} not there yet: {when}."
            parts.append([f"Order {order.row.id}, {when}", order.row.count, "nodes"])
    return found


def _class(work: Work, months: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    rows = [(one["month"], one["classes"][work.job_class]) for one in months]
    missed = [name for name, one in rows if not one["met"]]
    text = f"{work.title}: within {work.wait_target_h:g} h in {12 - len(missed)} of 12 months"
    text += f"; not in {', '.join(missed)}." if missed else "."
    parts: list[list[Any]] = [[name, one["wait_p95_h"], "h"] for name, one in rows]
    yield row("waits_met", "", text, parts, work.job_class)
    medians: list[list[Any]] = [[name, one["wait_p50_h"], "h"] for name, one in rows]
    yield row("wait_p50_h", "", f"{work.title}: median wait by month.", medians, work.job_class)


def _year(
    played: Played, months: Sequence[Mapping[str, Any]], measures: Mapping[str, float]
) -> Iterator[dict[str, Any]]:
    titles = {one.job_class: one.title for one in played.scene.work}
    met = [
        [titles[name], sum(one["classes"][name]["met"] for one in months), "months"]
        for name in titles
    ]
    text = f"{measures['waits_met']:.0f} % of classes and months kept their promised wait at p95."
    yield row("waits_met", "", text, met)
    for key, said in (("wait_p50_h", "Median wait"), ("wait_p95_h", "p95 wait")):
        worst: list[list[Any]] = [
            [titles[name], max(one["classes"][name][key] for one in months), "h, worst month"]
            for name in titles
        ]
        text = f"{said} over the year: {measures[key]:.1f} h, classes by GPU-hours asked for."
        yield row(key, "", text, worst)
