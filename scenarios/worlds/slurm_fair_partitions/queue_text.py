"""What sinfo, squeue and scontrol print about a loaded cluster, in the formats of Slurm 22.05."""

from __future__ import annotations

from collections.abc import Iterable

from scenarios.worlds import reading
from scenarios.worlds.slurm_fair_partitions.cluster import SharedCluster
from scenarios.worlds.slurm_fair_partitions.job import Job, State
from scenarios.worlds.slurm_fair_partitions.views import user_names
from scenarios.worlds.slurm_fair_partitions.workload import Kind

CPUS, T4_CPUS = 16, 8
"""Cores for each GPU: 64 on an A100 node, 32 on a T4 node."""
FIRST_JOB = 40_000
MOST_ROWS = 30
"""Pending rows of one partition that are shown."""


def span_text(ms: int) -> str:
    """A duration as squeue prints it: [D-][H:]MM:SS."""
    seconds = ms // 1000
    days, hours = seconds // 86_400, seconds // 3_600 % 24
    minutes = f"{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if days:
        return f"{days}-{hours:02d}:{minutes}"
    return f"{hours}:{minutes}" if hours else f"{seconds // 60}:{seconds % 60:02d}"


def limit_text(ms: int) -> str:
    """A time limit as sinfo prints it: [D-]HH:MM:SS, without a leading zero below a day."""
    seconds = ms // 1000
    clock = f"{seconds // 3_600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{seconds // 86_400}-{clock}" if seconds >= 86_400 else clock.removeprefix("0")


def folded(numbers: Iterable[int], width: int = 0) -> str:
    """Numbers as Slurm folds them: 1-3,5; each with at least `width` digits."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    parts = [f"{a:0{width}d}" if a == b else f"{a:0{width}d}-{b:0{width}d}" for a, b in runs]
    return ",".join(parts)


def hostlist(names: list[str]) -> str:
    """Names with a common prefix as Slurm folds them: lga-[01-03,05]."""
    if len(names) == 1:
        return names[0]
    prefix, _, digits = names[0].rpartition("-")
    return f"{prefix}-[{folded((int(n.rpartition('-')[2]) for n in names), len(digits))}]"


class JobNumbers:
    """Job ids as Slurm gives them: the tasks of an array share the id of the first."""

    def __init__(self, cluster: SharedCluster) -> None:
        self._first: dict[str, int] = {}
        for job in cluster.jobs:
            if job.spec.kind == Kind.SWEEP:
                self._first.setdefault(self.array(job), job.id)

    def array(self, job: Job) -> str:
        """The name of the array that a task belongs to; empty for other jobs."""
        return job.spec.name.rpartition("_")[0] if job.spec.kind == Kind.SWEEP else ""

    def task(self, job: Job) -> int:
        """The number of a task within its array."""
        return int(job.spec.name.rpartition("_")[2])

    def base(self, job: Job) -> str:
        """The id without the task's number."""
        return str(FIRST_JOB + self._first.get(self.array(job), job.id))

    def full(self, job: Job) -> str:
        """The id as sacct shows it: 40123, or 40123_7 for a task."""
        return f"{self.base(job)}_{self.task(job)}" if self.array(job) else self.base(job)


def sinfo(cluster: SharedCluster) -> str:
    """sinfo without options: a row for each partition and state."""
    width = max(9, *(len(p.name) + (n == 0) for n, p in enumerate(cluster.config.partitions)))
    lines = [f"{'PARTITION':{width}} AVAIL  TIMELIMIT  NODES  STATE NODELIST"]
    for number, fleet in enumerate(cluster.fleets):
        states: dict[str, list[str]] = {}
        for node, name in enumerate(fleet.names):
            states.setdefault(_node_state(cluster, number, node), []).append(name)
        label = fleet.shape.name + ("*" if number == 0 else "")
        limit = limit_text(fleet.max_time)
        lines += [
            f"{label:{width}} {'up':>5} {limit:>10} {len(states[word]):>6} {word:>6} {hostlist(states[word])}"
            for word in ("down*", "resv", "mix", "alloc", "idle")
            if word in states
        ]
    return "\n".join(lines)


