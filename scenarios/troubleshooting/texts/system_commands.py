"""What the usual commands show on a node: load, memory, links, CPUs, where ranks run, modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import HOUR
from scenarios.troubleshooting.condition import JOB
from scenarios.troubleshooting.herrings.in_place import HighLoad, SwapUsed
from scenarios.troubleshooting.plant import CORES_PER_SOCKET, THREADS, Gpu, Node
from scenarios.troubleshooting.texts.configs_hosts import host_files
from scenarios.troubleshooting.texts.lines import Line
from scenarios.troubleshooting.texts.owners import shown
from scenarios.troubleshooting.texts.smi_state import pid_of, value, whose
from scenarios.troubleshooting.texts.system_host import boot_ms, failed_units, kind_of
from scenarios.troubleshooting.texts.topo import socket_cpus
from scenarios.troubleshooting.truth import Incident

Shown = Iterator[tuple[str, str | None]]
"""Lines and whose trace each is."""
TOTAL_GIB = 1_968
"""Memory of a node as the kernel counts it, the same that node_exporter shows."""
_WIDTH = CORES_PER_SOCKET // 4
"""Cores of one rank where all is well: a quarter of a socket."""


def transcript(incident: Incident, node: Node, at_ms: int) -> tuple[Line, ...]:
    """All commands of a node one after the other, each after its prompt."""
    commands: list[tuple[str, Callable[[Incident, Node, int], Shown]]] = [
        ("uptime", uptime),
        ("free -m", free),
        ("ip -o link", links),
        ("timedatectl", clock_state),
        ("lscpu | head -18", lscpu),
        ("numactl -H", numactl),
        ("cpupower frequency-info", cpupower),
        ("lsmod | grep -E 'peermem|mlx5_ib'", modules),
        ("lspci -vvv 2>/dev/null | grep ACSCtl", acs),
        ("cat /etc/resolv.conf", resolver),
        ("systemctl --failed --no-legend", failed_units),
    ]
    job = next((j for j in incident.jobs if j.role == "slow" and j.runs_at(at_ms)), None)
    if job and node.name in job.nodes:
        scope = f"/sys/fs/cgroup/system.slice/slurmstepd.scope/job_{job.id}"
        commands += [
            (f"cat {scope}/cpu.max {scope}/cpu.stat", cgroup),
            (
                "for p in $(pgrep -f train.py); do grep -H Cpus_allowed_list /proc/$p/status; done",
                affinity,
            ),
            ("numastat -p train.py | tail -10", numastat),
        ]
    lines: list[Line] = []
    for command, show in commands:
        lines.append(Line(at_ms, f"[root@{node.name} ~]# {command}"))
        lines += [Line(at_ms, text, tag) for text, tag in show(incident, node, at_ms)]
    return tuple(lines)


def _trains(incident: Incident, node: Node, at_ms: int) -> bool:
    return incident.slow.runs_at(at_ms) and node.name in incident.slow.nodes


def _busy(incident: Incident, node: Node, at_ms: int) -> int:
    """GPUs of the node that a job has."""
    return sum(incident.job_on(gpu.node, gpu.index, at_ms) is not None for gpu in node.gpus)


def uptime(incident: Incident, node: Node, at_ms: int) -> Shown:
    """Load of a training node is about eleven for each rank: its loader's workers."""
    at, since = (
        shown(incident, node.name, at_ms),
        at_ms - boot_ms(incident, node.name, list(incident.traces())),
    )
    days, rest = divmod(since // 60_000, 1_440)
    herring = next(
        (h for h in incident.herrings if isinstance(h, HighLoad) and h.host == node.name), None
    )
    draw = Stream(incident.seed, f"load {node.name}")
    load = 6.5 * _busy(incident, node, at_ms) + draw.between(1.5, 6)
    if _trains(incident, node, at_ms):
        cpus = value(incident, node.name, "rank_cpus", at_ms)
        load = draw.between(88, 94) if cpus >= 28 else 0.94 * cpus * len(node.gpus) + 5
        load *= 1 - 0.75 * value(incident, node.name, "throttled", at_ms)
        load = herring.load if herring else load
    loads = ", ".join(f"{max(part, 0.04):.2f}" for part in (load, load - 1.3, load - 2.1))
    text = f" {at:%H:%M:%S} up {days} days, {rest // 60:>2}:{rest % 60:02d},  1 user,  load average: {loads}"
    yield text, herring.key if herring else whose(incident, at_ms, node.name, "rank_cpus")


def free(incident: Incident, node: Node, at_ms: int) -> Shown:
    """MiB. Cache fills with what was read; a leak takes from what is available."""
    busy = _busy(incident, node, at_ms)
    draw = Stream(incident.seed, f"free {node.name}")
    part = busy / len(node.gpus)
    used, cache, tag = 26 + 90 * part, 300 + 320 * draw.unit() * part, None
    if _trains(incident, node, at_ms):
        # What the training reads fills all memory that nobody wants within the first hour.
        step = max(incident.run.step_at(at_ms), 0)
        used += 110 + incident.condition.constant(JOB, "leak_gib") * step / (
            len(incident.run.starts) - 1
        )
        cache = float(TOTAL_GIB)
        full = "page-cache-full"
        here = any(h.key == full and h.host == node.name for h in incident.herrings)
        tag = full if here else whose(incident, at_ms, JOB, "leak_gib")
    cache = min(cache, TOTAL_GIB - used - 11)
    numbers = [TOTAL_GIB, used, TOTAL_GIB - used - cache, 3.2, cache, TOTAL_GIB - used - 8]
    yield "               total        used        free      shared  buff/cache   available", None
    yield "Mem:    " + " ".join(f"{round(number * 1024):>11}" for number in numbers).rjust(71), tag
    yield swap(incident, node.name)


def swap(incident: Incident, host: str) -> tuple[str, str | None]:
    """The last row of `free -m`: where a herring says so a little is swapped out."""
    herring = next(
        (h for h in incident.herrings if isinstance(h, SwapUsed) and h.host == host), None
    )
    used = 142 if herring else 0
    return f"Swap:   {65_535:>11} {used:>11} {65_535 - used:>11}", herring.key if herring else None


def links(incident: Incident, node: Node, at_ms: int) -> Shown:
    yield from interfaces(incident, node.name, node.bond_mac)
    for hca in node.hcas:
        address = ":".join(hca.port_guid[i : i + 2] for i in range(0, 16, 2))
        yield (
            (
                f"{hca.index + 8}: {hca.netdev}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 4092 qdisc mq state UP "
                "mode DEFAULT group default qlen 256\\    link/infiniband "
                f"00:00:10:29:fe:80:00:00:00:00:00:00:{address} "
                "brd 00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff"
            ),
            None,
        )


def interfaces(incident: Incident, host: str, mac: str) -> Shown:
    """Ethernet: the management network has small frames, and that is as it should be."""
    small = next(
        (h.key for h in incident.herrings if h.key == "management-mtu" and h.host == host), None
    )
    vlan = incident.plant.storage.vlan
    end = "mode DEFAULT group default qlen 1000\\    link/ether"
    own = f"3c:ec:ef:{mac[9:]}"
    yield (
        (
            "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group "
            "default qlen 1000\\    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00"
        ),
        None,
    )
    yield (
        f"2: eno1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP {end} {own} "
        "brd ff:ff:ff:ff:ff:ff",
        small,
    )
    for number, name in ((3, "ens1f0np0"), (4, "ens1f1np1")):
        flags = "<BROADCAST,MULTICAST,SLAVE,UP,LOWER_UP> mtu 9000 qdisc mq master bond0 state UP"
        yield f"{number}: {name}: {flags} {end} {mac} brd ff:ff:ff:ff:ff:ff", None
    for number, name in ((5, "bond0"), (6, f"bond0.{vlan}@bond0")):
        flags = (
            "<BROADCAST,MULTICAST,MASTER,UP,LOWER_UP>"
            if name == "bond0"
            else "<BROADCAST,MULTICAST,UP,LOWER_UP>"
        )
        yield (
            f"{number}: {name}: {flags} mtu 9000 qdisc noqueue state UP {end} {mac} brd ff:ff:ff:ff:ff:ff",
            None,
        )


def clock_state(incident: Incident, node: Node, at_ms: int) -> Shown:
    ahead = whose(incident, at_ms, node.name, "clock_offset_s")
    here, zone = shown(incident, node.name, at_ms), incident.calendar.zone
    offset = f"{here:%z}"
    short = zone.short if zone.short.isalpha() else offset[:3]
    hours = zone.offset * 60_000
    yield f"               Local time: {here:%a %Y-%m-%d %H:%M:%S} {short}", ahead
    universal = incident.calendar.zone.at(
        at_ms - hours + round(value(incident, node.name, "clock_offset_s", at_ms) * 1000)
    )
    yield f"           Universal time: {universal:%a %Y-%m-%d %H:%M:%S} UTC", ahead
    yield f"                Time zone: {zone.name} ({short}, {offset})", None
    yield f"System clock synchronized: {'no' if ahead else 'yes'}", ahead
    yield "              NTP service: active", None
    yield "          RTC in local TZ: no", None


def lscpu(incident: Incident, node: Node, at_ms: int) -> Shown:
    for name, text in (
        ("Architecture", "x86_64"),
        ("  CPU op-mode(s)", "32-bit, 64-bit"),
        ("  Address sizes", "46 bits physical, 57 bits virtual"),
        ("  Byte Order", "Little Endian"),
        ("CPU(s)", str(THREADS)),
        ("  On-line CPU(s) list", f"0-{THREADS - 1}"),
        ("Vendor ID", "GenuineIntel"),
        ("  Model name", "Intel(R) Xeon(R) Platinum 8480C"),
        ("    CPU family", "6"),
        ("    Model", "143"),
        ("    Thread(s) per core", "2"),
        ("    Core(s) per socket", str(CORES_PER_SOCKET)),
        ("    Socket(s)", "2"),
        ("    Stepping", "8"),
        ("    CPU max MHz", "3800.0000"),
        ("    CPU min MHz", "800.0000"),
        ("NUMA node0 CPU(s)", socket_cpus(0)),
        ("NUMA node1 CPU(s)", socket_cpus(1)),
    ):
        yield f"{name + ':':<33}{text}", None


def numactl(incident: Incident, node: Node, at_ms: int) -> Shown:
    yield "available: 2 nodes (0-1)", None
    draw = Stream(incident.seed, f"numa {node.name}")
    for numa in (0, 1):
        first, cores = numa * CORES_PER_SOCKET, CORES_PER_SOCKET
        cpus = [*range(first, first + cores), *range(first + 2 * cores, first + 3 * cores)]
        yield f"node {numa} cpus: {' '.join(map(str, cpus))}", None
        yield f"node {numa} size: {1_007_716 + 17 * numa} MB", None
        room = (4_800, 6_200) if _trains(incident, node, at_ms) else (300_000, 520_000)
        yield f"node {numa} free: {int(draw.between(*room))} MB", None
    yield from (
        (text, None)
        for text in ("node distances:", "node   0   1 ", "  0:  10  21 ", "  1:  21  10 ")
    )


def cpupower(incident: Incident, node: Node, at_ms: int) -> Shown:
    mhz = value(incident, node.name, "core_mhz", at_ms)
    tag = whose(incident, at_ms, node.name, "core_mhz")
    governor = "powersave" if tag else "performance"
    yield "analyzing CPU 0:", None
    yield "  driver: intel_pstate", None
    yield "  CPUs which run at the same hardware frequency: 0", None
    yield "  CPUs which need to have their frequency coordinated by software: 0", None
    yield "  maximum transition latency:  Cannot determine or is not supported.", None
    yield "  hardware limits: 800 MHz - 3.80 GHz", None
    yield "  available cpufreq governors: performance powersave", None
    yield "  current policy: frequency should be within 800 MHz and 3.80 GHz.", None
    yield f'                  The governor "{governor}" may decide which speed to use', tag
    yield "                  within this range.", None
    yield "  current CPU frequency: Unable to call hardware", None
    yield f"  current CPU frequency: {_hertz(mhz)} (asserted by call to kernel)", tag
    yield "  boost state support:", None
    yield "    Supported: yes", None
    yield "    Active: yes", None


def _hertz(mhz: float) -> str:
    return f"{mhz / 1000:.2f} GHz" if mhz >= 1000 else f"{mhz:.0f} MHz"


def modules(incident: Incident, node: Node, at_ms: int) -> Shown:
    """Without the peer-memory module nothing of the GPU is registered with the adapters."""
    lost = next(
        (
            c.key
            for c in incident.causes
            if c.key == "driver-mismatch" and node.name in c.fault.places()
        ),
        None,
    )
    if lost is None:
        yield "nvidia_peermem         16384  0", None
    yield "mlx5_ib               454656  0", lost
    yield (
        f"ib_uverbs             163840  {2 if lost else 3} {'' if lost else 'nvidia_peermem,'}rdma_ucm,mlx5_ib",
        lost,
    )


def acs(incident: Incident, node: Node, at_ms: int) -> Shown:
    """Access control on the ports of the PCIe switches: off where GPUs and adapters talk directly."""
    turned = next(
        (
            c.key
            for c in incident.causes
            if c.key == "acs-enabled" and node.name in c.fault.places()
        ),
        None,
    )
    sign = "+" if turned else "-"
    text = (
        f"\t\tACSCtl:\tSrcValid{sign} TransBlk- ReqRedir{sign} CmpltRedir{sign} UpstreamFwd{sign} "
    )
    text += "EgressCtrl- DirectTrans-"
    for _ in range(2 * len(node.hcas)):
        yield text, turned


def resolver(incident: Incident, node: Node, at_ms: int) -> Shown:
    pair = next(pair for pair in host_files(incident) if pair.path == "/etc/resolv.conf")
    for _, now, tag in pair.lines:
        yield now, tag


def cgroup(incident: Incident, node: Node, at_ms: int) -> Shown:
    """Bandwidth of the job's control group; periods of 100 ms since its start."""
    part = value(incident, node.name, "throttled", at_ms)
    tag = whose(incident, at_ms, node.name, "throttled")
    periods = (at_ms - (incident.slow.start_ms or at_ms)) // 100
    stopped = round(periods * part)
    used = (at_ms - (incident.slow.start_ms or at_ms)) * (16_000 if tag else 61_000)
    yield ("1600000 100000" if tag else "max 100000"), tag
    yield f"usage_usec {used}", None
    yield f"user_usec {used * 91 // 100}", None
    yield f"system_usec {used - used * 91 // 100}", None
    yield f"nr_periods {periods if tag else 0}", tag
    yield f"nr_throttled {stopped}", tag
    yield f"throttled_usec {stopped * 412_000}", tag


def affinity(incident: Incident, node: Node, at_ms: int) -> Shown:
    """CPUs on which each rank of the job may run, in order of its GPU."""
    narrow = whose(incident, at_ms, node.name, "rank_cpus")
    far = whose(incident, at_ms, node.name, "far_memory")
    width = max(1, int(value(incident, node.name, "rank_cpus", at_ms)) // 2) if narrow else _WIDTH
    for gpu in node.gpus:
        first = gpu.index * (2 * CORES_PER_SOCKET // len(node.gpus))
        last = first + min(width, 2 * CORES_PER_SOCKET // len(node.gpus)) - 1
        second = first + 2 * CORES_PER_SOCKET
        cpus = f"{first}-{last},{second}-{second + last - first}"
        if last == first:
            cpus = f"{first},{second}"
        if far:
            cpus = socket_cpus(0)
        pid = pid_of(incident, node.name, gpu.index, incident.slow)
        tag = narrow or (far if gpu.numa == 1 else None)
        yield f"/proc/{pid}/status:Cpus_allowed_list:\t{cpus}", tag


def numastat(incident: Incident, node: Node, at_ms: int, gpu: Gpu | None = None) -> Shown:
    """Memory of one rank on both sockets, MB: the node's last if no GPU is named."""
    gpu = gpu or node.gpus[-1]
    part = value(incident, node.name, "far_memory", at_ms)
    tag = whose(incident, at_ms, node.name, "far_memory")
    if gpu.numa == 0:
        part, tag = 1 - incident.condition.healthy("far_memory"), None
    pid = pid_of(incident, node.name, gpu.index, incident.slow)
    rule = "--------------- --------------- ---------------"
    yield f"Per-node process memory usage (in MBs) for PID {pid} (python3.10)", None
    yield f"{'Node 0':>33}{'Node 1':>16}{'Total':>16}", None
    yield f"{'':18}{rule}", None
    total = 0.0
    for name, size in (("Huge", 0.0), ("Heap", 3_412.6), ("Stack", 0.4), ("Private", 21_904.3)):
        total += size
        yield (
            f"{name:<18}{size * part:>15.2f}{size * (1 - part):>16.2f}{size:>16.2f}",
            tag if size > 1 else None,
        )
    yield f"{'-' * 16}  {rule}", None
    yield f"{'Total':<18}{total * part:>15.2f}{total * (1 - part):>16.2f}{total:>16.2f}", tag


def server_transcript(incident: Incident, host: str, at_ms: int) -> tuple[Line, ...]:
    """Load, memory and links of a server."""
    draw = Stream(incident.seed, f"server {host}")
    at = shown(incident, host, at_ms)
    load = (
        draw.between(5, 9)
        if kind_of(incident, host) in ("oss", "mds", "nfs")
        else draw.between(0.2, 2)
    )
    days = (at_ms - boot_ms(incident, host, [])) // (24 * HOUR)
    total, used = 515_481, int(draw.between(41_000, 60_000))
    cache = int(draw.between(390_000, 430_000))
    mac = "b8:3f:d2:" + ":".join(f"{int(draw.between(16, 255)):02x}" for _ in range(3))
    memory = (total, used, total - used - cache, 812, cache, total - used - 9_000)
    rows: list[tuple[str, str | None]] = [
        (f"[root@{host} ~]# uptime", None),
        (
            f" {at:%H:%M:%S} up {days} days,  3:12,  1 user,  load average: "
            f"{load:.2f}, {load * 0.96:.2f}, {load * 0.97:.2f}",
            None,
        ),
        (f"[root@{host} ~]# free -m", None),
        ("               total        used        free      shared  buff/cache   available", None),
        ("Mem:    " + " ".join(f"{number:>11}" for number in memory), None),
        swap(incident, host),
        (f"[root@{host} ~]# ip -o link", None),
        *interfaces(incident, host, mac),
    ]
    return tuple(Line(at_ms, text, tag) for text, tag in rows)
