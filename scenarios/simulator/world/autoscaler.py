"""The Kubernetes cluster autoscaler's behaviour: nodes for what waits, fewer when idle.

A scan runs only when something it looks at has changed or a timer of its own is due.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING

from scenarios.simulator.engine import NEVER, Kind
from scenarios.simulator.streams import Stream
from scenarios.simulator.world.pools import Is

if TYPE_CHECKING:
    from scenarios.simulator.world.setting import AutoscalerSetting
    from scenarios.simulator.world.world import World

DRAIN_GRACE_S = 600.0
"""What a job on a node to be given back has for its last save (default of the autoscaler)."""


class Autoscaler:
    """Acts on pools that have a `most`, at beats of `scan_s`, before all else of the instant.

    So a scan sees the cluster as the instants before it left it. With `always` it scans at every beat;
    results are the same. While jobs wait no node counts as unneeded, so that a gang's nodes
    are not given back while it gathers them.
    """

    def __init__(self, world: World, setting: AutoscalerSetting, always: bool) -> None:
        self._world, self._setting, self._always = world, setting, always
        self._simulation, self._state = world.simulation, world.pools.state
        self._demand = world.demand
        self._beat = max(1, world.ticks(setting.scan_s))
        self._unneeded_for = world.ticks(setting.unneeded_s)
        self._unready_for = world.ticks(setting.unready_s)
        pools = world.setting.pools
        self._owned = [n for n, pool in enumerate(pools) if pool.elastic]
        self._own_mask = sum(1 << slot for n in self._owned for slot in world.pools.slots[n])
        self._mask = 0
        self._ripe: dict[int, int] = {}
        self._recheck: dict[int, int] = {}
        self._no_removal_before = 0
        self._backoff, self._blocked_until = [0] * len(pools), [0] * len(pools)
        self._failed_at = [0] * len(pools)
        self._removals = Stream(world.seed, "removal")
        self._armed, self._down = -1, 0
        self._may_grow = bool(self._owned)
        self.scans = 0
        """How many scans ran; the only thing that `always` changes."""
        self._arm(0)

    def owns(self, pool: int) -> bool:
        """Whether the autoscaler decides this pool's size."""
        return pool in self._owned

    # ---- when to scan ----

    def look(self) -> None:
        """A job came, started or left: scan at the next beat if that can matter."""
        now, beat = self._simulation.now, self._beat
        if now < self._armed <= now + beat:
            return
        if (self._may_grow and self._demand.firm_jobs) or self._unneeded() != self._mask:
            self._arm((now // beat + 1) * beat)

    def look_again(self) -> None:
        """Nodes or what may be done about them changed: scan at the next beat."""
        self._arm((self._simulation.now // self._beat + 1) * self._beat)

    def _arm(self, time: int) -> None:
        if not self._simulation.now < self._armed <= time:
            self._armed = time
            self._simulation.at(time, Kind.FIRST, self._scan)

    def _scan(self) -> None:
        now = self._simulation.now
        if self._world.over or now != self._armed:
            return
        self.scans += 1
        self._armed = -1
        self._down = self._state.count(Is.DOWN)
        if self._down <= self._setting.unready_count or not self._halted():
            if self._demand.firm_jobs:
                self._grow()
            self._note_unneeded()
            if now >= self._no_removal_before and (self._down or self._ripe):
                self._shrink()
        self._may_grow = self._below_most()
        if self._always:
            self._arm(now + self._beat)
        elif (due := self._next_due()) < NEVER:
            self._arm(-(-due // self._beat) * self._beat)

    def _below_most(self) -> bool:
        target, settings = self._world.pools.target, self._world.pools.settings
        return any(target[pool] < settings[pool].most for pool in self._owned)

    def _next_due(self) -> int:
        """The next instant at which time alone can change what a scan does; else NEVER."""
        now, least, due = self._simulation.now, self._no_removal_before, NEVER
        recheck, broken = self._recheck, self._broken() if self._down else ()
        for slot, time in chain(self._ripe.items(), broken):
            if slot in recheck and recheck[slot] > time:
                time = recheck[slot]
            if time < least:
                time = least
            if now < time < due:
                due = time
        if self._demand.firm_jobs:
            return min(due, *(time for time in self._blocked_until if time > now), NEVER)
        return due

    def _halted(self) -> bool:
        """Whether so many nodes are unready that the autoscaler stands still."""
        state = self._state
        there = len(state) - state.count(Is.ABSENT) - state.count(Is.STARTING)
        return self._down > self._setting.unready_share * there

    # ---- more nodes ----

    def start_failed(self, pool: int) -> None:
        """A node never registered: the pool gets no new ones for a while, longer each time."""
        world, setting = self._world, self._setting
        reset = world.ticks(setting.backoff_reset_s)
        again = self._backoff[pool] and world.now - self._failed_at[pool] < reset
        first, most = world.ticks(setting.backoff_s), world.ticks(setting.backoff_most_s)
        self._backoff[pool] = min(2 * self._backoff[pool], most) if again else first
        self._failed_at[pool] = world.now
        self._blocked_until[pool] = world.now + self._backoff[pool]
        self.look_again()

    def _grow(self) -> None:
        """Ask the pool that wastes least, then the cheapest, for what the waiting jobs lack."""
        world, offers = self._world, []
        _, fit_already = new_nodes(self._demand.sizes, self._room(), 0)
        if fit_already == self._demand.firm_gpus:
            return
        for pool in self._owned:
            most = self._allowed(pool)
            nodes, gpus = new_nodes(self._demand.sizes, self._room(), most) if most > 0 else (0, 0)
            if nodes:
                waste = 1 - (gpus - fit_already) / (nodes * world.machine.per_node)
                offers.append((waste, world.pools.settings[pool].price, pool, nodes))
        if offers:
            _, _, pool, nodes = min(offers)
            self._no_removal_before = world.now + world.ticks(self._setting.after_add_s)
            world.pools.set_target(pool, world.pools.target[pool] + nodes)

    def _allowed(self, pool: int) -> int:
        """How many nodes may be added to the pool now."""
        pools = self._world.pools
        if self._world.now < self._blocked_until[pool]:
            return 0
        room = pools.settings[pool].most - pools.target[pool]
        return min(room, pools.count(pool, Is.ABSENT), self._setting.most_new)

    def _room(self) -> list[int]:
        """How many nodes have k GPUs free, at place k; nodes on their way count as empty."""
        world = self._world
        room = [mask.bit_count() for mask in world.machine.at_level]
        room[-1] += world.pools.state.count(Is.STARTING)
        return room

    # ---- fewer nodes ----

    def _unneeded(self) -> int:
        """Bit mask of the nodes in too little use, none while jobs wait."""
        if self._demand.firm_jobs:
            return 0
        at_level = self._world.machine.at_level
        mask = at_level[-1]
        if self._setting.evict:
            per_node = len(at_level) - 1
            for free in range(per_node - 1, 0, -1):
                if per_node - free < self._setting.threshold * per_node:
                    mask |= at_level[free]
        if self._demand.mixed:
            mask |= ~self._demand.held & sum(at_level)
        return mask & self._own_mask

    def _broken(self) -> list[tuple[int, int]]:
        """(slot, when it may be given back) of nodes that are off."""
        pools = self._world.pools
        return [
            (slot, pools.down_since[slot] + self._unready_for)
            for pool in self._owned
            for slot in pools.slots[pool]
            if pools.state[slot] == Is.DOWN
        ]

    def _shrink(self) -> None:
        world, now = self._world, self._simulation.now
        ripe = [slot for slot, time in self._ripe.items() if time <= now]
        if self._down:
            ripe += [slot for slot, time in self._broken() if time <= now]
        if not ripe:
            return
        level, per_node = world.machine.level, world.machine.per_node
        ripe = sorted(slot for slot in ripe if self._recheck.get(slot, 0) <= now)
        mixed, held = self._demand.mixed, self._demand.held
        empty = [s for s in ripe if level[s] == per_node or (mixed and not held >> s & 1)]
        for slot in empty[: self._setting.most_empty]:
            if not self._remove(slot):
                return
        for slot in ripe:
            if slot not in empty:
                if self._can_move(slot):
                    self._remove(slot)
                    return
                self._recheck[slot] = now + world.ticks(self._setting.recheck_s)

    def _note_unneeded(self) -> None:
        """When each node in too little use will have been so for long enough."""
        mask, old = self._unneeded(), self._mask
        if mask == old:
            return
        self._mask = mask
        time = self._simulation.now + self._unneeded_for
        for slot in _bits(mask & ~old):
            self._ripe[slot] = time
        for slot in _bits(old & ~mask):
            del self._ripe[slot]
            self._recheck.pop(slot, None)

    def _remove(self, slot: int) -> bool:
        """Give a node back; False when its provider refused."""
        world, pools = self._world, self._world.pools
        pool = pools.pool_of[slot]
        if pools.target[pool] <= pools.settings[pool].least:
            return True
        if self._removals.chance(self._setting.removal_failure):
            world.log("removal_failed", slot)
            self._no_removal_before = world.now + world.ticks(self._setting.after_failure_s)
            return False
        pools.target[pool] -= 1
        pools.let_go(slot)
        world.stop_jobs_on(slot, world.ticks(DRAIN_GRACE_S))
        return True

    def _can_move(self, slot: int) -> bool:
        """Whether every job on the node is there alone and would find room elsewhere."""
        machine = self._world.machine
        draft = machine.draft()
        draft.out = machine.out | {slot}
        draft.at_level[draft.level[slot]] ^= 1 << slot
        for job in machine.jobs_on(slot):
            procs = self._world.simulation.procs[job]
            if len(machine.where[job]) > 1 or not draft.fits(procs):
                return False
            draft.take(job, procs)
        return True


def _bits(mask: int) -> list[int]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def new_nodes(waiting: Mapping[int, int], room: list[int], most: int) -> tuple[int, int]:
    """New nodes, up to `most`, that waiting jobs need beyond `room`, and the GPUs placed in all.

    `waiting` counts jobs by size, `room[k]` nodes with k GPUs free; it is filled. Larger jobs
    first: in what is there, then on copies of an empty node; a gang that does not fit whole
    gets nothing (cluster autoscaler's estimate, for gangs).
    """
    per_node, added, placed = len(room) - 1, 0, 0
    for size in sorted(waiting, reverse=True):
        whole, rest = divmod(size, per_node)
        for _ in range(waiting[size]):
            part = _part(room, rest) if rest else 0
            need = whole + (rest > 0 and not part)
            lack = max(0, need - room[per_node])
            if added + lack > most:
                break
            added += lack
            placed += size
            room[per_node] += lack - need
            if rest:
                room[part] -= part > 0
                room[(part or per_node) - rest] += 1
    return added, placed


def _part(room: list[int], rest: int) -> int:
    """The free count of the fullest node in use with room for the remainder; 0 without one."""
    return next((free for free in range(rest, len(room) - 1) if room[free]), 0)
