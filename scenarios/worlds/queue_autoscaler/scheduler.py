"""The cluster's own scheduler: strict priority with EASY backfill, gangs all at once."""

from __future__ import annotations

from bisect import insort

from scenarios.worlds.queue_autoscaler.config import WorldConfig
from scenarios.worlds.queue_autoscaler.tables import JobTable, NodeState, NodeTable

QueueKey = tuple[int, int, int]
"""(priority, submit time in ms, job): the queue's order."""


def _allowed(config: WorldConfig, zone: str, spot: bool) -> list[int]:
    """Pools for jobs bound to a zone ("" for none) that may use spot nodes, or may not."""
    here = [i for i, pool in enumerate(config.pools) if not zone or pool.zone == zone]
    firm = [i for i in here if not config.pools[i].spot]
    return [i for i in here if config.pools[i].spot] + firm if spot else firm


class Scheduler:
    """Decides which waiting job starts on which nodes; holds the queue, starts nothing.

    The head of the queue that does not fit reserves the nodes that would be free for it
    soonest by the owners' limits; a later job starts there only if its own limit ends
    before that instant. A gang never spans two pools. Jobs that tolerate spot nodes go
    there first; a job whose data lies in one zone runs nowhere else.
    """

    def __init__(self, config: WorldConfig, jobs: JobTable, nodes: NodeTable) -> None:
        self._jobs, self._nodes = jobs, nodes
        self._per_node = config.gpus_per_node
        zones = {"", *(pool.zone for pool in config.pools)}
        self._pools = {
            (zone, spot): _allowed(config, zone, spot) for zone in zones for spot in (False, True)
        }
        self.alive: list[int] = []
        """Nodes that are not gone, by number; kept by the world."""
        self.queue: list[QueueKey] = []

    def enqueue(self, job: int) -> None:
        """Put a job where its priority and submit time belong."""
        spec = self._jobs.spec[job]
        insort(self.queue, (spec.priority, spec.submit, job))

    def dequeue(self, job: int) -> None:
        """Take a job out of the queue."""
        spec = self._jobs.spec[job]
        self.queue.remove((spec.priority, spec.submit, job))

    def usable(self) -> list[int]:
        """Nodes that may take new work."""
        nodes = self._nodes
        return [
            n for n in self.alive if nodes.state[n] == NodeState.READY and not nodes.cordoned[n]
        ]

    def pools_for(self, job: int) -> list[int]:
        """Pools a job may use, preferred first: spot before firm, then in the order of the pools."""
        spec = self._jobs.spec[job]
        return self._pools[spec.zone, spec.spot]

    def next_start(self, now: int) -> tuple[int, tuple[int, ...]] | None:
        """The first job that can start at `now` and where, or None.

        Called again after each start, because every start changes what is free.
        """
        usable = self.usable()
        if not any(self._nodes.free[n] for n in usable):
            return None
        shadow: dict[int, int] | None = None
        hopeless: set[tuple[int, bool, str]] = set()
        for _, _, job in self.queue:
            spec = self._jobs.spec[job]
            kind = (spec.gpus, spec.spot, spec.zone)
            if kind in hopeless:
                continue
            places = self._fit(job, usable, now, shadow or {})
            if places:
                return job, places
            if shadow is None:
                shadow = self._reserve(job, usable)
                hopeless.add(kind)
            elif not self._fit(job, usable, now, {}):
                hopeless.add(kind)
        return None

    def _fit(
        self, job: int, usable: list[int], now: int, shadow: dict[int, int]
    ) -> tuple[int, ...]:
        spec, free, pool_of = self._jobs.spec[job], self._nodes.free, self._nodes.pool
        end = now + spec.limit
        for pool in self.pools_for(job):
            if spec.gpus < self._per_node:
                best = -1
                for n in usable:
                    fits = pool_of[n] == pool and free[n] >= spec.gpus
                    if fits and (n not in shadow or end <= shadow[n]):
                        best = n if best < 0 or free[n] < free[best] else best
                if best >= 0:
                    return (best,)
                continue
            empty = [
                n
                for n in usable
                if pool_of[n] == pool
                and free[n] == self._per_node
                and (n not in shadow or end <= shadow[n])
            ]
            count = spec.gpus // self._per_node
            if len(empty) >= count:
                return tuple(empty[:count])
        return ()

    def _reserve(self, job: int, usable: list[int]) -> dict[int, int]:
        """Node -> instant from which the blocked job holds it; empty if it can never fit."""
        spec = self._jobs.spec[job]
        best: list[tuple[int, int]] = []
        for pool in self.pools_for(job):
            nodes = [n for n in usable if self._nodes.pool[n] == pool]
            need = max(1, spec.gpus // self._per_node)
            if len(nodes) < need:
                continue
            soonest = sorted((self._free_at(n, min(spec.gpus, self._per_node)), n) for n in nodes)
            soonest = soonest[:need]
            if not best or soonest[-1][0] < best[-1][0]:
                best = soonest
        return {node: best[-1][0] for _, node in best}

    def _free_at(self, node: int, gpus: int) -> int:
        """Instant in ms at which `gpus` are free on the node if every job used its limit."""
        free = self._nodes.free[node]
        if free >= gpus:
            return 0
        ends = sorted(
            (self._jobs.started_at[j] + self._jobs.spec[j].limit, j) for j in self._nodes.jobs[node]
        )
        for end, job in ends:
            free += min(self._jobs.spec[job].gpus, self._per_node)
            if free >= gpus:
                return end
        return ends[-1][0] if ends else 0
