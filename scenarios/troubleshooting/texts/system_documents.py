"""All documents of hosts and GPUs that a variant hands out: one call for whoever assembles the materials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.texts.bmc import sdr, sel
from scenarios.troubleshooting.texts.disks import iostat, mdstat
from scenarios.troubleshooting.texts.kernel import dmesg
from scenarios.troubleshooting.texts.lines import Document, Line
from scenarios.troubleshooting.texts.smi_csv import query_gpu
from scenarios.troubleshooting.texts.smi_health import diag, health
from scenarios.troubleshooting.texts.smi_live import dmon
from scenarios.troubleshooting.texts.smi_query import query
from scenarios.troubleshooting.texts.smi_table import table
from scenarios.troubleshooting.texts.system_commands import server_transcript, transcript
from scenarios.troubleshooting.texts.system_facility import building_log
from scenarios.troubleshooting.texts.system_host import looked_before, looking, servers
from scenarios.troubleshooting.texts.system_journal import journal
from scenarios.troubleshooting.texts.system_login import login_transcript
from scenarios.troubleshooting.texts.topo import nvlink_errors, nvlink_status, topo
from scenarios.troubleshooting.traces import Trace
from scenarios.troubleshooting.truth import Incident

FIELDS = tuple(
    (
        "index uuid pci.bus_id driver_version temperature.gpu power.draw power.limit "
        "clocks.current.sm clocks_event_reasons.active utilization.gpu memory.used "
        "pcie.link.gen.current pcie.link.width.current ecc.errors.corrected.aggregate.total"
    ).split()
)
"""What was asked of all GPUs at once."""


def documents(incident: Incident) -> Iterator[Document]:
    """Logs of every machine, and the state of the job's machines while the run was slow, by path."""
    traces = list(incident.traces())
    at = looking(incident)
    plant = incident.plant
    yield fleet(incident, plant.nodes, at, "fleet/gpu-query.csv")
    yield fleet(
        incident, incident.training.before, looked_before(incident), "runs/baseline/gpu-query.csv"
    )
    for node in plant.nodes:
        yield dmesg(incident, node.name, traces)
        yield journal(incident, node.name, traces)
        yield sdr(incident, node, at)
        yield sel(incident, node.name, traces)
    for node in incident.training.nodes:
        yield from _state(incident, node, at)
    yield from _servers(incident, traces, at)
    yield building_log(incident, traces)


def fleet(incident: Incident, nodes: Iterable[Node], at_ms: int, path: str) -> Document:
    """`pdsh` over nodes of one `nvidia-smi --query-gpu`: each row after its node's name, one heading."""
    lines: list[Line] = []
    for node in nodes:
        rows = query_gpu(incident, node, at_ms, FIELDS)
        if not lines:
            lines.append(Line(at_ms, f"node, {rows[0].text}"))
        lines += [Line(row.at_ms, f"{node.name}, {row.text}", row.tag) for row in rows[1:]]
    return Document(path, tuple(lines))


def _state(incident: Incident, node: Node, at: int) -> Iterator[Document]:
    """What one node of the job answered; `dcgmi diag` ran in the job's prolog."""
    folder = f"nodes/{node.name}"
    before = (incident.slow.start_ms or at) - 20 * SECOND
    yield Document(f"{folder}/nvidia-smi.txt", table(incident, node, at))
    yield Document(f"{folder}/nvidia-smi-q.txt", query(incident, node, at))
    yield Document(f"{folder}/nvidia-smi-dmon.txt", dmon(incident, node, at, 20, "pucv"))
    yield Document(f"{folder}/nvidia-smi-topo.txt", topo(incident, node, at))
    links = (*nvlink_status(incident, node, at), Line(at, ""), *nvlink_errors(incident, node, at))
    yield Document(f"{folder}/nvidia-smi-nvlink.txt", links)
    yield Document(f"{folder}/dcgmi-diag.txt", diag(incident, node, before))
    yield Document(f"{folder}/dcgmi-health.txt", health(incident, node, at))
    yield Document(f"{folder}/host.txt", transcript(incident, node, at))


def _servers(incident: Incident, traces: list[Trace], at: int) -> Iterator[Document]:
    plant = incident.plant
    storage = plant.storage
    for host in servers(incident):
        yield journal(incident, host, traces)
    for host in (*storage.oss, storage.mds, storage.nfs_server):
        yield dmesg(incident, host, traces)
        yield sel(incident, host, traces)
        yield Document(f"servers/{host}/host.txt", server_transcript(incident, host, at))
    for host in storage.oss:
        yield iostat(incident, host, at)
        yield mdstat(incident, host, at)
    yield Document(f"servers/{plant.login}/host.txt", login_transcript(incident, at))
