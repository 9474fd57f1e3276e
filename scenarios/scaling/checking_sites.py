"""Checks of what stands at a site in a month, and of money by quarter."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.scaling.budget import Bill
from scenarios.scaling.checking import Check, check
from scenarios.scaling.costs import ON_DEMAND_USE
from scenarios.scaling.estate import Estate, Group, Standing
from scenarios.scaling.fleet import COMMITTED, Lease
from scenarios.scaling.scene import Scene
from scenarios.scaling.wording import percent, some, usd

SLIGHT = 0.02
"""Uplinks for a port by which a design may fall short unsaid."""
CENTS = 0.5
"""USD below which a sum is nothing: figures are rounded."""
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
        said = f"{there.place.site.name}: {nodes} of order {order} cannot be used {when}: "
        yield check(f"no_{lacks}", first, order, said=said, group=group, **_left(there))


def _left(there: Standing) -> dict[str, object]:
    """What sentences say of a site in a month."""
    return {
        "there": there,
        "free_kw": max(0.0, there.power_limit_kw - there.power_kw),
        "free_ports": max(0, there.leaf_ports - there.leaf_ports_used),
        "racks": some(there.racks, "rack"),
    }


def _idle(scene: Scene, name: str, rows: list[Standing]) -> Iterator[Check]:
    """Storage, switches and racks that cannot be used: each in the first of its months."""
    for key, read in (
        ("storage_uncabled", "storage_uncabled_tb"),
        ("no_power.switches", "switches_off"),
        ("no_floor", "racks_beyond"),
    ):
        for month, there in zip(scene.months, rows, strict=True):
            if getattr(there, read) > 0:
                yield check(key, month.name, name, name=name, month=month.name, **_left(there))
                break


def _uplinks(scene: Scene, name: str, rows: list[Standing]) -> Iterator[Check]:
    """Where nodes came and the spine did not: the first month, and the worst."""
    place = rows[0].place
    before = place.uplinks / max(1, place.count * place.fabric.rails)
    for month, there in zip(scene.months, rows, strict=True):
        if there.down and there.uplinks / there.down < before - SLIGHT:
            figures = {
                "over": there.down / max(1, there.uplinks),
                "short": max(0, there.uplinks_wanted - there.uplinks),
                "free": there.spine_ports - there.uplinks,
            }
            words = {"name": name, "month": month.name, "there": there, **figures}
            yield check("spine_ports", month.name, name, **words)
            return


def _full(scene: Scene, name: str, last: Standing) -> Iterator[Check]:
    """How far power, leaf ports and racks are taken at the end of the year."""
    month = scene.months[-1].name
    near = {
        "power": last.power_kw > NEAR * last.power_limit_kw,
        "ports": last.leaf_ports_used > NEAR * last.leaf_ports,
        "racks": False,
    }
    for key, warns in near.items():
        tone = "warn" if warns else "ok"
        yield check(key, month, name, tone, name=name, month=month, **_left(last))


def money_checks(
    scene: Scene, cost: tuple[Bill, ...], rented: tuple[Lease, ...]
) -> Iterator[Check]:
    """By quarter: what is spent of what may be."""
    carried, note = 0.0, ""
    if any(one.row.kind not in COMMITTED for one in rented):
        note = f" GPUs paid by use are counted for {percent(ON_DEMAND_USE)} of the hours."
    for quarter in scene.quarters:
        own = [one for one in cost if one.quarter == quarter.quarter]
        capex, opex = sum(one.spent.capex for one in own), sum(one.spent.running for one in own)
        most = quarter.capex_usd + carried
        beside = f" with {usd(carried)} left from before" if carried > CENTS else ""
        yield _money("capex", quarter.quarter, capex, most, beside, "")
        yield _money("opex", quarter.quarter, opex, quarter.opex_usd, "", note)
        carried = max(0.0, most - capex)


def _money(key: str, quarter: str, spent: float, most: float, beside: str, note: str) -> Check:
    tone, end = "ok", "."
    if spent > most + CENTS:
        tone, end = "bad", f": {usd(spent - most)} too much."
    elif spent > NEAR * most and key == "opex":
        tone = "warn"
    words = {"quarter": quarter, "spent": spent, "most": most, "beside": beside + end + note}
    return check(key, "", quarter, tone, **words)
