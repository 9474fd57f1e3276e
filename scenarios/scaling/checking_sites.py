"""Checks of what stands at a site in a month, and of money by quarter."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.scaling.budget import Bill
from scenarios.scaling.checking import Check
from scenarios.scaling.costs import ON_DEMAND_USE
from scenarios.scaling.estate import Estate, Group, Standing
from scenarios.scaling.fleet import COMMITTED, Lease
from scenarios.scaling.scene import Scene
from scenarios.scaling.wording import kw, percent, some, usd

NEAR = 0.95
"""Part of power, ports or budget from which a check warns."""


def site_checks(scene: Scene, stands: Estate) -> Iterator[Check]:
    """What cannot be used, from when to when, and what is nearly full."""
    for site, place in enumerate(scene.places):
        name = place.site.name
        rows = [month[site] for month in stands]
        yield from _unused(scene, rows)
        yield from _idle(scene, name, rows)
        yield from _uplinks(scene, name, rows)
        yield from _full(scene, name, rows[-1])


def _unused(scene: Scene, rows: list[Standing]) -> Iterator[Check]:
    """For each order with nodes that cannot be used and what they lack: since when, how many."""
    seen: dict[tuple[str, str], list[tuple[int, Group]]] = {}
    for index, there in enumerate(rows):
        for group in there.groups:
            if group.there > group.used and group.lacks != "room":  # the row itself is told so
                seen.setdefault((group.order, group.lacks), []).append((index, group))
    for (order, lacks), found in sorted(seen.items()):
        (index, group), (end, ends) = found[0], found[-1]
        there, last = rows[index], scene.months[end].name
        first = scene.months[index].name
        nodes = some(group.there - group.used, "node")
        when = f"from {first} to {last}" if first != last else f"in {first}"
        if ends.there - ends.used != group.there - group.used:
            when += f" ({ends.there - ends.used:,} in {last})"
        text = f"{there.place.site.name}: {nodes} of order {order} cannot be used {when}: "
        yield Check(f"no_{lacks}", "bad", text + _lack(there, group), first, order)


def _lack(there: Standing, group: Group) -> str:
    kind, site = group.kind, there.place.site
    if group.lacks == "power":
        free = max(0.0, there.power_limit_kw - there.power_kw)
        return (
            f"one draws {kw(kind.power_kw)}, and {kw(free)} of {kw(there.power_limit_kw)} are free."
        )
    if group.lacks == "ports":
        free_ports = max(0, there.leaf_ports - there.leaf_ports_used)
        rails = there.place.fabric.rails
        return f"one needs {rails} leaf ports, and {free_ports} of {there.leaf_ports} are free."
    return f"all {some(there.racks, 'rack')} are taken, and one holds {kw(site.rack_kw)}."


def _idle(scene: Scene, name: str, rows: list[Standing]) -> Iterator[Check]:
    """Storage, switches and racks that cannot be used: each in the first of its months."""
    for key, text in (
        ("storage_uncabled", _uncabled),
        ("no_power", _switches_off),
        ("no_floor", _racks_beyond),
    ):
        said = (
            (one.name, text(there, one.name)) for one, there in zip(scene.months, rows, strict=True)
        )
        found = next((row for row in said if row[1]), None)
        if found:
            yield Check(key, "bad", f"{name}: {found[1]}", found[0], name)


def _uncabled(there: Standing, month: str) -> str:
    tb = there.storage_uncabled_tb
    lacks = "no leaf ports or no power are left."
    return f"{tb:,.0f} TB of storage are never cabled from {month} on: {lacks}" if tb > 0 else ""


def _switches_off(there: Standing, month: str) -> str:
    free, off = kw(max(0.0, there.power_limit_kw - there.power_kw)), there.switches_off
    return (
        f"{off} of the switches ordered stay off from {month} on: {free} are free."
        if off > 0
        else ""
    )


def _racks_beyond(there: Standing, month: str) -> str:
    most, beyond = there.place.floor_free, there.racks_beyond
    said = f"there is floor for {most} more racks, and {beyond} of those ordered have none."
    return said if beyond > 0 else ""


def _uplinks(scene: Scene, name: str, rows: list[Standing]) -> Iterator[Check]:
    """Where nodes came and the spine did not: the first month, and the worst."""
    there = rows[0].place
    for index, now in enumerate(rows):
        before = there.uplinks / max(1, rows[0].place.count * there.fabric.rails)
        if now.down and now.uplinks / now.down < before - 0.02:
            short = max(0, now.uplinks_wanted - now.uplinks)
            month = scene.months[index].name
            free = now.spine_ports - now.uplinks
            text = (
                f"{name}: from {month} on {now.down} leaf ports of nodes share {now.uplinks} uplinks, "
                f"{now.down / max(1, now.uplinks):.2f} to 1; {short} more would keep the design, and "
                f"{free} ports are free on the spines."
            )
            yield Check("spine_ports", "warn", text, month, name)
            return


def _full(scene: Scene, name: str, last: Standing) -> Iterator[Check]:
    """How far power, leaf ports and racks are taken at the end of the year."""
    month = scene.months[-1].name
    tone = "warn" if last.power_kw > NEAR * last.power_limit_kw else "ok"
    text = f"{name}: {kw(last.power_kw)} of {kw(last.power_limit_kw)} are taken in {month}."
    yield Check("power", tone, text, month, name)
    tone = "warn" if last.leaf_ports_used > NEAR * last.leaf_ports else "ok"
    text = (
        f"{name}: {last.leaf_ports_used} of {last.leaf_ports} leaf ports and {last.uplinks} of "
        f"{last.spine_ports} spine ports are taken in {month}."
    )
    yield Check("ports", tone, text, month, name)
    text = f"{name}: {last.racks_used} of {some(last.racks, 'rack')} are taken in {month}."
    yield Check("racks", "ok", text, month, name)


def money_checks(
    scene: Scene, cost: tuple[Bill, ...], rented: tuple[Lease, ...]
) -> Iterator[Check]:
    """By quarter: what is spent of what may be."""
    carried = 0.0
    assumed = any(one.row.kind not in COMMITTED for one in rented)
    note = (
        f" GPUs paid by use are counted for {percent(ON_DEMAND_USE)} of the hours."
        if assumed
        else ""
    )
    for quarter in scene.quarters:
        own = [one for one in cost if one.quarter == quarter.quarter]
        capex, opex = sum(one.spent.capex for one in own), sum(one.spent.running for one in own)
        most = quarter.capex_usd + carried
        there = f" with {usd(carried)} left from before" if carried > 0.5 else ""
        text = f"{quarter.quarter}: purchases of {usd(capex)}, of {usd(most)}{there}"
        yield _money("capex", quarter.quarter, capex, most, text)
        text = f"{quarter.quarter}: running costs of {usd(opex)}, of {usd(quarter.opex_usd)}"
        found = _money("opex", quarter.quarter, opex, quarter.opex_usd, text)
        yield Check(found.key, found.tone, found.text + note, "", quarter.quarter)
        carried = max(0.0, most - capex)


def _money(key: str, quarter: str, spent: float, most: float, text: str) -> Check:
    if spent > most + 0.5:
        return Check(key, "bad", f"{text}: {usd(spent - most)} too much.", "", quarter)
    tone = "warn" if spent > NEAR * most and key == "opex" else "ok"
    return Check(key, tone, f"{text}.", "", quarter)
