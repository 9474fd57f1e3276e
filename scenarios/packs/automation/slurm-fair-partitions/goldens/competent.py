"""Sets the agreement once, keeps partitions apart, ends idle sessions, and files true reports."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster, Conflict, Job, NotFound

HOUR, DAY = 3_600, 86_400
SERVING = ("infer", "score", "rerank")

HEADER = """#!/bin/bash
#SBATCH --job-name=my-job
#SBATCH --partition={partition}
#SBATCH --account=TEAM
#SBATCH --qos={qos}
#SBATCH --gres=gpu:{gpu}:1
#SBATCH --time={time}
#SBATCH --mail-type=END,FAIL
#SBATCH --mail-user=you@example.org
srun python main.py
"""


def set_up(cluster: Cluster) -> None:
    """Shares, partition rules and templates; safe to repeat."""
    teams, partitions = cluster.teams(), cluster.partitions()
    for team in teams:
        cluster.set_shares(team.name, team.shares)
        cluster.modify_qos(team.name, user_gpus=max(8, team.guaranteed) + 6)
    training = [p for p in partitions.values() if p.purpose == "training"]
    names = [team.name for team in teams]
    for partition in training:
        others = [*names, "scavenge"] if "scavenge" in cluster.qos() else names
        cluster.modify_partition(partition.name, partition.max_time, others)
    cluster.modify_partition("inference", 4 * HOUR, ["serve"])
    for kept in cluster.reservations():
        if not kept.team:
            cluster.delete_reservation(kept.name)
    cluster.submit_template(
        "training",
        HEADER.format(partition=training[0].name, qos="TEAM", gpu="a100", time="12:00:00"),
    )
    cluster.submit_template(
        "inference",
        HEADER.format(partition="inference", qos="serve", gpu="t4", time="01:00:00"),
    )


def move_strays(cluster: Cluster, jobs: list[Job]) -> None:
    home = next(p.name for p in cluster.partitions().values() if p.purpose == "training")
    for job in jobs:
        serves = job.name.startswith(SERVING)
        if job.state != "pending" or serves == (job.queue == "inference"):
            continue
        try:
            cluster.move(job.id, "inference" if serves else home)
        except (Conflict, NotFound):
            continue


def use_both_sites(cluster: Cluster, jobs: list[Job]) -> None:
    """Where one site has room, take a few jobs there that wait at the other."""
    sites = [p for p in cluster.partitions().values() if p.purpose == "training"]
    if len(sites) < 2:
        return
    roomy = max(sites, key=lambda p: (p.free, p.name))
    room = roomy.free
    for job in jobs:
        away = job.state == "pending" and job.queue not in (roomy.name, "inference")
        if away and job.portable and job.waited > 1800 and job.gpus <= room:
            cluster.move(job.id, roomy.name)
            room -= job.gpus


def end_idle(cluster: Cluster, jobs: list[Job]) -> None:
    sessions = {job.id for job in jobs if job.kind == "interactive"}
    for row in cluster.activity():
        if row.job in sessions and row.idle >= 3 * HOUR:
            try:
                cluster.cancel(row.job)
            except (Conflict, NotFound):
                continue


def file_report(cluster: Cluster, day: int) -> None:
    """GPU-hours of every run, cut at midnight."""
    begin, end = (day - 1) * DAY, day * DAY
    hours: dict[tuple[str, str], float] = {}
    for run in cluster.accounting(begin, end):
        until = end if run.end < 0 else min(run.end, end)
        key = run.team, run.partition
        hours[key] = hours.get(key, 0.0) + run.gpus * (until - max(begin, run.start)) / HOUR
    cluster.report(day, [(team, part, value) for (team, part), value in sorted(hours.items())])


def control(cluster: Cluster) -> None:
    ready, reported = False, 0
    while cluster.tick():
        try:
            if not ready or cluster.now % DAY == 0:
                set_up(cluster)
                ready = True
            if cluster.now % HOUR == 0:
                jobs = cluster.jobs()
                move_strays(cluster, jobs)
                use_both_sites(cluster, jobs)
                end_idle(cluster, jobs)
            if cluster.now // DAY > reported:
                file_report(cluster, cluster.now // DAY)
                reported = cluster.now // DAY
        except ApiError as error:
            cluster.log(f"next tick again: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
