"""What is counted while a workload passes: runs, shortfalls, entitlements, waste; judges nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.slurm_fair_partitions.config import TRAINING
from scenarios.worlds.slurm_fair_partitions.job import Job
from scenarios.worlds.slurm_fair_partitions.state import ClusterState
from scenarios.worlds.slurm_fair_partitions.workload import Kind

PATIENCE = 30 * MINUTE
"""How long a job that fits its team's guarantee may wait before the guarantee is missed."""
IDLE_GRACE = 2 * HOUR
WINDOW = 6 * HOUR
MISSED_FOR = 24 * HOUR
"""How long work that somebody cancelled who may not is still asked for by its team. Without it a
controller would serve the others better by serving some not at all."""


@dataclass(slots=True)
class Run:
    """One run of one job, as accounting keeps it; times in ms, `end` -1 while it lasts."""

    job: Job
    partition: int
    qos: int
    begin: int
    end: int = -1
    state: str = "RUNNING"


def entitled(demand: list[float], shares: list[int], capacity: float) -> list[float]:
    """Max-min fair division of `capacity` by shares, nobody above its demand (water-filling).

    All three in the same unit; what one does not ask for goes to the others by their shares.
    """
    given = [0.0] * len(demand)
    open_ones = [n for n, wanted in enumerate(demand) if wanted > 0 and shares[n] > 0]
    left = min(capacity, sum(demand[n] for n in open_ones))
    while open_ones and left > 1e-9:
        level = left / sum(shares[n] for n in open_ones)
        full = [n for n in open_ones if demand[n] - given[n] <= level * shares[n] + 1e-9]
        if not full:
            for n in open_ones:
                given[n] += level * shares[n]
            return given
        for n in full:
            left -= demand[n] - given[n]
            given[n] = demand[n]
        open_ones = [n for n in open_ones if n not in full]
    return given


