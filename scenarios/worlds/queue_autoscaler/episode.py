"""The elastic cluster as its controller meets it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scenarios.worlds.checks import is_count, is_name
from scenarios.worlds.episode import Episode as AnyEpisode
from scenarios.worlds.episode import Event, Read, Write, takes
from scenarios.worlds.front import ApiFaults, Incident
from scenarios.worlds.queue_autoscaler import views
from scenarios.worlds.queue_autoscaler.config import WorldConfig
from scenarios.worlds.queue_autoscaler.controls import Controls
from scenarios.worlds.queue_autoscaler.facts import figures
from scenarios.worlds.queue_autoscaler.record import SERIES
from scenarios.worlds.queue_autoscaler.watch import Watch
from scenarios.worlds.queue_autoscaler.workload import JobSpec
from scenarios.worlds.queue_autoscaler.world import ElasticWorld


class Episode(AnyEpisode):
    """One day of one-minute ticks. A reference policy is run with `faults` off."""

    over = "The day is over; there is nothing left to control."
    series = SERIES
    config: WorldConfig
    world: ElasticWorld
    controls: Controls

    def __init__(
        self, config: WorldConfig, specs: list[JobSpec], seed: str, *, faults: bool = True
    ) -> None:
        world = ElasticWorld(config, specs, seed)
        rates, controls = config.faults, Controls(world)
        api = ApiFaults(rates.write_timeout, rates.read_timeout, rates.throttled, rates.stale)
        timeline = world.record.timeline
        super().__init__(config, world, controls, timeline, api, seed, faults=faults)
        self._watch = Watch(world, controls.broken_rules)
        world.advance(0)
        self._advance_to(0)

    def advance(self, *, watched: bool) -> None:
        self._advance_to(self.world.now + self.config.tick)

    def _advance_to(self, until: int) -> None:
        self.world.advance(until)
        if not self.complete:
            self._watch.look()

    def happened(self) -> Sequence[Event]:
        return [(one.at, one.kind, one.subject) for one in self.world.record.happenings]

    def facts(self, lost: list[Incident]) -> dict[str, Any]:
        return figures(self.world, self.controls, lost)

    jobs = Read(views.job_rows)
    nodes = Read(views.node_rows)
    pools = Read(views.pool_rows)
    metrics = Read(views.metric_view)

    @takes(pool=is_name, size=is_count)
    def scale(self, pool: str, size: int) -> object:
        """Bring a pool to a size; the provider may have fewer nodes than asked for."""
        share = self._share(pool)
        return self.write("scale", pool, lambda: self.controls.scale(pool, size, share))

    def _share(self, pool: str) -> float:
        """Part of a scale-up that the provider can serve now."""
        number, _ = self.controls.pool(pool)
        if self.world.dry(number):
            return 0.0
        short = self.faults and self.chance.chance(self.config.faults.shortage)
        return 0.5 if short else 1.0

    release = Write(Controls.release, node=is_name)
    cordon = Write(Controls.cordon, node=is_name)
    uncordon = Write(Controls.uncordon, node=is_name)
    drain = Write(Controls.drain, node=is_name)
    preempt = Write(Controls.preempt, job=is_count)
