"""The broker's loop: look, tell, place. Started as it is by Run and by the graders."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster, CloudRun, Job
from states import BEST_FIRST, job_of, key_for, state_of

ORDER = {"high": 0, "normal": 1, "low": 2}


def look(cluster: Cluster) -> dict[int, list[tuple[str, CloudRun]]]:
    """Every run of each job, with the name of its cloud."""
    found: dict[int, list[tuple[str, CloudRun]]] = {}
    for cloud in ("primary", "kestrel"):
        for run in cluster.runs(cloud):
            found.setdefault(job_of(run), []).append((cloud, run))
    return found


def state(runs: list[tuple[str, CloudRun]]) -> str:
    """The state of a job that has these runs."""
    if not runs:
        return "queued"
    # hint: two runs of one job can be in the list, an interrupted one and its successor
    best = min((state_of(run) for _, run in runs), key=BEST_FIRST.index)
    return "queued" if best == "cancelled" else best


def place_at_primary(cluster: Cluster, jobs: list[Job], attempts: dict[int, int]) -> None:
    """Step 1: give the primary what it can queue, high priority first."""
    for job in sorted(jobs, key=lambda job: (ORDER[job.priority], job.submitted)):
        if job.priority == "high":  # hint: what about the others, and what when its queue is full?
            cluster.submit(job.id, "primary", key_for(job.id, attempts.get(job.id, 0)))


def publish(cluster: Cluster, jobs: list[Job], states: dict[int, str]) -> None:
    """Step 2: tell owners what has changed. `job.state` is what they were told last."""


def burst(cluster: Cluster, jobs: list[Job], pending_gpu_hours: float) -> None:
    """Step 4: ask for quotes, check the rules, submit to kestrel. 60 reads and 40 writes a tick."""


def collect_logs(cluster: Cluster, runs: list[tuple[str, CloudRun]]) -> None:
    """Step 6: read on from where you stopped. hint: keep `page.next` for each run."""


def step(cluster: Cluster, attempts: dict[int, int]) -> None:
    """Five minutes' work."""
    jobs, runs = cluster.jobs(), look(cluster)
    states = {job.id: state(runs.get(job.id, [])) for job in jobs}
    # hint for step 3: an interrupted job needs a new run with a new key
    waiting = [job for job in jobs if job.id not in runs]
    place_at_primary(cluster, waiting, attempts)
    publish(cluster, jobs, states)
    if cluster.now % 3600 == 0:
        print(f"{cluster.now // 3600:02d}:00  {len(waiting)} of {len(jobs)} jobs have no place")


def main() -> None:
    cluster = headnode_sdk.connect()
    attempts: dict[int, int] = {}
    while cluster.tick():
        try:
            step(cluster, attempts)
        except ApiError as error:
            # One error ends the round here. Is that good enough when one call of many fails?
            print(f"{cluster.now // 60} min: {error}")


if __name__ == "__main__":
    main()
