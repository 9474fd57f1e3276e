"""When what a plan orders can be used, and what of it cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from scenarios.scaling.items import DAYS_A_WEEK, Item, items
from scenarios.scaling.plan import Plan, Purchase
from scenarios.scaling.scene import Scene


@dataclass(frozen=True, slots=True)
class Order:
    """A purchase that can be carried out. ordered, arrives: index of the month; arrives is 12 or more where it
    comes after the year. usd: of all of it.
    """

    row: Purchase
    item: Item
    ordered: int
    arrives: int
    usd: float

    @property
    def in_year(self) -> bool:
        return self.arrives < 12


def orders(
    scene: Scene, plan: Plan, slips: Mapping[str, int] | None = None, price: float = 1.0
) -> tuple[Order, ...]:
    """In the order in which they can be used. slips: kind of item and index of its month, or `slip_of` one
    row, -> weeks later; price: factor on prices.

    Rows that name nothing that is sold, or no site, are left out: checks names them.
    """
    known, found = items(scene), []
    index = {month.name: month.index for month in scene.months}
    sites = {one.site.name for one in scene.places}
    for row in plan.purchases:
        if (
            row.item not in known
            or row.month not in index
            or row.site not in sites
            or row.count < 1
        ):
            continue
        item = known[row.item]
        ordered = index[row.month]
        keys = (f"{item.kind} {ordered}", slip_of(row))
        slip = sum((slips or {}).get(key, 0) for key in keys)
        arrives = usable(scene, ordered, item.weeks + slip)
        usd = row.count * item.price_usd * _factor(scene, item, ordered) * price
        found.append(Order(row, item, ordered, arrives, usd))
    return tuple(sorted(found, key=lambda one: one.arrives))


def slip_of(row: Purchase) -> str:
    """The key under which the weeks stand by which this row alone comes later."""
    return f"order {row.id}"


def usable(scene: Scene, ordered: int, weeks: int) -> int:
    """Index of the first whole month in which something ordered at the start of a month is in use.

    What arrives within a month is installed and burnt in until its end; a frozen month installs nothing.
    """
    there = scene.months[ordered].start + timedelta(days=weeks * DAYS_A_WEEK)
    last = scene.months[-1]
    frozen = {one.month for one in scene.events if one.kind == "freeze"}
    for month in scene.months[ordered:]:
        if month.start >= there and month.index not in frozen:
            return month.index
    return last.index + 1 + max(0, (there - last.start).days // 31)


def _factor(scene: Scene, item: Item, month: int) -> float:
    """Events on prices act on nodes."""
    found = 1.0
    for one in scene.events:
        if one.kind == "price" and item.kind == "node" and month >= one.month:
            found *= one.factor
    return found
