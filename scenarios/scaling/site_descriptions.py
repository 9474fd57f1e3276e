"""The sites in words and tables: the same figures that the drawings show."""

from __future__ import annotations

from scenarios.scaling.assumptions import USABLE_UPLINK
from scenarios.scaling.diagrams import counts
from scenarios.scaling.scene import Place, Scene
from scenarios.scaling.wording import figure, joined, percent, table


def described(scene: Scene) -> str:
    """Markdown about every site, and about the lines that leave them."""
    parts = [_site(place) for place in scene.places]
    if scene.has_cloud or len(scene.places) > 1:
        parts.append(_lines(scene))
    return "\n\n".join(parts)


def _site(place: Place) -> str:
    parts = (read(place) for read in (_nodes, _network, _storage, _racks))
    return "\n\n".join((f"## {place.site.name}, {place.site.region}", *parts))


def _nodes(place: Place) -> str:
    head = ("nodes", "count", "GPUs of each", "GPU", "kW at most", "rack units", "bought in")
    rows = [
        (
            kind.name,
            count,
            kind.gpus,
            kind.gpu,
            figure(kind.power_kw),
            kind.rack_units,
            kind.purchased,
        )
        for kind, count in place.nodes
    ]
    return table(head, rows)


def _network(place: Place) -> str:
    net, leaf, spine = place.fabric, counts.leaf_ports(place), counts.spine_ports(place)
    each = (
        "one to each leaf of its unit" if net.leaf_switches % net.rails == 0 else "over the leaves"
    )
    said = (
        f"**Network**: {net.kind} of {net.link_gbps} Gb/s a port. Each node has {net.rails} links, {each}."
        f" Switches have {net.switch_ports} ports and draw {figure(net.switch_kw)} kW each."
    )
    if net.spine_switches:
        said += (
            f" Leaves have {net.oversubscription:g} Gb/s towards nodes for each Gb/s towards spines."
            f" Many flows together reach {percent(USABLE_UPLINK)} of the nominal speed of the uplinks."
        )
    head = ("switches", "count", "ports", "to nodes", "leaf to spine", "to storage", "free")
    rows = [
        (name, many, *(figure(one) for one in (of.total, of.nodes, of.up, of.storage, of.free)))
        for name, many, of in (
            ("leaves", net.leaf_switches, leaf),
            ("spines", net.spine_switches, spine),
        )
        if many
    ]
    free, bare = counts.room(place)
    room = f"The free ports would take {free:,} more nodes"
    if net.spine_switches:
        room += f" with uplinks as they are designed, {bare:,} without further uplinks"
    return f"{said}\n\n{table(head, rows)}\n\n{room}."


def _storage(place: Place) -> str:
    head = ("storage", "kind", "TB", "TB in use", "GB/s")
    rows = [
        (tier.name, tier.kind, *map(figure, (tier.capacity_tb, tier.used_tb, tier.bandwidth_gbs)))
        for tier in place.tiers
    ]
    return table(head, rows)


def _racks(place: Place) -> str:
    power, found = counts.load(place), counts.racks(place)
    roles = {role: sum(one.role == role for one in found) for role in counts.ROLES}
    head = ("racks and power", "racks for nodes", "kW at most")
    rows = [
        ("nodes", roles["nodes"], figure(round(power.nodes, 1))),
        ("switches", "", figure(round(power.switches, 1))),
        ("storage, management", roles["equipment"] or "", figure(round(power.rest, 1))),
        ("free", roles["free"], figure(round(power.free, 1))),
        ("all", len(found), figure(round(power.limit, 1))),
    ]
    said = (
        f"A rack takes {figure(place.site.rack_kw)} kW and has {place.site.rack_units} units."
        f" PUE {figure(place.site.pue)}; electricity {figure(place.site.price_kwh)} USD a kWh."
    )
    said += f" There is floor for {place.floor_free} more racks."
    return f"{table(head, rows)}\n\n{said}"


def _lines(scene: Scene) -> str:
    parts = ["## Lines that leave the sites"]
    if len(scene.places) > 1:
        names = joined([place.site.name for place in scene.places])
        parts.append(f"{names} have a fabric each; a job runs at one of them.")
    if scene.has_cloud:
        shared = ", for all sites together" if len(scene.places) > 1 else ""
        parts.append(f"A line of {figure(scene.link_gbps)} Gb/s leads to the cloud{shared}.")
    return "\n\n".join(parts)
