"""The spot training cluster as its controller meets it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scenarios.worlds.checks import is_count, is_list_of, is_name, is_one_of, is_text
from scenarios.worlds.episode import Episode as AnyEpisode
from scenarios.worlds.episode import Event, Read, Write, takes
from scenarios.worlds.front import Incident
from scenarios.worlds.spot_checkpointing import views
from scenarios.worlds.spot_checkpointing.config import ClusterConfig, Trouble
from scenarios.worlds.spot_checkpointing.controls import Controls
from scenarios.worlds.spot_checkpointing.facts import figures
from scenarios.worlds.spot_checkpointing.record import SERIES
from scenarios.worlds.spot_checkpointing.tables import DONE
from scenarios.worlds.spot_checkpointing.world import SpotWorld

is_mode = is_one_of("sync", "async")


class Episode(AnyEpisode):
    """One workload.

    A tick lasts five minutes, or less when something happens that a controller must know at
    once. It is over early when a tick found every run finished and every node given back.
    """

    over = "The run is over; there is nothing left to control."
    series = SERIES
    config: ClusterConfig
    world: SpotWorld
    controls: Controls

    def __init__(
        self, config: ClusterConfig, trouble: Trouble, seed: str, *, faults: bool = True
    ) -> None:
        world = SpotWorld(config, trouble, seed)
        timeline = world.record.timeline
        super().__init__(config, world, Controls(world), timeline, trouble.api, seed, faults=faults)
        self._over = False
        world.advance(0, wake=False)

    @property
    def complete(self) -> bool:
        return self._over

    def advance(self, *, watched: bool) -> None:
        world = self.world
        world.advance(min(self.config.length, world.now + self.config.tick), wake=watched)
        idle = all(run.state == DONE for run in world.trainings) and not world.machines.alive
        self._over = idle or world.now >= self.config.length
        if watched and self.front.limited:
            world.record.rule(world.now, "called the API more often than is allowed")

    def happened(self) -> Sequence[Event]:
        return self.world.record.events

    def facts(self, lost: list[Incident]) -> dict[str, Any]:
        return figures(self.world, [[one.at, one.kind, one.subject, one.handled] for one in lost])

    trainings = Read(views.training_rows)
    checkpoints = Read(views.checkpoint_rows)
    stores = Read(views.store_rows)
    zones = Read(views.zone_rows)
    nodes = Read(views.node_rows)
    pools = Read(views.pool_rows)
    metrics = Read(views.metric_view)

    @takes(pool=is_name, size=is_count)
    def scale(self, pool: str, size: int) -> object:
        """Set a pool's size."""
        share = self._share(pool)
        return self.write("scale", pool, lambda: self.controls.scale(pool, size, share))

    def _share(self, pool: str) -> float:
        """Part of a scale-up that the provider can serve now."""
        zone, _, spot = self.controls.pool(pool)
        if spot and self.world.machines.dry(zone):
            return 0.0
        short = self.faults and self.chance.chance(self.world.trouble.shortage)
        return 0.5 if short else 1.0

    release = Write(Controls.release, node=is_name)
    launch = Write(
        Controls.launch, training=is_name, nodes=is_list_of(is_name, 16), checkpoint=is_text(64)
    )
    stop = Write(Controls.stop, training=is_name)
    set_cadence = Write(Controls.set_cadence, training=is_name, every=is_count, mode=is_mode)
    save = Write(Controls.save, training=is_name, mode=is_mode)
    verify = Write(Controls.verify, checkpoint=is_name)
    replicate = Write(Controls.replicate, checkpoint=is_name, region=is_name)
    delete_checkpoint = Write(Controls.delete, checkpoint=is_name)
    record_resume = Write(
        Controls.record_resume,
        training=is_name,
        checkpoint=is_name,
        step=is_count,
        lost_steps=is_count,
    )
