"""Every quarter of an hour: places by priority, bursts by quote and rule, tells each job's state."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cloud, CloudRun, Cluster, Job

ORDER = {"high": 0, "normal": 1, "low": 2}
QUOTES_A_TICK = 8
EVERY = 15 * 60
MEANING = {
    "PENDING": "queued", "RUNNING": "running", "COMPLETED": "completed", "NODE_FAIL": "interrupted",
    "FAILED": "interrupted", "CANCELLED": "queued",
    "provisioning": "starting", "active": "running", "exited": "completed",
    "terminating": "completed", "terminated": "completed",
    "preempted": "interrupted", "failed": "interrupted",
    "BOOTING": "starting", "UP": "running", "DONE": "completed", "STOPPING": "completed",
    "STOPPED": "completed", "RECLAIMED": "interrupted", "ERROR": "interrupted",
}  # fmt: skip
LIVE = ("queued", "starting", "running")
BEST = ("completed", "running", "starting", "queued", "interrupted")


def job_of(run: CloudRun) -> int:
    return int(run.key.split("-")[1])


class Broker:
    def __init__(self, cluster: Cluster, threshold: float) -> None:
        self.cluster = cluster
        self.threshold = threshold
        self.tries: dict[int, int] = {}
        self.over: set[str] = set()
        self.read: dict[str, int] = {}

    def look(self, clouds: dict[str, Cloud]) -> dict[int, str]:
        """The state of every job that has a run."""
        states: dict[int, str] = {}
        for name in clouds:
            for run in self.cluster.runs(name):
                job, state = job_of(run), MEANING[run.state]
                if state not in LIVE and run.id not in self.over:
                    self.over.add(run.id)
                    self.tries[job] = self.tries.get(job, 0) + 1
                    self.fetch(name, run.id)
                known = states.get(job, "interrupted")
                states[job] = min(state, known, key=BEST.index)
        return states

    def fetch(self, cloud: str, run: str) -> None:
        try:
            page = self.cluster.run_log(cloud, run, self.read.get(run, 0))
            self.read[run] = page.next
        except ApiError as error:
            self.cluster.log(f"log of {run}: {error}")

    def tell(self, job: Job, state: str) -> None:
        if state != job.state:
            try:
                self.cluster.publish(job.id, state)
            except ApiError as error:
                self.cluster.log(f"not told: {error}")

    def place(self, job: Job, cloud: str) -> bool:
        try:
            self.cluster.submit(job.id, cloud, f"job-{job.id}-{self.tries.get(job.id, 0)}")
            return True
        except ApiError as error:
            self.cluster.log(f"job {job.id} not placed in {cloud}: {error}")
            return False

    def burst(self, job: Job, clouds: dict[str, Cloud], left: float) -> float:
        """The estimate of a burst that was placed, or 0."""
        primary = clouds["primary"]
        if job.protected or job.residency or left <= 0:
            return 0.0
        for name, cloud in clouds.items():
            if name == "primary" or cloud.driver < job.driver:
                continue
            if cloud.used + job.gpus > cloud.room:
                continue
            try:
                quote = self.cluster.quote(name, job.id)
            except ApiError:
                continue
            if quote.usd <= 0.7 * primary.price * job.gpus * quote.hours and quote.usd <= left:
                if self.place(job, name):
                    clouds[name] = cloud._replace(used=cloud.used + job.gpus)
                    return quote.usd
        return 0.0

    def step(self) -> None:
        jobs, clouds = self.cluster.jobs(), self.cluster.clouds()
        states = self.look(clouds)
        waiting, backlog = [], 0.0
        for job in jobs:
            state = states.get(job.id, "queued")
            if state in ("queued", "interrupted"):
                backlog += job.gpus * job.limit / 3600
            if job.id not in states or state == "interrupted":
                waiting.append(job)
        waiting.sort(key=lambda job: (ORDER[job.priority], job.submitted))
        budget = self.cluster.budgets()["day"]
        left, quotes = budget.limit - budget.booked, QUOTES_A_TICK
        room = clouds["primary"].limit - clouds["primary"].waiting
        for job in waiting:
            usd = 0.0
            if job.priority == "low" and backlog > self.threshold and quotes > 0:
                quotes -= 1
                usd = self.burst(job, clouds, left)
                left -= usd
            if usd:
                backlog -= job.gpus * job.limit / 3600
            elif room > 0 and self.place(job, "primary"):
                room -= 1
        for job in jobs:
            self.tell(job, states.get(job.id, "queued"))


def control(cluster: Cluster) -> None:
    broker: Broker | None = None
    while cluster.tick():
        try:
            if broker is None:
                broker = Broker(cluster, 1.5 * cluster.clouds()["primary"].room)
            if cluster.now % EVERY == 0:
                broker.step()
        except ApiError as error:
            cluster.log(f"no picture this time: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
