"""What playing plans beside one another has shown to cost a company less than what is reckoned for one."""

from __future__ import annotations

from dataclasses import replace

from scenarios.scaling.estate import estate
from scenarios.scaling.plan import Change, Plan, Purchase
from scenarios.scaling.renting import CLASSES, most_rented
from scenarios.scaling.scene import Scene

RULES: tuple[tuple[str, bool | float], ...] = (
    ("mig_for_small", True),
    ("defragment", True),
    ("idle_notebook_limit_h", 1.0),
)
"""Rules that were worth their price in every variant played: they free GPUs and cost sessions little."""
BURST_H = 2.0
STEP = 3
EARLY = 5
"""Of so many nodes one is ordered a month later; months in which nodes are ordered: later ones stand there for
too little of the year to earn what they cost."""


def _ruled(scene: Scene, plan: Plan) -> Plan:
    """With the rules that were worth it."""
    rules = {name: value for name, value in RULES if name in scene.policies}
    return _changed(scene, plan, rules)


def tuned(scene: Scene, plan: Plan) -> Plan:
    """A plan that was reckoned, made better: few nodes, early, and for the rest GPUs that are paid only when
    work waits, as many as are given."""
    early = {month.name for month in scene.months[:EARLY]}
    rows = tuple(
        part
        for one in plan.purchases
        if not one.item.startswith("node:") or one.month in early
        for part in _in_steps(scene, one)
    )
    rules = tuple(one for one in plan.policies if one.policy != "cloud_link_gbps")
    plan = _ruled(scene, replace(plan, purchases=rows, cloud=(), policies=rules))
    plan = _needed(scene, plan)
    spot = [one for one in scene.rents if one.kind == "spot"]
    if not spot:
        return plan
    plan = _changed(scene, plan, {"burst_after_h": BURST_H})
    return most_rented(scene, plan, min(spot, key=lambda one: (one.usd, one.region)), CLASSES)


def _in_steps(scene: Scene, one: Purchase) -> tuple[Purchase, ...]:
    """A large order of nodes in two months: deliveries slip month by month, and it is no single bet."""
    later = one.count // STEP if one.item.startswith("node:") else 0
    if not later:
        return (one,)
    names = [month.name for month in scene.months]
    after = names[names.index(one.month) + 1]
    rest = replace(one, id=f"{one.id}-later", month=after, count=later)
    return replace(one, count=one.count - later), rest


def _needed(scene: Scene, plan: Plan) -> Plan:
    """Without the power and the racks that nodes which are no longer ordered would have needed."""
    for one in plan.purchases:
        if one.item in ("power", "rack"):
            tried = replace(plan, purchases=tuple(row for row in plan.purchases if row != one))
            if not any(there.unused for there in estate(scene, tried)[-1]):
                plan = tried
    return plan


def _changed(scene: Scene, plan: Plan, rules: dict[str, bool | float]) -> Plan:
    """With these rules from the first month on."""
    first = scene.months[0].name
    kept = tuple(one for one in plan.policies if one.policy not in rules)
    new = tuple(Change(f"t-{name}", first, name, value) for name, value in rules.items())
    return replace(plan, policies=(*kept, *new))
