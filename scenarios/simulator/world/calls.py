"""What a controller can do to a world, and what it can see; the same calls made unreliable.

It knows no controller.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from scenarios.simulator.snapshot import Snapshot
from scenarios.simulator.streams import Stream
from scenarios.simulator.world.pools import Is

if TYPE_CHECKING:
    from scenarios.simulator.world.world import World


class CallFailed(Exception):
    """A call that a controller may try again; the message says what is known."""


class TimedOut(CallFailed):
    """No answer came; a writing call may have been carried out or not."""


class RateLimited(CallFailed):
    """Too many calls in one minute; the call was not carried out."""


@dataclass(frozen=True, slots=True)
class PoolView:
    """One pool at one instant: nodes by state, and the number wanted."""

    name: str
    target: int
    least: int
    most: int
    up: int
    starting: int
    draining: int
    down: int


class View:
    """The world at this instant, computed when a figure is asked for; never a copy."""

    def __init__(self, world: World) -> None:
        self._world = world

    @property
    def now(self) -> int:
        """The present, in the trace's unit."""
        return self._world.now

    @property
    def waiting_jobs(self) -> int:
        """How many jobs wait."""
        return self._world.demand.jobs

    @property
    def waiting_gpus(self) -> int:
        """GPUs the waiting jobs ask for."""
        return self._world.demand.gpus

    @property
    def busy_gpus(self) -> int:
        """GPUs in use."""
        return self._world.busy_gpus()

    @property
    def gpus_per_node(self) -> int:
        """GPUs of one node."""
        return self._world.machine.per_node

    @property
    def jobs(self) -> Snapshot:
        """The jobs that wait and run, as a scheduling program would see them now."""
        simulation = self._world.simulation
        return Snapshot(simulation, simulation.policy.waiting())

    def pools(self) -> list[PoolView]:
        """Every pool, in the order of the setting."""
        pools = self._world.pools
        return [
            PoolView(
                setting.name,
                pools.target[n],
                setting.least,
                setting.slots,
                pools.count(n, Is.UP),
                pools.count(n, Is.STARTING),
                pools.count(n, Is.DRAINING),
                pools.count(n, Is.DOWN),
            )
            for n, setting in enumerate(pools.settings)
        ]


class Calls(Protocol):
    """The verbs of a controller; each may raise CallFailed where calls are unreliable."""

    def read(self) -> PoolsAndQueue: ...

    def resize(self, pool: str, nodes: int) -> int: ...

    def give_back(self, node: str) -> None: ...


@dataclass(frozen=True, slots=True)
class PoolsAndQueue:
    """What one reading call answers: figures as of `at`, kept as they were."""

    at: int
    waiting_jobs: int
    waiting_gpus: int
    busy_gpus: int
    pools: tuple[PoolView, ...]


class DirectCalls:
    """Every call works at once."""

    def __init__(self, world: World) -> None:
        self._world, self._view = world, View(world)

    def read(self) -> PoolsAndQueue:
        """The figures of this instant."""
        view = self._view
        return PoolsAndQueue(
            view.now, view.waiting_jobs, view.waiting_gpus, view.busy_gpus, tuple(view.pools())
        )

    def resize(self, pool: str, nodes: int) -> int:
        """Want `nodes` nodes in a pool, within its bounds; the target as it is now.

        ValueError for an unknown pool or one of fixed size.
        """
        pools = self._world.pools
        names = [setting.name for setting in pools.settings if setting.elastic]
        if pool not in names:
            known = ", ".join(names) or "there is none"
            raise ValueError(f"No pool {pool!r} that can be resized; choose from: {known}.")
        number = [setting.name for setting in pools.settings].index(pool)
        return pools.set_target(number, nodes)

    def give_back(self, node: str) -> None:
        """Let one node go as soon as its jobs are done; its pool wants one node fewer.

        ValueError for a node that is not there or belongs to a pool at its least.
        """
        pools = self._world.pools
        slot = pools.name.index(node) if node in pools.name else -1
        if slot < 0 or pools.state[slot] == Is.ABSENT or slot in pools.draining:
            raise ValueError(f"There is no node {node!r} to give back.")
        number = pools.pool_of[slot]
        setting = pools.settings[number]
        if not setting.elastic or pools.target[number] <= setting.least:
            raise ValueError(f"Pool {setting.name!r} has no node to spare.")
        pools.target[number] -= 1
        pools.let_go(slot)


@dataclass(frozen=True, slots=True)
class CallFaults:
    """How unreliable calls are: probabilities for a call, seconds, calls in a minute (0: no limit).

    Of the calls that time out, half were carried out all the same. `partial`: a request for
    several nodes gets only some of them. A read may be up to `stale_s` old.
    """

    timeout: float = 0.0
    partial: float = 0.0
    stale_s: float = 0.0
    calls_per_minute: int = 0


class UnreliableCalls:
    """A layer over any calls; each kind of fault draws from a stream of its own."""

    def __init__(self, world: World, inner: Calls, faults: CallFaults) -> None:
        self._world, self._inner, self._faults = world, inner, faults
        self._timeouts = Stream(world.seed, "call timeout")
        self._partials = Stream(world.seed, "call partial")
        self._minute, self._count = -1, 0
        self._kept: PoolsAndQueue | None = None

    def read(self) -> PoolsAndQueue:
        """An answer kept from a call up to `stale_s` ago, else a fresh one."""
        self._admit()
        if self._timeouts.chance(self._faults.timeout):
            raise TimedOut("The read got no answer in time.")
        oldest = self._world.now - self._world.ticks(self._faults.stale_s)
        if self._kept is None or self._kept.at < oldest:
            self._kept = self._inner.read()
        return self._kept

    def resize(self, pool: str, nodes: int) -> int:
        """As the inner call; may carry out only a part of a growth and says so by its answer."""
        self._admit()
        lost, done = self._fate()
        if lost and not done:
            raise TimedOut(f"Resizing {pool} got no answer in time.")
        target = self._inner.resize(pool, self._partly(pool, nodes))
        if lost:
            raise TimedOut(f"Resizing {pool} got no answer in time.")
        return target

    def give_back(self, node: str) -> None:
        """As the inner call."""
        self._admit()
        lost, done = self._fate()
        if done or not lost:
            self._inner.give_back(node)
        if lost:
            raise TimedOut(f"Giving back {node} got no answer in time.")

    def _fate(self) -> tuple[bool, bool]:
        """Whether the answer is lost, and whether the call is carried out if so."""
        return self._timeouts.chance(self._faults.timeout), self._timeouts.chance(0.5)

    def _partly(self, pool: str, nodes: int) -> int:
        part, cut = self._partials.unit(), self._partials.unit()
        if part >= self._faults.partial:
            return nodes
        now = next((p.target for p in self._inner.read().pools if p.name == pool), nodes)
        return now + int((nodes - now) * cut) if nodes > now else nodes

    def _admit(self) -> None:
        limit = self._faults.calls_per_minute
        minute = self._world.now // self._world.ticks(60)
        if minute != self._minute:
            self._minute, self._count = minute, 0
        self._count += 1
        if limit and self._count > limit:
            raise RateLimited(f"More than {limit} calls in one minute; try again in the next.")
