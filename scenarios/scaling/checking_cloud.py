"""Checks of what is rented: whether it exists, who may use it, whether its data can get there."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.scaling.assumptions import CLOUD_READ
from scenarios.scaling.checking import Check
from scenarios.scaling.fleet import COMMITTED, Lease, lawful, rent_of
from scenarios.scaling.plan import Plan, Rented
from scenarios.scaling.policies import Held
from scenarios.scaling.scene import Scene
from scenarios.scaling.wording import joined, usd


def cloud_checks(
    scene: Scene, plan: Plan, rented: tuple[Lease, ...], holds: tuple[Held, ...]
) -> Iterator[Check]:
    """All of them."""
    names = {one.row.id for one in rented}
    for row in plan.cloud:
        if row.id not in names:
            yield _not_sold(scene, row)
    for lease in rented:
        yield from _classes(scene, lease)
        yield from _commitment(scene, lease)
    yield from _line(scene, rented, holds)


def _not_sold(scene: Scene, row: Rented) -> Check:
    kinds = list(dict.fromkeys(one.kind for one in scene.rents))
    regions = list(dict.fromkeys(one.region for one in scene.rents))
    if not scene.rents:
        text = f"Rent {row.id}: no cloud is offered in this exercise."
    elif row.kind not in kinds:
        text = f"Rent {row.id}: {row.kind} is not offered; there is {', '.join(kinds)}."
    elif rent_of(scene, row) is None:
        text = f"Rent {row.id}: {row.region} is no region of the price book; there is {', '.join(regions)}."
    else:
        first, last = scene.months[0].name, scene.months[-1].name
        text = (
            f"Rent {row.id}: {row.start} to {row.end} are no months of the year, {first} to {last}."
        )
    return Check("unknown_rent", "bad", text, "", row.id)


def _classes(scene: Scene, lease: Lease) -> Iterator[Check]:
    row = lease.row
    known = {one.job_class: one for one in scene.work}
    for name in row.classes:
        if name not in known:
            text = f"Rent {row.id}: there is no kind of work called {name}."
            yield Check("unknown_class", "bad", text, row.start, row.id)
        elif not lawful(known[name], lease.rent.region):
            where = joined(known[name].regions) if known[name].may_burst else ""
            rule = "may not leave the own sites"
            if where:
                rule = f"may only be in {where}, not in {lease.rent.region}"
            text = f"Rent {row.id}: {known[name].title.lower()} data {rule}."
            yield Check("residency", "bad", text, row.start, row.id)
    if not lease.classes:
        text = (
            f"Rent {row.id}: no kind of work may run on its {row.gpus} GPUs in {lease.rent.region}."
        )
        yield Check("nobody_may", "bad", text, row.start, row.id)


def _commitment(scene: Scene, lease: Lease) -> Iterator[Check]:
    months = COMMITTED.get(lease.row.kind)
    if months is None:
        return
    used = lease.last - lease.first + 1
    monthly = lease.row.gpus * lease.rent.usd * 730
    if used < min(months, 12 - lease.first):
        text = (
            f"Rent {lease.row.id} is a commitment of {months} months, {usd(monthly)} each, and is in use for "
            f"{used}: the rest of it is paid without use."
        )
        yield Check("commitment", "warn", text, lease.row.start, lease.row.id)
    elif lease.first + months > 12:
        beyond = lease.first + months - 12
        text = (
            f"Rent {lease.row.id} is a commitment of {months} months: {beyond} of them, "
            f"{usd(monthly * beyond)}, fall into later years."
        )
        yield Check("commitment_beyond", "warn", text, lease.row.start, lease.row.id)


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
    there = [one.row.id for one in rented if one.first <= at <= one.last]
    text = f"In {name}, full GPUs in the cloud read {worst * most:.1f} Gb/s over a line of {most:g} Gb/s"
    if worst > 1:
        text += f": work there waits for data; {worst * most:.0f} Gb/s would carry it."
        yield Check("no_data_path", "bad" if worst > 2 else "warn", text, name, there[0])
    else:
        yield Check("data_path", "ok", f"{text}.", name, there[0])


def reads_gbs(scene: Scene, rented: tuple[Lease, ...], month: int) -> float:
    """GB/s of all rented GPUs at work, in the mix of the classes that may run there."""
    total = 0.0
    for lease in rented:
        if lease.first <= month <= lease.last:
            able = [one for one in scene.work if one.job_class in lease.classes]
            hours = sum(one.gpu_hours_day for one in able)
            if hours:
                mean = sum(one.read_gbs * one.gpu_hours_day for one in able) / hours
                total += lease.row.gpus * mean * CLOUD_READ
    return total
