"""Slurm's view of nodes and of itself: sinfo, scontrol show node, sdiag."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import DAY, MINUTE, SECOND
from scenarios.troubleshooting.jobs import CPUS_PER_GPU, MEMORY_PER_GPU_MIB
from scenarios.troubleshooting.plant import (
    CORES_PER_SOCKET,
    NODE_MEMORY_MIB,
    SOCKETS,
    THREADS,
    Node,
)
from scenarios.troubleshooting.texts.lines import Document, Line
from scenarios.troubleshooting.texts.slurm_words import (
    configured,
    gpu_type,
    hostlist,
    stamp,
    state_at,
)
from scenarios.troubleshooting.texts.system_commands import free, uptime
from scenarios.troubleshooting.texts.system_host import boot_ms
from scenarios.troubleshooting.traces import Trace
from scenarios.troubleshooting.truth import Incident


def taken(incident: Incident, at_ms: int) -> dict[str, tuple[int, ...]]:
    """Node -> indices of its GPUs that are given to jobs at an instant."""
    found: dict[str, list[int]] = {node.name: [] for node in incident.plant.nodes}
    for job in incident.jobs:
        if state_at(job, at_ms) == "RUNNING":
            for node, indices in job.gpus:
                found[node] += indices
    return {name: tuple(sorted(indices)) for name, indices in found.items()}


def _state(used: int, whole: int) -> str:
    return "idle" if used == 0 else "alloc" if used == whole else "mix"


def sinfo(incident: Incident, at_ms: int) -> Document:
    """`sinfo` in its default columns, then `sinfo -R`, as one session shows them."""
    used, whole = taken(incident, at_ms), incident.plant.gpus_per_node
    texts = [f"$ sinfo   # {incident.calendar.local(at_ms):%Y-%m-%d %H:%M:%S %Z}"]
    texts.append(
        f"{'PARTITION':<9} {'AVAIL':>5} {'TIMELIMIT':>10} {'NODES':>6} {'STATE':>6} NODELIST"
    )
    for partition, limit in (("train*", "2-00:00:00"), ("dev", "2-00:00:00")):
        for state in ("mix", "alloc", "idle"):
            names = [n for n, gpus in used.items() if _state(len(gpus), whole) == state]
            if names:
                row = f"{partition:<9} {'up':>5} {limit:>10} {len(names):>6} {state:>6}"
                texts.append(f"{row} {hostlist(names)}")
    texts += ["$ sinfo -R", f"{'REASON':<20} {'USER':<9} {'TIMESTAMP':<19} NODELIST"]
    return Document("slurm/sinfo.txt", tuple(Line(at_ms, text) for text in texts))


def show_nodes(incident: Incident, at_ms: int) -> Document:
    """`scontrol show node` of all nodes at an instant."""
    used = taken(incident, at_ms)
    traces = list(incident.traces())
    rows = [
        Line(at_ms, text)
        for node in incident.plant.nodes
        for text in _node(incident, node, used[node.name], traces, at_ms)
    ]
    return Document("slurm/scontrol-show-node.txt", tuple(rows))


def _node(
    incident: Incident, node: Node, gpus: tuple[int, ...], traces: list[Trace], at_ms: int
) -> Iterator[str]:
    plant, calendar = incident.plant, incident.calendar
    kind, count = gpu_type(plant), len(gpus)
    memory = count * MEMORY_PER_GPU_MIB
    boot = boot_ms(incident, node.name, traces)
    given = f"cpu={count * CPUS_PER_GPU},mem={memory}M,gres/gpu={count},gres/gpu:{kind}={count}"
    yield f"NodeName={node.name} Arch=x86_64 CoresPerSocket={CORES_PER_SOCKET}"
    yield (
        f"   CPUAlloc={count * CPUS_PER_GPU} CPUEfctv={THREADS} CPUTot={THREADS} "
        f"CPULoad={_load(incident, node, at_ms)}"
    )
    yield f"   AvailableFeatures={kind},ib"
    yield f"   ActiveFeatures={kind},ib"
    yield f"   Gres=gpu:{kind}:{plant.gpus_per_node}(S:0-1)"
    yield f"   NodeAddr={node.name} NodeHostName={node.name} Version={plant.versions.slurm}"
    yield f"   OS=Linux {plant.versions.kernel} #135-Ubuntu SMP"
    yield (
        f"   RealMemory={NODE_MEMORY_MIB} AllocMem={memory} FreeMem={_unused(incident, node, at_ms)} "
        f"Sockets={SOCKETS} Boards=1"
    )
    state = {"idle": "IDLE", "alloc": "ALLOCATED", "mix": "MIXED"}[
        _state(count, plant.gpus_per_node)
    ]
    yield f"   State={state} ThreadsPerCore=2 TmpDisk=28000000 Weight=1 Owner=N/A MCS_label=N/A"
    yield "   Partitions=train,dev"
    started = stamp(calendar, boot + 95 * SECOND)
    yield f"   BootTime={stamp(calendar, boot)} SlurmdStartTime={started}"
    yield f"   LastBusyTime={stamp(calendar, at_ms if count else at_ms - 40 * MINUTE)}"
    yield f"   CfgTRES={configured(plant)}"
    yield f"   AllocTRES={given if count else ''}"
    yield "   CapWatts=n/a"
    yield "   CurrentWatts=0 AveWatts=0"
    yield "   ExtSensorsJoules=n/s ExtSensorsWatts=0 ExtSensorsTemp=n/s"
    yield ""


def _load(incident: Incident, node: Node, at_ms: int) -> str:
    """slurmd's CPULoad: the one-minute average that `uptime` shows on the node."""
    text, _ = next(iter(uptime(incident, node, at_ms)))
    return text.rpartition("load average: ")[2].partition(",")[0]


