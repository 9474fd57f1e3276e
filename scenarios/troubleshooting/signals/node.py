"""What node_exporter, ipmi_exporter and the container runtime export of every GPU server.

Twice a minute. Of a node's 224 threads the scrape keeps four, two of each socket, as sites with
many cores do.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scenarios.troubleshooting.calendar import HOUR
from scenarios.troubleshooting.columns import Block, Labels, Metric, Span
from scenarios.troubleshooting.condition import JOB, LUSTRE, NFS
from scenarios.troubleshooting.faults.shared import NfsSlotsFull
from scenarios.troubleshooting.faults.transport import DriverMismatch
from scenarios.troubleshooting.herrings.in_place import HighLoad
from scenarios.troubleshooting.physics import STEPS
from scenarios.troubleshooting.plant import THREADS
from scenarios.troubleshooting.shapes import Array
from scenarios.troubleshooting.signals.host import Host

EXPORTER, CGROUP = "node_exporter", "cadvisor"
EVERY = 30
_PORTS = {EXPORTER: 9100, CGROUP: 8080}
GIB = 2.0**30
MEMORY = 2_113_352_187_904
"""Bytes of a node's 2 TiB that the kernel sees."""
CPUS = (0, 28, 56, 84)
MODES = ("idle", "iowait", "system", "user")
IDLE_MHZ = 800.0
_OPERATIONS = (("GETATTR", 0.4), ("READ", 0.6))
_NFS = "node_mountstats_nfs_operations_"


def _metric(
    name: str, kind: str, about: str, quantum: float = 1.0, exporter: str = EXPORTER
) -> Metric:
    return Metric(name, kind, about, exporter, EVERY, quantum)


METRICS = (
    Metric("up", "gauge", "1 if the scrape of the target went well.", "prometheus", 15),
    _metric("node_load1", "gauge", "1m load average.", 0.01),
    _metric("node_cpu_seconds_total", "counter", "Seconds the CPUs spent in each mode.", 0.01),
    _metric(
        "node_cpu_scaling_frequency_hertz",
        "gauge",
        "Current scaled CPU thread frequency in hertz.",
        1e6,
    ),
    _metric(
        "node_memory_MemTotal_bytes", "gauge", "Memory information field MemTotal_bytes.", 4_096
    ),
    _metric(
        "node_memory_MemFree_bytes", "gauge", "Memory information field MemFree_bytes.", 4_194_304
    ),
    _metric(
        "node_memory_MemAvailable_bytes",
        "gauge",
        "Memory information field MemAvailable_bytes.",
        4_194_304,
    ),
    _metric(
        "node_memory_Cached_bytes", "gauge", "Memory information field Cached_bytes.", 4_194_304
    ),
    _metric(
        "node_memory_numa_local_node_total",
        "counter",
        "Memory information field local_node_total.",
        1e4,
    ),
    _metric(
        "node_memory_numa_other_node_total",
        "counter",
        "Memory information field other_node_total.",
        1e3,
    ),
    _metric(
        "node_pressure_memory_waiting_seconds_total",
        "counter",
        "Total time in seconds that processes have waited for memory",
        0.001,
    ),
    _metric(
        "node_pressure_cpu_waiting_seconds_total",
        "counter",
        "Total time in seconds that processes have waited for CPU time",
        0.001,
    ),
    _metric("node_netstat_Tcp_RetransSegs", "untyped", "Statistic TcpRetransSegs."),
    _metric(
        "node_timex_sync_status",
        "gauge",
        "Is clock synchronized to a reliable server (1 = yes, 0 = no).",
    ),
    _metric(
        "node_timex_offset_seconds",
        "gauge",
        "Time offset in between local system and reference clock.",
        1e-6,
    ),
    _metric(
        f"{_NFS}requests_total", "counter", "Number of requests performed for a given operation."
    ),
    _metric(
        f"{_NFS}response_time_seconds_total",
        "counter",
        "Duration requests took to get a reply back after a request for a given operation was transmitted, "
        "in seconds.",
        0.001,
    ),
    _metric(
        f"{_NFS}request_time_seconds_total",
        "counter",
        "Duration all requests took from when a request was enqueued to when it was completely handled for "
        "a given operation, in seconds.",
        0.001,
    ),
    _metric(
        "container_cpu_cfs_periods_total",
        "counter",
        "Number of elapsed enforcement period intervals.",
        exporter=CGROUP,
    ),
    _metric(
        "container_cpu_cfs_throttled_periods_total",
        "counter",
        "Number of throttled period intervals.",
        exporter=CGROUP,
    ),
)
_NAMED = {metric.name: metric for metric in METRICS}


def node_blocks(host: Host) -> Iterator[Block]:
    """Everything of one node; `host` is scraped every `EVERY` seconds."""
    yield from _up(host)
    yield from _cpu(host)
    yield from _memory(host)
    yield from _numa(host)
    yield from _network(host)
    yield from _nfs(host)
    yield from _cgroup(host)


