"""What the diagrams of a site count: ports, racks and kilowatts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from scenarios.company.profile.defaults import fitting
from scenarios.company.profile.tables import NodeType
from scenarios.scaling.scene import Place

ROLES = ("nodes", "equipment", "free")


@dataclass(frozen=True, slots=True)
class Ports:
    """Ports of a site's leaves or spines, by what hangs on them; all together they are `total`.

    up: links between leaves and spines, which take a port on either.
    """

    nodes: int
    up: int
    storage: int
    free: int

    @property
    def used(self) -> int:
        return self.nodes + self.up + self.storage

    @property
    def total(self) -> int:
        return self.used + self.free


@dataclass(frozen=True, slots=True)
class Load:
    """Power of one site in kW by what draws it; all together with `free` it is `limit`."""

    nodes: float
    switches: float
    rest: float
    free: float
    limit: float


@dataclass(frozen=True, slots=True)
class Rack:
    """One rack: nodes by type from the bottom up, most power that they draw, units that nothing fills.

    `role` is nodes, equipment (switches, storage, management) or free; kw is 0 for the last two.
    """

    role: str
    nodes: tuple[tuple[NodeType, int], ...]
    kw: float
    units_free: int


def linked(place: Place) -> int:
    """Nodes that hang on the fabric: those with GPUs."""
    return sum(count for kind, count in place.nodes if kind.gpus)


def leaf_ports(place: Place) -> Ports:
    """All ports of leaves."""
    net = place.fabric
    nodes, free = linked(place) * net.rails, place.leaf_ports_free
    storage = net.leaf_switches * net.switch_ports - free - nodes - place.uplinks
    return Ports(nodes, place.uplinks, max(0, storage), free)


def spine_ports(place: Place) -> Ports:
    """All ports of spines; none where the leaves need no spine."""
    return Ports(0, place.uplinks if place.fabric.spine_switches else 0, 0, place.spine_ports_free)


def room(place: Place) -> tuple[int, int]:
    """Nodes that the free ports would take: with uplinks as the design has them, and without any."""
    net, bare = place.fabric, place.leaf_ports_free // place.fabric.rails
    if not net.spine_switches:
        return bare, bare
    up = math.ceil(net.rails / net.oversubscription)
    return min(place.leaf_ports_free // (net.rails + up), place.spine_ports_free // up), bare


def load(place: Place) -> Load:
    """Most power that the equipment of a site draws, in kW."""
    limit, free = place.site.total_kw, max(0.0, place.power_free_kw)
    nodes = sum(kind.power_kw * count for kind, count in place.nodes)
    net = place.fabric
    switches = (net.leaf_switches + net.spine_switches) * net.switch_kw
    return Load(nodes, switches, max(0.0, limit - free - nodes - switches), free, limit)


def racks(place: Place) -> list[Rack]:
    """Every rack of a site: those with nodes, those with other equipment, those that are free."""
    units = place.site.rack_units
    found = [rack for kind, count in place.nodes for rack in _filled(place, kind, count)]
    free = min(place.racks_free, max(0, place.site.racks - len(found)))
    other = max(0, place.site.racks - len(found) - free)
    found += [Rack("equipment", (), 0.0, 0)] * other
    return found + [Rack("free", (), 0.0, units)] * free


def _filled(place: Place, kind: NodeType, count: int) -> Iterator[Rack]:
    """Racks of nodes of one type: as many in each as its power and its height allow."""
    most = max(1, fitting(kind, place.site.rack_kw, place.site.rack_units))
    for index in range(math.ceil(count / most)):
        held = min(most, count - index * most)
        left = max(0, place.site.rack_units - held * kind.rack_units)
        yield Rack("nodes", ((kind, held),), held * kind.power_kw, left)
