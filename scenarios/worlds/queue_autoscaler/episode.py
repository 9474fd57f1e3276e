"""The elastic cluster as its controller meets it: an API with limits, delays and faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scenarios.simulator.streams import Stream
from scenarios.worlds.front import ApiFaults, Front
from scenarios.worlds.queue_autoscaler import views
from scenarios.worlds.queue_autoscaler.config import WorldConfig
from scenarios.worlds.queue_autoscaler.controls import Controls
from scenarios.worlds.queue_autoscaler.facts import figures
from scenarios.worlds.queue_autoscaler.record import SERIES
from scenarios.worlds.queue_autoscaler.watch import Watch
from scenarios.worlds.queue_autoscaler.workload import JobSpec
from scenarios.worlds.queue_autoscaler.world import ElasticWorld
from scenarios.worlds.refusal import Refused


class Episode:
    """One day: the controller's calls in, plain answers out. Raises `Refused`.

    With `faults` off the API never times out, lags or throttles; the cluster's own
    trouble stays. A reference policy is run that way.
    """

    def __init__(
        self, config: WorldConfig, specs: list[JobSpec], seed: str, *, faults: bool = True
    ) -> None:
        self.config = config
        self.world = ElasticWorld(config, specs, seed)
        self.controls = Controls(self.world)
        self._watch = Watch(self.world, self.controls.broken_rules)
        self._chance = Stream(seed, "api")
        self._faults = faults
        self._told = 0
        rates = config.faults
        self.front = Front(
            ApiFaults(rates.write_timeout, rates.read_timeout, rates.throttled, rates.stale),
            self._chance,
            self.world.record.mark,
            reads_per_tick=config.reads_per_tick,
            writes_per_tick=config.writes_per_tick,
            on=faults,
        )
        self.world.advance(0)
        self._advance_to(0)

    @property
    def complete(self) -> bool:
        """Whether the day is over."""
        return self.world.now >= self.config.length

    @property
    def now(self) -> int:
        """Simulated time in s."""
        return self.world.now // 1000

    # -- time ------------------------------------------------------------------------

    def tick(self) -> dict[str, object]:
        """Let one tick pass; answers the time in s, whether it is over, and what happened."""
        if self.complete:
            raise Refused("over", "The day is over; there is nothing left to control.")
        self._advance_to(self.world.now + self.config.tick)
        self.front.next_tick(self.world.now)
        return {"t": self.now, "done": self.complete, "events": self._news()}

    def run_out(self) -> None:
        """Let the rest of the day pass with nobody in control."""
        while not self.complete:
            self._advance_to(self.world.now + self.config.tick)

    def _advance_to(self, until: int) -> None:
        self.world.advance(until)
        if not self.complete:
            self._watch.look()

    def _news(self) -> list[list[object]]:
        fresh = self.world.record.happenings[self._told :]
        self._told += len(fresh)
        return [[h.at // 1000, h.kind, h.subject] for h in fresh]

    # -- reads -----------------------------------------------------------------------

    def jobs(self) -> object:
        """Unfinished jobs."""
        return self.front.read(self.world.now, "jobs", lambda: views.job_rows(self.world))

    def nodes(self) -> object:
        """Nodes that are not gone."""
        return self.front.read(self.world.now, "nodes", lambda: views.node_rows(self.world))

    def pools(self) -> object:
        """Pools with their sizes."""
        return self.front.read(self.world.now, "pools", lambda: views.pool_rows(self.world))

    def metrics(self) -> object:
        """What monitoring knows."""
        return self.front.read(self.world.now, "metrics", lambda: views.metric_view(self.world))

    # -- writes ----------------------------------------------------------------------

    def scale(self, pool: str, size: int) -> object:
        """Bring a pool to a size; the provider may have fewer nodes than asked for."""
        share = self._share(pool)
        return self._write("scale", pool, lambda: self.controls.scale(pool, size, share))

    def release(self, node: str) -> object:
        """Give one empty node back."""
        return self._write("release", node, lambda: self.controls.release(node))

    def cordon(self, node: str) -> object:
        """No new jobs on the node."""
        return self._write("cordon", node, lambda: self.controls.cordon(node))

    def uncordon(self, node: str) -> object:
        """New jobs on the node again."""
        return self._write("uncordon", node, lambda: self.controls.uncordon(node))

    def drain(self, node: str) -> object:
        """Cordon, and save away what can be saved."""
        return self._write("drain", node, lambda: self.controls.drain(node))

    def preempt(self, job: int) -> object:
        """Stop a running job."""
        return self._write("preempt", str(job), lambda: self.controls.preempt(job))

    def log(self, text: str) -> object:
        """A line for the timeline."""
        self.world.record.timeline.log(self.world.now, text)
        return None

    def _share(self, pool: str) -> float:
        """Part of a scale-up that the provider can serve now."""
        number, _ = self.controls.pool(pool)
        if self.world.dry(number):
            return 0.0
        short = self._faults and self._chance.chance(self.config.faults.shortage)
        return 0.5 if short else 1.0

    def _write(self, verb: str, subject: str, act: Callable[[], object]) -> object:
        return self.front.write(self.world.now, verb, subject, act)

    # -- afterwards ------------------------------------------------------------------

    def figures(self) -> dict[str, Any]:
        """Raw figures of the day so far (see `facts.figures`), API use included."""
        raw = figures(self.world, self.controls, self.front.incidents(self.config.tick // 1000))
        return {**raw, "calls_refused_by_rate": self.front.limited, "ticks": self.front.ticks}

    def replay(self) -> dict[str, Any]:
        """The day to be drawn (see `Timeline.replay`)."""
        return self.world.record.timeline.replay(SERIES, self.world.now)
