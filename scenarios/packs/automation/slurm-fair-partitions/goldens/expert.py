"""Keeps the agreement: shares as agreed; who is owed GPUs goes first: by lifts, holds and cheap requeues."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import headnode_sdk
from headnode_sdk import ApiError, ApiTimeout, Cluster, Conflict, Job, NotFound, Partition, Team

HOUR, DAY = 3_600, 86_400
TRIES = 3
NORMAL, LIFTED = 100, 1000
"""Far apart: what a QOS adds has to outweigh the fair-share of a team that has used much."""
LIFT_AT_LEAST = 6 * HOUR
"""A limit changed back sooner was changed for nothing."""
PATIENCE = 10 * 60
LONGEST_HOLD = 4 * HOUR
"""Six are allowed; a release may fail for an hour, and a reading may be as old."""
REST = 8 * HOUR
HOLDS = 15
"""Of 40 writes a tick."""
CHEAP = 0.2
"""Hours of work that a requeue may throw away: since the last checkpoint, and the restart."""
IDLE = 2 * HOUR
AHEAD = 60 * HOUR
"""No job may ask for more than 48 hours, so that nodes reserved earlier than that are free in time."""
BUDGET_LEFT = 0.975
T = TypeVar("T")

TEMPLATE = """#!/bin/bash
#SBATCH --job-name=CHANGE-ME
#SBATCH --partition={partition}
#SBATCH --account=TEAM
#SBATCH --qos={qos}
#SBATCH --nodes=1
#SBATCH --gres=gpu:{gpu}:1
#SBATCH --time={time}
#SBATCH --output=%x-%j.out
#SBATCH --mail-type=END,FAIL,TIME_LIMIT_80
#SBATCH --mail-user=USER@example.org

