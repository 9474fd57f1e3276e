"""The shared cluster as its controller meets it: an API with limits, delays and faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scenarios.simulator.streams import Stream
from scenarios.worlds.cluster_priorities import views
from scenarios.worlds.cluster_priorities.config import CohortWorldConfig
from scenarios.worlds.cluster_priorities.controls import Controls
from scenarios.worlds.cluster_priorities.facts import figures
from scenarios.worlds.cluster_priorities.families import Trouble
from scenarios.worlds.cluster_priorities.record import SERIES
from scenarios.worlds.cluster_priorities.tables import Request
from scenarios.worlds.cluster_priorities.world import CohortWorld
from scenarios.worlds.front import Front
from scenarios.worlds.refusal import Refused


class Episode:
    """One workload: the controller's calls in, plain answers out. Raises `Refused`.

    A tick lasts five minutes, or less when a node is lost or about to be. With `faults` off the
    API never times out, lags or throttles.
    """

    def __init__(
        self,
        config: CohortWorldConfig,
        requests: list[Request],
        trouble: Trouble,
        seed: str,
        *,
        faults: bool = True,
    ) -> None:
        self.config = config
        self.world = CohortWorld(config, requests, trouble, seed)
        self.controls = Controls(self.world)
        self._told = 0
        self._ticked: list[int] = [0]
        self.front = Front(
            trouble.api,
            Stream(seed, "api"),
            self.world.record.timeline.mark,
            reads_per_tick=config.reads_per_tick,
            writes_per_tick=config.writes_per_tick,
            on=faults,
        )
        self.world.advance(0, wake=False)

    @property
    def complete(self) -> bool:
        """Whether the span is over."""
        return self.world.now >= self.config.length

    @property
    def now(self) -> int:
        """Simulated time in s."""
        return self.world.now // 1000

    # -- time ------------------------------------------------------------------------

    def tick(self) -> dict[str, object]:
        """Let time pass; answers the time in s, whether it is over, and what happened."""
        if self.complete:
            raise Refused("over", "The days are over; there is nothing left to control.")
        self._advance(wake=True)
        self._ticked.append(self.now)
        self.front.next_tick(self.world.now)
        return {"t": self.now, "done": self.complete, "events": self._news()}

    def _advance(self, *, wake: bool) -> None:
        # ticks end on whole multiples, so that an early end does not shift those after it
        tick = self.config.tick
        until = (self.world.now // tick + 1) * tick
        self.world.advance(min(self.config.length, until), wake=wake)

    def run_out(self) -> None:
        """Let the rest pass with nobody in control."""
        while not self.complete:
            self._advance(wake=False)

    def _news(self) -> list[list[object]]:
        fresh = self.world.record.events[self._told :]
        self._told += len(fresh)
        return [[at // 1000, kind, subject] for at, kind, subject in fresh]

    # -- reads -----------------------------------------------------------------------

    def _read(self, what: str, view: Callable[[CohortWorld], object]) -> object:
        return self.front.read(self.world.now, what, lambda: view(self.world))

    def workloads(self) -> object:
        """Unfinished workloads."""
        return self._read("workloads", views.workload_rows)

    def quotas(self) -> object:
        """Quotas of every queue with their use."""
        return self._read("quotas", views.quota_rows)

    def room(self) -> object:
        """What every queue could still take."""
        return self._read("room", views.room_rows)

    def flavors(self) -> object:
        """Flavours with their free GPUs and prices."""
        return self._read("flavors", views.flavor_rows)

    def nodes(self) -> object:
        """Nodes that are here."""
        return self._read("nodes", views.node_rows)

    def calendar(self) -> object:
        """Nominal quotas by time of day."""
        return self._read("calendar", views.calendar_rows)

    # -- writes ----------------------------------------------------------------------

    def _write(self, verb: str, subject: object, act: Callable[[], object]) -> object:
        return self.front.write(self.world.now, verb, str(subject), act)

    def admit(self, workload: int, flavor: str, gpus: int) -> object:
        """Admit a workload."""
        act = self.controls.admit
        return self._write("admit", workload, lambda: act(workload, flavor, gpus))

    def preempt(self, job: int) -> object:
        """Save a workload and let it wait again."""
        return self._write("preempt", job, lambda: self.controls.preempt(job))

    def requeue(self, job: int) -> object:
        """Stop a workload at once."""
        return self._write("requeue", job, lambda: self.controls.requeue(job))

    def set_quota(self, queue: str, flavor: str, nominal: int) -> object:
        """Change a nominal quota."""
        act, subject = self.controls.set_quota, f"{queue} {flavor}"
        return self._write("set_quota", subject, lambda: act(queue, flavor, nominal))

    def log(self, text: str) -> object:
        """A line for the timeline."""
        self.world.record.timeline.log(self.world.now, text)
        return None

    # -- afterwards ------------------------------------------------------------------

    def figures(self) -> dict[str, Any]:
        """Raw figures so far (see `facts.figures`), API use included."""
        lost = [
            [self._ticked[one.at], one.kind, one.subject, one.handled]
            for one in self.front.incidents(1)
        ]
        raw = figures(self.world, lost)
        return {**raw, "calls_refused_by_rate": self.front.limited, "ticks": self.front.ticks}

    def replay(self) -> dict[str, Any]:
        """The workload to be drawn (see `Timeline.replay`)."""
        return self.world.record.timeline.replay(SERIES, self.world.now)
