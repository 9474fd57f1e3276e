"""The cluster as its controller meets it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scenarios.worlds.checks import is_count, is_list_of, is_name
from scenarios.worlds.episode import Episode as AnyEpisode
from scenarios.worlds.episode import Event, Read, Write
from scenarios.worlds.front import Incident
from scenarios.worlds.mig_sharing.controls import Controls
from scenarios.worlds.mig_sharing.core import SERIES
from scenarios.worlds.mig_sharing.demand import GangSpec, ServiceSpec
from scenarios.worlds.mig_sharing.facts import figures
from scenarios.worlds.mig_sharing.settings import Config
from scenarios.worlds.mig_sharing.views import Views
from scenarios.worlds.mig_sharing.watch import Watch, sample
from scenarios.worlds.mig_sharing.world import SliceWorld

MOST_SECONDS = 1e8


def is_bill(value: object) -> bool:
    """Seconds by profile: at most 12 lines."""
    return (
        type(value) is dict
        and len(value) <= 12
        and all(is_name(key) for key in value)
        and all(type(s) in (int, float) and 0 <= s <= MOST_SECONDS for s in value.values())
    )


class Episode(AnyEpisode):
    """One day."""

    writes_per_tick = 40
    over = "The day is over; there is nothing left to control."
    series = SERIES
    config: Config
    world: SliceWorld
    controls: Controls
    shown: Views

    def __init__(
        self,
        config: Config,
        services: list[ServiceSpec],
        gangs: list[GangSpec],
        seed: str,
        *,
        faults: bool = True,
    ) -> None:
        world = SliceWorld(config, services, gangs, seed)
        timeline = world.core.timeline
        super().__init__(config, world, Controls(world), timeline, config.api, seed, faults=faults)
        self.watch = Watch(world)
        self.shown = Views(world)
        world.advance(0)
        self._sample()

    def advance(self, *, watched: bool) -> None:
        self.world.advance(self.world.now + self.config.tick)
        self.shown.keep_up()
        self.watch.look(self.config.tick)
        self._sample()

    def _sample(self) -> None:
        if self.timeline.due(self.world.now):
            self.timeline.sample(self.world.now, sample(self.world))

    def happened(self) -> Sequence[Event]:
        return self.world.core.happenings

    def facts(self, lost: list[Incident]) -> dict[str, Any]:
        return figures(self.world, self.controls, self.watch, lost)

    mig_gpus = Read(Views.gpu_rows)
    services = Read(Views.service_rows)
    jobs = Read(Views.job_rows)
    nodes = Read(Views.node_rows)
    tenants = Read(Views.tenant_rows)

    set_layout = Write(Controls.set_layout, gpu=is_name, profiles=is_list_of(is_name, 7))
    place = Write(Controls.place, service=is_name, instance=is_name)
    evict = Write(Controls.evict, service=is_name, instance=is_name)
    start_gang = Write(Controls.start_gang, job=is_count, gpus=is_list_of(is_name, 64))
    preempt = Write(Controls.preempt, job=is_count)
    cordon = Write(lambda controls, node: controls.cordon(node, True), node=is_name)
    uncordon = Write(lambda controls, node: controls.cordon(node, False), node=is_name)
    bill = Write(Controls.bill, "{tenant} {hour}", tenant=is_name, hour=is_count, seconds=is_bill)