def _block(
    host: Host,
    name: str,
    labels: list[dict[str, str]],
    values: Array,
    outside: tuple[Span, ...] = (),
) -> Block:
    metric = _NAMED[name]
    return host.block(metric, _PORTS[metric.exporter], labels, values, outside)


def _up(host: Host) -> Iterator[Block]:
    values = np.ones((2, host.stage.cells), np.int64)
    for start, end in host.stage.gaps(host.name):
        values[:, start:end] = 0
    named: tuple[Labels, ...] = tuple(
        (("job", job), ("instance", f"{host.name}:{port}"))
        for job, port in (("node", 9100), ("dcgm", 9400))
    )
    yield Block("up", host.name, named, values)


def _used_threads(host: Host) -> tuple[Array, Array]:
    """Threads in user mode on each socket: the training's loaders and launchers, other jobs by their GPUs."""
    stage, gpus = host.stage, len(host.node.gpus)
    high = stage.told(HighLoad)
    load = high.load if high is not None and high.host == host.name else 90.0
    own = np.full(host.samples, load - 6.0)
    cpus = host.over("rank_cpus")
    own = np.where(cpus < 28, cpus * gpus * 0.94, own)
    own = own * (1 - 0.75 * host.over("throttled"))
    far = host.over("far_memory")
    first = np.where(far > 0.2, 0.96, 0.5)
    others = (host.held * (1 - host.runs)) * gpus * 6.5 + 1.5
    return own * first * host.runs + others / 2, own * (1 - first) * host.runs + others / 2