def _unused(incident: Incident, node: Node, at_ms: int) -> int:
    """FreeMem in MiB, as `free -m` shows it on the node."""
    rows = list(free(incident, node, at_ms))
    return int(rows[1][0].split()[3])


def sdiag(incident: Incident, at_ms: int) -> Document:
    """`sdiag` at an instant: counts since midnight UTC, from the same jobs as sacct."""
    since, calendar = at_ms // DAY * DAY, incident.calendar
    wide, start = (
        f"{calendar.local(t):%a %b %d %H:%M:%S %Y} ({t // SECOND})" for t in (at_ms, since)
    )
    jobs = incident.jobs
    submitted = sum(since <= job.submit_ms < at_ms for job in jobs)
    started = sum(job.start_ms is not None and since <= job.start_ms < at_ms for job in jobs)
    ended = [job for job in jobs if job.end_ms is not None and since <= job.end_ms < at_ms]
    cancelled = sum(job.state == "CANCELLED" for job in ended)
    running = sum(state_at(job, at_ms) == "RUNNING" for job in jobs)
    waiting = sum(job.submit_ms <= at_ms and state_at(job, at_ms) == "PENDING" for job in jobs)
    star = "*" * 55
    texts = (
        star,
        f"sdiag output at {wide}",
        f"Data since      {start}",
        star,
        "Server thread count:  3",
        "Agent queue size:     0",
        "Agent count:          0",
        "Agent thread count:   0",
        "DBD Agent queue size: 0",
        "",
        f"Jobs submitted: {submitted}",
        f"Jobs started:   {started}",
        f"Jobs completed: {len(ended) - cancelled}",
        f"Jobs canceled:  {cancelled}",
        "Jobs failed:    0",
        "",
        f"Job states ts:  {wide}",
        f"Jobs pending:   {waiting}",
        f"Jobs running:   {running}",
        "",
        *_cycles(incident, (at_ms - since) // (37 * SECOND), waiting, started // 6, wide),
    )
    return Document("slurm/sdiag.txt", tuple(Line(at_ms, text) for text in texts))


def _cycles(
    incident: Incident, cycles: int, waiting: int, filled: int, wide: str
) -> tuple[str, ...]:
    """The scheduler's two loops; neither is under strain."""
    draw, depth = Stream(incident.seed, "sdiag"), max(waiting, 1)
    last, mean = int(draw.between(700, 1_500)), int(draw.between(800, 1_300))
    return (
        "Main schedule statistics (microseconds):",
        f"\tLast cycle:   {last}",
        f"\tMax cycle:    {mean * 9}",
        f"\tTotal cycles: {cycles}",
        f"\tMean cycle:   {mean}",
        f"\tMean depth cycle:  {depth}",
        "\tCycles per minute: 1",
        f"\tLast queue length: {waiting}",
        "",
        "Backfilling stats",
        f"\tTotal backfilled jobs (since last slurm start): {filled + 413}",
        f"\tTotal backfilled jobs (since last stats cycle start): {filled}",
        "\tTotal backfilled heterogeneous job components: 0",
        f"\tTotal cycles: {cycles // 2}",
        f"\tLast cycle when: {wide}",
        f"\tLast cycle: {last * 3}",
        f"\tMax cycle:  {mean * 21}",
        f"\tMean cycle: {mean * 2}",
        f"\tLast depth cycle: {waiting}",
        f"\tLast depth cycle (try sched): {waiting}",
        f"\tDepth Mean: {depth}",
        f"\tDepth Mean (try depth): {depth}",
        f"\tLast queue length: {waiting}",
        f"\tQueue length mean: {depth}",
        f"\tLast table size: {12 + waiting}",
        f"\tMean table size: {14 + waiting}",
    )
