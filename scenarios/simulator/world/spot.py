"""Spot nodes: reclaimed by their owner after a notice."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from scenarios.simulator.engine import Kind
from scenarios.simulator.streams import Stream
from scenarios.simulator.world.failures import HOUR_S, Clock
from scenarios.simulator.world.pools import Is
from scenarios.simulator.world.setting import NOTICE_S

if TYPE_CHECKING:
    from scenarios.simulator.world.setting import PoolSetting
    from scenarios.simulator.world.world import World


class Spot:
    """Every spot slot has a clock at which its owner wants the node back; a notice comes first.

    From the notice on the node takes no new work. A job that can save within the notice does so
    last of all; it goes on until the node is taken. Clocks run whether or not there is a node.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        slots = range(world.pools.total)
        means = [self._setting(slot).reclaim_hours * HOUR_S for slot in slots]
        self._clock = [Clock(Stream(world.seed, f"reclaim/{slot}"), means[slot]) for slot in slots]
        for slot in slots:
            self._wind(slot)

    def _wind(self, slot: int) -> None:
        world, setting = self._world, self._setting(slot)
        if setting.spot and setting.reclaim_hours:
            time = world.now + max(1, world.ticks(self._clock[slot].after(0.0)))
            world.simulation.at(time, Kind.RECLAIM, partial(self._strikes, slot))

    def _strikes(self, slot: int) -> None:
        if not self._world.over:
            self._wind(slot)
            self._noticed(slot, self._world.pools.life[slot])

    def came(self, slot: int) -> None:
        """A node is there for the first time; it may be one that lives so long and no longer."""
        world, setting = self._world, self._setting(slot)
        if setting.spot and setting.longest_hours:
            time = world.now + world.ticks(setting.longest_hours * HOUR_S) - self._notice(slot)
            notice = partial(self._noticed, slot, world.pools.life[slot])
            world.simulation.at(time, Kind.RECLAIM, notice)

    def _setting(self, slot: int) -> PoolSetting:
        return self._world.setting.pools[self._world.pools.pool_of[slot]]

    def _notice(self, slot: int) -> int:
        return self._world.ticks(NOTICE_S[self._setting(slot).spot])

    def _noticed(self, slot: int, life: int) -> None:
        world, pools = self._world, self._world.pools
        there = pools.state[slot] in (Is.UP, Is.DRAINING, Is.DOWN)
        if world.over or pools.life[slot] != life or not there:
            return
        world.log("notice", slot)
        if pools.state[slot] != Is.DOWN and pools.draining.get(slot) != "leave":
            pools.drain(slot, "reclaim")
        taken = partial(self._taken, slot, life)
        world.simulation.at(world.now + self._notice(slot), Kind.RECLAIM, taken)
        world.tell("notice")

    def _taken(self, slot: int, life: int) -> None:
        world, pools = self._world, self._world.pools
        if world.over or pools.life[slot] != life or pools.state[slot] == Is.ABSENT:
            return
        pools.draining.pop(slot, None)
        world.stop_jobs_on(slot, self._notice(slot))
        pools.lost(slot)
