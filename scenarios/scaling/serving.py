"""Serving: it takes GPUs at once where there are any, and is late where there are none."""

from __future__ import annotations

import math

from scenarios.scaling.arrivals import FIRST_H
from scenarios.scaling.pools import Pool
from scenarios.scaling.scene import Work
from scenarios.scaling.state import State

STOPPED = ("batch", "fine_tuning")
"""Classes that are stopped for serving, in this order."""
AT_ONCE = 0.5
"""Part of an hour for which GPUs serve that others are stopped for in it: they are left, and load a model."""


class Serving:
    """late: GPU-hours that the last hour left over; what is older than an hour is lost."""

    def __init__(self, run: State) -> None:
        self.run = run
        self.late = [0.0] * len(run.asked.serving)
        self.short = 0.0
        """GPUs that the hour lacked."""

    def hour(self, now: int) -> None:
        """Give serving its GPUs for an hour."""
        run, order = self.run, self._order()
        self.short = 0.0
        for pool in run.pools.values():
            pool.serving = pool.keep = 0.0
            pool.held = 0
            pool.measure()
        for number, (work, asked) in enumerate(run.asked.serving):
            need = asked[now - FIRST_H]
            counted = run.tally.of(work.job_class)
            counted.asked += need
            want = need + self.late[number]
            most = self._most(work)
            own = self._served(order, min(want, most))
            if own < want - 1e-9 and run.held.preempt:
                self._stop(order, want - own, now)
                own += AT_ONCE * self._served(order, want - own)
            missed = want - own
            cloud = self._rented(work.job_class, missed)
            left = max(0.0, want - own - cloud)
            self.short += left
            self.late[number] = min(left, need)
            counted.own += own
            counted.cloud += cloud
            if left > 1e-6:
                counted.blocked["partition" if want > most else "full"] += 1
            if need > 0:
                counted.waits.append((round(min(1.0, left / need), 4), need))
        self._keep(order)

    def _most(self, work: Work) -> float:
        """GPUs that the class may serve on: a fixed part of the first fleet, what is kept for it, or all."""
        if work.quota >= 1 or self.run.held.preempt:
            return math.inf
        return max(work.quota * self.run.scene.gpus, self.run.held.reserve)

    def _order(self) -> list[Pool]:
        """Slow GPUs first: fast ones are for training."""
        return sorted(
            (one for one in self.run.own if one.nodes), key=lambda one: (one.speed, one.name)
        )

    def _served(self, order: list[Pool], want: float) -> float:
        found = 0.0
        for pool in order:
            take = min(max(0.0, pool.room_gpus), (want - found) / pool.speed)
            if take > 0:
                pool.serving += take
                pool.measure()
                found += take * pool.speed
            if found >= want - 1e-9:
                break
        return found

    def _stop(self, order: list[Pool], short: float, now: int) -> None:
        """Stop running jobs of low priority until so many GPUs are free."""
        for name in STOPPED:
            for pool in order:
                for (job_class, _), lane in sorted(pool.lanes.items()):
                    while short > 0 and job_class == name and lane.heap:
                        entry = lane.heap.pop()  # a leaf of the heap: among the last to end
                        lost = lane.bucket.jobs.work.save_h / 2
                        self.run.requeue(pool, lane, entry, now, lost)
                        pool.measure()
                        short -= lane.bucket.gpus * pool.speed

    def _rented(self, job_class: str, want: float) -> float:
        found = 0.0
        for pool in self.run.cloud:
            if want - found <= 1e-9:
                break
            gone = pool.kind == "on_demand" and self.run.sold_out
            if pool.nodes and not gone and job_class in pool.classes:
                take = min(max(0.0, pool.room_gpus), want - found)
                pool.serving += take
                pool.measure()
                found += take
        return found

    def _keep(self, order: list[Pool]) -> None:
        gap = self.run.held.reserve - sum(one.serving for one in order)
        for pool in order:
            if gap <= 0:
                return
            pool.keep = min(gap, max(0.0, pool.room_gpus))
            pool.measure()
            gap -= pool.keep
