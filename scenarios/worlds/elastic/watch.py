"""Looks at the elastic cluster once a tick and notes capacity that does not fit the demand."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.simulator.agenda import MINUTE
from scenarios.worlds.elastic.tables import NodeState
from scenarios.worlds.elastic.world import ElasticWorld

HALF_HOUR = 30 * MINUTE
PATIENCE = (20 * MINUTE, 20 * MINUTE, 60 * MINUTE)
"""How long a job of each priority may wait before an idle controller is at fault."""
IDLE_ALLOWED = 2
"""Nodes above the pools' least that may stand idle for half an hour, as a reserve."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Notes in the world's record: misfit, missed and idle half hours."""

    world: ElasticWorld

    def look(self, stockout: bool) -> None:
        """Judge this tick. In a `stockout` nobody can start spot nodes."""
        world = self.world
        world.record.misfit_gpu_ms += self._misfit() * world.config.tick
        window = world.now // HALF_HOUR
        if window not in world.record.missed_half_hours and self._missed(stockout):
            world.record.missed_half_hours.add(window)
        if window not in world.record.idle_half_hours and self._idle():
            world.record.idle_half_hours.add(window)

    def _misfit(self) -> int:
        """GPUs up and idle, plus GPUs asked for by waiting jobs that more nodes could give."""
        world, per_node = self.world, self.world.config.gpus_per_node
        idle = sum(world.nodes.free[n] for n in world.scheduler.alive)
        wanted = sum(world.jobs.spec[job].gpus for _, _, job in world.scheduler.queue)
        up = sum(world.nodes.state[n] == NodeState.READY for n in world.scheduler.alive)
        return idle + min(wanted, world.config.most_gpus - up * per_node)

    def _missed(self, stockout: bool) -> bool:
        """Whether a job has waited too long though a node could have been started for it."""
        world = self.world
        starting = {
            world.nodes.pool[n]
            for n in world.scheduler.alive
            if world.nodes.state[n] == NodeState.STARTING
        }
        return any(
            world.now - world.jobs.queued_at[job] > PATIENCE[priority]
            and self._could_help(job, starting, stockout)
            for priority, _, job in world.scheduler.queue
        )

    def _could_help(self, job: int, starting: set[int], stockout: bool) -> bool:
        world = self.world
        pools = world.scheduler.pools_for(world.jobs.spec[job].spot)
        if starting.intersection(pools):
            return False
        return any(
            self._size(pool) < world.config.pools[pool].most
            and not (stockout and world.config.pools[pool].spot)
            for pool in pools
        )

    def _size(self, pool: int) -> int:
        return sum(self.world.nodes.pool[n] == pool for n in self.world.scheduler.alive)

    def _idle(self) -> bool:
        """Whether more nodes than a reserve needs have been idle for half an hour."""
        world, nodes = self.world, self.world.nodes
        least = sum(pool.least for pool in world.config.pools)
        unused = sum(
            nodes.state[n] == NodeState.READY
            and not nodes.jobs[n]
            and world.now - nodes.idle_since[n] >= HALF_HOUR
            for n in world.scheduler.alive
        )
        return unused > IDLE_ALLOWED and len(world.scheduler.alive) > least
