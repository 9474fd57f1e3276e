"""/proc/interrupts: a column for every CPU, a row for every queue of a device."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.console.command import NODE
from scenarios.troubleshooting.console.host.cpus import socket_of
from scenarios.troubleshooting.console.host.system import threads
from scenarios.troubleshooting.console.proc.processors import up_s
from scenarios.troubleshooting.console.site import Site

_QUEUES = 8
"""Of each adapter; a queue is bound to one CPU of the adapter's socket."""
_EVERYWHERE = (
    ("NMI", 0.01, "Non-maskable interrupts"),
    ("LOC", 190.0, "Local timer interrupts"),
    ("SPU", 0.0, "Spurious interrupts"),
    ("PMI", 0.01, "Performance monitoring interrupts"),
    ("IWI", 0.02, "IRQ work interrupts"),
    ("RES", 21.0, "Rescheduling interrupts"),
    ("CAL", 9.0, "Function call interrupts"),
    ("TLB", 4.0, "TLB shootdowns"),
    ("TRM", 0.0, "Thermal event interrupts"),
    ("THR", 0.0, "Threshold APIC interrupts"),
    ("MCE", 0.0, "Machine check exceptions"),
    ("MCP", 0.0033, "Machine check polls"),
)


def interrupts(site: Site, host: str) -> str:
    total, up = threads(site, host), up_s(site, host)
    draw = Stream(site.incident.seed, f"interrupts {host}")
    rows = ["     " + "".join(f"{f'CPU{cpu}':>11}" for cpu in range(total))]
    for number, (cpu, rate, name) in enumerate(_queues(site, host, total), start=120):
        count = int(up * rate * draw.between(0.6, 1.4))
        cells = [0] * total
        cells[cpu] = count
        rows.append(
            _row(str(number), cells, f"IR-PCI-MSI {number * 4_096 + 524_288}-edge      {name}")
        )
    for name, rate, about in _EVERYWHERE:
        cells = [int(up * rate * draw.between(0.9, 1.1)) for _ in range(total)]
        rows.append(_row(name, cells, about))
    return "".join(f"{row}\n" for row in [*rows, " ERR:          0", " MIS:          0"])


def _row(name: str, cells: list[int], about: str) -> str:
    return f"{name + ':':>5}{''.join(f'{cell:>11}' for cell in cells)}  {about}"


def _queues(site: Site, host: str, total: int) -> Iterator[tuple[int, float, str]]:
    """(CPU, interrupts a second, name) of every queue."""
    for queue in range(_QUEUES):
        yield queue * 7, 3.0, f"nvme0q{queue}"
    yield 0, 0.01, "eno1"
    for queue in range(_QUEUES):
        yield queue * 5 % total, 6.0, f"eno1-TxRx-{queue}"
    for device in ("0000:98:00.0", "0000:98:00.1"):
        for queue in range(_QUEUES):
            yield queue * 3 + total // 4, 900.0, f"mlx5_comp{queue}@pci:{device}"
    if site.kind(host) != NODE:
        return
    node = site.nodes[host]
    for hca in node.hcas:
        first = next(
            cpu for cpu in range(total) if socket_of(cpu, total) == node.gpus[hca.index].numa
        )
        yield first, 0.02, f"mlx5_async0@pci:{hca.bus_id.lower()}"
        for queue in range(_QUEUES):
            yield (
                first + 4 * queue + hca.index % 4,
                40.0,
                f"mlx5_comp{queue}@pci:{hca.bus_id.lower()}",
            )
    for gpu in node.gpus:
        first = next(cpu for cpu in range(total) if socket_of(cpu, total) == gpu.numa)
        yield first + gpu.index, 210.0, "nvidia"
