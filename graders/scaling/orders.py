"""When orders arrive, whether that is in time, and capacity that is paid and not used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from graders.scaling.findings import Finding, nodes, quantity
from graders.scaling.remedies import CAPACITY
from scenarios.scaling.plan import Plan, Purchase
from scenarios.scaling.scene import Scene, Work
from scenarios.scaling.wording import picked

Json = dict[str, Any]
Arrivals = Mapping[str, Mapping[str, Any]]
"""Id of a purchase -> its row among the orders of the checks."""
MOST = 0.5
"""Part of the hidden years above which something counts as usual."""
LITTLE = 60.0
"""Percent of own GPU-hours that are allocated below which capacity counts as bought for nobody."""
HALF = 50.0
"""Percent of rented GPU-hours that are used below which a commitment counts as unused."""


def usual(years: Sequence[Json], holds: Callable[[Json], bool]) -> int:
    """In how many years it holds, where that is most of them; else 0."""
    count = sum(holds(year) for year in years)
    return count if count > MOST * len(years) else 0


def of_orders(
    scene: Scene,
    plan: Plan,
    arrivals: Arrivals,
    years: Sequence[Json],
    reference: Sequence[Json],
) -> tuple[list[Json], list[Finding]]:
    """A row of evidence for each order, and findings for those that come too late."""
    rows, found = [], []
    for one in plan.purchases:
        told = arrivals.get(one.id, {})
        arrives = str(told.get("arrives", ""))
        late = _late(scene, one, arrives, years, reference) if told else []
        rows.append(
            {
                "kind": "order",
                **picked(one, "id item count site month"),
                "arrives": arrives,
                "text": str(told.get("text", "")) or _never(one),
                "late": bool(late),
            }
        )
        found += late
    return rows, found


def _never(one: Purchase) -> str:
    asked = quantity(one.item, one.count)
    return f"{asked}, ordered in {one.month}: cannot be carried out; the findings say why."


def _late(
    scene: Scene,
    one: Purchase,
    arrives: str,
    years: Sequence[Json],
    reference: Sequence[Json],
) -> list[Finding]:
    names = [month.name for month in scene.months]
    row = (("purchases", one.id),)
    if not arrives:
        asked = quantity(one.item, one.count)
        text = f"The order of {one.month} ({asked}) can be used only after the year."
        return [Finding("ordered_too_late", text, row, one.month)]
    if not one.item.startswith(CAPACITY) or one.month == names[0] or arrives not in names[1:]:
        return []
    before = names.index(arrives) - 1
    found = (_waited(one, work, arrives, before, years, reference) for work in scene.work)
    return [first for first in found if first][:1]


def _waited(
    one: Purchase,
    work: Work,
    arrives: str,
    before: int,
    years: Sequence[Json],
    reference: Sequence[Json],
) -> Finding | None:
    """A kind of work that lacked GPUs in the month before they came, and did not with the reference plan."""
    key = work.job_class
    missed = usual(years, lambda year: _short(year, before, key))
    kept = usual(reference, lambda year: _kept(year, before, key))
    if not missed or not kept:
        return None
    month = years[0]["months"][before]["month"]
    waits = [
        year["months"][before]["classes"][key]["wait_p95_h"]
        for year in years
        if _short(year, before, key)
    ]
    mean = sum(waits) / len(waits)
    promised = "it is to be served at once"
    if not work.steady:
        promised = f"{work.wait_target_h:g} h are promised"
    text = (
        f"The order of {one.month} ({quantity(one.item, one.count)}) can be used from {arrives} on. In {month}"
        f" {work.title.lower()} lacked GPUs in {missed} of {len(years)} hidden years and waited"
        f" {mean:,.1f} h at p95 in these, where {promised}; with the reference plan it did not."
    )
    figure = (f"p95 wait of {work.title.lower()} in {month}", mean, "h")
    rows = (("purchases", one.id),)
    return Finding("ordered_too_late", text, rows, one.month, (), (figure,))


def _short(year: Json, month: int, job_class: str) -> bool:
    """Whether the class waited longer than promised in the month because the GPUs were full."""
    one = year["months"][month]["classes"][job_class]
    return not one["met"] and one["blocked_hours"].get("full", 0) > 0


def _kept(year: Json, month: int, job_class: str) -> bool:
    return bool(year["months"][month]["classes"][job_class]["met"])


def unused(
    scene: Scene, plan: Plan, arrivals: Arrivals, years: Sequence[Json]
) -> Iterator[Finding]:
    """Nodes that nobody needs, and commitments that nobody uses."""
    yield from _unused_nodes(scene, plan, arrivals, years)
    rows = [one for one in plan.cloud if one.kind.startswith("reserved")]
    if not rows:
        return
    parts = [_used(year) for year in years]
    little = sum(part < HALF for part in parts)
    if little > MOST * len(years):
        text = (
            f"Of the rented GPU-hours that are paid, {sum(parts) / len(parts):.0f} % are used; less than"
            f" half in {little} of {len(years)} hidden years."
        )
        about = tuple(("cloud", one.id) for one in rows)
        figure = ("Use of rented GPU-hours", sum(parts) / len(parts), "%")
        yield Finding("commitment_unused", text, about, figures=(figure,))


def _used(year: Json) -> float:
    paid = sum(month["cloud"]["paid_gpu_hours"] for month in year["months"])
    used = sum(month["cloud"]["used_gpu_hours"] for month in year["months"])
    return 100.0 * used / paid if paid else 0.0


def _unused_nodes(
    scene: Scene, plan: Plan, arrivals: Arrivals, years: Sequence[Json]
) -> Iterator[Finding]:
    names = [month.name for month in scene.months]
    ordered = [
        (str(arrivals.get(one.id, {}).get("arrives", "")), one)
        for one in plan.purchases
        if one.item.startswith(CAPACITY)
    ]
    there = [(when, one) for when, one in ordered if when in names]
    if not there:
        return
    first = names.index(min(when for when, _ in there))
    idle = [min(month["unused_nodes"] for month in year["months"][-2:]) for year in years]
    count = usual(years, lambda year: year["months"][-1]["unused_nodes"] > 0)
    about = tuple(("purchases", one.id) for _, one in there)
    if count and min(idle) > 0:
        text = (
            f"{nodes(min(idle))} cannot be put into service to the end of the year, in {count} of"
            f" {len(years)} hidden years."
        )
        yield Finding(
            "unused_purchase", text, about, figures=(("Nodes without use", min(idle), "nodes"),)
        )
        return
    parts = [_allocated(year, first) for year in years]
    little = sum(part < LITTLE for part in parts)
    if first < len(names) - 1 and little > MOST * len(years):
        mean = sum(parts) / len(parts)
        text = f"From {names[first]} on {mean:.0f} % of own GPU-hours are allocated, the new nodes included."
        yield Finding("unused_purchase", text, about, names[first], (), (("Allocated", mean, "%"),))


def _allocated(year: Json, first: int) -> float:
    own = [month["own"] for month in year["months"][first:]]
    paid = sum(one["paid_gpu_hours"] for one in own)
    return 100.0 * sum(one["held_gpu_hours"] for one in own) / paid if paid else 0.0
