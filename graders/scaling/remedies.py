"""What a plan does about the bottlenecks that are there, and the findings that follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graders.scaling.findings import Finding
from scenarios.company.profile.tables import PolicyValue
from scenarios.scaling.bottlenecks import BOTTLENECKS
from scenarios.scaling.fleet import leases
from scenarios.scaling.items import items
from scenarios.scaling.orders import orders
from scenarios.scaling.plan import Plan
from scenarios.scaling.policies import checked, policies
from scenarios.scaling.scene import Bottleneck, Scene
from scenarios.scaling.wording import picked

Json = dict[str, Any]
CAPACITY = "node:"
"""With what items begin that add GPUs."""


def answers(plan: Plan, scene: Scene, one: Bottleneck) -> tuple[list[str], list[str]]:
    """Ids of the plan's purchases and of its changed rules that act on the bottleneck within the year.

    What cannot be carried out, comes after the year, or is taken back again, acts on nothing.
    """
    there = _there(scene, plan)
    bought = [
        row.id
        for row in plan.purchases
        if row.id in there and row.item.partition(":")[0] in one.cured_by
    ]
    known, last = policies(scene), dict[str, tuple[str, PolicyValue]]()
    for month in scene.months:
        for row in plan.policies:
            rule = known.get(row.policy) if row.policy in one.cured_by else None
            value = checked(rule, row.value) if rule and row.month == month.name else None
            if value is not None:
                last[row.policy] = (row.id, value)
    ruled = [given for rule, (given, value) in last.items() if _acts(scene, rule, value)]
    return bought, ruled


def _there(scene: Scene, plan: Plan) -> set[str]:
    """Ids of the purchases that can be used within the year."""
    return {order.row.id for order in orders(scene, plan) if order.in_year}


def _acts(scene: Scene, rule: str, value: PolicyValue) -> bool:
    """Whether a rule with that value changes anything: fewer GPUs than serving has anyhow do not."""
    if rule == "serving_reserve_gpus":
        fixed = max((work.quota for work in scene.work if work.steady), default=0.0)
        return float(value) > fixed * scene.gpus
    return bool(value) and value != scene.before.get(rule)


def cure_said(scene: Scene, key: str) -> str:
    """What a rule, or a kind of thing that can be bought, is called."""
    rules = policies(scene)
    if key in rules:
        return rules[key].title
    return next((one.title for one in items(scene).values() if one.kind == key), key)


def of_bottlenecks(
    scene: Scene, plan: Plan, years: Sequence[Json], reference: Sequence[Json]
) -> tuple[list[Json], list[Finding]]:
    """A row of evidence for each bottleneck, and a finding for each that the plan leaves or only outbids."""
    rows, found = [], []
    for one in scene.bottlenecks:
        bought, ruled = answers(plan, scene, one)
        figures = _shown(one, years, reference)
        state = "answered" if bought or ruled else "left"
        rows.append(
            {
                "kind": "bottleneck",
                **picked(one, "key title strength"),
                "shows": list(BOTTLENECKS[one.key].files),
                "cured_by": [cure_said(scene, key) for key in one.cured_by],
                "state": state,
                "rows": [*bought, *ruled],
                "figures": [list(figure) for figure in figures],
            }
        )
        if state == "left":
            found.append(_left(scene, plan, one, figures))
    return rows, found


def _left(
    scene: Scene, plan: Plan, one: Bottleneck, figures: Sequence[tuple[str, float, str]]
) -> Finding:
    rules = policies(scene)
    cures = " or ".join(f"“{cure_said(scene, key)}”" for key in one.cured_by)
    there, rented = _there(scene, plan), [lease.row for lease in leases(scene, plan)]
    capacity = [row for row in plan.purchases if row.item.startswith(CAPACITY) and row.id in there]
    rows: list[tuple[str, str]] = []
    kind = "bottleneck_not_addressed"
    text = f"nothing in the plan takes it away within the year; {cures} would."
    if all(key in rules for key in one.cured_by) and (capacity or rented):
        rows = [("purchases", row.id) for row in capacity] + [("cloud", row.id) for row in rented]
        kind = "bottleneck_addressed_by_money_only"
        text = f"capacity is added, and nothing is done about the cause; {cures} would."
    return Finding(
        kind,
        f"{one.title}: {text}",
        tuple(rows),
        where=BOTTLENECKS[one.key].files,
        figures=tuple(figures),
        subject=one.key,
    )


def _shown(
    one: Bottleneck, years: Sequence[Json], reference: Sequence[Json]
) -> list[tuple[str, float, str]]:
    """The bottleneck's own figure, mean over months and years, of the plan and of the reference."""
    name, unit, path = BOTTLENECKS[one.key].figure

    def mean(played: Sequence[Json]) -> float:
        values = [_read(month, path) for year in played for month in year["months"]]
        return round(sum(values) / max(1, len(values)), 4)

    return [(name, mean(years), unit), (f"{name}, reference", mean(reference), unit)]


def _read(month: Json, path: str) -> float:
    """0 where the company has no such class of work."""
    found: Any = month
    for key in path.split("."):
        found = found.get(key, {})
    return float(found or 0.0)
