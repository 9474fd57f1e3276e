"""Counters of switch ports: perfquery of the leaves, ibqueryerrors of the fabric. Figures are the metrics'."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from scenarios.troubleshooting.calendar import MINUTE
from scenarios.troubleshooting.faults.uplinks import FabricNeighbour
from scenarios.troubleshooting.herrings.in_place import OldSymbols
from scenarios.troubleshooting.plant import Switch
from scenarios.troubleshooting.signals.activity import activity
from scenarios.troubleshooting.signals.fabric import METRICS, crowded, traffic_of
from scenarios.troubleshooting.signals.stage import slow_stage
from scenarios.troubleshooting.texts.fabric_links import down, peers
from scenarios.troubleshooting.texts.lines import Document, Line
from scenarios.troubleshooting.texts.owners import owner
from scenarios.troubleshooting.truth import Incident

_PORT = "ib_switch_port_"
Key = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class Counters:
    """Counters of every switch port in some minutes of the window: (switch, port, counter) -> values, quantum.

    There is a value for each of `minutes`, counted from the window's start; `last` is the window's last one.
    """

    start_ms: int
    last: int
    minutes: tuple[int, ...]
    values: Mapping[Key, tuple[NDArray[np.integer], float]]

    def at(self, switch: str, port: int, name: str, at_ms: int) -> int:
        """The last value before an instant; 0 for a port that is not cabled."""
        found = self.values.get((switch, port, name))
        if found is None:
            return 0
        row, quantum = found
        minute = min(max((at_ms - self.start_ms) // MINUTE, 0), self.last)
        value = int(row[self.minutes.index(minute)])
        # The history keeps whole quanta; the digits below are the port's own and never run backwards.
        low = int(crc32(f"{switch} {port} {name} {value}".encode()) % quantum) if value else 0
        return int(value * quantum) + low


def keep_counters(incident: Incident, *times: int) -> None:
    """Have these instants (ms UTC) kept when the history is written: nothing is counted twice then."""
    start = incident.calendar.window_start
    traffic_of(slow_stage(incident)).keep((at - start) // MINUTE for at in times)


def read_counters(incident: Incident, *times: int) -> Counters:
    """What the fabric's exporter counts at some instants (ms UTC); known at once if kept for the history."""
    stage = slow_stage(incident)
    traffic = traffic_of(stage)
    keep_counters(incident, *times)
    if not traffic.shown:
        for node in stage.hosts:
            if not traffic.knows(node):
                for _ in traffic.adapters(node, activity(stage, node)):
                    pass
        for _ in traffic.switches():
            pass
    quanta = {metric.name: metric.quantum for metric in METRICS}
    found: dict[Key, tuple[NDArray[np.integer], float]] = {}
    for (switch, metric), (named, values) in traffic.shown.items():
        name, quantum = metric.removeprefix(_PORT), quanta[metric]
        for labels, row in zip(named, values, strict=True):
            found[switch, int(dict(labels)["port"]), name] = row, quantum
    return Counters(incident.calendar.window_start, traffic.last, traffic.minutes, found)


@dataclass(frozen=True, slots=True)
class Port:
    """A leaf's port; data in words of four bytes. `faulty`, `waiting`: whose its errors and waits are."""

    switch: Switch
    number: int
    symbols: int
    downs: int
    sent: int
    received: int
    waited: int
    faulty: str | None
    waiting: str | None


def ports(incident: Incident, counters: Counters, at_ms: int) -> Iterator[Port]:
    """Every cabled port of every leaf, in order."""
    tags = _tags(incident, at_ms)
    cabled = sorted(peers(incident.plant))
    for leaf in incident.plant.leaves:
        for name, number in cabled:
            if name != leaf.name:
                continue
            read = [
                counters.at(name, number, counter, at_ms)
                for counter in (
                    "symbol_errors_total",
                    "link_downed_total",
                    "xmit_data_bytes_total",
                    "rcv_data_bytes_total",
                    "xmit_wait_total",
                )
            ]
            sent, received = read[2] // 4, read[3] // 4
            whose = tags.get((name, number), (None, None))
            yield Port(leaf, number, read[0], read[1], sent, received, read[4], *whose)


