"""Machines with an operating system: which they are, when they were started, how far back they remember."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import DAY, HOUR, MINUTE
from scenarios.troubleshooting.faults.slow_compute import SilentSlowNode
from scenarios.troubleshooting.physics import COMPUTE
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.texts import fleet
from scenarios.troubleshooting.texts.owners import during
from scenarios.troubleshooting.traces import Trace
from scenarios.troubleshooting.truth import Incident


def servers(incident: Incident) -> tuple[str, ...]:
    """Hosts beside the GPU nodes whose journals are collected."""
    plant = incident.plant
    storage = plant.storage
    own = (plant.login, plant.controller, *storage.oss, storage.mds, storage.nfs_server)
    return (*own, "monitor01", "registry01", "ufm01")


def looking(incident: Incident) -> int:
    """When somebody collected the state of all machines: in a step, while every rank computes."""
    run, step = incident.run, incident.run.step_at(during(incident))
    while run.save[step] > 0 or run.data[step] > run.data[step + 1] + 1:
        step += 1
    return int(run.starts[step]) + round(1000 * (float(run.data[step]) + 0.55 * COMPUTE))


def looked_before(incident: Incident) -> int:
    """The same in the run to compare with."""
    run = incident.baseline
    step = run.step_at(run.first_ms + 150 * MINUTE)
    while run.save[step] > 0:
        step += 1
    return int(run.starts[step]) + round(1000 * (float(run.data[step]) + 0.55 * COMPUTE))


def kind_of(incident: Incident, host: str) -> str:
    """`node`, `login`, `controller`, `oss`, `mds`, `nfs` or `other`."""
    plant = incident.plant
    storage = plant.storage
    if any(node.name == host for node in plant.nodes):
        return "node"
    named = {plant.login: "login", plant.controller: "controller", storage.mds: "mds"}
    named |= {storage.nfs_server: "nfs"} | dict.fromkeys(storage.oss, "oss")
    return named.get(host, "other")


def boot_ms(incident: Incident, host: str, traces: list[Trace]) -> int:
    """When the host was last started: nodes during the maintenance, servers months before.

    What the kernel says while it starts (an IOMMU, the width of a link) is written a moment after.
    """
    calendar = incident.calendar
    draw = Stream(incident.seed, f"boot {host}")
    if kind_of(incident, host) != "node":
        return calendar.baseline_start - int(draw.between(30, 160) * DAY)
    early = calendar.maintenance + DAY
    first = [
        t.at_ms
        for t in traces
        if t.host == host and t.at_ms < early and (t.kind == "dmesg.line" or _loads(t))
    ]
    if first:
        return min(first) - (4_200 if _loads_first(traces, host, min(first)) else 1_400)
    late = 85 if _opened(incident, host) else 0
    return calendar.maintenance + int((late + draw.between(62, 85)) * MINUTE)


def _opened(incident: Incident, host: str) -> bool:
    """Whether the node's main board was swapped during the maintenance."""
    faults = [cause.fault for cause in incident.causes]
    return any(isinstance(fault, SilentSlowNode) and fault.node == host for fault in faults)


def _loads(trace: Trace) -> bool:
    return trace.kind == "syslog.line" and trace.fields.get("unit") == "systemd-modules-load"


def _loads_first(traces: list[Trace], host: str, at_ms: int) -> bool:
    return any(_loads(t) for t in traces if t.host == host and t.at_ms == at_ms)


def archive_start(incident: Incident, host: str, traces: list[Trace]) -> int:
    """From when on a host's journal is kept: a node since its start, a server for half a day longer."""
    if kind_of(incident, host) == "node":
        return boot_ms(incident, host, traces)
    own = [t.at_ms for t in traces if t.host == host and t.kind.startswith(("syslog", "dmesg"))]
    return min([incident.calendar.window_start - 12 * HOUR, *(at - 5 * MINUTE for at in own)])


def failed_units(incident: Incident, node: Node, at_ms: int) -> Iterator[tuple[str, str | None]]:
    """Units that did not start: where a module cannot be loaded, the one that loads modules."""
    for trace in incident.traces():
        if trace.host == node.name and trace.fields.get("unit") == "systemd-modules-load":
            yield (
                "● systemd-modules-load.service loaded failed failed Load Kernel Modules",
                trace.tag,
            )
    for unit, told in fleet.failed_units(incident, node.name, at_ms).items():
        yield f"● {unit} loaded failed failed {told}", None
