"""Through what a candidate's program, a reference policy or an optimiser acts on a world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from scenarios.simulator.engine import Kind
from scenarios.simulator.world.calls import CallFailed, Calls, DirectCalls, PoolView, View

if TYPE_CHECKING:
    from scenarios.simulator.world.world import World

REASONS = ("submitted", "ended", "stopped", "nodes", "notice")
"""Events a controller may ask to be called at; all those of one instant make one decision."""


class Moment:
    """One decision point: when, why, what can be done; `view` is built when first asked for."""

    def __init__(self, desk: Desk, reasons: frozenset[str]) -> None:
        self._desk, self.reasons = desk, reasons
        self.now, self.calls, self.ticks = desk.world.now, desk.calls, desk.world.ticks

    @property
    def view(self) -> View:
        """The world as it is; reading it is free of the faults that calls may have."""
        return self._desk.view()


class Controller(Protocol):
    """`every_s` seconds apart are its ticks (0: none), `wants` is a part of REASONS."""

    every_s: float
    wants: frozenset[str]

    def decide(self, moment: Moment) -> None:
        """Look and act; time stands still meanwhile."""
        ...


class Desk:
    """Where a controller sits: calls it at its ticks and events, after the events of the instant.

    `decisions` and `views` count how often it was called and how often it looked.
    """

    def __init__(self, world: World, controller: Controller, calls: Calls | None = None) -> None:
        odd = sorted(controller.wants - set(REASONS))
        if odd:
            raise ValueError(f"No event is called {odd[0]}; choose from {', '.join(REASONS)}.")
        self.world, self.controller = world, controller
        self.calls: Calls = calls or DirectCalls(world)
        self.decisions = self.views = 0
        self._view: View | None = None
        self._told: set[str] = set()
        self._deciding = False
        self._every = world.ticks(controller.every_s)
        world.desk = self
        if self._every:
            world.simulation.at(world.now, Kind.TIMER, self._tick)

    def view(self) -> View:
        """The one view there is; built at the first look."""
        self.views += 1
        if self._view is None:
            self._view = View(self.world)
        return self._view

    def tell(self, reason: str) -> None:
        """Something happened now; what the controller itself does is no reason to call it again."""
        if reason in self.controller.wants and not self._deciding:
            if not self._told:
                self.world.simulation.at(self.world.now, Kind.TIMER, self._decide)
            self._told.add(reason)

    def _tick(self) -> None:
        if not self.world.over:
            self.world.simulation.at(self.world.now + self._every, Kind.TIMER, self._tick)
            self.tick()

    def tick(self) -> None:
        """A decision for no reason but the time."""
        self._ask(frozenset({"tick"}))

    def _decide(self) -> None:
        told, self._told = frozenset(self._told), set()
        if not self.world.over:
            self._ask(told)

    def _ask(self, reasons: frozenset[str]) -> None:
        self.decisions += 1
        self._deciding = True
        self.controller.decide(Moment(self, reasons))
        self._deciding = False


class QueueFollower:
    """The reference: as many nodes as running and waiting jobs need, cheapest pool first.

    It grows at once and shrinks only after `patience_s` of too many nodes, and tries again
    at the next tick when a call fails.
    """

    wants = frozenset[str]()

    def __init__(self, prices: Mapping[str, float], every_s: float = 60.0, patience_s: float = 900):
        self.every_s, self._patience_s = every_s, patience_s
        self._prices = prices
        self._over_since: dict[str, int] = {}

    def decide(self, moment: Moment) -> None:
        view = moment.view
        need = -(-(view.waiting_gpus + view.busy_gpus) // view.gpus_per_node)
        elastic = []
        for pool in view.pools():
            if pool.name in self._prices:
                elastic.append(pool)
            else:
                need -= pool.up
        for pool in sorted(elastic, key=lambda pool: self._prices[pool.name]):
            wanted = max(pool.least, min(pool.most, need))
            need -= wanted
            self._steer(moment, pool, wanted)

    def _steer(self, moment: Moment, pool: PoolView, wanted: int) -> None:
        if wanted >= pool.target:
            self._over_since.pop(pool.name, None)
        since = self._over_since.setdefault(pool.name, moment.now) if wanted < pool.target else -1
        patient = since >= 0 and moment.now - since < moment.ticks(self._patience_s)
        if wanted == pool.target or patient:
            return
        try:
            moment.calls.resize(pool.name, wanted)
        except CallFailed:
            return
        self._over_since.pop(pool.name, None)


class Scripted:
    """A test double: does what it was told for each decision and remembers every moment."""

    def __init__(
        self,
        script: Mapping[int, Callable[[Moment], None]],
        every_s: float = 0.0,
        wants: frozenset[str] = frozenset(),
    ) -> None:
        self.every_s, self.wants, self._script = every_s, wants, script
        self.moments: list[tuple[int, tuple[str, ...]]] = []

    def decide(self, moment: Moment) -> None:
        """The script's action for this decision, counted from 0, if there is one."""
        act = self._script.get(len(self.moments))
        self.moments.append((moment.now, tuple(sorted(moment.reasons))))
        if act is not None:
            act(moment)
