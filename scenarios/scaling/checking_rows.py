"""Checks of single rows: whether they name something that is sold, and when it can be used."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.company.profile.tables import PolicyValue
from scenarios.scaling.checking import Check
from scenarios.scaling.items import items
from scenarios.scaling.orders import Order
from scenarios.scaling.plan import Plan
from scenarios.scaling.policies import Policy, checked, policies
from scenarios.scaling.scene import Scene
from scenarios.scaling.wording import figure, usd


def row_checks(scene: Scene, plan: Plan, made: tuple[Order, ...]) -> Iterator[Check]:
    """All of them."""
    for note in plan.left_out:
        yield Check("draft", "warn", note)
    yield from _purchases(scene, plan)
    for one in made:
        yield from _arrival(scene, one)
    yield from _policies(scene, plan)
    yield from _retired(scene, plan)
    yield from _phases(scene, plan)


def _purchases(scene: Scene, plan: Plan) -> Iterator[Check]:
    known = items(scene)
    months = {one.name for one in scene.months}
    sites = [one.site.name for one in scene.places]
    for row in plan.purchases:
        if row.item not in known:
            text = f"Order {row.id}: nothing called {row.item} is sold; the price book has {_few(known)}."
            yield Check("unknown_item", "bad", text, row.month, row.id)
        elif row.month not in months:
            text = f"Order {row.id}: {row.month} is no month of the year, {_span(scene)}."
            yield Check("unknown_month", "bad", text, "", row.id)
        elif row.site not in sites:
            name = row.site or "nothing"
            text = f"Order {row.id}: {name} is no site; there is {' and '.join(sites)}."
            yield Check("unknown_site", "bad", text, row.month, row.id)
        elif row.site not in known[row.item].sites:
            text = f"Order {row.id}: {known[row.item].title} cannot stand at {row.site}"
            why = (
                "its racks carry none"
                if row.item.startswith("node:")
                else "there is none to extend"
            )
            yield Check("no_room", "bad", f"{text}: {why}.", row.month, row.id)


def _few(known: object) -> str:
    names = list(known) if isinstance(known, dict) else []
    return ", ".join(names[:8])


def _span(scene: Scene) -> str:
    return f"{scene.months[0].name} to {scene.months[-1].name}"


def _arrival(scene: Scene, order: Order) -> Iterator[Check]:
    month = scene.months[order.ordered].name
    said = f"Order {order.row.id}: {order.item.quantity(order.row.count)}, ordered in {month}"
    if not order.in_year:
        when = f"only after the year ({order.item.weeks} weeks)"
        text = f"{said}, can be used {when}: {usd(order.usd)} without use in it."
        yield Check("after_the_year", "bad", text, month, order.row.id)
        return
    arrives = scene.months[order.arrives]
    text = f"{said}, can be used from {arrives.name} on ({order.item.weeks} weeks)."
    launches = [one for one in scene.events if one.kind == "launch"]
    late = [one for one in launches if order.ordered <= one.month < order.arrives]
    frozen = [
        one for one in scene.events if one.kind == "freeze" and one.month == order.arrives - 1
    ]
    if late and order.item.kind in ("node", "storage", "spine"):
        launch = late[0]
        text += f" That is too late for {scene.months[launch.month].name}: {_lower(launch.what)}."
        yield Check("late", "warn", text, arrives.name, order.row.id)
    elif frozen:
        text += f" Nothing may be installed in {scene.months[frozen[0].month].name}."
        yield Check("freeze", "warn", text, arrives.name, order.row.id)
    else:
        yield Check("arrival", "ok", text, arrives.name, order.row.id)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _policies(scene: Scene, plan: Plan) -> Iterator[Check]:
    known = policies(scene)
    months = {one.name for one in scene.months}
    for row in plan.policies:
        if row.policy not in known:
            text = f"Change {row.id}: there is no policy called {row.policy}."
            yield Check("unknown_policy", "bad", text, row.month, row.id)
        elif row.month not in months:
            text = f"Change {row.id}: {row.month} is no month of the year, {_span(scene)}."
            yield Check("unknown_month", "bad", text, "", row.id)
        elif checked(known[row.policy], row.value) is None:
            takes = _takes(known[row.policy])
            text = (
                f"Change {row.id}: {known[row.policy].title} takes {takes}, not {_said(row.value)}."
            )
            yield Check("policy_value", "bad", text, row.month, row.id)


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
            text = f"Retirement {row.id}: {row.month} is no month of the year, {_span(scene)}."
            yield Check("unknown_month", "bad", text, "", row.id)
            continue
        key = (row.site, row.item)
        left[key] = left.get(key, 0) + row.count
        if key not in there:
            text = (
                f"Retirement {row.id}: no nodes called {row.item} stand at {row.site or 'no site'}."
            )
            yield Check("unknown_nodes", "bad", text, row.month, row.id)
        elif left[key] > there[key]:
            text = f"Retirement {row.id}: {left[key]} {row.item} leave {row.site}, which has {there[key]}."
            yield Check("too_many_leave", "bad", text, row.month, row.id)


def _phases(scene: Scene, plan: Plan) -> Iterator[Check]:
    known = {one.id: one for one in plan.phases}
    for one in plan.phases:
        for name in one.depends:
            before = known.get(name)
            if before is None:
                text = f"Phase {one.name} depends on {name}, which is no phase."
                yield Check("phase_unknown", "bad", text, one.start, one.id)
            elif before.end >= one.start:
                text = (
                    f"Phase {one.name} begins in {one.start}, but {before.name}, on which it depends, ends in "
                    f"{before.end}."
                )
                yield Check("phase_order", "bad", text, one.start, one.id)
