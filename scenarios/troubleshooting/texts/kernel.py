"""The kernel's ring buffer: `dmesg -T` of a machine since it was started."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import DAY, HOUR, MINUTE
from scenarios.troubleshooting.faults.transport import AcsEnabled
from scenarios.troubleshooting.plant import CORES_PER_SOCKET, Gpu, Node
from scenarios.troubleshooting.texts import fleet
from scenarios.troubleshooting.texts.lines import Document, Line, in_order
from scenarios.troubleshooting.texts.owners import shown
from scenarios.troubleshooting.texts.smi_state import driver
from scenarios.troubleshooting.texts.system_host import boot_ms, kind_of
from scenarios.troubleshooting.traces import Trace
from scenarios.troubleshooting.truth import Incident


def dmesg(incident: Incident, host: str, traces: list[Trace]) -> Document:
    """`dmesg -T` at the end of the window. `traces` are those of the incident, made once for all hosts."""
    lines = [
        Line(
            line.at_ms,
            f"[{shown(incident, host, line.at_ms):%a %b %e %H:%M:%S %Y}] {line.text}",
            line.tag,
            kernel_level(line.text),
        )
        for line in kernel_lines(incident, host, traces)
    ]
    return in_order(f"nodes/{host}/dmesg.txt", lines)


_WARNED = ("interrupt took", "Corrected", "error", "limited by", "Lustre: ", "above threshold")
_LEVELS = (
    ("err", ("LustreError", "I/O error", "NVRM: Xid", "has fallen off", "Uncorrect", "failure")),
    ("warning", (*_WARNED, "Link down", "not responding", "verification failed")),
    ("notice", ("Linux version", "audit: ", "NVRM: loading", "NVRM: GPU", "Command line")),
)


@lru_cache(maxsize=4_096)
def kernel_level(text: str) -> str:
    """The level that the kernel gave a line."""
    for level, words in _LEVELS:
        if any(word in text for word in words):
            return level
    return "info"


def kernel_lines(incident: Incident, host: str, traces: list[Trace]) -> list[Line]:
    """What the kernel said, without a time in front, sorted: also the journal prints it."""
    boot = boot_ms(incident, host, traces)
    lines: list[Line] = []
    if kind_of(incident, host) == "node":
        node = incident.plant.node(host)
        lines += _started(incident, node, boot)
        lines += _background(incident, node, boot)
        lines += _by_others(incident, node)
    else:
        lines += _server(incident, host)
        hosts = incident.plant.storage.oss
        lines += [
            Line(at, text)
            for at, name, text in fleet.said(incident, "kernel_server", hosts)
            if name == host
        ]
    lines += _traced(incident, host, traces)
    lines = [line for line in lines if line.at_ms < incident.calendar.window_end]
    return sorted(lines, key=lambda line: line.at_ms)


def _by_others(incident: Incident, node: Node) -> Iterator[Line]:
    """What any node complains of now and then."""
    hosts = [one.name for one in incident.plant.nodes]
    for at, name, text in fleet.said(incident, "kernel_node", hosts):
        if name == node.name:
            yield Line(at, text.replace("{hca}", node.hcas[-1].bus_id))


def _traced(incident: Incident, host: str, traces: list[Trace]) -> Iterator[Line]:
    known: set[int] = set()
    for trace in traces:
        if trace.host != host:
            continue
        if trace.kind == "dmesg.line":
            yield Line(trace.at_ms, str(trace.fields["text"]), trace.tag)
        elif trace.kind == "dmesg.xid":
            gpu = incident.plant.node(host).gpus[int(trace.fields["gpu"])]
            if gpu.index not in known:
                known.add(gpu.index)
                yield from _introduced(gpu, trace)
            yield Line(trace.at_ms, xid_text(trace), trace.tag)


def short_bus(gpu: Gpu) -> str:
    """The bus id as the kernel module prints it: `0000:1b:00`."""
    return gpu.bus_id.removeprefix("0000").lower().removesuffix(".0")


def xid_text(trace: Trace) -> str:
    """An Xid as the kernel module writes it; the process name is left out where it is not known."""
    bus = str(trace.fields["bus_id"]).removeprefix("0000").lower().removesuffix(".0")
    pid, name = trace.fields["pid"], str(trace.fields["process"])
    return f"NVRM: Xid (PCI:{bus}): {trace.fields['xid']}, pid={pid}, name={name}, {trace.fields['text']}"


def _introduced(gpu: Gpu, trace: Trace) -> Iterator[Line]:
    """The first Xid of a GPU is preceded by who it is."""
    yield Line(trace.at_ms, f"NVRM: GPU at PCI:{short_bus(gpu)}: {gpu.uuid}", trace.tag)
    yield Line(trace.at_ms, f"NVRM: GPU Board Serial Number: {gpu.serial}", trace.tag)


def command_line(kernel: str) -> str:
    """What the boot loader handed to the kernel, of every host."""
    return f"BOOT_IMAGE=/boot/vmlinuz-{kernel} root=/dev/mapper/vg0-root ro console=ttyS0"


def _started(incident: Incident, node: Node, boot: int) -> Iterator[Line]:
    """The lines of a start that somebody might look for, at the times after the start that they take."""
    plant = incident.plant
    kernel = plant.versions.kernel
    bios = _bios(incident, node.name)
    for after, text in (
        (0, f"Linux version {kernel} (buildd@lcy02-amd64-103) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0)"
            " #135-Ubuntu SMP"),
        (0, f"Command line: {command_line(kernel)}"),
        (0, f"DMI: Supermicro SYS-821GE-TNHR/X13DEG-OAD, BIOS {bios}"),
        (4, f"smpboot: Allowing {4 * CORES_PER_SOCKET} CPUs, 0 hotplug CPUs"),
        (420, "Memory: 2063820496K/2113929216K available"),
        (900, f"smp: Brought up 2 nodes, {4 * CORES_PER_SOCKET} CPUs"),
        (2_100, "EDAC MC0: Giving out device to module i10nm_edac controller Intel_10nm Socket#0 IMC#0"),
        (2_900, "nvme nvme0: 112/0/0 default/read/poll queues"),
        (3_700, "EXT4-fs (dm-0): mounted filesystem with ordered data mode. Opts: (null). Quota mode: none."),
        (9_800, "mlx5_core: module verification failed: signature and/or required key missing"),
    ):  # fmt: skip
        yield Line(boot + after, text)
    for hca in node.hcas:
        at = boot + 10_400 + 310 * hca.index
        yield Line(at, f"mlx5_core {hca.bus_id}: firmware version: {hca.firmware}")
        yield Line(at + 40, f"mlx5_core {hca.bus_id}: {_bandwidth(plant.port_gbps)}")
        yield Line(at + 19_000, f"mlx5_core {hca.bus_id} {hca.netdev}: Link up")
    version, other = driver(incident, node.name, boot)
    loaded = f"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {version}  {_BUILT[version]}"
    yield Line(boot + 14_100, loaded, other)
    for after, text in (
        (14_900, "nvidia-uvm: Loaded the UVM driver, major device number 509."),
        (21_000, "bond0: (slave ens1f0np0): Enslaving as a backup interface with an up link"),
        (21_300, "bond0: (slave ens1f1np1): Enslaving as a backup interface with an up link"),
        (44_000, "Lustre: Lustre: Build Version: 2.15.5"),
        (46_000, f"Lustre: Mounted {plant.storage.fsname}-client"),
    ):
        yield Line(boot + after, text)


_BUILT = {
    "515.105.01": "Thu Mar  2 03:22:17 UTC 2023",
    "520.61.05": "Wed Sep 28 22:12:41 UTC 2022",
    "550.90.12": "Thu Aug 22 03:09:06 UTC 2024",
    "550.127.08": "Tue Oct  8 03:22:07 UTC 2024",
    "570.124.06": "Wed Feb 26 01:58:16 UTC 2025",
    "570.133.20": "Sun Apr 13 04:50:56 UTC 2025",
}
"""When a driver was built, as its module says; days are plausible, not checked."""


def _bandwidth(gbps: int) -> str:
    """What a healthy adapter says of its slot."""
    if gbps >= 400:
        return "504.112 Gb/s available PCIe bandwidth (32.0 GT/s PCIe x16 link)"
    return "252.048 Gb/s available PCIe bandwidth (16.0 GT/s PCIe x16 link)"


def _bios(incident: Incident, node: str) -> str:
    """The firmware that the node was started with: newer where it was tried out."""
    for cause in incident.causes:
        if isinstance(cause.fault, AcsEnabled) and node in cause.fault.nodes:
            return cause.fault.bios
    return incident.plant.versions.bios


_ONCE = (
    "hrtimer: interrupt took 5231 ns",
    "squashfs: version 4.0 (2009/01/31) Phillip Lougher",
)
"""What the kernel says at most once after a start."""
_SLOW_INTERRUPTS = tuple(
    f"perf: interrupt took too long ({took} > {limit}), lowering kernel.perf_event_max_sample_rate to {rate}"
    for took, limit, rate in (
        (2_503, 2_500, 79_750),
        (3_131, 3_128, 63_750),
        (3_922, 3_913, 51_000),
        (4_906, 4_902, 40_750),
    )
)
"""Each time the limit has risen by a quarter of what was seen before."""


class _Spoken:
    """What has been said since the start, so that nothing is said again that is said once."""

    def __init__(self) -> None:
        self._slow = iter(_SLOW_INTERRUPTS)
        self._said: set[str] = set()

    def text(self, text: str) -> str | None:
        """The line as it comes now, or None where the kernel keeps silent."""
        if text == _SLOW_INTERRUPTS[0]:
            return next(self._slow, None)
        if text in _ONCE and text in self._said:
            return None
        self._said.add(text)
        return text


def _background(incident: Incident, node: Node, boot: int) -> Iterator[Line]:
    """What any healthy node says once in a while."""
    draw = Stream(incident.seed, f"dmesg {node.name}")
    at, end = boot + int(draw.between(2, 9) * HOUR), incident.calendar.window_end
    audit = (
        'apparmor="STATUS" operation="profile_replace" info="same as current profile, skipping" '
        'profile="unconfined" name="/usr/bin/man"'
    )
    said = (
        (_SLOW_INTERRUPTS[0], 0.1),
        (_ONCE[0], 0.1),
        (audit, 0.2),
        ("EXT4-fs (dm-2): re-mounted. Opts: (null). Quota mode: none.", 0.15),
        (_ONCE[1], 0.1),
        ('overlayfs: "xino" feature enabled using 2 upper inode bits.', 0.35),
    )
    spoken = _Spoken()
    while at < end:
        text = spoken.text(draw.pick(said))
        if text == audit:
            second = f"{at // 1000}.{at % 1000:03d}:{(at - boot) // 600_000 + 40}"
            text = f'audit: type=1400 audit({second}): {audit} pid={at // 977 % 400_000} comm="apparmor_parser"'
        if text is not None:
            yield Line(at, text)
        at += int(draw.exponential(9 * HOUR)) + MINUTE


def _server(incident: Incident, host: str) -> Iterator[Line]:
    """A storage server's or service host's buffer has scrolled: what is left of the last weeks."""
    draw = Stream(incident.seed, f"dmesg {host}")
    kind, storage = kind_of(incident, host), incident.plant.storage
    at = incident.calendar.window_start - int(draw.between(6, 12) * DAY)
    slow = iter(_SLOW_INTERRUPTS)
    while at < incident.calendar.window_end:
        if kind == "oss":
            ost = draw.pick([(o.name, 1.0) for o in storage.osts if o.oss == host])
            client = draw.pick([(n.bond_ip, 1.0) for n in incident.plant.nodes])
            yield Line(
                at, f"Lustre: {ost}: Client 7c1e0c52-{ost[-4:]} (at {client}@tcp) reconnecting"
            )
        elif kind == "mds":
            client = draw.pick([(n.bond_ip, 1.0) for n in incident.plant.nodes])
            yield Line(
                at, f"Lustre: {storage.fsname}-MDT0000: Connection restored to (at {client}@tcp)"
            )
        elif text := next(slow, None):
            yield Line(at, text)
        at += int(draw.exponential(40 * HOUR)) + HOUR
