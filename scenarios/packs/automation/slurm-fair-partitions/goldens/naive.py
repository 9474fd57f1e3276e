"""What the existing script does, kept alive when a call fails: the zero of every measure."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster

DAY, HOUR = 86_400, 3_600


def balance(cluster: Cluster) -> None:
    """The team with most running jobs goes to the back, everybody else to the front."""
    running: dict[str, int] = {}
    for job in cluster.jobs():
        if job.state == "running":
            running[job.team] = running.get(job.team, 0) + 1
    greedy = max(sorted(running), key=lambda team: running[team], default="")
    for team in cluster.teams():
        cluster.modify_qos(team.name, priority=60 if team.name == greedy else 100)


def clean_inference(cluster: Cluster) -> None:
    """Send what is called training out of the inference partition, a few jobs at a time."""
    home = next(p.name for p in cluster.partitions().values() if p.purpose == "training")
    strays = [
        job
        for job in cluster.jobs()
        if job.queue == "inference" and job.state == "pending" and job.name.startswith("train")
    ]
    for job in strays[:5]:
        cluster.move(job.id, home)


def kill_notebooks(cluster: Cluster) -> None:
    """A notebook that is still up in the evening is surely forgotten."""
    for job in cluster.jobs():
        old = job.state == "running" and cluster.now - job.started > 6 * HOUR
        if old and job.name.startswith("jupyter"):
            cluster.cancel(job.id)


def report(cluster: Cluster, day: int) -> None:
    """Hours of the jobs that ended that day, as sacct prints their elapsed time."""
    hours: dict[tuple[str, str], float] = {}
    for run in cluster.accounting((day - 1) * DAY, day * DAY):
        if run.state == "COMPLETED":
            key = run.team, run.partition
            hours[key] = hours.get(key, 0.0) + (run.end - run.start) / HOUR
    cluster.report(day, [(team, part, value) for (team, part), value in sorted(hours.items())])


def step(cluster: Cluster) -> None:
    now = cluster.now
    if now % DAY == 6 * HOUR:
        balance(cluster)
    if now % (2 * HOUR) == 0:
        clean_inference(cluster)
    if now % DAY == 22 * HOUR:
        kill_notebooks(cluster)
    if now % DAY == 2 * HOUR and now > DAY:
        report(cluster, now // DAY)


def control(cluster: Cluster) -> None:
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            cluster.log(f"gave up this round: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
