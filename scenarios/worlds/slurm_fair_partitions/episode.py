"""The shared cluster as its administrator's program meets it: an API with limits and faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scenarios.simulator.agenda import DAY
from scenarios.simulator.streams import Stream
from scenarios.worlds.front import Front
from scenarios.worlds.refusal import Refused
from scenarios.worlds.slurm_fair_partitions import views
from scenarios.worlds.slurm_fair_partitions.cluster import SharedCluster
from scenarios.worlds.slurm_fair_partitions.config import ClusterConfig
from scenarios.worlds.slurm_fair_partitions.controls import Controls
from scenarios.worlds.slurm_fair_partitions.facts import figures, series
from scenarios.worlds.slurm_fair_partitions.workload import JobSpec

READS, WRITES = 40, 40
LONGEST_WINDOW = 2 * DAY // 1000


class QuarterEpisode:
    """One quarter: the controller's calls in, plain answers out. Raises `Refused`."""

    def __init__(
        self, config: ClusterConfig, specs: list[JobSpec], seed: str, *, faults: bool = True
    ) -> None:
        self.config = config
        self._series = series(config)
        self.cluster = SharedCluster(config, specs, seed, [one.key for one in self._series])
        self.controls = Controls(self.cluster)
        self.front = Front(
            config.trouble.api,
            Stream(seed, "api"),
            self.cluster.timeline.mark,
            reads_per_tick=READS,
            writes_per_tick=WRITES,
            on=faults,
        )
        self._told = 0
        self.cluster.advance(0)

    @property
    def complete(self) -> bool:
        """Whether the quarter is over."""
        return self.cluster.now >= self.config.length

    @property
    def now(self) -> int:
        """Simulated time in s."""
        return self.cluster.now // 1000

    def tick(self) -> dict[str, object]:
        """Let 15 minutes pass; answers the time in s, whether it is over, and what happened."""
        if self.complete:
            raise Refused("over", "The quarter is over; there is nothing left to control.")
        self._advance()
        self.front.next_tick(self.cluster.now)
        fresh = self.cluster.news[self._told :]
        self._told += len(fresh)
        events = [[at // 1000, kind, subject] for at, kind, subject in fresh]
        return {"t": self.now, "done": self.complete, "events": events}

    def run_out(self) -> None:
        """Let the rest of the quarter pass with nobody in control."""
        while not self.complete:
            self._advance()

    def _advance(self) -> None:
        self.cluster.advance(self.cluster.now + self.config.tick)
        self.controls.watch()

    # ---- reads ----

    def _read(self, what: str, build: Callable[[SharedCluster], object]) -> object:
        return self.front.read(self.cluster.now, what, lambda: build(self.cluster))

    def jobs(self) -> object:
        """squeue"""
        return self._read("jobs", views.job_rows)

    def nodes(self) -> object:
        """sinfo -N"""
        return self._read("nodes", views.node_rows)

    def teams(self) -> object:
        """The agreement."""
        return self._read("teams", views.team_rows)

    def quotas(self) -> object:
        """What each team holds of what it is guaranteed."""
        return self._read("quotas", views.quota_rows)

    def qos(self) -> object:
        """sacctmgr show qos"""
        return self._read("qos", views.qos_rows)

    def partitions(self) -> object:
        """sinfo"""
        return self._read("partitions", views.partition_rows)

    def shares(self) -> object:
        """sshare -a"""
        return self._read("shares", views.share_rows)

    def activity(self) -> object:
        """GPU utilisation by job."""
        return self._read("activity", views.activity_rows)

    def reservations(self) -> object:
        """scontrol show reservation"""
        return self._read("reservations", views.reservation_rows)

    def promises(self) -> object:
        """Windows that were promised."""
        return self._read("promises", views.promise_rows)

    def accounting(self, start: int, end: int) -> object:
        """sacct --duplicates"""
        if not 0 <= start < end <= start + LONGEST_WINDOW:
            raise Refused("invalid", "Ask for a window of at most two days, its start first.")
        return self._read(
            f"accounting {start} {end}", lambda c: views.accounting_rows(c, start, end)
        )

    # ---- writes ----

    def _write(self, verb: str, subject: object, act: Callable[[], object]) -> object:
        return self.front.write(self.cluster.now, verb, str(subject), act)

    def modify_qos(self, qos: str, limits: Mapping[str, int]) -> object:
        """sacctmgr modify qos"""
        return self._write("modify_qos", qos, lambda: self.controls.modify_qos(qos, limits))

    def set_shares(self, team: str, shares: int) -> object:
        """sacctmgr modify account set fairshare"""
        return self._write("set_shares", team, lambda: self.controls.set_shares(team, shares))

    def modify_partition(self, partition: str, max_time: int, allow_qos: list[str]) -> object:
        """scontrol update PartitionName"""
        act = self.controls.modify_partition
        return self._write(
            "modify_partition", partition, lambda: act(partition, max_time, allow_qos)
        )

    def hold(self, job: int) -> object:
        """scontrol hold"""
        return self._write("hold", job, lambda: self.controls.hold(job))

    def unhold(self, job: int) -> object:
        """scontrol release"""
        return self._write("unhold", job, lambda: self.controls.unhold(job))

    def requeue(self, job: int) -> object:
        """scontrol requeue"""
        return self._write("requeue", job, lambda: self.controls.requeue(job))

    def cancel(self, job: int) -> object:
        """scancel"""
        return self._write("cancel", job, lambda: self.controls.cancel(job))

    def move(self, job: int, partition: str) -> object:
        """scontrol update JobId Partition"""
        return self._write("move", job, lambda: self.controls.move(job, partition))

    def set_job_qos(self, job: int, qos: str) -> object:
        """scontrol update JobId QOS"""
        return self._write("set_job_qos", job, lambda: self.controls.set_job_qos(job, qos))

    def set_time_limit(self, job: int, seconds: int) -> object:
        """scontrol update JobId TimeLimit"""
        return self._write(
            "set_time_limit", job, lambda: self.controls.set_time_limit(job, seconds)
        )

    def reserve(
        self, name: str, team: str, partition: str, nodes: int, start: int, duration: int
    ) -> object:
        """scontrol create reservation"""
        act = self.controls.reserve
        return self._write(
            "reserve", name, lambda: act(name, team, partition, nodes, start, duration)
        )

    def delete_reservation(self, name: str) -> object:
        """scontrol delete reservation"""
        return self._write(
            "delete_reservation", name, lambda: self.controls.delete_reservation(name)
        )

    def report(self, day: int, rows: list[list[object]]) -> object:
        """File a day's usage."""
        return self._write("report", day, lambda: self.controls.report(day, rows))

    def submit_template(self, purpose: str, text: str) -> object:
        """Publish a batch script."""
        return self._write(
            "submit_template", purpose, lambda: self.controls.submit_template(purpose, text)
        )

    def log(self, text: str) -> object:
        """A line for the timeline."""
        self.cluster.timeline.log(self.cluster.now, text)
        return None

    # ---- afterwards ----

    def figures(self) -> dict[str, Any]:
        """Raw figures of the quarter so far (see `facts.figures`), API use included."""
        raw = figures(self.cluster, self.controls, self.front.incidents(self.config.tick // 1000))
        return {**raw, "calls_refused_by_rate": self.front.limited, "ticks": self.front.ticks}

    def replay(self) -> dict[str, Any]:
        """Series, marks and who held which node, to be drawn."""
        return self.cluster.timeline.replay(self._series, self.cluster.now)
