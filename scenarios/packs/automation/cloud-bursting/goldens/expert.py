"""A broker: reads every cloud, tells one story of each job, places by priority, bursts by the rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import headnode_sdk
from headnode_sdk import (
    ApiError,
    ApiTimeout,
    Cloud,
    CloudRun,
    Cluster,
    Conflict,
    InvalidRequest,
    Job,
    NotFound,
    RateLimited,
)

T = TypeVar("T")
TRIES = 3
LIMIT = 0.70
OLD_PRICE = 15 * 60
QUOTES_A_TICK = 16
GIVE_UP_BURST = 20 * 60
LOW_PENDING = 0.3
LOG_EVERY = 20 * 60
ORDER = {"high": 0, "normal": 1, "low": 2}
MEANING = {
    "PENDING": "queued", "RUNNING": "running", "COMPLETED": "completed", "NODE_FAIL": "interrupted",
    "FAILED": "interrupted", "CANCELLED": "cancelled",
    "provisioning": "starting", "active": "running", "exited": "completed",
    "preempted": "interrupted", "failed": "interrupted",
    "BOOTING": "starting", "UP": "running", "DONE": "completed",
    "RECLAIMED": "interrupted", "ERROR": "interrupted",
}  # fmt: skip
HUNG = {"exited", "DONE"}
LIVE = {"queued", "starting", "running"}
RANK = {"completed": 0, "running": 1, "starting": 2, "queued": 3}


class Seen(NamedTuple):
    """One run as every cloud would tell it."""

    cloud: str
    run: CloudRun
    state: str
    since: int


class Reader:
    """How far a run's log has been read."""

    def __init__(self) -> None:
        self.offset = 0
        self.read_at = -LOG_EVERY
        self.done = False


def meaning(run: CloudRun) -> str:
    """A cloud's word in ours; an ended instance is judged by its exit code."""
    if run.state in MEANING:
        return MEANING[run.state]
    return "completed" if run.exit_code == 0 else "cancelled"


