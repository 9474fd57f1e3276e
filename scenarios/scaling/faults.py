"""Nodes that fail, rented ones that are reclaimed, and rents that end."""

from __future__ import annotations

from scenarios.scaling.arrivals import FIRST_H
from scenarios.scaling.assumptions import NODE_FAILURES_DAY, REPAIR_H
from scenarios.scaling.pools import Lane, Pool
from scenarios.scaling.state import State


class Faults:
    """Decided by numbers that are the same for every plan."""

    def __init__(self, run: State) -> None:
        self.run = run

    def hour(self, now: int) -> None:
        """Fail and mend for an hour."""
        run, at = self.run, now - FIRST_H
        run.sold_out = run.disruptions.sold_out[at // 24] < run.market.sold_out
        for pool in run.own:
            while pool.away and pool.away[0] <= now:
                pool.away.pop(0)
            luck = run.disruptions.luck[pool.site][at]
            count = int(pool.nodes * NODE_FAILURES_DAY / 24 + luck)
            for _ in range(min(count, pool.nodes)):
                pool.away.append(now + REPAIR_H)
                run.tally.failures += 1
                self._hit(pool, run.disruptions.luck[len(run.scene.places) + pool.site][at], now)
            pool.nodes = max(0, pool.standing - len(pool.away))
        for pool in run.cloud:
            if pool.kind == "spot" and pool.lanes:
                chance = pool.busy / pool.per_node * run.market.reclaims
                if run.disruptions.luck[-1][at] < chance:
                    self._hit(pool, run.disruptions.luck[-2][at], now)

    def close(self) -> None:
        """Rents that ended put their jobs back into the queue, from their last checkpoint."""
        for pool in self.run.cloud:
            if pool.nodes:
                continue
            for lane in pool.lanes.values():
                while lane.heap:
                    entry = lane.heap.pop()
                    self.run.requeue(pool, lane, entry, 0, lane.bucket.jobs.work.save_h / 2)
            pool.serving = 0.0

    def _hit(self, pool: Pool, luck: float, now: int) -> None:
        """Stop the job on the node that failed; a free node fails without harm."""
        lanes = [(lane, self._nodes(pool, lane)) for _, lane in sorted(pool.lanes.items())]
        at = luck * max(pool.nodes, 1)
        for lane, nodes in lanes:
            at -= nodes
            if at < 0 and lane.heap:
                place = min(len(lane.heap) - 1, int((at + nodes) / nodes * len(lane.heap)))
                entry = lane.heap[place]
                lane.heap[place] = lane.heap[-1]
                lane.heap.pop()
                lane.heap.sort()  # a sorted list is a heap
                lost = lane.bucket.jobs.work.save_h / 2
                lost *= 2 if self.run.held.nvme_checkpoints else 1
                self.run.requeue(pool, lane, entry, now, lost)
                return

    @staticmethod
    def _nodes(pool: Pool, lane: Lane) -> float:
        return lane.gpus / pool.per_node
