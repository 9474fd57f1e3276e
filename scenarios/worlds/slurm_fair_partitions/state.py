"""The cluster at one instant: its partitions and their queues, its limits, its jobs, what was agreed."""

from __future__ import annotations

from scenarios.worlds.slurm_fair_partitions.config import ClusterConfig
from scenarios.worlds.slurm_fair_partitions.fleet import Fleet
from scenarios.worlds.slurm_fair_partitions.job import Job
from scenarios.worlds.slurm_fair_partitions.limits import Book
from scenarios.worlds.slurm_fair_partitions.scheduler import Scheduler
from scenarios.worlds.slurm_fair_partitions.workload import JobSpec, Kind
from scenarios.worlds.timeline import Timeline


class ClusterState:
    """What there is, at `now` in ms. Nothing here lets time pass."""

    def __init__(self, config: ClusterConfig, specs: list[JobSpec], keys: list[str]) -> None:
        self.config, self.now = config, 0
        self.fleets = [Fleet(shape) for shape in config.partitions]
        self.book = Book(config)
        self.timeline = Timeline(keys, every=2 * config.tick)
        self.guaranteed = [team.guaranteed for team in config.teams]
        self.agreed = [team.shares for team in config.teams]
        self.jobs = [self._new_job(number, spec) for number, spec in enumerate(specs)]
        self.scheduler = Scheduler(config, self.fleets, self.book, self.jobs)
        self.present: dict[int, Job] = {}
        """Jobs that were submitted and have not left, by number."""

    def _new_job(self, number: int, spec: JobSpec) -> Job:
        serves = spec.kind == Kind.INFER or spec.disguised
        partition = self.config.inference if serves else spec.home
        qos = self.book.serve if serves else spec.team
        return Job(
            number, spec, partition, self.book.scavenge if spec.scavenge else qos, spec.limit
        )
