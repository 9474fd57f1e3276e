"""The spot training cluster as its controller meets it: an API with limits, delays and faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scenarios.simulator.streams import Stream
from scenarios.worlds.front import Front
from scenarios.worlds.refusal import Refused
from scenarios.worlds.spot_checkpointing import views
from scenarios.worlds.spot_checkpointing.config import ClusterConfig, Trouble
from scenarios.worlds.spot_checkpointing.controls import Controls
from scenarios.worlds.spot_checkpointing.facts import figures
from scenarios.worlds.spot_checkpointing.record import SERIES
from scenarios.worlds.spot_checkpointing.tables import DONE
from scenarios.worlds.spot_checkpointing.world import SpotWorld


class Episode:
    """One workload: the controller's calls in, plain answers out. Raises `Refused`.

    A tick lasts five minutes, or less when something happens that a controller must know at
    once. With `faults` off the API never times out, lags or throttles.
    """

    def __init__(
        self, config: ClusterConfig, trouble: Trouble, seed: str, *, faults: bool = True
    ) -> None:
        self.config = config
        self.world = SpotWorld(config, trouble, seed)
        self.controls = Controls(self.world)
        self._faults = faults
        self._chance = Stream(seed, "api")
        self._told = 0
        self._over = False
        self._ticked: list[int] = [0]
        self.front = Front(
            trouble.api,
            self._chance,
            self.world.record.timeline.mark,
            reads_per_tick=config.reads_per_tick,
            writes_per_tick=config.writes_per_tick,
            on=faults,
        )
        self.world.advance(0, wake=False)

    @property
    def complete(self) -> bool:
        """Whether the span is over, or a tick found every run finished and every node given back."""
        return self._over

    @property
    def now(self) -> int:
        """Simulated time in s."""
        return self.world.now // 1000

    # -- time ------------------------------------------------------------------------

    def tick(self) -> dict[str, object]:
        """Let time pass; answers the time in s, whether it is over, and what happened."""
        if self.complete:
            raise Refused("over", "The run is over; there is nothing left to control.")
        self._advance(wake=True)
        self._ticked.append(self.now)
        if self.front.limited:
            self.world.record.rule(self.world.now, "called the API more often than is allowed")
        self.front.next_tick(self.world.now)
        return {"t": self.now, "done": self.complete, "events": self._news()}

    def _advance(self, *, wake: bool) -> None:
        world = self.world
        world.advance(min(self.config.length, world.now + self.config.tick), wake=wake)
        idle = all(run.state == DONE for run in world.trainings) and not world.machines.alive
        self._over = idle or world.now >= self.config.length

    def run_out(self) -> None:
        """Let the rest pass with nobody in control."""
        while not self.complete:
            self._advance(wake=False)

    def _news(self) -> list[list[object]]:
        fresh = self.world.record.events[self._told :]
        self._told += len(fresh)
        return [[at // 1000, kind, subject] for at, kind, subject in fresh]

    # -- reads -----------------------------------------------------------------------

    def _read(self, what: str, view: Callable[[SpotWorld], object]) -> object:
        return self.front.read(self.world.now, what, lambda: view(self.world))

    def trainings(self) -> object:
        """The runs."""
        return self._read("trainings", views.training_rows)

    def checkpoints(self) -> object:
        """Checkpoints that are there."""
        return self._read("checkpoints", views.checkpoint_rows)

    def stores(self) -> object:
        """Stores with their quotas."""
        return self._read("stores", views.store_rows)

    def zones(self) -> object:
        """Zones with their prices."""
        return self._read("zones", views.zone_rows)

    def nodes(self) -> object:
        """Nodes that are not gone."""
        return self._read("nodes", views.node_rows)

    def pools(self) -> object:
        """Pools with their sizes."""
        return self._read("pools", views.pool_rows)

    def metrics(self) -> object:
        """What monitoring knows."""
        return self._read("metrics", views.metric_view)

    # -- writes ----------------------------------------------------------------------

    def _write(self, verb: str, subject: str, act: Callable[[], object]) -> object:
        return self.front.write(self.world.now, verb, subject, act)

    def scale(self, pool: str, size: int) -> object:
        """Set a pool's size."""
        share = self._share(pool)
        return self._write("scale", pool, lambda: self.controls.scale(pool, size, share))

    def _share(self, pool: str) -> float:
        """Part of a scale-up that the provider can serve now."""
        zone, _, spot = self.controls.pool(pool)
        if spot and self.world.machines.dry(zone):
            return 0.0
        short = self._faults and self._chance.chance(self.world.trouble.shortage)
        return 0.5 if short else 1.0

    def release(self, node: str) -> object:
        """Give a node back."""
        return self._write("release", node, lambda: self.controls.release(node))

    def launch(self, training: str, nodes: list[str], checkpoint: str) -> object:
        """Start a run on a gang."""
        act = self.controls.launch
        return self._write("launch", training, lambda: act(training, nodes, checkpoint))

    def stop(self, training: str) -> object:
        """Stop a run."""
        return self._write("stop", training, lambda: self.controls.stop(training))

    def set_cadence(self, training: str, every: int, mode: str) -> object:
        """How often and how a run saves."""
        act = self.controls.set_cadence
        return self._write("set_cadence", training, lambda: act(training, every, mode))

    def save(self, training: str, mode: str) -> object:
        """Save a run now."""
        return self._write("save", training, lambda: self.controls.save(training, mode))

    def verify(self, checkpoint: str) -> object:
        """Read a checkpoint back."""
        return self._write("verify", checkpoint, lambda: self.controls.verify(checkpoint))

    def replicate(self, checkpoint: str, region: str) -> object:
        """Copy a checkpoint to another region."""
        act = self.controls.replicate
        return self._write("replicate", checkpoint, lambda: act(checkpoint, region))

    def delete_checkpoint(self, checkpoint: str) -> object:
        """Remove a checkpoint."""
        return self._write(
            "delete_checkpoint", checkpoint, lambda: self.controls.delete(checkpoint)
        )

    def record_resume(self, training: str, checkpoint: str, step: int, lost_steps: int) -> object:
        """File the proof of a resume."""
        act = self.controls.record_resume
        return self._write(
            "record_resume", training, lambda: act(training, checkpoint, step, lost_steps)
        )

    def log(self, text: str) -> object:
        """A line for the timeline."""
        self.world.record.timeline.log(self.world.now, text)
        return None

    # -- afterwards ------------------------------------------------------------------

    def figures(self) -> dict[str, Any]:
        """Raw figures so far (see `facts.figures`), API use included."""
        raw = figures(self.world, self._lost_writes())
        return {**raw, "calls_refused_by_rate": self.front.limited, "ticks": self.front.ticks}

    def _lost_writes(self) -> list[list[object]]:
        """Incident rows of writes that were lost, at the time of their tick."""
        return [
            [self._ticked[one.at], one.kind, one.subject, one.handled]
            for one in self.front.incidents(1)
        ]

    def replay(self) -> dict[str, Any]:
        """The workload to be drawn (see `Timeline.replay`)."""
        return self.world.record.timeline.replay(SERIES, self.world.now)
