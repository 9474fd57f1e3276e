"""Node pools: asking for nodes, getting them late or not at all, giving them back."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING

from scenarios.simulator.engine import Kind
from scenarios.simulator.streams import Stream
from scenarios.simulator.world.setting import AutoscalerSetting

if TYPE_CHECKING:
    from scenarios.simulator.world.world import World


class Is(IntEnum):
    """A slot's state: no node, one asked for, one at work, one that takes no new work, one off."""

    ABSENT = 0
    STARTING = 1
    UP = 2
    DRAINING = 3
    DOWN = 4


class Pools:
    """Slots in blocks, one block for each pool; a slot holds one node at a time.

    A slot is the node's number in the machine. `life` counts the nodes a slot has held,
    `ups` how often its node came into service: an event about an earlier one is outdated.
    A pool keeps `target` nodes: what is lost for good is asked for again.
    """

    def __init__(self, world: World) -> None:
        self._world, self.settings = world, world.setting.pools
        self.slots: list[range] = []
        for pool in self.settings:
            first = self.slots[-1].stop if self.slots else 0
            self.slots.append(range(first, first + pool.slots))
        self.total = self.slots[-1].stop
        self.pool_of = [n for n, slots in enumerate(self.slots) for _ in slots]
        self.state = bytearray(self.total)
        self.life, self.ups = [0] * self.total, [0] * self.total
        self.asked, self.on_since = [-1] * self.total, [-1] * self.total
        self.down_since = [-1] * self.total
        self.target = [pool.nodes for pool in self.settings]
        self.draining: dict[int, str] = {}
        """Slot -> why it takes no new work: leave, repair, maintenance or reclaim."""
        scaler = world.setting.autoscaler or AutoscalerSetting()
        self._patience = world.ticks(scaler.register_s)
        self._starts = [Stream(world.seed, f"start/{slot}") for slot in range(self.total)]
        self.name = [
            f"{pool.name}-{number}" for pool in self.settings for number in range(pool.slots)
        ]

    # ---- counts ----

    def count(self, pool: int, *states: Is) -> int:
        """Nodes of the pool in any of these states; all but absent ones when none is named."""
        wanted = states or (Is.STARTING, Is.UP, Is.DRAINING, Is.DOWN)
        held = self.state[self.slots[pool].start : self.slots[pool].stop]
        return sum(held.count(state) for state in wanted)

    def staying(self, pool: int) -> int:
        """Nodes of the pool that are not about to leave."""
        leaving = sum(
            self.pool_of[slot] == pool and why in ("leave", "reclaim")
            for slot, why in self.draining.items()
        )
        return self.count(pool) - leaving

    # ---- getting nodes ----

    def open(self) -> None:
        """At the beginning: the first `nodes` of each pool are up, the other slots empty."""
        machine = self._world.machine
        for pool, slots in zip(self.settings, self.slots, strict=True):
            for slot in slots[pool.nodes :]:
                machine.take_out(slot)
            for slot in slots[: pool.nodes]:
                self._begin(slot)
                self._enter(slot)

    def ask(self, pool: int, count: int) -> int:
        """Ask for up to `count` more nodes; how many there were slots for."""
        free = [slot for slot in self.slots[pool] if self.state[slot] == Is.ABSENT][:count]
        world, setting = self._world, self.settings[pool]
        for slot in free:
            self._begin(slot)
            self.state[slot] = Is.STARTING
            stream, life = self._starts[slot], self.life[slot]
            delay = world.ticks(stream.between(setting.delay_low_s, setting.delay_high_s))
            if stream.chance(setting.start_failure) or delay > self._patience:
                self._later(self._patience, Kind.LOSS, self._not_come, slot, life)
            else:
                self._later(delay, Kind.GAIN, self._come, slot, life)
            world.log("asked", slot)
        world.nodes_changed(bool(free))
        return len(free)

    def set_target(self, pool: int, nodes: int) -> int:
        """Want so many nodes, within the pool's bounds; the target as it is now.

        Fewer than there are: those still starting go first, then idle ones, then those in
        least use as soon as their jobs are done. No job is stopped.
        """
        setting = self.settings[pool]
        nodes = max(setting.least, min(setting.most, nodes))
        if setting.elastic and nodes != self.target[pool]:
            self.target[pool] = nodes
            self._keep_target(pool)
            self._world.nodes_changed(True)
        return self.target[pool]

    def _keep_target(self, pool: int) -> None:
        lacking = self.target[pool] - self.staying(pool)
        for slot in sorted(self.draining):
            leaving = self.draining[slot] == "leave" and self.pool_of[slot] == pool
            if lacking > 0 and leaving:
                self._keep(slot)
                lacking -= 1
        if lacking > 0:
            self.ask(pool, lacking)
        elif lacking < 0:
            for slot in self._spare_first(pool)[:-lacking]:
                self.let_go(slot)

    def _spare_first(self, pool: int) -> list[int]:
        level = self._world.machine.level
        kept = [s for s in self.slots[pool] if self.state[s] in (Is.STARTING, Is.UP, Is.DOWN)]
        return sorted(kept, key=lambda s: (self.state[s] != Is.STARTING, -level[s], -s))

    def _keep(self, slot: int) -> None:
        """A node that was to leave when its jobs are done is wanted after all."""
        del self.draining[slot]
        self.state[slot] = Is.UP
        self._world.machine.put_back(slot)
        self._world.log("kept", slot)
        self._world.machine_changed()

    def _begin(self, slot: int) -> None:
        self.life[slot] += 1
        self.asked[slot] = self._world.now

    def _come(self, slot: int, life: int) -> None:
        if self.life[slot] == life and self.state[slot] == Is.STARTING and not self._world.over:
            self._enter(slot)
            self._world.machine.put_back(slot)
            self._world.log("up", slot)
            self._world.machine_changed()

    def _enter(self, slot: int) -> None:
        self.on_since[slot] = self._world.now
        self._serve(slot)
        self._world.node_came(slot)

    def _serve(self, slot: int) -> None:
        self.state[slot] = Is.UP
        self.ups[slot] += 1

    def _not_come(self, slot: int, life: int) -> None:
        if self.life[slot] != life or self.state[slot] != Is.STARTING or self._world.over:
            return
        self.asked[slot] = -1  # what never came up is not charged
        self.remove(slot, "not_come")
        pool, scaler = self.pool_of[slot], self._world.autoscaler
        if scaler is not None and scaler.owns(pool):
            self.target[pool] -= 1
            scaler.start_failed(pool)
        else:
            self._keep_target(pool)

    # ---- taking nodes out of service ----

    def drain(self, slot: int, why: str) -> None:
        """No new work on this node; the caller says what follows when it is empty."""
        if self.state[slot] == Is.UP:
            self.state[slot] = Is.DRAINING
            self._world.machine.take_out(slot)
        self.draining[slot] = why
        self._world.log("drain", slot)
        self._world.machine_changed()

    def let_go(self, slot: int) -> None:
        """Give a node back: at once when it is empty, else when its jobs are done."""
        machine, state = self._world.machine, self.state[slot]
        idle = machine.level[slot] == machine.per_node
        if state == Is.STARTING:
            self.asked[slot] = -1
            self.remove(slot, "cancelled")
        elif state != Is.ABSENT and idle:
            self.remove(slot, "given_back")
        elif state in (Is.UP, Is.DRAINING):
            self.drain(slot, "leave")

    def turn_off(self, slot: int) -> None:
        """The node is off: broken, or in maintenance. Its jobs have been stopped before."""
        if self.state[slot] == Is.UP:
            self._world.machine.take_out(slot)
        self.state[slot] = Is.DOWN
        self.draining.pop(slot, None)
        self.down_since[slot] = self._world.now
        self._note_power(slot)
        self._world.machine_changed()

    def turn_on(self, slot: int, ups: int) -> None:
        """The node is repaired or its maintenance is over."""
        if self.state[slot] == Is.DOWN and self.ups[slot] == ups and not self._world.over:
            self.on_since[slot], self.down_since[slot] = self._world.now, -1
            self._serve(slot)
            self._world.machine.put_back(slot)
            self._world.log("back", slot)
            self._world.machine_changed()

    def remove(self, slot: int, why: str) -> None:
        """The node is gone and costs nothing from now on; its jobs have been stopped before."""
        world = self._world
        if self.state[slot] == Is.UP:
            world.machine.take_out(slot)
        self._note_power(slot)
        self._note_charge(slot)
        self.state[slot], self.asked[slot] = Is.ABSENT, -1
        self.down_since[slot] = -1
        self.draining.pop(slot, None)
        world.log(why, slot)
        world.machine_changed()

    def lost(self, slot: int) -> None:
        """A node that its owner took away is gone; the pool asks for another one."""
        self.remove(slot, "reclaimed")
        self._keep_target(self.pool_of[slot])

    def close(self) -> None:
        """At the end: charge what is still there, once."""
        for slot in range(self.total):
            self._note_power(slot)
            self._note_charge(slot)

    def _note_charge(self, slot: int) -> None:
        if self.asked[slot] >= 0:
            passed = self._world.now - self.asked[slot]
            self._world.record.node_time[self.pool_of[slot]] += passed
            self.asked[slot] = -1

    def _note_power(self, slot: int) -> None:
        if self.on_since[slot] >= 0:
            self._world.record.up_time += self._world.now - self.on_since[slot]
            self.on_since[slot] = -1

    def _later(
        self, delay: int, kind: Kind, what: Callable[[int, int], None], slot: int, life: int
    ) -> None:
        world = self._world
        world.simulation.at(world.now + delay, kind, partial(what, slot, life))