def _node_state(cluster: SharedCluster, partition: int, node: int) -> str:
    fleet = cluster.fleets[partition]
    if node in fleet.nodes.out:
        return "down*"
    if 0 < fleet.nodes.level[node] < fleet.shape.per_node:
        return "mix"
    if not fleet.nodes.level[node]:
        return "alloc"
    reserved = any(
        kept.partition == partition and kept.nodes >> node & 1 and kept.start <= cluster.now
        for kept in cluster.scheduler.reservations
    )
    return "resv" if reserved else "idle"


def squeue(cluster: SharedCluster) -> str:
    """squeue without options: by partition, pending before running, each by priority.

    Pending tasks of an array share a row and the reason of the first, as their record does.
    """
    numbers, parts = JobNumbers(cluster), cluster.config.partitions
    lines = [
        f"{'JOBID':>18} {'PARTITION':>9} {'NAME':>8} {'USER':>8} {'ST':>2} {'TIME':>10}"
        f" {'NODES':>6} NODELIST(REASON)"
    ]
    for part in sorted(range(len(parts)), key=lambda n: parts[n].name):
        here = [job for job in cluster.present.values() if job.partition == part]
        waiting = sorted((j for j in here if j.state == State.PENDING), key=lambda j: j.key)
        rows = list(_grouped(waiting, numbers))
        lines += [_row(cluster, group, numbers) for group in rows[:MOST_ROWS]]
        if len(rows) > MOST_ROWS:
            lines.append(
                f"# ... {len(rows) - MOST_ROWS} more pending rows of {parts[part].name} cut here"
            )
        running = sorted(
            (j for j in here if j.state == State.RUNNING), key=lambda j: (-j.rank, j.id)
        )
        lines += [_row(cluster, [job], numbers) for job in running]
    return "\n".join(lines)


def _grouped(waiting: list[Job], numbers: JobNumbers) -> Iterable[list[Job]]:
    groups: dict[str, list[Job]] = {}
    for job in waiting:
        groups.setdefault(numbers.array(job) or str(job.id), []).append(job)
    return groups.values()


def _row(cluster: SharedCluster, group: list[Job], numbers: JobNumbers) -> str:
    job, where, time = group[0], f"({group[0].reason})", "0:00"
    number = numbers.base(job)
    if job.state == State.RUNNING:
        where = hostlist(cluster.fleets[job.partition].node_names(job.nodes))
        number, time = numbers.full(job), span_text(cluster.now - job.began)
    elif numbers.array(job):
        tasks = folded(numbers.task(each) for each in group)
        number = f"{number}_[{tasks}]" if len(group) > 1 else f"{number}_{tasks}"
    name = numbers.array(job) or job.spec.name
    user, nodes = user_names(cluster)[job.spec.user], max(1, job.spec.gpus // 4)
    state = "R" if job.state == State.RUNNING else "PD"
    partition = cluster.config.partitions[job.partition].name
    return (
        f"{number[:18]:>18} {partition[:9]:>9} {name[:8]:>8} {user[:8]:>8} {state:>2} {time:>10}"
        f" {nodes:>6} {where}"
    )


def reservations(cluster: SharedCluster) -> str:
    """scontrol -o show reservation."""
    lines = []
    for kept in cluster.scheduler.reservations:
        fleet = cluster.fleets[kept.partition]
        names = fleet.node_names((kept.nodes, 0, 0))
        cores = len(names) * fleet.shape.per_node * CPUS
        lines.append(
            reading.table(__file__, "data.toml")["outputs"]["reservation"].format(
                kept=kept,
                nodes=hostlist(names),
                count=len(names),
                cores=cores,
                partition=fleet.shape.name,
            )
        )
    return "\n".join(lines) or "No reservations in the system"
