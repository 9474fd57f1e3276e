"""`nvidia-smi -q [-i N] [-d SECTION,...]`: every section in the driver's order.

Hopper and newer print distances to the temperature limit (T.Limit), Ampere absolute temperatures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from scenarios.troubleshooting import physics
from scenarios.troubleshooting.plant import Node, Plant
from scenarios.troubleshooting.texts.lines import Line
from scenarios.troubleshooting.texts.smi_state import GpuNow, driver, gpu_now, herring_on, whose
from scenarios.troubleshooting.texts.smi_table import command
from scenarios.troubleshooting.truth import Incident

COLUMN = 38
SECTIONS = tuple(
    (
        "MEMORY UTILIZATION ECC TEMPERATURE POWER CLOCK COMPUTE PIDS PERFORMANCE SUPPORTED_CLOCKS "
        "PAGE_RETIREMENT ACCOUNTING ENCODER_STATS SUPPORTED_GPU_TARGET_TEMP VOLTAGE FBC_STATS "
        "ROW_REMAPPER RESET_STATUS GSP_FIRMWARE_VERSION"
    ).split()
)
"""What `-d` takes; to any other word the tool answers with `smi_table.INVALID`."""


class Row(NamedTuple):
    """One row: depth in steps of four blanks; without a value it heads a block. `section`: for `-d`."""

    depth: int
    name: str
    value: str | None = None
    section: str = ""
    tag: str | None = None

    def text(self) -> str:
        left = " " * (4 * self.depth) + self.name
        return left if self.value is None else f"{left:<{COLUMN + 4}}: {self.value}"


def query(
    incident: Incident,
    node: Node,
    at_ms: int,
    indices: Iterable[int] | None = None,
    sections: Iterable[str] = (),
) -> tuple[Line, ...]:
    """The whole output for these GPUs (all by default) and sections (all by default)."""
    chosen = tuple(node.gpus) if indices is None else tuple(node.gpus[i] for i in indices)
    version, tag = driver(incident, node.name, at_ms)
    stamp = f"{incident.calendar.local(at_ms):%a %b %e %H:%M:%S %Y}"
    rows = [
        Row(0, "\n==============NVSMI LOG==============\n".strip()),
        Row(0, ""),
        Row(0, "Timestamp", stamp),
        Row(0, "Driver Version", version, tag=tag),
        Row(0, "CUDA Version", incident.plant.versions.cuda),
        Row(0, ""),
        Row(0, "Attached GPUs", str(len(node.gpus))),
    ]
    wanted = set(sections)
    for gpu in chosen:
        rows.append(Row(0, f"GPU {gpu.bus_id}"))
        found = _sections(incident, gpu_now(incident, gpu, at_ms), version)
        rows += [row for row in found if not wanted or row.section in wanted]
        rows.append(Row(0, ""))
    return (Line(at_ms, ""), *(Line(at_ms, row.text(), row.tag) for row in rows))


def _sections(incident: Incident, now: GpuNow, version: str) -> list[Row]:
    ampere = incident.plant.port_gbps < 400
    rows = [*_product(incident, now, version), *_pci(incident, now)]
    rows += [*_performance(incident, now, ampere), *_memory(incident, now)]
    rows += [*_usage(now), *_ecc(incident, now), *_remapped(incident, now)]
    rows += [*_temperature(incident, now, ampere), *_power(incident, now, ampere)]
    return [*rows, *_clocks(incident, now), *_fabric(), *_pids(now)]


def _block(depth: int, section: str, head: str, *rows: tuple[str, str]) -> Iterator[Row]:
    yield Row(depth, head, None, section)
    for name, value in rows:
        yield Row(depth + 1, name, value, section)


def _product(incident: Incident, now: GpuNow, version: str) -> Iterator[Row]:
    plant, gpu = incident.plant, now.gpu
    for name, value in (
        ("Product Name", plant.gpu_product),
        ("Product Brand", "NVIDIA"),
        ("Product Architecture", _architecture(plant)),
        ("Display Mode", "Disabled"),
        ("Display Active", "Disabled"),
        ("Persistence Mode", "Enabled"),
        ("Addressing Mode", "None"),
    ):
        yield Row(1, name, value)
    yield from _block(1, "", "MIG Mode", ("Current", "Disabled"), ("Pending", "Disabled"))
    yield Row(1, "Accounting Mode", "Disabled", "ACCOUNTING")
    yield Row(1, "Accounting Mode Buffer Size", "4000", "ACCOUNTING")
    yield from _block(1, "", "Driver Model", ("Current", "N/A"), ("Pending", "N/A"))
    board = int(gpu.bus_id[9:11], 16) << 8
    for name, value in (
        ("Serial Number", gpu.serial), ("GPU UUID", gpu.uuid), ("Minor Number", str(gpu.minor)),
        ("VBIOS Version", gpu.vbios), ("MultiGPU Board", "No"), ("Board ID", f"0x{board:x}"),
        ("Board Part Number", _part(plant)[0]), ("GPU Part Number", _part(plant)[1]),
        ("FRU Part Number", "N/A"), ("Module ID", str(gpu.index + 1)),
    ):  # fmt: skip
        yield Row(1, name, value)
    inforom = (("Image Version", _part(plant)[2]), ("OEM Object", "2.1"), ("ECC Object", "7.16"))
    yield from _block(1, "", "Inforom Version", *inforom, ("Power Management Object", "N/A"))
    yield from _block(
        1, "", "Inforom BBX Object Flush", ("Latest Timestamp", "N/A"), ("Latest Duration", "N/A")
    )
    yield from _block(1, "", "GPU Operation Mode", ("Current", "N/A"), ("Pending", "N/A"))
    yield Row(1, "GPU C2C Mode", "Disabled")
    none = ("Host VGPU Mode", "N/A"), ("vGPU Heterogeneous Mode", "N/A")
    yield from _block(1, "", "GPU Virtualization Mode", ("Virtualization Mode", "None"), *none)
    reset = ("Reset Required", "No"), ("Drain and Reset Recommended", "No")
    yield from _block(1, "RESET_STATUS", "GPU Reset Status", *reset)
    yield Row(1, "GSP Firmware Version", version, "GSP_FIRMWARE_VERSION")
    yield from _block(1, "", "IBMNPU", ("Relaxed Ordering Mode", "N/A"))


def _architecture(plant: Plant) -> str:
    return (
        "Ampere"
        if plant.port_gbps < 400
        else "Blackwell"
        if "B200" in plant.gpu_product
        else "Hopper"
    )


def _part(plant: Plant) -> tuple[str, str, str, str, str]:
    """Board part, GPU part, inforom image, device id, subsystem id of a product."""
    for name, parts in _PARTS.items():
        if name in plant.gpu_product:
            return parts
    raise KeyError(plant.gpu_product)


def device_id(plant: Plant) -> str:
    """The PCI device id of the product, four hex digits as DCGM prints it."""
    return _part(plant)[3][2:6]


_PARTS = {
    "A100": ("692-2G506-0210-003", "20B2-890-A1", "G506.0210.00.05", "0x20B210DE", "0x146310DE"),
    "H100": ("692-2G520-0200-000", "2330-885-A1", "G520.0200.00.05", "0x233010DE", "0x16C110DE"),
    "H200": ("692-2G520-0280-000", "2335-895-A1", "G520.0280.00.02", "0x233510DE", "0x18BE10DE"),
    "B200": ("692-2G525-0220-002", "2901-886-A1", "G525.0220.00.03", "0x290110DE", "0x199910DE"),
}


def _pci(incident: Incident, now: GpuNow) -> Iterator[Row]:
    gpu, plant = now.gpu, incident.plant
    best = 5 if plant.port_gbps >= 400 else 4
    device, subsystem = _part(plant)[3:]
    yield from _block(
        1,
        "",
        "PCI",
        ("Bus", f"0x{gpu.bus_id[9:11]}"),
        ("Device", "0x00"),
        ("Domain", "0x0000"),
        ("Base Classcode", "0x3"),
        ("Sub Classcode", "0x2"),
        ("Device Id", device),
        ("Bus Id", gpu.bus_id),
        ("Sub System Id", subsystem),
    )
    yield Row(2, "GPU Link Info")
    tag = whose(incident, now.at_ms, gpu.name, "pcie_gen")
    yield Row(3, "PCIe Generation")
    yield Row(4, "Max", str(best))
    yield Row(4, "Current", str(now.pcie_gen), tag=tag)
    yield Row(4, "Device Current", str(now.pcie_gen), tag=tag)
    yield Row(4, "Device Max", str(best))
    yield Row(4, "Host Max", str(best))
    yield Row(3, "Link Width")
    yield Row(4, "Max", "16x")
    narrow = whose(incident, now.at_ms, gpu.name, "pcie_width")
    yield Row(4, "Current", f"{now.pcie_width}x", tag=narrow)
    yield from _block(2, "", "Bridge Chip", ("Type", "N/A"), ("Firmware", "N/A"))
    again = whose(incident, now.at_ms, gpu.name, "replays")
    yield Row(2, "Replays Since Reset", str(now.replays), tag=again)
    yield Row(2, "Replay Number Rollovers", "0")
    flow = {"compute": 2_900_000, "busy": 1_100_000, "wait": 3_400_000}.get(now.phase, 600)
    yield Row(2, "Tx Throughput", f"{flow + 417 * gpu.index + now.used_mib % 311} KB/s")
    yield Row(2, "Rx Throughput", f"{flow * 9 // 10 + 389 * gpu.index + now.used_mib % 277} KB/s")
    yield Row(2, "Atomic Caps Inbound", "N/A")
    yield Row(2, "Atomic Caps Outbound", "N/A")


def _performance(incident: Incident, now: GpuNow, ampere: bool) -> Iterator[Row]:
    yield Row(1, "Fan Speed", "N/A")
    yield Row(1, "Performance State", "P0", "PERFORMANCE")
    yield Row(1, f"Clocks {'Throttle' if ampere else 'Event'} Reasons", None, "PERFORMANCE")
    for depth, name, bit, field in (
        (2, "Idle", 0x1, ""),
        (2, "Applications Clocks Setting", 0x2, ""),
        (2, "SW Power Cap", 0x4, "power_limit_w"),
        (2, "HW Slowdown", 0x8, "clock"),
        (3, "HW Thermal Slowdown", 0x40, "heat_c"),
        (3, "HW Power Brake Slowdown", 0x80, "braked"),
        (2, "Sync Boost", 0x10, ""),
        (2, "SW Thermal Slowdown", 0x20, "heat_c"),
        (2, "Display Clock Setting", 0x100, ""),
    ):
        active = bool(now.reasons & bit)
        tag = whose(incident, now.at_ms, now.gpu.name, field) if active and field else None
        if active and tag is None and bit == 0x4:
            tag = herring_on(incident, now.gpu, "limit")
        yield Row(depth, name, "Active" if active else "Not Active", "PERFORMANCE", tag)
    yield Row(1, "Sparse Operation Mode", "Disabled", "PERFORMANCE")


def _memory(incident: Incident, now: GpuNow) -> Iterator[Row]:
    less = (
        whose(incident, now.at_ms, "job", "gpu_memory")
        if now.job and now.job.role == "slow"
        else None
    )
    yield Row(1, "FB Memory Usage", None, "MEMORY")
    yield Row(2, "Total", f"{now.total_mib} MiB", "MEMORY")
    yield Row(2, "Reserved", f"{now.reserved_mib} MiB", "MEMORY")
    yield Row(2, "Used", f"{now.used_mib} MiB", "MEMORY", less)
    yield Row(2, "Free", f"{now.free_mib} MiB", "MEMORY")
    window = 1 << (now.total_mib - 1).bit_length()
    bar = (("Total", f"{window} MiB"), ("Used", "5 MiB"), ("Free", f"{window - 5} MiB"))
    yield from _block(1, "MEMORY", "BAR1 Memory Usage", *bar)
    nothing = (("Total", "0 MiB"), ("Used", "0 MiB"), ("Free", "0 MiB"))
    yield from _block(1, "MEMORY", "Conf Compute Protected Memory Usage", *nothing)


def _usage(now: GpuNow) -> Iterator[Row]:
    yield Row(1, "Compute Mode", "Default", "COMPUTE")
    yield from _block(
        1,
        "UTILIZATION",
        "Utilization",
        ("Gpu", f"{now.util} %"),
        ("Memory", f"{now.memory_util} %"),
        *((name, "0 %") for name in ("Encoder", "Decoder", "JPEG", "OFA")),
    )
    none = (("Active Sessions", "0"), ("Average FPS", "0"), ("Average Latency", "0"))
    yield from _block(1, "ENCODER_STATS", "Encoder Stats", *none)
    yield from _block(1, "FBC_STATS", "FBC Stats", *none)


def _ecc(incident: Incident, now: GpuNow) -> Iterator[Row]:
    yield from _block(1, "ECC", "ECC Mode", ("Current", "Enabled"), ("Pending", "Enabled"))
    yield Row(1, "ECC Errors", None, "ECC")
    kinds = (
        "SRAM Correctable",
        "SRAM Uncorrectable Parity",
        "SRAM Uncorrectable SEC-DED",
        "DRAM Correctable",
        "DRAM Uncorrectable",
    )
    yield from _block(2, "ECC", "Volatile", *((kind, "0") for kind in kinds))
    yield Row(2, "Aggregate", None, "ECC")
    for kind in kinds:
        count = now.corrected if kind == "DRAM Correctable" else 0
        count += now.remapped if kind == "DRAM Uncorrectable" else 0
        reading = "corrected" if kind == "DRAM Correctable" else "remapped"
        tag = herring_on(incident, now.gpu, reading) if count else None
        yield Row(3, kind, str(count), "ECC", tag)
    yield Row(3, "SRAM Threshold Exceeded", "No", "ECC")
    sources = ("SRAM L2", "SRAM SM", "SRAM Microcontroller", "SRAM PCIE", "SRAM Other")
    yield from _block(
        2, "ECC", "Aggregate Uncorrectable SRAM Sources", *((name, "0") for name in sources)
    )
    pages = ("Single Bit ECC", "Double Bit ECC", "Pending Page Blacklist")
    yield from _block(1, "PAGE_RETIREMENT", "Retired Pages", *((name, "N/A") for name in pages))


def _remapped(incident: Incident, now: GpuNow) -> Iterator[Row]:
    tag = herring_on(incident, now.gpu, "remapped")
    banks = {"A100": 640, "H100": 2560, "H200": 3072, "B200": 4096}
    most = next(count for name, count in banks.items() if name in incident.plant.gpu_product)
    yield Row(1, "Remapped Rows", None, "ROW_REMAPPER")
    yield Row(2, "Correctable Error", "0", "ROW_REMAPPER")
    yield Row(2, "Uncorrectable Error", str(now.remapped), "ROW_REMAPPER", tag)
    yield Row(2, "Pending", "No", "ROW_REMAPPER", tag)
    yield Row(2, "Remapping Failure Occurred", "No", "ROW_REMAPPER", tag)
    left = (
        ("Max", most - now.remapped),
        ("High", now.remapped),
        ("Partial", 0),
        ("Low", 0),
        ("None", 0),
    )
    rows = ((name, f"{count} bank(s)") for name, count in left)
    yield from _block(2, "ROW_REMAPPER", "Bank Remap Availability Histogram", *rows)


def _temperature(incident: Incident, now: GpuNow, ampere: bool) -> Iterator[Row]:
    tag = whose(incident, now.at_ms, now.gpu.name, "heat_c") if now.phase != "idle" else None
    yield Row(1, "Temperature", None, "TEMPERATURE")
    yield Row(2, "GPU Current Temp", f"{now.core_c} C", "TEMPERATURE", tag)
    if ampere:
        top = physics.limit_c(incident.plant)
        rows = [("GPU T.Limit Temp", "N/A"), ("GPU Shutdown Temp", f"{top + 7} C")]
        rows += [("GPU Slowdown Temp", f"{top + 4} C"), ("GPU Max Operating Temp", f"{top} C")]
        rows += [("GPU Target Temperature", "N/A"), ("Memory Current Temp", f"{now.memory_c} C")]
        rows.append(("Memory Max Operating Temp", "95 C"))
    else:
        yield Row(2, "GPU T.Limit Temp", f"{now.margin_c} C", "TEMPERATURE", tag)
        rows = [("GPU Shutdown T.Limit Temp", "-8 C"), ("GPU Slowdown T.Limit Temp", "-2 C")]
        rows += [("GPU Max Operating T.Limit Temp", "0 C"), ("GPU Target Temperature", "N/A")]
        rows += [
            ("Memory Current Temp", f"{now.memory_c} C"),
            ("Memory Max Operating T.Limit Temp", "0 C"),
        ]
    for name, value in rows:
        yield Row(2, name, value, "TEMPERATURE")


def _power(incident: Incident, now: GpuNow, ampere: bool) -> Iterator[Row]:
    tag = whose(incident, now.at_ms, now.gpu.name, "power_limit_w", "braked")
    limited = whose(incident, now.at_ms, now.gpu.name, "power_limit_w")
    top, least = incident.plant.top_w, 200 if incident.plant.top_w >= 700 else 100
    yield Row(1, "Power Readings" if ampere else "GPU Power Readings", None, "POWER")
    yield Row(2, "Power Draw", f"{now.watts:.2f} W", "POWER", tag)
    yield Row(2, "Current Power Limit", f"{now.limit_w:.2f} W", "POWER", limited)
    yield Row(2, "Requested Power Limit", f"{now.limit_w:.2f} W", "POWER", limited)
    yield Row(2, "Default Power Limit", f"{top:.2f} W", "POWER")
    yield Row(2, "Min Power Limit", f"{least:.2f} W", "POWER")
    yield Row(2, "Max Power Limit", f"{top:.2f} W", "POWER")
    if ampere:
        return
    memory = 41.0 + 0.09 * (now.watts - incident.plant.idle_w)
    yield from _block(1, "POWER", "GPU Memory Power Readings", ("Power Draw", f"{memory:.2f} W"))
    names = ("Power Draw", "Current Power Limit", "Requested Power Limit", "Default Power Limit",
             "Min Power Limit", "Max Power Limit")  # fmt: skip
    yield from _block(1, "POWER", "Module Power Readings", *((name, "N/A") for name in names))


def _clocks(incident: Incident, now: GpuNow) -> Iterator[Row]:
    plant = incident.plant
    busy = now.phase not in ("idle", "data", "save")
    tag = whose(incident, now.at_ms, now.gpu.name, "clock", "power_limit_w") if busy else None
    top = (("Graphics", f"{plant.top_mhz} MHz"), ("Memory", f"{now.memory_mhz} MHz"))
    video = f"{765 + (now.sm_mhz - plant.idle_mhz) * 780 // (plant.top_mhz - plant.idle_mhz)} MHz"
    yield Row(1, "Clocks", None, "CLOCK")
    yield Row(2, "Graphics", f"{now.sm_mhz} MHz", "CLOCK", tag)
    yield Row(2, "SM", f"{now.sm_mhz} MHz", "CLOCK", tag)
    yield Row(2, "Memory", f"{now.memory_mhz} MHz", "CLOCK")
    yield Row(2, "Video", video, "CLOCK")
    yield from _block(1, "CLOCK", "Applications Clocks", *top)
    yield from _block(1, "CLOCK", "Default Applications Clocks", *top)
    yield from _block(1, "CLOCK", "Deferred Clocks", ("Memory", "N/A"))
    most = (("Graphics", f"{plant.top_mhz} MHz"), ("SM", f"{plant.top_mhz} MHz"))
    rest = (("Memory", f"{now.memory_mhz} MHz"), ("Video", "1545 MHz"))
    yield from _block(1, "CLOCK", "Max Clocks", *most, *rest)
    yield from _block(1, "CLOCK", "Max Customer Boost Clocks", most[0])
    yield from _block(
        1, "CLOCK", "Clock Policy", ("Auto Boost", "N/A"), ("Auto Boost Default", "N/A")
    )
    volts = 685 + (now.sm_mhz - plant.idle_mhz) * 235 / (plant.top_mhz - plant.idle_mhz)
    yield from _block(1, "VOLTAGE", "Voltage", ("Graphics", f"{volts // 5 * 5:.3f} mV"))


def _fabric() -> Iterator[Row]:
    yield from _block(
        1, "", "Fabric", ("State", "Completed"), ("Status", "Success"), ("CliqueId", "0"),
        ("ClusterUUID", "00000000-0000-0000-0000-000000000000"),
    )  # fmt: skip
    yield from _block(2, "", "Health", ("Bandwidth", "N/A"))


def _pids(now: GpuNow) -> Iterator[Row]:
    if now.job is None:
        yield Row(1, "Processes", "None", "PIDS")
        return
    yield Row(1, "Processes", None, "PIDS")
    yield Row(2, "GPU instance ID", "N/A", "PIDS")
    yield Row(2, "Compute instance ID", "N/A", "PIDS")
    yield Row(2, "Process ID", str(now.pid), "PIDS")
    yield Row(3, "Type", "C", "PIDS")
    yield Row(3, "Name", command(now), "PIDS")
    yield Row(3, "Used GPU Memory", f"{now.used_mib - 12} MiB", "PIDS")
