"""What a planner rents: GPUs for the months in which own ones are short, as far as running costs allow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from scenarios.scaling.budget import costed
from scenarios.scaling.buying import BUSY, SIGMAS
from scenarios.scaling.checking_cloud import reads_gbs
from scenarios.scaling.estate import estate
from scenarios.scaling.fleet import lawful, leases
from scenarios.scaling.plan import Change, Plan, Rented
from scenarios.scaling.policies import held
from scenarios.scaling.scene import Rent, Scene
from scenarios.scaling.sizing import capacity, needed

SPARE_OPEX = 0.985
"""Part of the budget for running costs that a planner spends: demand may come out higher."""
CLASSES = ("training", "batch", "fine_tuning")
"""Classes that a planner sends to a cloud, as far as rules on data allow."""


def rented(scene: Scene, plan: Plan) -> Plan:
    """The plan with a reservation for the rest of the year, and the line that it needs."""
    kinds = {one.kind: one for one in reversed(_near(scene))}
    rent = kinds.get("reserved_1y") or kinds.get("on_demand")
    if rent is None:
        return plan
    classes = tuple(
        one.job_class for one in scene.work if one.job_class in CLASSES and lawful(one, rent.region)
    )
    if not classes:
        return plan
    step = scene.profile.gpus_per_node
    for start in range(len(scene.months)):
        short = _short(scene, plan, start)
        plan = _most(
            scene, plan, rent, classes, start, len(scene.months) - 1, math.floor(short / step)
        )
    burst = kinds.get("on_demand")
    return _bridged(scene, plan, burst, classes) if burst else plan


def most_rented(scene: Scene, plan: Plan, rent: Rent, classes: tuple[str, ...]) -> Plan:
    """With all GPUs of a rent that the region gives and the budget carries, the whole year, and the line."""
    able = tuple(
        one.job_class for one in scene.work if one.job_class in classes and lawful(one, rent.region)
    )
    if not able:
        return plan
    nodes = rent.most // scene.profile.gpus_per_node
    return _most(scene, plan, rent, able, 0, len(scene.months) - 1, nodes)


def _bridged(scene: Scene, plan: Plan, rent: Rent, classes: tuple[str, ...]) -> Plan:
    """GPUs on demand for the months of a quarter that are still short, with what it has left."""
    step = scene.profile.gpus_per_node
    for quarter in range(4):
        months = [3 * quarter + one for one in range(3)]
        gaps = dict(zip(months, _gaps(scene, plan, months), strict=True))
        short = [one for one in months if gaps[one] >= step / 2]
        if not short:
            continue
        most = max(gaps[one] for one in short)
        plan = _most(scene, plan, rent, classes, short[0], short[-1], math.ceil(most / step))
    return plan


def _most(
    scene: Scene, plan: Plan, rent: Rent, classes: tuple[str, ...], start: int, end: int, nodes: int
) -> Plan:
    """With so many nodes' GPUs rented, or as many fewer as the budget for running costs pays."""
    for count in range(nodes, 0, -1):
        tried = _with(scene, plan, rent, classes, start, end, count * scene.profile.gpus_per_node)
        if _within(scene, tried):
            return tried
    return plan


def _near(scene: Scene) -> list[Rent]:
    return [one for one in scene.rents if one.region == scene.rents[0].region]


def _short(scene: Scene, plan: Plan, start: int) -> float:
    """GPUs that are short in every month from one on: a reservation is paid until the end."""
    return min(_gaps(scene, plan, range(start, len(scene.months))))


def _gaps(scene: Scene, plan: Plan, months: Iterable[int]) -> Iterator[float]:
    """GPUs that demand asks for in each of these months beyond those that are there."""
    holds, rows, stands = held(scene, plan), leases(scene, plan), estate(scene, plan)
    for month in months:
        gpus = sum(needed(scene, holds[month], month, SIGMAS).values())
        there = sum(one.gpus for one in rows if one.first <= month <= one.last)
        yield gpus / BUSY - capacity(scene, stands[month]) - there


def _with(
    scene: Scene,
    plan: Plan,
    rent: Rent,
    classes: tuple[str, ...],
    start: int,
    end: int,
    count: int,
) -> Plan:
    months = scene.months
    name, first, last = f"r{len(plan.cloud) + 1}", months[start].name, months[end].name
    row = Rented(name, first, last, rent.kind, count, rent.region, classes)
    plan = replace(plan, cloud=(*plan.cloud, row))
    if "cloud_link_gbps" not in scene.before:
        return plan
    rows = leases(scene, plan)
    most = max(reads_gbs(scene, rows, month) * 8 for month in range(len(months)))
    gbps = float(max(scene.link_gbps, math.ceil(most * 1.1 / 5) * 5))
    others = tuple(one for one in plan.policies if one.policy != "cloud_link_gbps")
    first = min(one.start for one in plan.cloud)
    return replace(plan, policies=(*others, Change("line", first, "cloud_link_gbps", gbps)))


def _within(scene: Scene, plan: Plan) -> bool:
    """Whether there are so many GPUs, and running costs stay within the budget in every quarter."""
    most = {one.quarter: one.opex_usd for one in scene.quarters}
    found = costed(scene, plan)
    cost = found.bills
    if any(one.gpus < one.row.gpus for one in found.rented):
        return False
    return all(one.opex_left >= (1 - SPARE_OPEX) * most[one.quarter] for one in cost)
