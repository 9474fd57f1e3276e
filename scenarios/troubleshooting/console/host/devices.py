"""`lspci` and `lsmod`: the node's PCI devices with their links, and its kernel modules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.site import Site, said
from scenarios.troubleshooting.gpu_memory import model
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.texts.smi_query import device_id
from scenarios.troubleshooting.texts.smi_state import gpu_now
from scenarios.troubleshooting.texts.system_commands import acs, modules

_CHIPS = {
    "A100": "GA100 [A100 SXM4 80GB]",
    "H100": "GH100 [H100 SXM5 80GB]",
    "H200": "GH100 [H200 SXM 141GB]",
    "B200": "GB100 [B200]",
}
_SPEED = {5: "32GT/s", 4: "16GT/s", 3: "8GT/s", 2: "5GT/s", 1: "2.5GT/s"}


@dataclass(frozen=True, slots=True)
class _Device:
    """One device: address, class, name, vendor and device id, and what `-vvv` adds."""

    address: str
    kind: str
    name: str
    ids: str
    more: tuple[str, ...]


def lspci(call: Call) -> str:
    """`-v`, `-nn`, `-s ADDRESS`, `-d VENDOR:`, `-D`."""
    words, level, numbers, where, vendor = list(call.args), 0, "", None, None
    while words:
        word = words.pop(0)
        if not word.startswith("-") or word == "-":
            raise Failed("lspci: Invalid option; use -s ADDRESS to choose a device")
        for place, letter in enumerate(word[1:], start=1):
            if letter in "sd":
                value = word[place + 1 :] or (words.pop(0) if words else None)
                if value is None:
                    raise Failed(f"lspci: option requires an argument -- '{letter}'")
                where, vendor = (value, vendor) if letter == "s" else (where, value)
                break
            if letter not in "vnkDtqmb":
                raise Failed(f"lspci: invalid option -- '{letter}'\nUsage: lspci [<switches>]")
            level += letter == "v"
            numbers += letter * (letter in "nD")
    site, node = call.site, call.site.nodes[call.host]
    rows: list[str] = []
    for device in _devices(site, node):
        if _chosen(device, where, vendor):
            rows += _shown(device, level, numbers)
    return joined(rows)


def _chosen(device: _Device, where: str | None, vendor: str | None) -> bool:
    at = (where or "").lower().removeprefix("0000:")
    return device.address.startswith(at) and (
        not vendor or device.ids.startswith(vendor.lower().rstrip(":"))
    )


def _shown(device: _Device, level: int, numbers: str) -> list[str]:
    address = f"0000:{device.address}" if "D" in numbers else device.address
    name = device.ids if numbers.count("n") == 1 else device.name
    name += f" [{device.ids}]" if "nn" in numbers.replace("D", "") else ""
    head = f"{address} {device.kind}: {name}"
    if not level:
        return [head]
    return [head, *(device.more if level > 1 else device.more[:2]), ""]


def _devices(site: Site, node: Node) -> Iterator[_Device]:
    """Switch ports first, as their buses come first; then GPUs and adapters."""
    fences = said(acs(site.incident, node, site.looked_ms)).splitlines()
    for number, fence in enumerate(fences):
        hca = node.hcas[number // 2]
        bus = int(hca.bus_id[5:7], 16) - 2 + number % 2
        yield _Device(
            f"{bus:02x}:00.0",
            "PCI bridge",
            "Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0)",
            "1000:c030",
            ("\tControl: I/O- Mem+ BusMaster+", "\tKernel driver in use: pcieport", fence),
        )
    best = 5 if site.incident.plant.port_gbps >= 400 else 4
    for gpu in node.gpus:
        now = gpu_now(site.incident, gpu, site.looked_ms)
        chip = _CHIPS[model(site.incident.plant)]
        yield _Device(
            gpu.bus_id[9:].lower(),
            "3D controller",
            f"NVIDIA Corporation {chip} (rev a1)",
            f"10de:{device_id(site.incident.plant).lower()}",
            (
                f"\tNUMA node: {gpu.numa}",
                "\tKernel driver in use: nvidia",
                *_link(now.pcie_gen, now.pcie_width, best),
            ),
        )
    wide = site.incident.plant.port_gbps >= 400
    for hca in node.hcas:
        name = "MT2910 Family [ConnectX-7]" if wide else "MT28908 Family [ConnectX-6]"
        yield _Device(
            hca.bus_id.removeprefix("0000:").lower(), "Infiniband controller", f"Mellanox Technologies {name}",
            "15b3:1021" if wide else "15b3:101b",
            (f"\tNUMA node: {node.gpus[hca.index].numa}", "\tKernel driver in use: mlx5_core",
             *_link(best, 16, best)),
        )  # fmt: skip


def _link(gen: int, width: int, best: int) -> tuple[str, ...]:
    """LnkCap and LnkSta; what is less than it could be is called downgraded."""
    speed = f"Speed {_SPEED[gen]} ({'ok' if gen == best else 'downgraded'})"
    lanes = f"Width x{width} ({'ok' if width == 16 else 'downgraded'})"
    return (
        f"\t\tLnkCap:\tPort #0, Speed {_SPEED[best]}, Width x16, ASPM not supported",
        f"\t\tLnkSta:\t{speed}, {lanes}",
    )


def lsmod(call: Call) -> str:
    """Those that matter here, with the ones that the materials show."""
    if call.args:
        raise Failed("Usage: lsmod", 1)
    shown = said(modules(call.site.incident, call.site.nodes[call.host], call.site.looked_ms))
    rows = ["Module                  Size  Used by", *shown.splitlines()]
    rows += [
        "ib_core               393216  8 rdma_cm,ib_ipoib,ib_umad,mlx5_ib,ib_uverbs,ib_cm",
        "mlx5_core            1826816  1 mlx5_ib",
        "nvidia_uvm           1523712  16",
        "nvidia              54272000  410 nvidia_uvm,nvidia_modeset",
        "lustre               1056768  2",
        "lnet                  716800  6 osc,ksocklnd,ptlrpc,lustre",
        "bonding               196608  0",
    ]
    return joined(rows)
