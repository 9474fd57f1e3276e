"""What a plan does about the bottlenecks that are there, and the findings that follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graders.scaling.findings import Finding
from scenarios.company.profile.tables import PolicyValue
from scenarios.scaling.fleet import leases
from scenarios.scaling.history import GPUS, NETWORK, QUEUE, STORAGE
from scenarios.scaling.items import items
from scenarios.scaling.orders import orders
from scenarios.scaling.plan import Plan
from scenarios.scaling.policies import checked, policies
from scenarios.scaling.scene import Bottleneck, Scene

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
                "key": one.key,
                "title": one.title,
                "strength": one.strength,
                "shows": list(_files(one)),
                "cured_by": [cure_said(scene, key) for key in one.cured_by],
                "state": state,
                "rows": [*bought, *ruled],
                "figures": [list(figure) for figure in figures],
            }
        )
        if state == "left":
            found.append(_left(scene, plan, one, figures))
    return rows, found


def _files(one: Bottleneck) -> tuple[str, ...]:
    return SHOWN[one.key].files if one.key in SHOWN else ()


def _left(
    scene: Scene, plan: Plan, one: Bottleneck, figures: Sequence[tuple[str, float, str]]
) -> Finding:
    rules = policies(scene)
    cures = " or ".join(f"“{cure_said(scene, key)}”" for key in one.cured_by)
    there, rented = _there(scene, plan), [lease.row for lease in leases(scene, plan)]
    capacity = [row for row in plan.purchases if row.item.startswith(CAPACITY) and row.id in there]
    only_rules = all(key in rules for key in one.cured_by)
    if only_rules and (capacity or rented):
        rows = [("purchases", row.id) for row in capacity] + [("cloud", row.id) for row in rented]
        text = (
            f"{one.title}: capacity is added, and nothing is done about the cause; {cures} would."
        )
        return Finding(
            "bottleneck_addressed_by_money_only",
            text,
            tuple(rows),
            where=_files(one),
            figures=tuple(figures),
            subject=one.key,
        )
    text = f"{one.title}: nothing in the plan takes it away within the year; {cures} would."
    return Finding(
        "bottleneck_not_addressed",
        text,
        where=_files(one),
        figures=tuple(figures),
        subject=one.key,
    )


@dataclass(frozen=True, slots=True)
class Shown:
    """Where a bottleneck shows: files of the materials, and its figure in a month of a year."""

    files: tuple[str, ...]
    name: str
    unit: str
    read: Callable[[Json], float]


def _wait(job_class: str) -> Callable[[Json], float]:
    return lambda month: float(month["classes"].get(job_class, {}).get("wait_p95_h", 0.0))


_STORAGE = Shown(
    (STORAGE,), "Hours with full storage", "%", lambda month: float(month["storage_full_percent"])
)
SHOWN: Mapping[str, Shown] = {
    "spine": Shown(
        (NETWORK,), "Hours with full uplinks", "%", lambda month: float(month["spine_full_percent"])
    ),
    "scratch_bandwidth": _STORAGE,
    "checkpoint_bursts": _STORAGE,
    "small_jobs": Shown(
        (GPUS, QUEUE),
        "GPUs free on shared nodes",
        "GPUs",
        lambda month: float(month["own"]["stranded_gpus"]),
    ),
    "idle_notebooks": Shown(
        (GPUS,),
        "GPU-hours held without work in a month",
        "GPU-hours",
        lambda month: float(month["own"]["idle_held_gpu_hours"]),
    ),
    "serving_peak": Shown((GPUS,), "Serving late, p95", "h", _wait("inference")),
    "static_quota": Shown((QUEUE, GPUS), "Wait of training, p95", "h", _wait("training")),
}


def _shown(
    one: Bottleneck, years: Sequence[Json], reference: Sequence[Json]
) -> list[tuple[str, float, str]]:
    """The bottleneck's own figure, mean over months and years, of the plan and of the reference."""
    if one.key not in SHOWN:
        return []
    shown = SHOWN[one.key]

    def mean(played: Sequence[Json]) -> float:
        values = [shown.read(month) for year in played for month in year["months"]]
        return round(sum(values) / max(1, len(values)), 4)

    return [
        (shown.name, mean(years), shown.unit),
        (f"{shown.name}, reference", mean(reference), shown.unit),
    ]