def _tags(incident: Incident, at_ms: int) -> dict[tuple[str, int], tuple[str | None, str | None]]:
    """(leaf, port) -> whose errors and whose waits it shows."""
    condition, plant = incident.condition, incident.plant
    small = {h.host: h.key for h in incident.herrings if h.key == "host-port-wait"}
    old = {(h.switch, h.port): h.key for h in incident.herrings if isinstance(h, OldSymbols)}
    found: dict[tuple[str, int], tuple[str | None, str | None]] = {}
    for node in plant.nodes:
        indirect = owner(condition, node.name, "gdr_gbytes")
        for hca in node.hcas:
            place = hca.leaf, hca.leaf_port
            faulty = owner(condition, hca.name, "symbol_errors") or old.get(place)
            waiting = owner(condition, hca.name, "path_gbytes") or small.get(hca.leaf)
            found[place] = faulty, indirect if indirect == "acs-enabled" else waiting
    calm, stage = condition.without(FabricNeighbour.key), slow_stage(incident)
    for leaf in plant.leaves:
        cables = plant.uplinks(leaf.name)
        dead = {cable: down(incident, cable, at_ms) for cable in cables}
        full = crowded(stage, leaf, [cable for cable in cables if dead[cable] is None])
        for cable in cables:
            waits = FabricNeighbour.key if cable in full else owner(calm, leaf.name, "xmit_wait")
            number = int(cable.a.rpartition("/")[2])
            found[leaf.name, number] = dead[cable], None if dead[cable] else waits
    return found


def perfquery(incident: Incident, counters: Counters, at_ms: int) -> Document:
    """`perfquery -x LID PORT` for every port of every leaf."""
    lines: list[Line] = []
    for port in ports(incident, counters, at_ms):
        head = (
            f"# Port extended counters: Lid {port.switch.lid} port {port.number} (CapMask: 0x5A00)"
        )
        lines.append(Line(at_ms, head))
        for name, value in _extended(port):
            tag = {
                "PortXmitWait": port.waiting,
                "SymbolErrorCounter": port.faulty,
                "LinkDownedCounter": port.faulty if port.downs else None,
            }.get(name)
            text = f"{name}:{'.' * (31 - len(name) - len(str(value)))}{value}"
            lines.append(Line(at_ms, text, tag))
    return Document("fabric/perfquery-leaves.txt", tuple(lines))


def _extended(port: Port) -> Iterator[tuple[str, int]]:
    """Counters in the tool's order; a packet carries about 4 KiB."""
    sent, received = port.sent // 1040, port.received // 1040
    yield "PortSelect", port.number
    yield "CounterSelect", 0
    yield "PortXmitData", port.sent
    yield "PortRcvData", port.received
    yield "PortXmitPkts", sent
    yield "PortRcvPkts", received
    yield "PortUnicastXmitPkts", sent
    yield "PortUnicastRcvPkts", received
    yield "PortMulticastXmitPkts", 0
    yield "PortMulticastRcvPkts", 0
    yield "CounterSelect2", 0
    yield "SymbolErrorCounter", port.symbols
    yield "LinkErrorRecoveryCounter", port.downs
    yield "LinkDownedCounter", port.downs
    yield "PortRcvErrors", port.symbols // 7
    yield "PortRcvRemotePhysicalErrors", 0
    yield "PortRcvSwitchRelayErrors", 0
    yield "PortXmitDiscards", 0
    yield "VL15Dropped", 0
    yield "PortXmitWait", port.waited


def query_errors(incident: Incident, counters: Counters, at_ms: int, path: str) -> Document:
    """`ibqueryerrors --switch` with its default thresholds: ports that count anything but data."""
    found: dict[str, list[Port]] = {}
    for port in ports(incident, counters, at_ms):
        found.setdefault(port.switch.name, []).append(port)
    when = incident.calendar.local(at_ms)
    lines = [Line(at_ms, f"# {when:%Y-%m-%d %H:%M:%S %Z} ibqueryerrors --switch")]
    shown = 0
    for name, own in found.items():
        guid = own[0].switch.guid
        lines.append(Line(at_ms, f'Errors for 0x{guid} "{name}"'))
        for port in own:
            counts = (
                ("SymbolErrorCounter", port.symbols),
                ("LinkErrorRecoveryCounter", port.downs),
                ("LinkDownedCounter", port.downs),
                ("PortRcvErrors", port.symbols // 7),
                ("PortXmitWait", port.waited),
            )
            text = " ".join(f"[{key} == {value}]" for key, value in counts if value)
            if text:
                shown += 1
                row = f"   GUID 0x{guid} port {port.number}: {text}"
                lines.append(Line(at_ms, row, port.faulty or port.waiting))
    nodes, checked = len(incident.plant.leaves), sum(len(own) for own in found.values())
    lines.append(Line(at_ms, f"## Summary: {nodes} nodes checked, {len(found)} bad nodes found"))
    lines.append(
        Line(
            at_ms,
            f"##          {checked} ports checked, {shown} ports have errors beyond threshold",
        )
    )
    return Document(path, tuple(lines))