def since(run: CloudRun, cloud: Cloud, now: int) -> int:
    """When the run changed, in seconds of the period, by the difference to the cloud's own clock."""
    age = cloud.clock - run.changed
    return max(0, now - (age // 1000 if cloud.clock > 10**11 else age))


def gpu_hour(cloud: Cloud, job: Job, per_node: int) -> float:
    """USD for a GPU-hour that the job really uses."""
    if cloud.unit == "gpu_hour":
        return cloud.price
    return cloud.price * -(-job.gpus // per_node) / job.gpus


def may_go(job: Job, cloud: Cloud) -> bool:
    if job.priority != "low" or job.protected or not job.checkpoint:
        return False
    if job.driver > cloud.driver:
        return False
    return not job.residency or (job.residency == "eu" and cloud.region.startswith("eu"))


class Broker:
    def __init__(self, cluster: Cluster, threshold: float) -> None:
        self.cluster = cluster
        self.threshold = threshold
        self.per_node = 8
        self.tries: dict[int, int] = {}
        self.ended: set[str] = set()
        self.last: dict[str, list[CloudRun]] = {}
        self.clocks: dict[str, Cloud] = {}
        self.readers: dict[str, Reader] = {}
        self.blind: set[str] = set()
        self.quotes_left = QUOTES_A_TICK
        self.was_in: dict[str, set[int]] = {}
        self.sent: dict[int, tuple[str, str]] = {}

    # -- calls that may fail ---------------------------------------------------------

    def read(self, ask: Callable[[], T]) -> T:
        for _ in range(TRIES - 1):
            try:
                return ask()
            except ApiTimeout:
                continue
        return ask()

    def attempt(self, act: Callable[[], object]) -> bool:
        """A write that may be repeated safely. False if it is refused or still unknown."""
        for _ in range(TRIES):
            try:
                act()
                return True
            except ApiTimeout:
                continue
            except (Conflict, NotFound, RateLimited):
                return False
            except ApiError as error:
                self.cluster.log(f"refused: {error}")
                return False
        return False

    # -- looking ---------------------------------------------------------------------

    def look(self) -> dict[int, list[Seen]]:
        """Every run of every job; a cloud that does not answer is shown as it last was."""
        found: dict[int, list[Seen]] = {}
        for name, cloud in self.clocks.items():
            try:
                self.last[name] = self.read(lambda name=name: self.cluster.runs(name))
                self.blind.discard(name)
            except ApiError as error:
                if name not in self.blind:
                    self.cluster.log(f"{name} cannot be seen: {error}")
                self.blind.add(name)
            at = self.cluster.now if name in self.blind else self.cluster.read_at
            for run in self.last.get(name, []):
                job = int(run.key.split("-")[1])
                found.setdefault(job, []).append(
                    Seen(name, run, meaning(run), since(run, cloud, at))
                )
                self.readers.setdefault(run.id, Reader())
                self.was_in.setdefault(name, set()).add(job)
        return found

    def retire(self, job: int, seen: list[Seen]) -> None:
        """A key whose run has ended is used up."""
        for one in seen:
            if one.state not in LIVE and one.run.id not in self.ended:
                self.ended.add(one.run.id)
                self.tries[job] = self.tries.get(job, 0) + 1

    # -- telling ---------------------------------------------------------------------

    def story(self, seen: list[Seen]) -> tuple[str, int]:
        """The state to publish, and since when."""
        told = [one for one in seen if one.state in RANK]
        if told:
            best = min(told, key=lambda one: (RANK[one.state], one.since))
            return best.state, best.since
        if seen:
            newest = max(seen, key=lambda one: one.since)
            return ("interrupted" if newest.state == "interrupted" else "queued"), newest.since
        return "queued", -2

    def tell(self, job: Job, state: str, at: int) -> None:
        if state != job.state:
            when = job.submitted if at == -2 else at
            self.attempt(lambda: self.cluster.publish(job.id, state, when))

    # -- tidying ---------------------------------------------------------------------

    def tidy(self, seen: list[Seen]) -> None:
        """End instances that hang and runs that nobody needs."""
        done = any(one.state == "completed" for one in seen)
        live = [one for one in seen if one.state in LIVE]
        live.sort(key=lambda one: (RANK[one.state], one.since))
        surplus = live if done else live[1:]
        hung = [one for one in seen if one.run.state in HUNG]
        for one in (*surplus, *hung):
            if one.cloud not in self.blind:
                self.collect(one)
                self.attempt(lambda one=one: self.cluster.cancel_run(one.cloud, one.run.id))

    def collect(self, one: Seen) -> None:
        """Read on in a run's log: at its end, and now and then before where the log may vanish."""
        reader, now = self.readers[one.run.id], self.cluster.now
        if reader.done or one.cloud in self.blind or one.state in ("queued", "starting"):
            return
        if one.state == "running" and (
            one.cloud == "primary" or now - reader.read_at < LOG_EVERY
        ):
            return
        try:
            page = self.read(lambda: self.cluster.run_log(one.cloud, one.run.id, reader.offset))
        except (NotFound, InvalidRequest):
            reader.done = True
            return
        except ApiError:
            return
        reader.offset, reader.read_at = page.next, now
        reader.done = page.complete and self.cluster.read_at == now

    # -- placing ---------------------------------------------------------------------

    def key(self, job: Job) -> str:
        return f"job-{job.id}-{self.tries.get(job.id, 0)}"

    def place(self, job: Job, cloud: str) -> bool:
        self.sent[job.id] = cloud, self.key(job)
        return self.attempt(lambda: self.cluster.submit(job.id, cloud, self.key(job)))

    def unknown(self, job: Job) -> bool:
        """Whether it may be running where nobody can look: placing it again could run it twice."""
        cloud, key = self.sent.get(job.id, ("", ""))
        return cloud in self.blind and key == self.key(job)

    def fill_primary(self, waiting: list[Job], room: int) -> float:
        """Give the primary's few queue places to the first jobs; answers the GPU-hours placed."""
        placed = 0.0
        for job in waiting:
            if room > 0 and self.place(job, "primary"):
                room -= 1
                placed += job.gpus * job.limit / 3600
        return placed

    def burst(self, held: list[Job], backlog: float, clouds: dict[str, Cloud]) -> list[Job]:
        """Send held low-priority jobs away while the rules allow it; returns those that stay."""
        primary, left = clouds["primary"], []
        fresh = self.cluster.now - primary.priced_at <= OLD_PRICE
        if not fresh or backlog <= self.threshold:
            return held
        budgets = {name: b.limit - b.booked for name, b in self.read(self.cluster.budgets).items()}
        self.quotes_left = QUOTES_A_TICK
        for job in held:
            usd = 0.0
            if backlog > self.threshold:
                usd = self.burst_one(job, clouds, budgets)
            if not usd:
                left.append(job)
                continue
            backlog -= job.gpus * job.limit / 3600
            for name in ("day", job.team):
                if name in budgets:
                    budgets[name] -= usd
        return left

    def guess(self, job: Job, cloud: Cloud, primary: Cloud) -> float:
        """USD without asking for a quote: a little low, as the way back is not in it."""
        moved = 0.0 if job.id in self.was_in.get(cloud.name, ()) else job.data_gb * primary.egress_gb
        return gpu_hour(cloud, job, self.per_node) * job.gpus * job.limit / 3600 + moved

    def burst_one(self, job: Job, clouds: dict[str, Cloud], budgets: dict[str, float]) -> float:
        """Place the job in the cheapest cloud that may have it; answers the estimate or 0."""
        primary = clouds["primary"]
        limit = LIMIT * primary.price
        room = min(budgets["day"], budgets.get(job.team, budgets["day"]))
        able = [
            cloud
            for name, cloud in clouds.items()
            if name != "primary"
            and name not in self.blind
            and may_go(job, cloud)
            and cloud.used + job.gpus <= min(cloud.room, cloud.limit)
            and self.guess(job, cloud, primary) < min(limit * job.gpus * job.limit / 3600, room)
        ]
        for cloud in sorted(able, key=lambda c: gpu_hour(c, job, self.per_node)):
            if self.quotes_left <= 0:
                return 0.0
            self.quotes_left -= 1
            try:
                quote = self.read(lambda cloud=cloud: self.cluster.quote(cloud.name, job.id))
            except ApiError:
                continue
            cheap = quote.usd <= limit * job.gpus * quote.hours
            if cheap and quote.usd <= room and self.place(job, cloud.name):
                clouds[cloud.name] = cloud._replace(used=cloud.used + job.gpus)
                return quote.usd
        return 0.0

    # -- a step ----------------------------------------------------------------------

    def step(self) -> None:
        jobs = self.read(self.cluster.jobs)
        clouds = self.read(self.cluster.clouds)
        if self.cluster.read_at == self.cluster.now or not self.clocks:
            self.clocks = dict(clouds)
        seen = self.look()
        waiting, pending, backlog = [], [], 0.0
        stories = {job.id: self.story(seen.get(job.id, [])) for job in jobs}
        for job in jobs:
            mine = seen.get(job.id, [])
            self.retire(job.id, mine)
            self.tidy(mine)
            if stories[job.id][0] in ("queued", "interrupted"):
                backlog += job.gpus * job.limit / 3600
                live = [one for one in mine if one.state in LIVE]
                if live:
                    pending.append((job, live[0]))
                elif not self.unknown(job):
                    waiting.append(job)
        self.arrange(waiting, pending, backlog, clouds, stories)
        for job in jobs:
            self.tell(job, *stories[job.id])
        for job in jobs:
            for one in seen.get(job.id, []):
                self.collect(one)

    def arrange(
        self,
        waiting: list[Job],
        pending: list[tuple[Job, Seen]],
        backlog: float,
        clouds: dict[str, Cloud],
        stories: dict[int, tuple[str, int]],
    ) -> None:
        """Place what has no place: urgent work at home, low-priority work where the rules send it."""
        stopped = {job.id for job in waiting if stories[job.id][0] == "interrupted"}
        waiting.sort(key=lambda job: (job.id not in stopped, ORDER[job.priority], job.submitted))
        urgent = [job for job in waiting if job.priority != "low"]
        low = [job for job in waiting if job.priority == "low"]
        room = clouds["primary"].limit - len(pending)
        low_pending = [(job, one) for job, one in pending if job.priority == "low"]
        room += self.recall(low_pending, len(urgent) - room)
        started_at_once = self.fill_primary(urgent, room)
        low = self.burst(low, backlog - started_at_once, clouds)
        room -= len(urgent)
        late = [job for job in low if job.id in stopped and self.gave_up(stories[job.id][1])]
        self.fill_primary(late, room)
        rest = [job for job in low if job.id not in stopped]
        most = max(6, round(LOW_PENDING * clouds["primary"].limit))
        self.fill_primary(rest, min(room - len(late), most - len(low_pending)))

    def gave_up(self, at: int) -> bool:
        return self.cluster.now - at >= GIVE_UP_BURST

    def recall(self, low_pending: list[tuple[Job, Seen]], wanted: int) -> int:
        """Take low-priority work out of the primary's queue to make room for urgent work."""
        freed = 0
        for _, one in sorted(low_pending, key=lambda row: -row[0].submitted):
            if freed >= wanted:
                break
            freed += self.attempt(
                lambda one=one: self.cluster.cancel_run(one.cloud, one.run.id)
            )
        return freed


def control(cluster: Cluster) -> None:
    broker: Broker | None = None
    while cluster.tick():
        try:
            if broker is None:
                broker = Broker(cluster, 1.5 * cluster.clouds()["primary"].room)
            broker.step()
        except ApiError as error:
            cluster.log(f"no picture this time: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
