"""Checks of single rows: whether they name something that is sold, and when it can be used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scenarios.company.profile.tables import PolicyValue
from scenarios.scaling.checking import Check, check
from scenarios.scaling.items import items
from scenarios.scaling.orders import Order
from scenarios.scaling.plan import Plan
from scenarios.scaling.policies import Policy, checked, policies
from scenarios.scaling.scene import Scene
from scenarios.scaling.wording import figure

FEW = 8
"""Names of a price book that are listed where a row has none of them."""
NEEDED_AT_LAUNCH = ("node", "storage", "spine")
"""Kinds of items that come too late for a launch where they arrive after it."""


def row_checks(scene: Scene, plan: Plan, made: tuple[Order, ...]) -> Iterator[Check]:
    """All of them."""
    for note in plan.left_out:
        yield Check("draft", "warn", note)
    yield from _purchases(scene, plan)
    for one in made:
        yield _arrival(scene, one)
    yield from _policies(scene, plan)
    yield from _retired(scene, plan)
    yield from _phases(plan)


def _no_month(scene: Scene, what: str, row: Any) -> Check:
    first, last = scene.months[0], scene.months[-1]
    return check("unknown_month", "", row.id, what=what, row=row, first=first, last=last)


def _purchases(scene: Scene, plan: Plan) -> Iterator[Check]:
    known = items(scene)
    months = {one.name for one in scene.months}
    sites = [one.site.name for one in scene.places]
    for row in plan.purchases:
        at = (row.month, row.id)
        if row.item not in known:
            yield check("unknown_item", *at, row=row, few=", ".join(list(known)[:FEW]))
        elif row.month not in months:
            yield _no_month(scene, "Order", row)
        elif row.site not in sites:
            name = row.site or "nothing"
            yield check("unknown_site", *at, row=row, name=name, sites=" and ".join(sites))
        elif row.site not in known[row.item].sites:
            node = row.item.startswith("node:")
            why = "its racks carry none" if node else "there is none to extend"
            yield check("no_room", *at, row=row, item=known[row.item], why=why)


def _arrival(scene: Scene, order: Order) -> Check:
    month, id = scene.months[order.ordered].name, order.row.id
    said = f"Order {id}: {order.item.quantity(order.row.count)}, ordered in {month}"
    if not order.in_year:
        return check("after_the_year", month, id, said=said, order=order)
    arrives = scene.months[order.arrives]
    words = {"said": said, "order": order, "arrives": arrives}
    for event in scene.events:
        there, what = scene.months[event.month], event.what[:1].lower() + event.what[1:]
        late = order.ordered <= event.month < order.arrives
        if event.kind == "launch" and late and order.item.kind in NEEDED_AT_LAUNCH:
            return check("late", arrives.name, id, month=there, what=what, **words)
    for event in scene.events:
        if event.kind == "freeze" and event.month == order.arrives - 1:
            return check("freeze", arrives.name, id, month=scene.months[event.month], **words)
    return check("arrival", arrives.name, id, **words)


def _policies(scene: Scene, plan: Plan) -> Iterator[Check]:
    known = policies(scene)
    months = {one.name for one in scene.months}
    for row in plan.policies:
        if row.policy not in known:
            yield check("unknown_policy", row.month, row.id, row=row)
        elif row.month not in months:
            yield _no_month(scene, "Change", row)
        elif checked(known[row.policy], row.value) is None:
            words = {"takes": _takes(known[row.policy]), "value": _said(row.value)}
            yield check(
                "policy_value", row.month, row.id, row=row, policy=known[row.policy], **words
            )


def _said(value: PolicyValue) -> str:
    return f"“{value}”" if isinstance(value, str) else figure(value)


def _takes(policy: Policy) -> str:
    if policy.kind == "yes_no":
        return "yes or no"
    if policy.kind == "choice":
        return "one of " + ", ".join(policy.choices)
    return f"a number from {policy.low:g} to {policy.high:g} {policy.unit}".strip()


def _retired(scene: Scene, plan: Plan) -> Iterator[Check]:
    there = {
        (place.site.name, kind.name): count for place in scene.places for kind, count in place.nodes
    }
    months = {one.name for one in scene.months}
    left: dict[tuple[str, str], int] = {}
    for row in plan.retire:
        if row.month not in months:
            yield _no_month(scene, "Retirement", row)
            continue
        key, at = (row.site, row.item), (row.month, row.id)
        left[key] = left.get(key, 0) + row.count
        if key not in there:
            yield check("unknown_nodes", *at, row=row, site=row.site or "no site")
        elif left[key] > there[key]:
            yield check("too_many_leave", *at, row=row, left=left[key], there=there[key])


def _phases(plan: Plan) -> Iterator[Check]:
    known = {one.id: one for one in plan.phases}
    for one in plan.phases:
        for name in one.depends:
            before = known.get(name)
            if before is None:
                yield check("phase_unknown", one.start, one.id, row=one, name=name)
            elif before.end >= one.start:
                yield check("phase_order", one.start, one.id, row=one, before=before)
