"""The elastic cluster as its controller meets it: an API with limits, delays and faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scenarios.simulator.streams import Stream
from scenarios.worlds.elastic import views
from scenarios.worlds.elastic.config import WorldConfig
from scenarios.worlds.elastic.controls import Controls
from scenarios.worlds.elastic.facts import Incident, figures
from scenarios.worlds.elastic.watch import Watch
from scenarios.worlds.elastic.workload import JobSpec
from scenarios.worlds.elastic.world import ElasticWorld
from scenarios.worlds.refusal import Refused

RETRY_WITHIN = 5
"""Ticks within which a write that timed out without effect should be tried again."""
TIMED_OUT = "The call timed out. It may or may not have taken effect."


@dataclass(slots=True)
class LostWrite:
    """A write that timed out without effect, and whether it was tried again in time."""

    tick: int
    verb: str
    subject: str
    retried: bool = False


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
        self._watch = Watch(self.world)
        self.faults = faults
        self.ticks = 0
        self.calls: dict[str, int] = {}
        self._reads = self._writes = 0
        self._chance = Stream(seed, "api")
        self._frozen: dict[str, object] = {}
        self._told = 0
        self._lost_writes: list[LostWrite] = []
        self.limited = 0
        self.world.advance(0)
        self._advance_to(0)

    @property
    def complete(self) -> bool:
        """Whether the day is over."""
        return self.world.now >= self.config.length

    # -- time ------------------------------------------------------------------------

    def tick(self) -> dict[str, object]:
        """Let one tick pass; answers the time in s, whether it is over, and what happened."""
        if self.complete:
            raise Refused("over", "The day is over; there is nothing left to control.")
        self.ticks += 1
        self._advance_to(self.world.now + self.config.tick)
        self._reads = self._writes = 0
        return {"t": self.world.now // 1000, "done": self.complete, "events": self._news()}

    def run_out(self) -> None:
        """Let the rest of the day pass with nobody in control."""
        while not self.complete:
            self._advance_to(self.world.now + self.config.tick)

    def _advance_to(self, until: int) -> None:
        self.world.advance(until)
        if not self._in(self.config.faults.stale):
            self._frozen.clear()
        if not self.complete:
            self._watch.look(self._in(self.config.faults.stockouts))

    def _news(self) -> list[list[object]]:
        fresh = self.world.record.happenings[self._told :]
        self._told += len(fresh)
        return [[h.at // 1000, h.kind, h.subject] for h in fresh]

    def _in(self, intervals: tuple[tuple[int, int], ...]) -> bool:
        return any(begin <= self.world.now < end for begin, end in intervals)

    # -- reads -----------------------------------------------------------------------

    def jobs(self) -> object:
        """Unfinished jobs."""
        return self._read("jobs", lambda: views.job_rows(self.world))

    def nodes(self) -> object:
        """Nodes that are not gone."""
        return self._read("nodes", lambda: views.node_rows(self.world))

    def pools(self) -> object:
        """Pools with their sizes."""
        return self._read("pools", lambda: views.pool_rows(self.world))

    def metrics(self) -> object:
        """What monitoring knows."""
        return self._read("metrics", lambda: views.metric_view(self.world))

    def _read(self, what: str, build: Callable[[], object]) -> object:
        self._reads += 1
        self._admit(self._reads, self.config.reads_per_tick)
        if self.faults and self._chance.chance(self.config.faults.read_timeout):
            self._fault(f"{what} timed out")
            raise Refused("timeout", "The call timed out; nothing was read.")
        if not self.faults or not self._in(self.config.faults.stale):
            return {"at": self.world.now // 1000, "rows": build()}
        if what not in self._frozen:
            self._frozen[what] = {"at": self.world.now // 1000, "rows": build()}
        return self._frozen[what]

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
        """A line for the timeline; what cannot be printed is shown as a replacement mark."""
        shown = "".join(char if char.isprintable() else "\ufffd" for char in text)
        self.world.record.log(self.world.now, shown)
        return None

    def _share(self, pool: str) -> float:
        """Part of a scale-up that the provider can serve now."""
        _, shape = self.controls.pool(pool)
        if shape.spot and self._in(self.config.faults.stockouts):
            return 0.0
        short = self.faults and self._chance.chance(self.config.faults.shortage)
        return 0.5 if short else 1.0

    def _write(self, verb: str, subject: str, act: Callable[[], object]) -> object:
        self._writes += 1
        self._admit(self._writes, self.config.writes_per_tick)
        if self.faults and self._in(self.config.faults.throttled):
            self._fault(f"{verb} {subject} was throttled")
            raise Refused("rate_limited", "Retry after 60 s: the provider is throttling writes.")
        self._answer_lost_writes(verb, subject)
        if not (self.faults and self._chance.chance(self.config.faults.write_timeout)):
            return act()
        if self._chance.chance(0.5):
            act()
            self._fault(f"{verb} {subject} timed out after taking effect")
        else:
            self._lost_writes.append(LostWrite(self.ticks, verb, subject))
            self._fault(f"{verb} {subject} timed out without effect")
        raise Refused("timeout", TIMED_OUT)

    def _admit(self, used: int, allowed: int) -> None:
        if used > allowed:
            self.limited += 1
            raise Refused("rate_limited", f"Retry after 60 s: more than {allowed} calls a tick.")

    def _answer_lost_writes(self, verb: str, subject: str) -> None:
        for lost in self._lost_writes:
            if (lost.verb, lost.subject) == (verb, subject):
                lost.retried |= self.ticks - lost.tick <= RETRY_WITHIN

    def _fault(self, text: str) -> None:
        self.world.record.mark(self.world.now, "fault", text)

    # -- afterwards ------------------------------------------------------------------

    def figures(self) -> dict[str, object]:
        """Raw figures of the day so far (see `facts.figures`), API use included."""
        tick = self.config.tick // 1000
        timeouts = [
            Incident(lost.tick * tick, "lost write", f"{lost.verb} {lost.subject}", lost.retried)
            for lost in self._lost_writes
            if self.ticks - lost.tick > RETRY_WITHIN or lost.retried
        ]
        raw = figures(self.world, self.controls, timeouts)
        return {**raw, "calls_refused_by_rate": self.limited, "ticks": self.ticks}