# Ask for the time you need and a quarter more: short limits start sooner.
srun python main.py
"""


class Administrator:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.lifted_at: dict[str, int] = {}
        self.held_at: dict[int, int] = {}
        self.published: set[str] = set()
        self.reported = 0

    # ---- calls ----

    def attempt(self, act: Callable[[], T]) -> T | None:
        """One write that may be repeated safely; what still fails is seen again next tick."""
        for _ in range(TRIES):
            try:
                return act()
            except ApiTimeout:
                continue
            except (Conflict, NotFound):
                return None
            except ApiError as error:
                self.cluster.log(f"will try again: {error}")
                return None
        return None

    def read(self, ask: Callable[[], T]) -> T:
        for _ in range(TRIES - 1):
            try:
                return ask()
            except ApiTimeout:
                continue
        return ask()

    # ---- one tick ----

    def step(self) -> None:
        cluster = self.cluster
        self.partitions = self.read(cluster.partitions)
        self.teams = {team.name: team for team in self.read(cluster.teams)}
        jobs = self.read(cluster.jobs)
        if cluster.now % HOUR == 0 or cluster.now < HOUR:
            self.keep_settings()
            self.keep_promises()
        self.publish()
        self.report()
        self.end_idle_sessions(jobs)
        self.sort_out(jobs)
        self.charge_budgets(jobs)
        self.keep_minimums(jobs)

    @property
    def training(self) -> list[Partition]:
        return [p for p in self.partitions.values() if p.purpose == "training"]

    @property
    def inference(self) -> Partition:
        return next(p for p in self.partitions.values() if p.purpose == "inference")

    # ---- settings ----

    def keep_settings(self) -> None:
        """Shares and limits as agreed; whatever a lost write left wrong is put right here."""
        cluster = self.cluster
        qos = self.read(cluster.qos)
        raw = {row.account: row.raw_shares for row in self.read(cluster.shares) if not row.user}
        promised = {p.team: 4 * p.nodes for p in self.read(cluster.promises)}
        for team in self.teams.values():
            if raw.get(team.name) != team.shares:
                self.attempt(lambda t=team: cluster.set_shares(t.name, t.shares))
            # A reservation does not lift a limit: the promised job has to fit beside the others.
            most = max(8, team.guaranteed) + 12 + promised.get(team.name, 0)
            if qos[team.name].user_gpus != most:
                self.attempt(lambda t=team, m=most: cluster.modify_qos(t.name, user_gpus=m))
        if qos["serve"].user_gpus != 8:
            self.attempt(lambda: cluster.modify_qos("serve", user_gpus=8))
        others = [name for name in qos if name != "serve"]
        self.allow(self.inference, ["serve"])
        for partition in self.training:
            self.allow(partition, others)

    def allow(self, partition: Partition, qos: list[str]) -> None:
        longest = 4 * HOUR if partition.purpose == "inference" else partition.max_time
        if sorted(partition.allow_qos) != sorted(qos) or partition.max_time != longest:
            self.attempt(lambda: self.cluster.modify_partition(partition.name, longest, qos))

    def keep_promises(self) -> None:
        cluster = self.cluster
        kept = self.read(cluster.reservations)
        for old in kept:
            if not old.team:
                self.attempt(lambda r=old: cluster.delete_reservation(r.name))
        names = {each.name for each in kept}
        for p in self.read(cluster.promises):
            if p.name in names or p.start - cluster.now > AHEAD:
                continue
            length = p.end - p.start
            self.attempt(
                lambda p=p, s=length: cluster.reserve(
                    p.name, p.team, p.partition, p.nodes, p.start, s
                )
            )

    # ---- paper ----

    def publish(self) -> None:
        chosen = {"training": self.training[0], "inference": self.inference}
        for purpose, partition in chosen.items():
            if purpose in self.published:
                continue
            serves = purpose == "inference"
            text = TEMPLATE.format(
                partition=partition.name,
                qos="serve" if serves else "TEAM",
                gpu=partition.gpu_model,
                time="01:00:00" if serves else "08:00:00",
            )
            answer = self.attempt(lambda p=purpose, t=text: self.cluster.submit_template(p, t))
            if answer is not None and answer.accepted:
                self.published.add(purpose)

    def report(self) -> None:
        """GPU-hours by team and partition, cut at midnight, requeued runs included."""
        cluster = self.cluster
        day = cluster.now // DAY
        if day <= self.reported:
            return
        begin, end = (day - 1) * DAY, day * DAY
        runs = self.read(lambda: cluster.accounting(begin, end))
        if cluster.read_at < end:
            return
        hours: dict[tuple[str, str], float] = {}
        for run in runs:
            until = end if run.end < 0 else min(run.end, end)
            spent = run.gpus * (until - max(run.start, begin)) / HOUR
            key = run.team, run.partition
            hours[key] = hours.get(key, 0.0) + spent
        rows = [(team, part, round(value, 3)) for (team, part), value in sorted(hours.items())]
        try:
            cluster.report(day, rows)
        except ApiTimeout:
            return
        self.reported = day

    # ---- jobs ----

    def end_idle_sessions(self, jobs: list[Job]) -> None:
        sessions = {job.id for job in jobs if job.kind == "interactive" and job.state == "running"}
        for row in self.read(self.cluster.activity):
            if row.job in sessions and row.idle >= IDLE and row.gpu_util == 0:
                self.attempt(lambda r=row: self.cluster.cancel(r.job))

    def sort_out(self, jobs: list[Job]) -> None:
        """Waiting jobs go where they belong, and to the site that has room for them."""
        free = {p.name: p.free for p in self.training}
        waiting = [job for job in jobs if job.state == "pending"]
        for job in waiting:
            serves = job.name.startswith(("infer", "score", "rerank")) and job.limit <= 4 * HOUR
            at_inference = job.queue == self.inference.name
            if serves and not at_inference:
                self.attempt(lambda j=job: self.cluster.move(j.id, self.inference.name))
            elif not serves and at_inference:
                best = max(sorted(free), key=lambda name: free[name])
                self.attempt(lambda j=job, b=best: self.cluster.move(j.id, b))
        if len(free) > 1:
            self.even_out(waiting, free)

    def even_out(self, waiting: list[Job], free: dict[str, int]) -> None:
        """Portable jobs that wait at a full site go to one with room."""
        backlog = {name: sum(j.gpus for j in waiting if j.queue == name) for name in free}
        size = {p.name: p.gpus or 1 for p in self.training}
        for job in waiting:
            if not job.portable or job.queue not in free or job.waited < 900 or job.gpus > 8:
                continue
            other = min(sorted(free), key=lambda name: backlog[name] / size[name] - free[name])
            worse = backlog[job.queue] / size[job.queue] - backlog[other] / size[other]
            if other != job.queue and worse > 0.15:
                if self.attempt(lambda j=job, o=other: self.cluster.move(j.id, o) or True):
                    backlog[job.queue] -= job.gpus
                    backlog[other] += job.gpus
                    free[other] -= job.gpus

    def charge_budgets(self, jobs: list[Job]) -> None:
        """A team that has used up its budget goes on below everybody else."""
        spent = {
            t.name for t in self.teams.values() if t.budget and t.charged > BUDGET_LEFT * t.budget
        }
        for job in jobs:
            plain = job.qos == job.team and not job.protected
            if job.team in spent and job.state == "pending" and plain:
                self.attempt(lambda j=job: self.cluster.set_job_qos(j.id, "scavenge"))

    # ---- minimums ----

    def keep_minimums(self, jobs: list[Job]) -> None:
        own = {p.name for p in self.training}
        here = [job for job in jobs if job.queue in own and job.qos in self.teams]
        used = {name: 0 for name in self.teams}
        for job in here:
            if job.state == "running":
                used[job.team] += job.gpus
        short = {}
        for team in self.teams.values():
            room = team.guaranteed - used[team.name]
            fits = [
                job
                for job in here
                if job.team == team.name and job.state == "pending" and job.gpus <= room
            ]
            fits = [job for job in fits if job.waited >= PATIENCE]
            if fits:
                short[team.name] = fits
        self.clear_the_way(jobs, here, short)
        self.lift(short)
        if short:
            self.squeeze(here, used, short)

    def clear_the_way(self, jobs: list[Job], here: list[Job], short: dict[str, list[Job]]) -> None:
        """While a job waits that a team is owed, nothing else is started in its partition.

        Order alone is not enough: a large job at the head of the queue keeps everything behind
        it from starting, and backfill starts others whose limits happen to fit.
        """
        now = self.cluster.now
        owed = {job.id for jobs in short.values() for job in jobs}
        queues = {job.queue for jobs in short.values() for job in jobs}
        self.held_at = {n: at for n, at in self.held_at.items() if now - at < REST}
        fresh = {n for n, at in self.held_at.items() if now - at <= LONGEST_HOLD}
        behind = [
            job
            for job in here
            if job.state in ("pending", "held")
            and job.queue in queues
            and job.id not in owed
            and not job.protected
            and (job.id in fresh or job.id not in self.held_at)
        ]
        wanted = {job.id for job in behind}
        for job in jobs:
            if job.state == "held" and job.id not in wanted:
                self.attempt(lambda j=job: self.cluster.unhold(j.id))
        for job in [job for job in behind if job.state == "pending"][:HOLDS]:
            self.held_at.setdefault(job.id, now)
            self.attempt(lambda j=job: self.cluster.hold(j.id))

    def lift(self, short: dict[str, list[Job]]) -> None:
        """A team below its guarantee goes before the others, and stays there for some hours."""
        now = self.cluster.now
        qos = self.read(self.cluster.qos)
        for team in self.teams:
            wanted = LIFTED if team in short else NORMAL
            settled = now - self.lifted_at.get(team, -DAY) >= LIFT_AT_LEAST
            if settled and qos[team].priority != wanted:
                self.attempt(lambda t=team, w=wanted: self.cluster.modify_qos(t, priority=w))
                self.lifted_at[team] = now

    def squeeze(self, here: list[Job], used: dict[str, int], short: dict[str, list[Job]]) -> None:
        """Requeue borrowed work that was saved just now, for those who wait longest."""
        over = {name: used[name] - self.teams[name].guaranteed for name in used}
        nodes = [n for n in self.read(self.cluster.nodes) if n.state == "ready"]
        free = {node.name: node.free for node in nodes}
        for team in sorted(short, key=lambda name: (-short[name][0].waited, name)):
            job = min(short[team], key=lambda j: (-j.waited, j.id))
            if job.waited < 1200:
                continue
            rooms = [node.name for node in nodes if node.pool == job.queue]
            for victim in self.cheapest(job, rooms, free, here, over):
                if self.attempt(lambda v=victim: self.cluster.requeue(v.id) + 1):
                    over[victim.team] -= victim.gpus

    def cheapest(
        self,
        job: Job,
        nodes: list[str],
        free: dict[str, int],
        here: list[Job],
        over: dict[str, int],
    ) -> list[Job]:
        """Whom to requeue so that the job's nodes become free; nobody if that costs too much."""
        now, size, count = self.cluster.now, min(job.gpus, 4), max(1, job.gpus // 4)
        choices = []
        for node in nodes:
            lacking, going = size - free[node], []
            holders = [j for j in here if node in j.nodes and self.loss(j, now) <= CHEAP * j.gpus]
            for holder in sorted(holders, key=lambda j: (self.loss(j, now) / j.gpus, j.id)):
                if lacking > 0 and over.get(holder.team, 0) >= holder.gpus and not holder.protected:
                    going.append(holder)
                    lacking -= min(holder.gpus, 4)
            if lacking <= 0:
                choices.append((sum(self.loss(j, now) for j in going), node, going))
        chosen = sorted(choices, key=lambda choice: choice[:2])[:count]
        victims = {j.id: j for _, _, going in chosen for j in going}
        lost = sum(self.loss(j, now) for j in victims.values())
        borrowed: dict[str, int] = {}
        for victim in victims.values():
            borrowed[victim.team] = borrowed.get(victim.team, 0) + victim.gpus
        fair = all(amount <= over[team] for team, amount in borrowed.items())
        return list(victims.values()) if len(chosen) == count and fair and lost <= job.gpus else []

    def loss(self, job: Job, now: int) -> float:
        """GPU-hours that a requeue would throw away: since the last checkpoint, and the restart."""
        if job.state != "running" or not job.checkpoint:
            return 1e9
        return job.gpus * ((now - job.started) % job.checkpoint + 360) / HOUR


def control(cluster: Cluster) -> None:
    administrator = Administrator(cluster)
    while cluster.tick():
        try:
            administrator.step()
        except ApiError as error:
            cluster.log(f"no picture this time: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
