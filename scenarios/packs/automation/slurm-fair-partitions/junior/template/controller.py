"""Runs the quarter: look, decide, act. Started as it is by Run and by the graders."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster, Job
from templates import INFERENCE, TRAINING

HOUR, DAY = 3_600, 86_400


def set_shares(cluster: Cluster) -> None:
    """Give every account the shares of the agreement.

    Hint: `cluster.teams()` has what was agreed, `cluster.shares()` what is configured.
    """


def separate_partitions(cluster: Cluster) -> None:
    """Let only the right QOS into each partition, and move waiting jobs that are in the wrong one.

    Hint: `modify_partition` for what is still to come, `move` for what already waits. How do you
    know which kind of job it is?
    """


def end_idle_sessions(cluster: Cluster, jobs: list[Job]) -> None:
    """End interactive sessions that hold GPUs and do nothing.

    Hint: `cluster.activity()`. Read the rule in the agreement before you cancel anything.
    """


def keep_guarantees(cluster: Cluster, jobs: list[Job]) -> None:
    """Help teams that wait although they hold less than they were guaranteed.

    Hint: `cluster.quotas()`. What can a QOS do about it, and what does it not do?
    """


def file_report(cluster: Cluster, day: int) -> None:
    """Send finance the GPU-hours of one day (1 is the first) by team and partition.

    Hint: `cluster.accounting(start, end)` lists whole runs. Which part of a run belongs to the day?
    """


def publish_templates(cluster: Cluster) -> None:
    """Publish the job scripts of templates.py; the answer names what is wrong with them."""
    for purpose, text in (("training", TRAINING), ("inference", INFERENCE)):
        answer = cluster.submit_template(purpose, text)
        if not answer.accepted:
            print(f"{purpose}: {answer.faults}")


def step(cluster: Cluster) -> None:
    """A quarter of an hour's work."""
    jobs = cluster.jobs()
    if cluster.now == 900:
        set_shares(cluster)
        publish_templates(cluster)
    separate_partitions(cluster)
    end_idle_sessions(cluster, jobs)
    keep_guarantees(cluster, jobs)
    if cluster.now % DAY == 0:
        file_report(cluster, cluster.now // DAY)
        waiting = sum(job.state == "pending" for job in jobs)
        print(f"day {cluster.now // DAY}: {len(jobs) - waiting} jobs run, {waiting} wait")


def main() -> None:
    cluster = headnode_sdk.connect()
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            # Enough to reach the end. But what of the calls that were left out?
            print(f"{cluster.now // HOUR} h: {error}")


if __name__ == "__main__":
    main()
