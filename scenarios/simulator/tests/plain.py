"""Each policy once more, slow and obvious: everything is looked at again at every instant.

Written from the rules alone, without the arrays, trees and shortcuts of the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Job:
    submit: int
    run: int
    estimate: int
    procs: int
    number: int = 0
    done: int = 0
    began: int = -1
    first: int = -1
    end: int = -1
    preemptions: int = 0

    def left(self, now: int) -> int:
        return self.run - self.done - (now - self.began if self.began >= 0 else 0)


@dataclass
class Cluster:
    """What a rule sees: the jobs in the system in order of submission, and who runs."""

    capacity: int
    now: int = 0
    jobs: list[Job] = field(default_factory=list)
    running: list[Job] = field(default_factory=list)  # in the order of their latest start
    ended: int = 0

    def free(self) -> int:
        return self.capacity - sum(job.procs for job in self.running)

    def waiting(self) -> list[Job]:
        return [job for job in self.jobs if job not in self.running]

    def start(self, job: Job) -> None:
        assert job.procs <= self.free()
        job.began = self.now
        job.first = self.now if job.first < 0 else job.first
        self.running.append(job)

    def preempt(self, job: Job) -> None:
        job.done += self.now - job.began
        job.began = -1
        job.preemptions += 1
        self.running.remove(job)


Rule = Callable[[Cluster], None]
Wake = Callable[[Cluster], list[int]]


def simulate(
    jobs: list[Job], capacity: int, rule: Rule, wakes: Wake = lambda _: [], one_by_one: bool = False
) -> None:
    """Run the jobs; the answer is in them."""
    cluster, future = Cluster(capacity), sorted(jobs, key=lambda job: (job.submit, job.number))
    while future or cluster.running:
        times = [job.submit for job in future[:1]]
        times += [cluster.now + job.left(cluster.now) for job in cluster.running]
        times += [time for time in wakes(cluster) if time > cluster.now]
        cluster.now = min(times)
        for change in _changes(cluster, future, one_by_one):
            change()
            if one_by_one:
                rule(cluster)
        if not one_by_one:
            rule(cluster)


def _changes(cluster: Cluster, future: list[Job], one_by_one: bool) -> list[Callable[[], None]]:
    """What happens at this instant, in order; ends of jobs that start in it come next time."""

    def submit() -> None:
        cluster.jobs.append(future.pop(0))

    def finish(job: Job) -> None:
        job.end = cluster.now
        cluster.running.remove(job)
        cluster.jobs.remove(job)
        cluster.ended += 1

    due = [job for job in cluster.running if job.left(cluster.now) <= 0]
    ends: list[Callable[[], None]] = [lambda job=job: finish(job) for job in due]  # type: ignore[misc]
    submits: list[Callable[[], None]] = [submit for job in future if job.submit == cluster.now]
    return submits + ends if one_by_one else ends + submits


def fcfs(cluster: Cluster) -> None:
    for job in cluster.waiting():
        if job.procs > cluster.free():
            return
        cluster.start(job)


def sjf(cluster: Cluster) -> None:
    for job in sorted(cluster.waiting(), key=lambda job: job.estimate):
        if job.procs > cluster.free():
            return
        cluster.start(job)


def easy(cluster: Cluster, shortest_first: bool = False) -> None:
    fcfs(cluster)
    if not cluster.waiting():
        return
    head, *tail = cluster.waiting()
    planned = sorted({job.began + job.estimate for job in cluster.running})
    shadow = next(time for time in planned if _free_at(cluster, time) >= head.procs)
    extra = _free_at(cluster, shadow) - head.procs
    for job in sorted(tail, key=lambda job: job.estimate) if shortest_first else tail:
        in_time = cluster.now + job.estimate <= shadow
        if job.procs <= cluster.free() and (in_time or job.procs <= extra):
            cluster.start(job)
            extra -= 0 if in_time else job.procs


def easy_sjbf(cluster: Cluster) -> None:
    easy(cluster, shortest_first=True)


def _free_at(cluster: Cluster, time: int) -> int:
    still = [job for job in cluster.running if job.began + job.estimate > time]
    return cluster.capacity - sum(job.procs for job in still)


class Conservative:
    """Reservations as a table of starts; a hole is found by looking at every instant."""

    def __init__(self) -> None:
        self.planned: dict[int, int] = {}
        self.ended = 0

    def wakes(self, cluster: Cluster) -> list[int]:
        return [self.planned[job.number] for job in cluster.waiting() if job.number in self.planned]

    def __call__(self, cluster: Cluster) -> None:
        if cluster.ended > self.ended:
            self.ended = cluster.ended
            for job in cluster.waiting():
                if job.number in self.planned:
                    self._plan(cluster, job)
        for job in cluster.waiting():
            if job.number not in self.planned:
                self._plan(cluster, job)
        for job in cluster.waiting():
            if self.planned[job.number] <= cluster.now and job.procs <= cluster.free():
                cluster.start(job)  # jobs of no length plan over each other and take turns

    def _plan(self, cluster: Cluster, job: Job) -> None:
        others = [other for other in cluster.waiting() if other.number in self.planned]
        spans = [(self.planned[other.number], other) for other in others if other is not job]
        spans += [(other.began, other) for other in cluster.running]
        edges = [(begin, begin + other.estimate, other.procs) for begin, other in spans]
        instants = sorted({cluster.now, *(end for _, end, _ in edges if end > cluster.now)})
        self.planned[job.number] = next(
            time for time in instants if _has_hole(edges, time, job, cluster.capacity)
        )


def _has_hole(edges: list[tuple[int, int, int]], time: int, job: Job, capacity: int) -> bool:
    until = time + job.estimate
    looks = [time, *(begin for begin, _, _ in edges if time < begin < until)]
    used = (sum(p for begin, end, p in edges if begin <= look < end) for look in looks)
    return job.estimate == 0 or all(busy + job.procs <= capacity for busy in used)


class Remaining:
    """SRTF and SRGF: everybody is ranked anew, ties as they stood before."""

    def __init__(self, by_gpus: bool = False) -> None:
        self.by_gpus = by_gpus
        self.ranked: list[Job] = []

    def __call__(self, cluster: Cluster) -> None:
        self.ranked = [job for job in self.ranked if job in cluster.jobs]
        self.ranked += [job for job in cluster.jobs if job not in self.ranked]
        self.ranked.sort(key=lambda j: j.left(cluster.now) * (j.procs if self.by_gpus else 1))
        give_out(cluster, self.ranked)


def give_out(cluster: Cluster, ranked: list[Job]) -> None:
    free, chosen = cluster.capacity, []
    for job in ranked:
        if job.procs <= free:
            free -= job.procs
            chosen.append(job)
    for job in [job for job in cluster.running if job not in chosen]:
        cluster.preempt(job)
    for job in chosen:
        if job not in cluster.running:
            cluster.start(job)


class Attained:
    """LAS in two queues."""

    def __init__(self, threshold: int) -> None:
        self.threshold = threshold
        self.queues: tuple[list[Job], list[Job]] = ([], [])

    def wakes(self, cluster: Cluster) -> list[int]:
        young = [job for job in cluster.running if job in self.queues[0]]
        return [cluster.now + self.threshold - job.run + job.left(cluster.now) for job in young]

    def __call__(self, cluster: Cluster) -> None:
        first, second = ([job for job in queue if job in cluster.jobs] for queue in self.queues)
        first += [job for job in cluster.jobs if job not in first + second]
        old = [job for job in first if job.run - job.left(cluster.now) >= self.threshold]
        first, second = [job for job in first if job not in old], second + old
        give_out(cluster, first + second)
        self.queues = (self._settle(cluster, first), self._settle(cluster, second))

    @staticmethod
    def _settle(cluster: Cluster, queue: list[Job]) -> list[Job]:
        running = [job for job in queue if job in cluster.running]
        return running + [job for job in queue if job not in running]