def _cpu(host: Host) -> Iterator[Block]:
    stage, shake = host.stage, host.shake("cpu", 1)[0]
    sockets = _used_threads(host)
    mismatch = stage.told(DriverMismatch)
    staged = mismatch is not None and host.name in mismatch.nodes
    system = 0.006 + (0.085 if staged else 0.02) * host.runs + 0.012 * host.held
    rows, labels = [], []
    for number, cpu in enumerate(CPUS):
        used = sockets[number // 2] / (THREADS / 2)
        user = np.clip(used * (1 + 0.02 * shake + 0.015 * host.shake(f"cpu {cpu}")[0]), 0.002, 0.97)
        kernel = np.minimum(system * (1 + 0.08 * shake), 0.99 - user)
        parts = {"user": user, "system": kernel, "iowait": np.full(host.samples, 0.0006)}
        parts["idle"] = 1 - user - kernel - 0.0006
        for mode in MODES:
            labels.append({"cpu": str(cpu), "mode": mode})
            rows.append(parts[mode])
    yield _block(host, "node_cpu_seconds_total", labels, host.grown(np.array(rows), 9e5))
    total = (sockets[0] + sockets[1]) * (1 + 0.03 * shake) + 2 + 3 * host.held
    yield _block(host, "node_load1", [{}], np.maximum(total, 0.2))
    top = host.over("core_mhz")
    speeds = []
    for cpu in CPUS:
        pace = top - 25 * np.abs(host.shake(f"mhz {cpu}")[0])
        speeds.append(np.where(host.held > 0, pace, IDLE_MHZ + 60 * np.abs(shake)))
    named = [{"cpu": str(cpu)} for cpu in CPUS]
    yield _block(host, "node_cpu_scaling_frequency_hertz", named, np.array(speeds) * 1e6)


def _since_first(host: Host) -> Array:
    """Hours since the run's first step, 0 before it and after its end."""
    at = host.stage.times(EVERY)
    run = host.stage.run
    inside = (at >= run.first_ms) & (at < run.end_ms) & (host.runs.max() > 0)
    hours: Array = np.where(inside, (at - run.first_ms) / HOUR, 0.0)
    return hours


def _memory(host: Host) -> Iterator[Block]:
    stage, run = host.stage, host.stage.run
    hours = _since_first(host)
    leak = stage.condition.constant(JOB, "leak_gib")
    at = np.minimum(stage.times(EVERY), run.end_ms)
    step = np.clip(np.searchsorted(run.starts, at, side="right") - 1, 0, STEPS) / STEPS
    lost = np.where(hours > 0, leak * step, 0.0) if host.runs.max() > 0 else np.zeros(host.samples)
    taken = 26 + host.held * 90 + host.runs * 110 + lost + 1.2 * host.shake("memory")[0]
    total = MEMORY / GIB
    room = total - taken
    # Data that is read fills what is free within the hour; it gives way when somebody needs it.
    fill = np.clip(hours / 0.7, 0, 1)
    usual = 300 + 320 * stage.noise.unit(f"cache {host.name}") * np.minimum(host.held + 0.3, 1)
    cache = np.minimum(usual + fill * total, room - 11 - 0.6 * np.abs(host.shake("free")[0]))
    cache = np.maximum(cache, 4)
    free = np.maximum(room - cache, 3)
    yield _block(host, "node_memory_MemTotal_bytes", [{}], np.full(host.samples, MEMORY))
    yield _block(host, "node_memory_MemFree_bytes", [{}], free * GIB)
    yield _block(host, "node_memory_MemAvailable_bytes", [{}], np.maximum(room - 8, 4) * GIB)
    yield _block(host, "node_memory_Cached_bytes", [{}], cache * GIB)
    squeeze = np.clip(lost / max(leak, 1.0), 0, 1) ** 2 * 0.35
    waiting = squeeze + 0.00002 * (1 + host.held)
    name = "node_pressure_memory_waiting_seconds_total"
    yield _block(host, name, [{}], host.grown(waiting[None, :], 40.0))


def _numa(host: Host) -> Iterator[Block]:
    far = host.over("far_memory")[None, :] * np.ones((2, 1))
    pages = (2.0e4 + 1.4e6 * host.runs + 2.4e5 * host.held) * (1 + 0.05 * host.shake("pages", 2))
    sides = [{"node": "0"}, {"node": "1"}]
    yield _block(
        host, "node_memory_numa_local_node_total", sides, host.grown(pages * (1 - far), 4e12)
    )
    yield _block(host, "node_memory_numa_other_node_total", sides, host.grown(pages * far, 1.2e11))
    few = np.where(host.over("rank_cpus") < 28, 0.9, 0.0) + 0.8 * host.over("throttled")
    crowd = 0.004 + host.runs * np.clip(few, 0, 0.95) * (1 + 0.03 * host.shake("crowd")[0])
    yield _block(
        host, "node_pressure_cpu_waiting_seconds_total", [{}], host.grown(crowd[None, :], 4e4)
    )


def _network(host: Host) -> Iterator[Block]:
    lost = sum(host.seen(subject, "retrans") for subject in (LUSTRE, NFS))
    rate = 0.15 + host.held * 0.1 + host.runs * lost * (1 + 0.1 * host.shake("again")[0])
    yield _block(
        host, "node_netstat_Tcp_RetransSegs", [{}], host.grown(np.asarray(rate)[None, :], 6e5)
    )
    ahead = host.over("clock_offset_s")
    good = np.where(ahead != 0, 0, 1)
    yield _block(host, "node_timex_sync_status", [{}], good)
    drift = 0.00004 * host.shake("drift")[0]
    # A clock that nobody disciplines has no reference to be measured against.
    yield _block(host, "node_timex_offset_seconds", [{}], np.where(good == 0, 0.0, drift))


def _nfs(host: Host) -> Iterator[Block]:
    stage, storage = host.stage, host.stage.plant.storage
    slots = stage.told(NfsSlotsFull)
    wide = (0.4 + 6 * host.held + 160 * host.runs) * (1 + 0.06 * host.shake("nfs")[0])
    reply = 0.0055 * (1 + 0.08 * host.shake("reply")[0])
    queue = np.full(host.samples, 0.0006)
    if slots is not None:
        queue = np.where(host.runs > 0, slots.exe_ms / 1_000 - reply, queue)
    labels, asked, replied, handled = [], [], [], []
    for operation, part in _OPERATIONS:
        labels.append(
            {
                "export": f"{storage.nfs_server}:{storage.nfs_export}",
                "mountaddr": storage.nfs_ip,
                "operation": operation,
                "protocol": "tcp",
            }
        )
        asked.append(wide * part)
        replied.append(wide * part * reply)
        handled.append(wide * part * (reply + queue))
    yield _block(host, f"{_NFS}requests_total", labels, host.grown(np.array(asked), 3e7))
    yield _block(
        host, f"{_NFS}response_time_seconds_total", labels, host.grown(np.array(replied), 1.6e5)
    )
    yield _block(
        host, f"{_NFS}request_time_seconds_total", labels, host.grown(np.array(handled), 1.8e5)
    )


def _cgroup(host: Host) -> Iterator[Block]:
    """The job's own cgroup: it exists while the job does, and its counters begin at zero."""
    if host.runs.max() == 0:
        return
    stage = host.stage
    first, last = stage.span(
        stage.job.start_ms or 0, stage.job.end_ms or stage.calendar.window_end, EVERY
    )
    ticks = np.zeros(host.samples)
    ticks[first:last] = 10.0 * EVERY
    share = host.over("throttled") * np.maximum(host.runs, 0.02) * (1 + 0.02 * host.shake("cfs")[0])
    label = {"id": f"/system.slice/slurmstepd.scope/job_{stage.job.id}", "container": "train"}
    outside: tuple[Span, ...] = ((0, first), (last, host.samples))
    for name, grown in (("periods", ticks), ("throttled_periods", ticks * np.clip(share, 0, 1))):
        yield _block(host, f"container_cpu_cfs_{name}_total", [label], np.cumsum(grown), outside)
