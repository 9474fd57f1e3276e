"""What NCCL said on each host: start-up at level INFO, warnings during the run."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.herrings.changed import SCRIPT
from scenarios.troubleshooting.jobs import Job
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.texts import fleet
from scenarios.troubleshooting.texts.lines import Document, Line, in_order
from scenarios.troubleshooting.texts.owners import owner, shown
from scenarios.troubleshooting.texts.train_files import settings
from scenarios.troubleshooting.traces import Trace
from scenarios.troubleshooting.truth import Incident

_SOURCE = "transport/net_ib.cc:94"


def nccl_log(incident: Incident, run: str) -> Document:
    """`nccl.log` of a run. INFO lines carry no time, as NCCL writes them; warnings carry the host's."""
    slow = run == "slow"
    job = incident.slow if slow else incident.before
    first = incident.run.first_ms if slow else incident.baseline.first_ms
    traced = [t for t in incident.traces() if t.kind == "nccl.line"] if slow else []
    lines: list[Line] = []
    for place, name in enumerate(job.nodes):
        own = [t for t in traced if t.host == name]
        lines += _host(incident, run, place, first - 90 * SECOND + place * 40, own)
    lines += [_traced(incident, job, trace) for trace in traced]
    if slow:
        lines += _by_others(incident, job)
    return in_order(f"runs/{run}/nccl.log", lines)


def _by_others(incident: Incident, job: Job) -> Iterator[Line]:
    """Warnings that cost nothing, each by one rank."""
    for number, (at, text) in enumerate(fleet.in_run(incident, "nccl")):
        rank = number * 11 % incident.training.ranks
        node = incident.training.place(rank)[0].name
        yield _traced(
            incident,
            job,
            Trace("nccl.line", at, node, "", {"rank": rank, "severity": "WARN", "text": text}),
        )


def _prefix(incident: Incident, job: Job, rank: int) -> str:
    place, index = divmod(rank, incident.plant.gpus_per_node)
    pid = 20_000 + job.id * 17 % 9_000 + place * 131 + index
    return f"{job.nodes[place]}:{pid}:{pid + 233} [{index}] NCCL"


def _traced(incident: Incident, job: Job, trace: Trace) -> Line:
    rank, text = int(trace.fields["rank"]), str(trace.fields["text"])
    prefix = _prefix(incident, job, rank)
    if trace.fields["severity"] != "WARN":
        return Line(trace.at_ms, f"{prefix} INFO {text}", trace.tag)
    host, _, end = prefix.partition(" ")
    stamp = f"[{shown(incident, trace.host, trace.at_ms):%Y-%m-%d %H:%M:%S}]"
    where = end.removesuffix("NCCL").strip()
    return Line(
        trace.at_ms, f"{stamp} {host} {where} {_SOURCE} NCCL WARN {text}", trace.tag or None
    )


def _host(incident: Incident, run: str, place: int, at: int, traced: list[Trace]) -> Iterator[Line]:
    """Start-up of one host's first rank, then the channels of all its ranks."""
    job = incident.slow if run == "slow" else incident.before
    node = incident.plant.node(job.nodes[place])
    size = incident.plant.gpus_per_node
    prefix = _prefix(incident, job, place * size)
    said = {str(trace.fields["text"]) for trace in traced}
    direct = owner(incident.condition, node.name, "gdr_gbytes") if run == "slow" else None
    staged = direct if direct == "driver-mismatch" else None
    for after, (text, tag) in enumerate(_start(incident, run, node, place, staged)):
        if text not in said:
            yield Line(at + 15 * SECOND + after * 90, f"{prefix} INFO {text}", tag)
    for index in range(size):
        rank = place * size + index
        own = _prefix(incident, job, rank)
        for text, tag in _channels(incident, rank, index, staged):
            if text not in said:
                yield Line(at + 25 * SECOND + index * 30, f"{own} INFO {text}", tag)
    rings = (
        "Connected all rings, use ring PXN 0 GDR" if "2.23" in incident.plant.versions.nccl else ""
    )
    ranks = incident.training.ranks
    for index, gpu in enumerate(node.gpus):
        rank = place * size + index
        ending = f"{rings} {0 if staged else 1}" if rings else "Connected all rings"
        own = _prefix(incident, job, rank)
        yield Line(at + 38 * SECOND, f"{own} INFO {ending}", staged if rings else None)
        yield Line(at + 38 * SECOND + 400, f"{own} INFO Connected all trees")
        bus = gpu.bus_id.split(":")[1].lower() + "000"
        ready = (
            f"comm 0x{0x55D0_0000_0000 + rank * 0x1A40 + job.id:x} rank {rank} nranks {ranks} "
            f"cudaDev {index} nvmlDev {index} busId {bus} commId 0x{job.id * 7919:016x} - Init COMPLETE"
        )
        yield Line(at + 40 * SECOND, f"{own} INFO {ready}")


def _start(
    incident: Incident, run: str, node: Node, place: int, staged: str | None
) -> Iterator[tuple[str, str | None]]:
    found = settings(incident, run)
    listed = found.values["NCCL_IB_HCA"]
    used = [h for h in node.hcas if not listed.startswith("=") or h.device in listed[1:].split(",")]
    if place == 0:
        yield f"NCCL version {incident.plant.versions.nccl}", None
    yield "NCCL_SOCKET_IFNAME set by environment to bond0", None
    yield f"Bootstrap: Using bond0:{node.bond_ip}<0>", None
    if any(herring.key == "nccl-plugin-missing" for herring in incident.herrings):
        yield "NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.", None
    yield f"NCCL_IB_HCA set to {listed}", found.tags.get("NCCL_IB_HCA")
    devices = " ".join(f"[{i}]{hca.device}:1/IB" for i, hca in enumerate(used))
    yield (
        f"NET/IB : Using {devices} [RO]; OOB bond0:{node.bond_ip}<0>",
        found.tags.get("NCCL_IB_HCA"),
    )
    yield "Using network IB", None
    for number, hca in enumerate(used):
        word = "Disabled" if staged else "Enabled"
        yield f"NET/IB : GPU Direct RDMA {word} for HCA {number} '{hca.device}'", staged
    yield "NCCL_PXN_DISABLE set by environment to 1.", None
    yield from _from_script(incident, run)


def _from_script(incident: Incident, run: str) -> Iterator[tuple[str, str | None]]:
    """What others set for NCCL in the batch script."""
    for before, now, tag in fleet.changes(incident, "train.sbatch", SCRIPT):
        name, _, value = (now if run == "slow" else before).removeprefix("export ").partition("=")
        if name.startswith("NCCL_"):
            yield f"{name} set by environment to {value}.", tag if run == "slow" else None


def _channels(
    incident: Incident, rank: int, index: int, staged: str | None
) -> Iterator[tuple[str, str | None]]:
    """To the same GPU of the next host over the network, to the next GPU of this host over NVLink."""
    size, ranks = incident.plant.gpus_per_node, incident.training.ranks
    near = rank - index + (index + 1) % size
    for channel in (0, 1):
        head = f"Channel {channel:02d}/0 : {rank}[{index}] -> "
        way = f"{head}{(rank + size) % ranks}[{index}] [send] via NET/IB/{index}"
        yield (way, staged) if staged else (f"{way}/GDRDMA", None)
        yield f"{head}{near}[{(index + 1) % size}] via P2P/CUMEM", None
