"""The shared cluster as its administrator's program meets it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scenarios.simulator.agenda import DAY
from scenarios.worlds.checks import is_count, is_list_of, is_name, is_one_of, is_text
from scenarios.worlds.episode import Episode as AnyEpisode
from scenarios.worlds.episode import Event, Read, Write, takes
from scenarios.worlds.front import Incident
from scenarios.worlds.refusal import Refused
from scenarios.worlds.slurm_fair_partitions import views
from scenarios.worlds.slurm_fair_partitions.cluster import SharedCluster
from scenarios.worlds.slurm_fair_partitions.config import INFERENCE, TRAINING, ClusterConfig
from scenarios.worlds.slurm_fair_partitions.controls import Controls, is_limits, is_second
from scenarios.worlds.slurm_fair_partitions.facts import figures, series
from scenarios.worlds.slurm_fair_partitions.paperwork import is_row
from scenarios.worlds.slurm_fair_partitions.workload import JobSpec

LONGEST_WINDOW = 2 * DAY // 1000


class Episode(AnyEpisode):
    """One quarter of ticks of 15 minutes."""

    writes_per_tick = 40
    over = "The quarter is over; there is nothing left to control."
    config: ClusterConfig
    world: SharedCluster
    controls: Controls

    def __init__(
        self, config: ClusterConfig, specs: list[JobSpec], seed: str, *, faults: bool = True
    ) -> None:
        self.series = series(config)
        world = SharedCluster(config, specs, seed, [one.key for one in self.series])
        api, timeline = config.trouble.api, world.timeline
        super().__init__(config, world, Controls(world), timeline, api, seed, faults=faults)
        world.advance(0)

    def advance(self, *, watched: bool) -> None:
        self.world.advance(self.world.now + self.config.tick)
        self.controls.watch()

    def happened(self) -> Sequence[Event]:
        return self.world.news

    def facts(self, lost: list[Incident]) -> dict[str, Any]:
        return figures(self.world, self.controls, lost)

    jobs = Read(views.job_rows)
    nodes = Read(views.node_rows)
    teams = Read(views.team_rows)
    quotas = Read(views.quota_rows)
    qos = Read(views.qos_rows)
    partitions = Read(views.partition_rows)
    shares = Read(views.share_rows)
    activity = Read(views.activity_rows)
    reservations = Read(views.reservation_rows)
    promises = Read(views.promise_rows)

    @takes(start=is_second, end=is_second)
    def accounting(self, start: int, end: int) -> object:
        """sacct --duplicates"""
        if not 0 <= start < end <= start + LONGEST_WINDOW:
            raise Refused("invalid", "Ask for a window of at most two days, its start first.")
        build = lambda: views.accounting_rows(self.world, start, end)  # noqa: E731
        return self.read(f"accounting {start} {end}", build)

    modify_qos = Write(Controls.modify_qos, qos=is_name, limits=is_limits)
    set_shares = Write(Controls.set_shares, team=is_name, shares=is_count)
    modify_partition = Write(
        Controls.modify_partition,
        partition=is_name,
        max_time=is_second,
        allow_qos=is_list_of(is_name, 20),
    )
    hold = Write(Controls.hold, job=is_count)
    unhold = Write(Controls.unhold, job=is_count)
    requeue = Write(Controls.requeue, job=is_count)
    cancel = Write(Controls.cancel, job=is_count)
    move = Write(Controls.move, job=is_count, partition=is_name)
    set_job_qos = Write(Controls.set_job_qos, job=is_count, qos=is_name)
    set_time_limit = Write(Controls.set_time_limit, job=is_count, seconds=is_second)
    reserve = Write(
        Controls.reserve,
        name=is_name,
        team=is_name,
        partition=is_name,
        nodes=is_count,
        start=is_second,
        duration=is_second,
    )
    delete_reservation = Write(Controls.delete_reservation, name=is_name)
    report = Write(Controls.report, day=is_count, rows=is_list_of(is_row, 200))
    submit_template = Write(
        Controls.submit_template, purpose=is_one_of(TRAINING, INFERENCE), text=is_text(4000)
    )
