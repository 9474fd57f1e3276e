"""Changes its mind all the time: recalls and moves waiting and running work as soon as a price moves."""

from __future__ import annotations

from collections.abc import Callable

import headnode_sdk
from headnode_sdk import ApiError, Cluster

MOVES = 6
REFUSALS = 6
MEANING = {
    "PENDING": "queued", "RUNNING": "running", "provisioning": "starting", "active": "running",
    "BOOTING": "starting", "UP": "running", "COMPLETED": "completed", "terminated": "completed",
    "STOPPED": "completed",
}  # fmt: skip


def attempt(act: Callable[[], object]) -> bool:
    try:
        act()
    except ApiError:
        return False
    return True


def step(cluster: Cluster, placed: set[int], count: int) -> None:
    jobs, clouds = cluster.jobs(), cluster.clouds()
    remote = next(name for name in clouds if name != "primary")
    cheap = clouds[remote].price <= 0.7 * clouds["primary"].price
    wanted, other = (remote, "primary") if cheap else ("primary", remote)
    low = {job.id for job in jobs if job.priority == "low" and not job.protected}
    moves, states = 0, {}
    for name in clouds:
        for run in cluster.runs(name):
            job = int(run.key.split("-")[1])
            states[job] = MEANING.get(run.state, "interrupted")
            live = states[job] in ("queued", "running")
            if name == other and live and job in low and moves < MOVES:
                moves += 1
                if attempt(lambda: cluster.cancel_run(name, run.id)):
                    placed.discard(job)
    refused = 0
    for job in jobs:
        loose = job.id not in placed or states.get(job.id) == "interrupted"
        if loose and refused < REFUSALS:
            cloud, key = (wanted if job.id in low else "primary"), f"job-{job.id}-{count}"
            if attempt(lambda: cluster.submit(job.id, cloud, key)):
                placed.add(job.id)
            else:
                refused += 1
    for job in jobs:
        state = states.get(job.id, "queued")
        if state != job.state:
            attempt(lambda: cluster.publish(job.id, state))


def control(cluster: Cluster) -> None:
    placed: set[int] = set()
    count = 0
    while cluster.tick():
        count += 1
        try:
            step(cluster, placed, count)
        except ApiError as error:
            cluster.log(error)


if __name__ == "__main__":
    control(headnode_sdk.connect())
