"""Looks at the elastic cluster once a tick and notes capacity that does not fit the demand."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.simulator.agenda import MINUTE
from scenarios.worlds.queue_autoscaler.tables import NodeState
from scenarios.worlds.queue_autoscaler.world import ElasticWorld

HALF_HOUR = 30 * MINUTE
PATIENCE = (20 * MINUTE, 20 * MINUTE, 60 * MINUTE)
"""How long a job of each priority may wait before an idle controller is at fault."""
IDLE_ALLOWED = 2
"""Nodes above the pools' least that may stand idle for half an hour, as a reserve."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Notes in the world's record: misfit, missed and idle half hours."""

    world: ElasticWorld
    broken_rules: list[str]

    def look(self) -> None:
        """Judge this tick."""
        world = self.world
        world.record.misfit_gpu_ms += self._misfit() * world.config.tick
        window = world.now // HALF_HOUR
        if window not in world.record.missed_half_hours and self._missed():
            world.record.missed_half_hours.add(window)
        if window not in world.record.idle_half_hours and self._idle():
            world.record.idle_half_hours.add(window)
        if world.config.budget:
            self._mind_budget()

    def _mind_budget(self) -> None:
        """Name the rule once, in the tick in which the day's nodes have cost more than allowed."""
        world = self.world
        allowed = f"the day's budget of {world.config.budget:,.0f} USD was exceeded"
        known = any(rule.startswith(allowed) for rule in self.broken_rules)
        if not known and world.record.spend(world.now) > world.config.budget:
            minute = world.now // MINUTE
            self.broken_rules.append(f"{allowed} at {minute // 60:02d}:{minute % 60:02d}")
            world.record.mark(world.now, "rule", allowed)

    def _misfit(self) -> int:
        """GPUs up and idle, plus GPUs asked for by waiting jobs that more nodes could give."""
        world = self.world
        idle = sum(world.nodes.free(n) for n in world.nodes.alive)
        room, wanted = self._room(), dict.fromkeys(self._zones(), 0)
        for _, _, job in world.queue.waiting:
            wanted[world.jobs.spec[job].zone] += world.jobs.spec[job].gpus
        bound = sum(min(wanted[zone], room[zone]) for zone in room if zone)
        return idle + bound + min(wanted[""], sum(room.values()) - bound)

    def _zones(self) -> list[str]:
        """No zone, then the zones in the order of the pools."""
        return list(dict.fromkeys(["", *(pool.zone for pool in self.world.config.pools)]))

    def _room(self) -> dict[str, int]:
        """GPUs that could be up in each zone and are not."""
        world, per_node = self.world, self.world.config.gpus_per_node
        room = dict.fromkeys(self._zones(), 0)
        for pool in world.config.pools:
            room[pool.zone] += pool.most * per_node
        for n in world.nodes.alive:
            if world.nodes.state[n] == NodeState.READY:
                room[world.config.pools[world.nodes.pool[n]].zone] -= per_node
        return room

    def _missed(self) -> bool:
        """Whether a job has waited too long though a node could have been started for it."""
        world = self.world
        starting = {
            world.nodes.pool[n]
            for n in world.nodes.alive
            if world.nodes.state[n] == NodeState.STARTING
        }
        return any(
            world.now - world.jobs.queued_at[job] > PATIENCE[priority]
            and self._could_help(job, starting)
            for priority, _, job in world.queue.waiting
        )

    def _could_help(self, job: int, starting: set[int]) -> bool:
        world = self.world
        pools = world.pools_for(job)
        if starting.intersection(pools):
            return False
        return any(
            self._size(pool) < world.config.pools[pool].most and not world.dry(pool)
            for pool in pools
        )

    def _size(self, pool: int) -> int:
        return sum(self.world.nodes.pool[n] == pool for n in self.world.nodes.alive)

    def _idle(self) -> bool:
        """Whether more nodes than a reserve needs have been idle for half an hour."""
        world, nodes = self.world, self.world.nodes
        least = sum(pool.least for pool in world.config.pools)
        unused = sum(
            nodes.state[n] == NodeState.READY
            and not nodes.jobs[n]
            and world.now - nodes.idle_since[n] >= HALF_HOUR
            for n in world.nodes.alive
        )
        return unused > IDLE_ALLOWED and len(world.nodes.alive) > least
