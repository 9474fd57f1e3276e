"""The shared cluster as its controller meets it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scenarios.worlds.checks import is_count, is_name
from scenarios.worlds.cluster_priorities import views
from scenarios.worlds.cluster_priorities.config import CohortWorldConfig
from scenarios.worlds.cluster_priorities.controls import Controls
from scenarios.worlds.cluster_priorities.facts import figures
from scenarios.worlds.cluster_priorities.families import Trouble
from scenarios.worlds.cluster_priorities.record import SERIES
from scenarios.worlds.cluster_priorities.tables import Request
from scenarios.worlds.cluster_priorities.world import CohortWorld
from scenarios.worlds.episode import Episode as AnyEpisode
from scenarios.worlds.episode import Event, Read, Write
from scenarios.worlds.front import Incident


class Episode(AnyEpisode):
    """One workload. A tick lasts five minutes, or less when a node is lost or about to be."""

    writes_per_tick = 30
    series = SERIES
    config: CohortWorldConfig
    world: CohortWorld
    controls: Controls

    def __init__(
        self,
        config: CohortWorldConfig,
        requests: list[Request],
        trouble: Trouble,
        seed: str,
        *,
        faults: bool = True,
    ) -> None:
        world = CohortWorld(config, requests, trouble, seed)
        timeline = world.record.timeline
        super().__init__(config, world, Controls(world), timeline, trouble.api, seed, faults=faults)
        world.advance(0, wake=False)

    def advance(self, *, watched: bool) -> None:
        # ticks end on whole multiples, so that an early end does not shift those after it
        tick = self.config.tick
        until = (self.world.now // tick + 1) * tick
        self.world.advance(min(self.config.length, until), wake=watched)

    def happened(self) -> Sequence[Event]:
        return self.world.record.events

    def facts(self, lost: list[Incident]) -> dict[str, Any]:
        return figures(self.world, [[one.at, one.kind, one.subject, one.handled] for one in lost])

    workloads = Read(views.workload_rows)
    quotas = Read(views.quota_rows)
    room = Read(views.room_rows)
    flavors = Read(views.flavor_rows)
    nodes = Read(views.node_rows)
    calendar = Read(views.calendar_rows)

    admit = Write(Controls.admit, workload=is_count, flavor=is_name, gpus=is_count)
    preempt = Write(Controls.preempt, job=is_count)
    requeue = Write(Controls.requeue, job=is_count)
    set_quota = Write(
        Controls.set_quota, "{queue} {flavor}", queue=is_name, flavor=is_name, nominal=is_count
    )