class Ledger:
    """Counts at every tick, and remembers every run. GPU-time in GPU-ms."""

    def __init__(self, cluster: ClusterState) -> None:
        self.cluster = cluster
        count = len(cluster.config.teams)
        self.runs: list[Run] = []
        self._open: dict[int, Run] = {}
        self._charged = [0] * count
        self.demand_ticks = [0] * count
        self.short_ticks = [0] * count
        self.short_block = [0] * count
        self.missed_blocks: list[tuple[int, int]] = []
        self.granted = [0] * count
        self.unmet = [0] * count
        self.window_granted = [0] * count
        self.window_unmet = [0] * count
        self.unfair = 0.0
        self.shared = 0.0
        self.useful = 0
        self.usable = 0
        self.misplaced = 0
        self.idle_held = 0
        self.thrown = 0
        self.thrown_by: dict[str, int] = {}
        self._denied: list[Job] = []

    # ---- runs ----

    def started(self, job: Job) -> None:
        """A job got its nodes."""
        run = Run(job, job.partition, job.qos, self.cluster.now)
        self.runs.append(run)
        self._open[job.id] = run

    def ended(self, job: Job, word: str) -> None:
        """A job gave its nodes back; `word` is the state that accounting shows."""
        run = self._open.pop(job.id)
        run.end, run.state = self.cluster.now, word
        self._charged[job.spec.team] += self._charge(run, run.end)

    def lost(self, job: Job, work: int, cause: str) -> None:
        """Work in ms thrown away."""
        amount = work * job.spec.gpus
        self.thrown += amount
        self.thrown_by[cause] = self.thrown_by.get(cause, 0) + amount

    def denied(self, job: Job, work: int) -> None:
        """Somebody who may not has ended a job; `work` in ms is thrown away, and it still waits."""
        self.lost(job, work, "cancelled")
        if job.began >= job.queued_at:
            job.queued_at = job.ended_at
        job.denied = True
        self._denied.append(job)

    # ---- samples ----

    def sample(self, now: int) -> None:
        """Count what the tick that ends now looked like."""
        cluster = self.cluster
        config, tick = cluster.config, cluster.config.tick
        if now == 0:
            return
        teams = len(config.teams)
        used, waiting = [0] * teams, [0] * teams
        useful = self._running(now, used, tick)
        shortest = self._waiting(now, waiting)
        for number in range(teams):
            self.window_granted[number] += used[number] * tick
            self.window_unmet[number] += waiting[number] * tick
            if used[number] or waiting[number]:
                self.demand_ticks[number] += 1
                room = cluster.guaranteed[number] - used[number]
                short = 0 < shortest[number] <= room
                self.short_ticks[number] += short
                self.short_block[number] += short
        capacity = sum(
            fleet.nodes.capacity for fleet in cluster.fleets if fleet.shape.purpose == TRAINING
        )
        self.useful += useful * tick
        self.usable += min(capacity, useful + sum(waiting)) * tick
        if now % WINDOW == 0:
            self._close_window(now)
        if cluster.timeline.due(now):
            self._draw(now, used, waiting, useful)

    def _running(self, now: int, used: list[int], tick: int) -> int:
        """A100 GPUs by team into `used`; returns how many of them do work that belongs there."""
        cluster, useful = self.cluster, 0
        for number, shape in enumerate(cluster.config.partitions):
            training = shape.purpose == TRAINING
            for job in cluster.scheduler.running(number):
                gpus = job.spec.gpus
                belongs = (job.spec.kind != Kind.INFER) == training
                if not belongs:
                    self.misplaced += gpus * tick
                if not training:
                    continue
                used[job.spec.team] += gpus if job.qos != cluster.book.scavenge else 0
                idle = job.idle_for(now)
                if idle > IDLE_GRACE:
                    self.idle_held += gpus * min(tick, idle - IDLE_GRACE)
                useful += gpus if belongs and not idle else 0
        return useful

    def _waiting(self, now: int, waiting: list[int]) -> list[int]:
        """GPUs waited for by team into `waiting`; returns each team's smallest overdue request."""
        cluster = self.cluster
        smallest = [0] * len(waiting)
        for job in self._asked_for(now):
            if job.spec.kind == Kind.INFER:
                continue
            team, gpus = job.spec.team, job.spec.gpus
            waiting[team] += gpus
            if job.qos == cluster.book.scavenge or now - job.queued_at < PATIENCE:
                continue
            smallest[team] = min(smallest[team] or gpus, gpus)
        return smallest

    def _asked_for(self, now: int) -> Iterator[Job]:
        """Jobs that wait, and cancelled ones that would wait."""
        yield from (job for job in self.cluster.present.values() if job.waiting)
        self._denied = [job for job in self._denied if now - job.ended_at <= MISSED_FOR]
        yield from self._denied

    def _close_window(self, now: int) -> None:
        cluster = self.cluster
        total = sum(self.window_granted)
        demand = [float(g + w) for g, w in zip(self.window_granted, self.window_unmet, strict=True)]
        fair = entitled(demand, cluster.agreed, float(total))
        self.unfair += sum(abs(g - f) for g, f in zip(self.window_granted, fair, strict=True)) / 2
        self.shared += total
        ticks = WINDOW // cluster.config.tick
        for team in range(len(demand)):
            self.granted[team] += self.window_granted[team]
            self.unmet[team] += self.window_unmet[team]
            if 2 * self.short_block[team] >= ticks:
                self.missed_blocks.append((now, team))
                name = cluster.config.teams[team].name
                cluster.timeline.mark(now, "rule", f"{name} was below its guarantee for hours")
            self.window_granted[team] = self.window_unmet[team] = self.short_block[team] = 0

    def _draw(self, now: int, used: list[int], waiting: list[int], useful: int) -> None:
        cluster = self.cluster
        inference = list(cluster.scheduler.running(cluster.config.inference))
        foreign = sum(j.spec.gpus for j in inference if j.spec.kind != Kind.INFER)
        serving = sum(j.spec.gpus for j in inference if j.spec.kind == Kind.INFER)
        queue = sum(1 for j in cluster.present.values() if j.waiting and j.spec.kind == Kind.INFER)
        row = [*used, *waiting, useful, serving, foreign, queue]
        cluster.timeline.sample(now, [float(each) for each in row])

    # ---- usage ----

    def gpu_hours(self, begin: int, end: int) -> dict[tuple[int, int], float]:
        """Allocated GPU-hours by (team, partition) between two instants in ms."""
        total: dict[tuple[int, int], int] = {}
        for run in self.runs:
            until = self.cluster.now if run.end < 0 else run.end
            span = min(until, end) - max(run.begin, begin)
            if span > 0:
                key = run.job.spec.team, run.partition
                total[key] = total.get(key, 0) + span * run.job.spec.gpus
        return {key: amount / HOUR for key, amount in sorted(total.items())}

    def charged(self, team: int) -> float:
        """GPU-hours of A100 charged to a team's budget so far: everything but the scavenger QOS."""
        now = self.cluster.now
        total = self._charged[team]
        for run in self._open.values():
            if run.job.spec.team == team:
                total += self._charge(run, now)
        return total / HOUR

    def _charge(self, run: Run, until: int) -> int:
        training = self.cluster.config.partitions[run.partition].purpose == TRAINING
        if not training or run.qos == self.cluster.book.scavenge:
            return 0
        return (until - run.begin) * run.job.spec.gpus
