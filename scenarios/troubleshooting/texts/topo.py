"""`nvidia-smi topo -m` and `nvidia-smi nvlink -s | -e`: how GPUs and adapters hang together."""

from __future__ import annotations

from collections.abc import Container

from scenarios.troubleshooting.plant import CORES_PER_SOCKET, Node, Plant
from scenarios.troubleshooting.texts.lines import Line
from scenarios.troubleshooting.texts.smi_state import links_down, whose
from scenarios.troubleshooting.truth import Incident

_LEGEND = """
Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)
  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node
  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)
  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)
  PIX  = Connection traversing at most a single PCIe bridge
  NV#  = Connection traversing a bonded set of # NVLinks

NIC Legend:
"""
_RATE = {400: "25.781", 700: "26.562", 1000: "53.125"}
"""Raw rate of one link in GB/s, by the GPU's power: A100, Hopper, Blackwell (handbook 1.1.7)."""


def socket_cpus(numa: int) -> str:
    """Hardware threads of a socket as the kernel lists them: second threads come after all cores."""
    first, all_cores = numa * CORES_PER_SOCKET, 2 * CORES_PER_SOCKET
    last = first + CORES_PER_SOCKET - 1
    return f"{first}-{last},{all_cores + first}-{all_cores + last}"


def topo(incident: Incident, node: Node, at_ms: int) -> tuple[Line, ...]:
    """The matrix, tab-separated as the tool prints it, and its legend."""
    gpus, hcas = node.gpus, node.hcas
    names = [f"GPU{g.index}" for g in gpus] + [f"NIC{h.index}" for h in hcas]
    head = "\t".join(["", *names, "CPU Affinity", "NUMA Affinity", "GPU NUMA ID"])
    lines = [Line(at_ms, head)]
    for gpu in gpus:
        cells = [_pair(incident, node, gpu.index, other.index, at_ms) for other in gpus]
        cells += [_way(gpu.numa, gpu.index, node, hca.index) for hca in hcas]
        cells += [socket_cpus(gpu.numa), str(gpu.numa), "\tN/A"]
        tag = whose(incident, at_ms, gpu.name, "nvlink_down")
        lines.append(Line(at_ms, f"GPU{gpu.index}\t" + "\t".join(cells), tag))
    for hca in hcas:
        numa = gpus[hca.index].numa
        cells = [_way(numa, hca.index, node, gpu.index) for gpu in gpus]
        cells += [
            " X " if other is hca else _between(gpus[other.index].numa, numa) for other in hcas
        ]
        lines.append(Line(at_ms, f"NIC{hca.index}\t" + "\t".join(cells) + "\t\t\t\t"))
    lines += [Line(at_ms, text) for text in _LEGEND.splitlines()]
    lines += [
        Line(at_ms, ""),
        *(Line(at_ms, f"  NIC{h.index}: {h.device}") for h in hcas),
        Line(at_ms, ""),
    ]
    return tuple(lines)


def _pair(incident: Incident, node: Node, one: int, other: int, at_ms: int) -> str:
    """Two GPUs of a node talk over as many links as the one with fewer has left."""
    if one == other:
        return " X "
    lost = max(len(links_down(incident, node.gpus[i], at_ms)) for i in (one, other))
    return f"NV{incident.plant.nvlinks - lost}"


def _way(numa: int, index: int, node: Node, other: int) -> str:
    return "PIX" if index == other else _between(numa, node.gpus[other].numa)


def _between(numa: int, other: int) -> str:
    return "NODE" if numa == other else "SYS"


def nvlink_status(
    incident: Incident, node: Node, at_ms: int, indices: Container[int] | None = None
) -> tuple[Line, ...]:
    """`nvidia-smi nvlink -s`: the rate of each link, or `<inactive>`."""
    lines = []
    for gpu in node.gpus:
        if indices is not None and gpu.index not in indices:
            continue
        lines.append(Line(at_ms, _title(incident.plant, gpu.index, gpu.uuid)))
        down = links_down(incident, gpu, at_ms)
        tag = whose(incident, at_ms, gpu.name, "nvlink_down")
        for link in range(incident.plant.nvlinks):
            text = "<inactive>" if link in down else f"{_rate(incident.plant)} GB/s"
            lines.append(Line(at_ms, f"\t Link {link}: {text}", tag if link in down else None))
    return tuple(lines)


def nvlink_errors(
    incident: Incident, node: Node, at_ms: int, indices: Container[int] | None = None
) -> tuple[Line, ...]:
    """`nvidia-smi nvlink -e`: counters of each link that is active."""
    lines = []
    for gpu in node.gpus:
        if indices is not None and gpu.index not in indices:
            continue
        lines.append(Line(at_ms, _title(incident.plant, gpu.index, gpu.uuid)))
        down = links_down(incident, gpu, at_ms)
        for link in range(incident.plant.nvlinks):
            if link in down:
                continue
            lines += [
                Line(at_ms, f"\t Link {link}: {kind} Errors: 0")
                for kind in ("Replay", "Recovery", "CRC")
            ]
            lines.append(Line(at_ms, ""))
    return tuple(lines)


def _title(plant: Plant, index: int, uuid: str) -> str:
    return f"GPU {index}: {plant.gpu_product} (UUID: {uuid})"


def _rate(plant: Plant) -> str:
    return _RATE[plant.top_w]
