"""Nodes and GPUs that break, each by a clock of its own, and their repair."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import cos, pi
from typing import TYPE_CHECKING

from scenarios.simulator.engine import Kind
from scenarios.simulator.streams import Stream
from scenarios.simulator.world.pools import Is

if TYPE_CHECKING:
    from scenarios.simulator.world.world import World

HOUR_S = 3_600.0
DAY_HOURS = 24
PEAK_HOUR = 14.0
"""Offices and web sites are busiest in the early afternoon, and what they use is short then."""


def swing(hour: float, share: float) -> float:
    """A factor around 1 that is `1 + share` in the afternoon and `1 - share` at night."""
    return 1 + share * cos(2 * pi * (hour - PEAK_HOUR) / DAY_HOURS)


@dataclass(frozen=True, slots=True)
class Clock:
    """Strikes without memory, `mean` apart over a day; times in the unit that has `hour` to an hour.

    With `daily` above 0 it strikes more often in the afternoon and less at night, by that share:
    a Poisson process at the peak's rate, thinned.
    """

    chance: Stream
    mean: float
    daily: float = 0.0
    hour: float = HOUR_S

    def after(self, time: float) -> float:
        """When it strikes next."""
        if not self.daily:
            return time + self.chance.exponential(self.mean)
        peak = 1 + self.daily
        while True:
            time += self.chance.exponential(self.mean / peak)
            if self.chance.chance(swing(time / self.hour, self.daily) / peak):
                return time

    def strikes(self, begin: float, end: float) -> Iterator[float]:
        """Every strike after `begin` and before `end`."""
        while (begin := self.after(begin)) < end:
            yield begin


class Failures:
    """Memoryless failures; a broken node is repaired, not replaced.

    Every slot has a clock of its own for each cause, which runs whether or not it holds a
    node: what befalls the n-th node at an instant depends on the seed alone. A node that
    is not in service when its clock strikes is spared.
    """

    def __init__(self, world: World) -> None:
        self._world, self._setting = world, world.setting.failures
        slots = range(world.pools.total)
        self._node_clock = self._clocks("node", self._setting.node_hours * HOUR_S)
        mean = self._setting.gpu_hours * HOUR_S / world.machine.per_node
        self._gpu_clock = self._clocks("gpu", mean)
        self._node_repair = [Stream(world.seed, f"node repair/{slot}") for slot in slots]
        self._gpu_repair = [Stream(world.seed, f"gpu repair/{slot}") for slot in slots]
        for slot in slots:
            if self._setting.node_hours:
                self._wind_node(slot)
            if self._setting.gpu_hours:
                self._wind_gpu(slot)

    def _clocks(self, cause: str, mean: float) -> list[Clock]:
        seed, slots = self._world.seed, range(self._world.pools.total)
        return [Clock(Stream(seed, f"{cause} failure/{slot}"), mean) for slot in slots]

    def _wind_node(self, slot: int) -> None:
        self._plan(self._node_clock[slot].after(0.0), self._node_fails, slot)

    def _wind_gpu(self, slot: int) -> None:
        self._plan(self._gpu_clock[slot].after(0.0), self._gpu_fails, slot)

    def _plan(self, gap_s: float, what: Callable[[int], None], slot: int) -> None:
        world = self._world
        time = world.now + max(1, world.ticks(gap_s))
        world.simulation.at(time, Kind.LOSS, partial(what, slot))

    def _node_fails(self, slot: int) -> None:
        world, pools = self._world, self._world.pools
        if world.over:
            return
        self._wind_node(slot)
        if pools.state[slot] not in (Is.UP, Is.DRAINING):
            return
        world.log("node_failed", slot)
        why = pools.draining.pop(slot, "")
        world.stop_jobs_on(slot)
        if why == "leave":
            pools.remove(slot, "given_back")
        else:
            self._repair(slot, self._node_repair[slot], self._setting.node_repair_s)

    def _gpu_fails(self, slot: int) -> None:
        world, pools = self._world, self._world.pools
        if world.over:
            return
        self._wind_gpu(slot)
        gpu = int(self._gpu_repair[slot].unit() * world.machine.per_node)
        if pools.state[slot] != Is.UP:
            return
        world.log("gpu_failed", slot)
        pools.drain(slot, "repair")
        job = self._job_on_gpu(slot, gpu)
        if job >= 0:
            world.stop(job)
        world.look_at_drained(slot)

    def _job_on_gpu(self, slot: int, gpu: int) -> int:
        """GPUs of a node are handed out from the first on, to the lowest job first."""
        machine = self._world.machine
        for job in machine.jobs_on(slot):
            gpu -= sum(gpus for node, gpus in machine.where[job] if node == slot)
            if gpu < 0:
                return job
        return -1

    def drained(self, slot: int) -> None:
        """A node with a broken GPU is empty at last."""
        self._repair(slot, self._gpu_repair[slot], self._setting.gpu_repair_s)

    def _repair(self, slot: int, stream: Stream, median: float) -> None:
        world = self._world
        world.pools.turn_off(slot)
        delay = world.ticks(stream.lognormal(median, self._setting.repair_sigma))
        back = partial(world.pools.turn_on, slot, world.pools.ups[slot])
        world.simulation.at(world.now + delay, Kind.GAIN, back)
