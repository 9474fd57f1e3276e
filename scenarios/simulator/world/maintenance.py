"""Maintenance windows: a pool is drained, off for a while, and back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from scenarios.simulator.engine import NEVER, Kind
from scenarios.simulator.world.pools import Is

if TYPE_CHECKING:
    from scenarios.simulator.world.setting import Window
    from scenarios.simulator.world.world import World


class Maintenance:
    """Plans every window one at a time; nodes broken or absent when it begins are left alone."""

    def __init__(self, world: World) -> None:
        self._world = world
        names = [pool.name for pool in world.setting.pools]
        for window in world.setting.windows:
            self._plan(window, names.index(window.pool), world.ticks(window.first_s))

    def _plan(self, window: Window, pool: int, begin: int) -> None:
        world = self._world
        drain = begin - world.ticks(window.drain_s)
        world.simulation.at(drain, Kind.LOSS, partial(self._drain, pool))
        world.simulation.at(begin, Kind.LOSS, partial(self._begin, window, pool, begin))

    def _drain(self, pool: int) -> None:
        pools = self._world.pools
        for slot in pools.slots[pool]:
            if pools.state[slot] == Is.UP and not self._world.over:
                pools.drain(slot, "maintenance")

    def _begin(self, window: Window, pool: int, begin: int) -> None:
        world, pools = self._world, self._world.pools
        if world.over:
            return
        end = begin + world.ticks(window.length_s)
        for slot in pools.slots[pool]:
            if pools.draining.get(slot) == "maintenance" or pools.state[slot] == Is.UP:
                world.log("maintenance", slot)
                pools.draining.pop(slot, None)
                world.stop_jobs_on(slot, NEVER)
                pools.turn_off(slot)
                back = partial(pools.turn_on, slot, pools.ups[slot])
                world.simulation.at(end, Kind.GAIN, back)
        if window.every_s:
            self._plan(window, pool, begin + world.ticks(window.every_s))
