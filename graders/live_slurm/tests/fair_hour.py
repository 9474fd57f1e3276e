"""An hour of slurm-fair-partitions under its expert's settings, in our simulation: who waits, comes, starts.

What the real cluster is given of it is in `real_hour.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from graders.inprocess import sdk
from graders.session import EpisodeSession
from scenarios.company.profile import DEFAULT
from scenarios.packs import load_pack
from scenarios.simulator.agenda import DAY, HOUR
from scenarios.worlds.slurm_fair_partitions.cluster import RESTART, STAGING
from scenarios.worlds.slurm_fair_partitions.config import TRAINING, ClusterConfig
from scenarios.worlds.slurm_fair_partitions.episode import Episode
from scenarios.worlds.slurm_fair_partitions.job import T4_SPEED, Job, State
from scenarios.worlds.slurm_fair_partitions.limits import NO_LIMIT
from scenarios.worlds.slurm_fair_partitions.setting import Setting, open_quarter
from scenarios.worlds.slurm_fair_partitions.workload import Kind

PACK, LEVEL, SEED = "automation/slurm-fair-partitions", "mid", "an hour on a real cluster"
FROM, ENOUGH = 2 * DAY, 20
"""The hour begins from then on, in daytime, as soon as so many jobs wait."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A job that enters the queue `at` ms of the hour and runs for `work` ms once it has started.

    `nodes`: it runs there already; then `limit` and `work` are what is left. `licence` stands for its QOS and
    user where that has a limit of GPUs.
    """

    job: int
    at: int
    partition: str
    team: str
    gpus: int
    limit: int
    work: int
    priority: int = 0
    licence: str = ""
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hour:
    """`starts`: ms of the hour by job; `used`: GPU-hours by team; `licences`: GPUs by name."""

    config: ClusterConfig
    licences: dict[str, int]
    entries: list[Entry]
    starts: dict[int, int]
    used: dict[str, float]


class _Expert:
    """The golden's settings, kept every tick; it touches no job."""

    def __init__(self, quarter: Episode) -> None:
        session = EpisodeSession(quarter, load_pack(PACK).world.methods)
        module: dict[str, Any] = {"__name__": "expert_of_an_hour"}
        self._cluster = sdk().Cluster(lambda method, **given: session.call(method, given))
        source = load_pack(PACK).golden(LEVEL, "expert")
        exec(compile(source, "expert", "exec"), module)  # noqa: S102  our own
        self._golden = module["Administrator"](self._cluster)

    def tick(self) -> None:
        self._cluster.tick()
        golden = self._golden
        golden.partitions = self._cluster.partitions()
        golden.teams = {team.name: team for team in self._cluster.teams()}
        golden.keep_settings()
        golden.keep_promises()
        golden.publish()


class _Recorder:
    """Notes who enters a queue, and who starts, from the hour's beginning on."""

    def __init__(self, quarter: Episode) -> None:
        self.world, self.begin = quarter.world, quarter.world.now
        self.entries: list[Entry] = []
        self.starts: dict[int, int] = {}
        for number, _ in enumerate(self.world.fleets):
            self.entries += map(self._running, self.world.scheduler.running(number))
            self.entries += map(self._entry, self.world.scheduler.waiting(number))
        self._enqueue, self._start = self.world.scheduler.enqueue, self.world.start
        self.world.scheduler.enqueue = self._enters  # type: ignore[method-assign]
        self.world.start = self._starts  # type: ignore[method-assign]

    def _enters(self, job: Job, now: int) -> None:
        self._enqueue(job, now)
        self.entries.append(self._entry(job))

    def _starts(self, job: Job, held: Any) -> None:
        self._start(job, held)
        self.starts.setdefault(job.id, self.world.now - self.begin)

    def _entry(self, job: Job) -> Entry:
        world, spec = self.world, job.spec
        shape, rule = world.config.partitions[job.partition], world.book.qos[job.qos]
        slow = shape.gpu == "t4" and spec.kind in (Kind.TRAIN, Kind.SWEEP)
        left = -(-(spec.work - job.kept) * 100 // (T4_SPEED if slow else 100))
        away = shape.purpose == TRAINING and job.partition != spec.home
        extra = (STAGING if away else 0) + (RESTART if job.kept else 0)
        return Entry(
            job.id,
            world.now - self.begin,
            shape.name,
            world.config.teams[spec.team].name,
            spec.gpus,
            job.limit,
            extra + min(left, job.limit),
            job.rank,
            "" if rule.user_gpus == NO_LIMIT else f"{rule.name}_{spec.user}",
        )

    def _running(self, job: Job) -> Entry:
        ran = self.world.now - job.began
        names = self.world.fleets[job.partition].node_names(job.nodes)
        one = self._entry(replace(job, kept=0))
        work = job.overhead + min(-(-(job.spec.work - job.kept) * 100 // job.speed), job.limit)
        return replace(one, limit=job.limit - ran, work=work - ran, nodes=tuple(names))

    def used(self) -> dict[str, float]:
        """GPU-hours by team since the hour's beginning."""
        found = {team.name: 0.0 for team in self.world.config.teams}
        for run in self.world.ledger.runs:
            until = self.world.now if run.end < 0 else run.end
            spent = max(0, until - max(run.begin, self.begin))
            found[self.world.config.teams[run.job.spec.team].name] += (
                run.job.spec.gpus * spent / HOUR
            )
        return found


def _calm() -> Episode:
    """A quarter in which no node dies and no call fails."""
    drawn = open_quarter(DEFAULT, Setting("usual", 10), "steady", SEED, faults=False)
    trouble = replace(drawn.config.trouble, node_down=1e18)
    specs = [job.spec for job in drawn.world.jobs]
    return Episode(replace(drawn.config, trouble=trouble), specs, SEED, faults=False)


@cache
def hour() -> Hour:
    """The first full hour under the expert's settings."""
    quarter = _calm()
    expert, world = _Expert(quarter), quarter.world
    while (
        world.now < FROM or not 8 * HOUR <= world.now % DAY <= 18 * HOUR or _load(quarter) < ENOUGH
    ):
        expert.tick()
    recorder = _Recorder(quarter)
    while world.now < recorder.begin + HOUR:
        expert.tick()
    licences = {
        f"{rule.name}_{user}": rule.user_gpus
        for rule in world.book.qos
        for user in range(len(world.book.association))
        if rule.user_gpus != NO_LIMIT
    }
    entries = [one for one in recorder.entries if one.at < HOUR and _may_start(quarter, one)]
    return Hour(world.config, licences, entries, recorder.starts, recorder.used())


def _load(quarter: Episode) -> int:
    return sum(
        job.state == State.PENDING for job in quarter.world.present.values() if job.partition == 0
    )


def _may_start(quarter: Episode, one: Entry) -> bool:
    """Whether the partition takes the job at all."""
    job = quarter.world.jobs[one.job]
    fleet = quarter.world.fleets[job.partition]
    return bool(one.nodes) or not fleet.allow_qos or job.qos in fleet.allow_qos
