"""Links of the compute fabric as infiniband-diags show them: iblinkinfo, ibstat, the manager's log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from zlib import crc32

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import HOUR, SECOND
from scenarios.troubleshooting.plant import Cable, Hca, Plant, Switch
from scenarios.troubleshooting.texts import fleet
from scenarios.troubleshooting.texts.lines import Document, Line, in_order
from scenarios.troubleshooting.texts.owners import owner, value_at
from scenarios.troubleshooting.truth import Incident

_LANES = {200: "53.125", 400: "106.25"}
"""Rate of an adapter in Gb/s -> what iblinkinfo calls a lane."""


@dataclass(frozen=True, slots=True)
class Peer:
    """What is at the other end of a switch's port."""

    lid: int
    port: int
    name: str


def peers(plant: Plant) -> dict[tuple[str, int], Peer]:
    """(switch, port) -> the adapter or switch that is cabled to it."""
    switches = {switch.name: switch for switch in (*plant.leaves, *plant.spines)}
    found: dict[tuple[str, int], Peer] = {}
    for node in plant.nodes:
        for hca in node.hcas:
            found[hca.leaf, hca.leaf_port] = Peer(hca.lid, 1, f"{node.name} {hca.device}")
    for cable in plant.cables:
        a, b = _end(cable.a), _end(cable.b)
        if a is not None and b is not None and a[0] in switches:
            found[a] = Peer(switches[b[0]].lid, b[1], b[0])
            found[b] = Peer(switches[a[0]].lid, a[1], a[0])
    return found


def _end(name: str) -> tuple[str, int] | None:
    """`leaf03/17` as ("leaf03", 17); None for an adapter."""
    device, _, port = name.rpartition("/")
    return (device, int(port)) if port.isdigit() else None


def down(incident: Incident, cable: Cable, at_ms: int) -> str | None:
    """Key of the cause that has taken this leaf-to-spine cable out of service, or None."""
    leaf, spine = cable.a.partition("/")[0], cable.b.partition("/")[0]
    if value_at(incident.condition, leaf, "uplinks_down", at_ms) == 0:
        return None
    tag = owner(incident.condition, leaf, "uplinks_down")
    cause = next((c for c in incident.causes if c.key == tag), None)
    gone = cause is not None and spine in cause.fault.places()
    return tag if gone else None


def iblinkinfo(incident: Incident, at_ms: int) -> Document:
    """`iblinkinfo --switches-only` at an instant: a block for each switch that the manager still sees."""
    plant, ends = incident.plant, peers(incident.plant)
    dead = {c.a: tag for c in plant.cables if (tag := _uplink(incident, c, at_ms)) is not None}
    dead |= {c.b: dead[c.a] for c in plant.cables if c.a in dead}
    lines: list[Line] = []
    for switch in (*plant.leaves, *plant.spines):
        ports = sorted(port for name, port in ends if name == switch.name)
        alive = [port for port in ports if f"{switch.name}/{port}" not in dead]
        if not alive:
            continue
        lines.append(Line(at_ms, f"Switch: 0x{switch.guid} {switch.name}:"))
        for port in ports:
            tag = dead.get(f"{switch.name}/{port}")
            lines.append(Line(at_ms, _row(plant, switch, port, ends[switch.name, port], tag), tag))
        if incident.settings.fleet:
            lines += [Line(at_ms, _dark(switch, port)) for port in _free(ports)]
    return Document("fabric/iblinkinfo.txt", tuple(lines))


def _free(ports: list[int]) -> list[int]:
    """Ports without a cable, which the manager shows as well."""
    return [port for port in range(1, 65) if port not in ports][-12:]


def _dark(switch: Switch, port: int) -> str:
    return f'{switch.lid:>11} {port:>4}[  ] ==(                Down/ Polling)==>             [  ] "" ( )'


def _uplink(incident: Incident, cable: Cable, at_ms: int) -> str | None:
    return down(incident, cable, at_ms) if _end(cable.a) is not None else None


def _row(plant: Plant, switch: Switch, port: int, peer: Peer, tag: str | None) -> str:
    head = f"{switch.lid:>11} {port:>4}[  ] =="
    if tag is not None:
        return _dark(switch, port)
    lane = _LANES[plant.port_gbps]
    return f'{head}( 4X {lane:>10} Gbps Active/  LinkUp)==> {peer.lid:>7} {peer.port:>4}[  ] "{peer.name}" ( )'


def ibstat(incident: Incident) -> Document:
    """`ibstat` of the slow job's nodes, one after the other, as pdsh shows it."""
    lines = [
        Line(incident.run.first_ms, f"{node.name}: {text}")
        for node in incident.training.nodes
        for hca in node.hcas
        for text in ibstat_of(incident.plant, hca)
    ]
    return Document("fabric/ibstat.txt", tuple(lines))


def ibstat_of(plant: Plant, hca: Hca) -> Iterator[str]:
    """One adapter's block."""
    wide = plant.port_gbps >= 400
    yield f"CA '{hca.device}'"
    yield f"\tCA type: {'MT4129' if wide else 'MT4123'}"
    yield "\tNumber of ports: 1"
    yield f"\tFirmware version: {hca.firmware}"
    yield "\tHardware version: 0"
    yield f"\tNode GUID: 0x{hca.guid}"
    yield f"\tSystem image GUID: 0x{hca.guid}"
    yield "\tPort 1:"
    yield "\t\tState: Active"
    yield "\t\tPhysical state: LinkUp"
    yield f"\t\tRate: {plant.port_gbps}"
    yield f"\t\tBase lid: {hca.lid}"
    yield "\t\tLMC: 0"
    yield "\t\tSM lid: 1"
    yield "\t\tCapability mask: 0xa751e848"
    yield f"\t\tPort GUID: 0x{hca.port_guid}"
    yield "\t\tLink layer: InfiniBand"


def manager_log(incident: Incident) -> Document:
    """The subnet manager's log from the maintenance on: sweeps, and ports that went and came."""
    calendar, draw = incident.calendar, Stream(incident.seed, "opensm")
    found: list[tuple[int, str, str, str | None]] = []
    at = float(calendar.maintenance)
    while at < calendar.window_end:
        found.append((int(at), "0x02", "osm_ucast_mgr_process: heavy sweep done, no change", None))
        at += draw.between(1.2, 3.4) * HOUR
    for trace in incident.traces():
        if trace.kind == "fabric.line":
            level = "0x02" if trace.fields["severity"] in ("info", "notice") else "0x01"
            found.append((trace.at_ms, level, str(trace.fields["text"]), trace.tag))
    for when, _, row in fleet.said(incident, "opensm", ["ufm01"]):
        found.append((when, "0x01", row[1], None))
    return in_order("fabric/opensm.log", [_said(incident, *entry) for entry in found])


def _said(incident: Incident, at_ms: int, level: str, text: str, tag: str | None) -> Line:
    """Microseconds, thread and level stand before every line."""
    mark = crc32(f"{at_ms} {text}".encode())
    micro = at_ms % SECOND * 1_000 + mark % 1_000
    clock = f"{incident.calendar.local(at_ms):%b %d %H:%M:%S} {micro:06d}"
    return Line(at_ms, f"{clock} [{0x7F2A_0000 + mark % 7 * 0x1000:08X}] {level} -> {text}", tag)
