"""Checks of what is rented: whether it exists, who may use it, whether its data can get there."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.scaling.assumptions import CLOUD_READ, MONTH_H
from scenarios.scaling.checking import Check, check
from scenarios.scaling.fleet import COMMITTED, Lease, lawful, rent_of
from scenarios.scaling.plan import Plan, Rented
from scenarios.scaling.policies import Held
from scenarios.scaling.scene import Scene
from scenarios.scaling.wording import joined

FAR_TOO_SLOW = 2
"""What rented GPUs read over what the line carries, beyond which most of their time is waiting."""


def cloud_checks(
    scene: Scene, plan: Plan, rented: tuple[Lease, ...], holds: tuple[Held, ...]
) -> Iterator[Check]:
    """All of them."""
    names = {one.row.id for one in rented}
    for row in plan.cloud:
        if row.id not in names:
            yield _not_sold(scene, row)
    for lease in rented:
        yield from _given(lease)
        yield from _classes(scene, lease)
        yield from _commitment(lease)
    yield from _line(scene, rented, holds)


def _not_sold(scene: Scene, row: Rented) -> Check:
    kinds = list(dict.fromkeys(one.kind for one in scene.rents))
    regions = list(dict.fromkeys(one.region for one in scene.rents))
    why = "months" if rent_of(scene, row) else "region"
    if row.kind not in kinds:
        why = "kind" if scene.rents else "none"
    return check(
        f"unknown_rent.{why}",
        "",
        row.id,
        row=row,
        kinds=", ".join(kinds),
        regions=", ".join(regions),
        first=scene.months[0],
        last=scene.months[-1],
    )


def _given(lease: Lease) -> Iterator[Check]:
    """Whether the region gives so many GPUs."""
    if lease.gpus < lease.row.gpus:
        yield check("beyond_given", lease.row.start, lease.row.id, lease=lease)


def _classes(scene: Scene, lease: Lease) -> Iterator[Check]:
    row, at = lease.row, (lease.row.start, lease.row.id)
    known = {one.job_class: one for one in scene.work}
    for name in row.classes:
        if name not in known:
            yield check("unknown_class", *at, row=row, name=name)
        elif not lawful(known[name], lease.rent.region):
            where = joined(known[name].regions) if known[name].may_burst else ""
            rule = "may not leave the own sites"
            if where:
                rule = f"may only be in {where}, not in {lease.rent.region}"
            yield check("residency", *at, row=row, work=known[name].title.lower(), rule=rule)
    if not lease.classes:
        yield check("nobody_may", *at, row=row, rent=lease.rent)


def _commitment(lease: Lease) -> Iterator[Check]:
    months = COMMITTED.get(lease.row.kind)
    if months is None:
        return
    used, beyond = lease.last - lease.first + 1, lease.first + months - 12
    monthly = lease.gpus * lease.rent.usd * MONTH_H
    words = {"row": lease.row, "months": months, "monthly": monthly, "used": used}
    if used < min(months, 12 - lease.first):
        yield check("commitment", lease.row.start, lease.row.id, **words)
    elif beyond > 0:
        words |= {"beyond": beyond, "later": monthly * beyond}
        yield check("commitment_beyond", lease.row.start, lease.row.id, **words)


def _line(scene: Scene, rented: tuple[Lease, ...], holds: tuple[Held, ...]) -> Iterator[Check]:
    """Whether work in the cloud can read its data, in the month that asks for most."""
    worst, at = 0.0, 0
    for month, hold in enumerate(holds):
        part = reads_gbs(scene, rented, month) * 8 / hold.link_gbps
        if part > worst + 1e-9:
            worst, at = part, month
    if not worst:
        return
    name, most = scene.months[at].name, holds[at].link_gbps
    there = next(one.row.id for one in rented if one.first <= at <= one.last)
    key = "no_data_path" if worst > 1 else "data_path"
    tone = "bad" if worst > FAR_TOO_SLOW else "warn" if worst > 1 else "ok"
    yield check(key, name, there, tone, month=name, reads=worst * most, most=most)


def reads_gbs(scene: Scene, rented: tuple[Lease, ...], month: int) -> float:
    """GB/s of all rented GPUs at work, in the mix of the classes that may run there."""
    total = 0.0
    for lease in rented:
        if lease.first <= month <= lease.last:
            able = [one for one in scene.work if one.job_class in lease.classes]
            hours = sum(one.gpu_hours_day for one in able)
            if hours:
                mean = sum(one.read_gbs * one.gpu_hours_day for one in able) / hours
                total += lease.gpus * mean * CLOUD_READ
    return total
