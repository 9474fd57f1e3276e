"""FCFS, SJF and EASY on nodes once more, slow and obvious: lists of free GPUs, no masks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from scenarios.simulator.tests.plain import Job

NODES, PER_NODE = 3, 4
Shares = dict[int, int]
"""node -> GPUs there."""


def place(free: list[int], procs: int) -> Shares | None:
    """Empty nodes for the whole part, the fullest node that suffices for the rest."""
    whole, rest = divmod(procs, PER_NODE)
    empty = [node for node in range(NODES) if free[node] == PER_NODE]
    if len(empty) < whole:
        return None
    shares = dict.fromkeys(empty[:whole], PER_NODE)
    if rest:
        able = [(free[n], n) for n in range(NODES) if n not in shares and free[n] >= rest]
        if not able:
            return None
        shares[min(able)[1]] = rest
    return shares


@dataclass
class NodeCluster:
    """Who runs where; `shadow` and `left` are the head's reservation, remade after an end."""

    now: int = 0
    waiting: list[Job] = field(default_factory=list)
    running: list[tuple[Job, Shares]] = field(default_factory=list)
    somebody_ended: bool = False
    shadow: int | None = None
    left: list[int] = field(default_factory=list)

    def free(self, at: int | None = None) -> list[int]:
        """Free GPUs of each node now, or at a later time by the estimates."""
        free = [PER_NODE] * NODES
        for job, shares in self.running:
            if at is None or job.began + job.estimate > at:
                for node, gpus in shares.items():
                    free[node] -= gpus
        assert min(free) >= 0
        return free

    def start(self, job: Job, shares: Shares) -> None:
        job.first = job.began = self.now
        self.waiting.remove(job)
        self.running.append((job, shares))


Rule = Callable[[NodeCluster], None]


def simulate(jobs: list[Job], rule: Rule) -> None:
    cluster, future = NodeCluster(), sorted(jobs, key=lambda job: (job.submit, job.number))
    while future or cluster.running:
        ends = [job.began + job.run for job, _ in cluster.running]
        cluster.now = min([job.submit for job in future[:1]] + ends)
        stay = [pair for pair in cluster.running if pair[0].left(cluster.now) > 0]
        for job, _ in cluster.running:
            if job.left(cluster.now) <= 0:
                job.end = cluster.now
        cluster.somebody_ended = len(stay) < len(cluster.running)
        cluster.running = stay
        while future and future[0].submit == cluster.now:
            cluster.waiting.append(future.pop(0))
        rule(cluster)


def fcfs(cluster: NodeCluster) -> None:
    while cluster.waiting and (shares := place(cluster.free(), cluster.waiting[0].procs)):
        cluster.start(cluster.waiting[0], shares)


def sjf(cluster: NodeCluster) -> None:
    for job in sorted(cluster.waiting, key=lambda job: job.estimate):
        shares = place(cluster.free(), job.procs)
        if shares is None:
            return
        cluster.start(job, shares)


def easy(cluster: NodeCluster) -> None:
    if cluster.somebody_ended or cluster.shadow is None:
        fcfs(cluster)
        cluster.shadow = None
        if cluster.waiting:
            _reserve(cluster, cluster.waiting[0])
    for job in cluster.waiting[1:]:
        assert cluster.shadow is not None
        free = cluster.free()
        if cluster.now + job.estimate <= cluster.shadow:
            shares = place(free, job.procs)
        else:
            both = [min(pair) for pair in zip(free, cluster.left, strict=True)]
            shares = place(both, job.procs)
            for node, gpus in (shares or {}).items():
                cluster.left[node] -= gpus
        if shares:
            cluster.start(job, shares)


def _reserve(cluster: NodeCluster, head: Job) -> None:
    for time in sorted(job.began + job.estimate for job, _ in cluster.running):
        shares = place(cluster.free(time), head.procs)
        if shares:
            cluster.shadow, cluster.left = time, cluster.free(time)
            for node, gpus in shares.items():
                cluster.left[node] -= gpus
            return
