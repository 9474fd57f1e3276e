"""Slurm's backfill over a queue and the nodes it waits for; whoever moves time asks it."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence

from scenarios.simulator.machine import Nodes, Share
from scenarios.simulator.slurm.nodes import choose, demand_of, holds, members
from scenarios.simulator.slurm.plan import Held
from scenarios.simulator.slurm.planner import Kept, Running, Waiting, plan_starts, planned
from scenarios.simulator.slurm.preemption import Victim, find_victims

Rank = tuple[int, ...]
"""A waiting job's place: the smallest is looked at first, the last member is the job."""


class Queue:
    """Waiting jobs, best first, and what the running ones hold; decides, and moves no time.

    The engine's policy `slurm` and the worlds with a clock of their own keep their queue here, so
    that both do what was held to the records of a real slurmctld. `pools[p]` is the bit mask of
    the nodes of pool p. Times and limits are integers of any unit.
    """

    def __init__(self, nodes: Nodes, pools: int = 0) -> None:
        self.nodes = nodes
        self.pools = [0] * pools
        self.waiting: list[Rank] = []
        self.held: dict[int, Held] = {}
        self._wants: dict[int, tuple[Rank, Waiting, Sequence[int]]] = {}
        self._ends: dict[int, int] = {}
        self._settled = False
        self._placed: dict[int, Waiting] = {}
        self._known: list[int] = []

    # ---- what happens ----

    def add_node(self, pool: int) -> int:
        """A node that is not in service yet joins a pool; its number."""
        (node,) = self.nodes.add_nodes(1)
        self.nodes.take_out(node)
        self.pools[pool] |= 1 << node
        return node

    def in_service(self, node: int, wanted: bool) -> None:
        """Whether new work may start on `node`; its running jobs stay as they are."""
        (self.nodes.put_back if wanted else self.nodes.take_out)(node)
        self._settled = False

    def enqueue(self, rank: Rank, gpus: int, limit: int, pools: Sequence[int] = ()) -> None:
        """`rank[-1]` waits for `gpus` during `limit`, in the first of `pools` with the soonest room.

        Without pools it may go anywhere. A gang never spans two of them.
        """
        job = rank[-1]
        wants = Waiting(job, demand_of(gpus, self.nodes.per_node), limit)
        self._wants[job] = (rank, wants, pools)
        insort(self.waiting, rank)
        self._settled = False

    def dequeue(self, job: int) -> Waiting:
        """`job` waits no longer; what it asked for."""
        rank, wants, _ = self._wants.pop(job)
        self._placed.pop(job, None)
        del self.waiting[bisect_left(self.waiting, rank)]
        self._settled = False
        return wants

    def reorder(self, rank_of: Callable[[int], Rank]) -> None:
        """Give every waiting job the place that it deserves by now."""
        self._wants = {
            job: (rank_of(job), wants, pools) for job, (_, wants, pools) in self._wants.items()
        }
        self.waiting = sorted(rank for rank, _, _ in self._wants.values())
        self._settled = False

    def start(self, job: int, held: Held, now: int) -> tuple[Share, ...]:
        """A waiting job holds its nodes from `now` on; its share of each, lowest node first."""
        self._ends[job] = now + self.dequeue(job).limit
        self.held[job] = held
        whole, shared, gpus = held
        shares = [(node, self.nodes.per_node) for node in members(whole)]
        shares += [(node, gpus) for node in members(shared)]
        self.nodes.take_at(job, tuple(shares))
        return tuple(shares)

    def replan(self, job: int, end: int) -> None:
        """A running job has another limit now."""
        self._ends[job] = end
        self._settled = False

    def forget(self, job: int) -> None:
        """`job` runs no longer; its nodes have been given back."""
        del self.held[job], self._ends[job]
        self._settled = False

    def end(self, job: int) -> None:
        """`job` gives its nodes back."""
        self.nodes.give(job, 0)
        self.forget(job)

    # ---- what is decided ----

    def room(self, job: int, closed: int = 0) -> Held | None:
        """What a waiting job would get now outside the nodes of the mask `closed`; None without room."""
        _, (_, demand, _, _), _ = self._wants[job]
        at_least = self._open(closed)
        if not holds(at_least, demand):
            return None
        part = at_least[demand[1]] if demand[1] else 0
        whole, shared = choose(at_least[-1], part, demand, at_least)
        return whole, shared, demand[1]

    def room_by_eviction(
        self, job: int, order: Iterable[int], closed: int = 0
    ) -> tuple[list[int], Held] | None:
        """(running jobs to evict, what a waiting one then gets); `order`: who goes first."""
        victims = [Victim(other, self.held[other]) for other in order]
        return find_victims(self._wants[job][1].demand, self._open(closed), victims)

    def backfill(
        self,
        now: int,
        among: Iterable[int],
        barred: Callable[[int], object],
        kept: Iterable[Kept] = (),
        closed: int = 0,
    ) -> Iterator[tuple[int, Held]]:
        """As `plan` does, for some of the queue, one by one, around reservations (see `planned`)."""
        at_least = self._open(closed)
        queue = self._waiting(among)
        return planned(now, at_least, self._running(at_least[0]), queue, kept, barred)

    def plan(self, now: int, most: int | None = None) -> list[tuple[int, Held]]:
        """Who of the first `most` in the queue should start now and where, best first."""
        queue = self._waiting(rank[-1] for rank in self.waiting[:most])
        at_least = self.at_least()
        return plan_starts(now, at_least, self._running(at_least[0]), queue)

    def begin(self, now: int) -> list[tuple[int, tuple[int, ...]]]:
        """Plan and start: every job that begins `now` with its nodes.

        Nothing is planned while nothing has changed since a plan that started nobody: planned ends
        are instants, so waiting alone brings nobody nearer. A job past its limit may end at any
        instant, which does.
        """
        if self._settled and not self.overdue(now):
            return []
        starts = self.plan(now)
        begun = [
            (job, tuple(node for node, _ in self.start(job, held, now))) for job, held in starts
        ]
        self._settled = not begun
        return begun

    def overdue(self, now: int) -> bool:
        """Whether a running job is at its limit or past it."""
        return any(end <= now for end in self._ends.values())

    def at_least(self) -> list[int]:
        """Masks of the nodes in service with at least so many GPUs free, from 0 up."""
        masks, so_far = [], 0
        for mask in reversed(self.nodes.at_level):
            so_far |= mask
            masks.append(so_far)
        return masks[::-1]

    def _open(self, closed: int) -> list[int]:
        return [mask & ~closed for mask in self.at_least()]

    def _waiting(self, jobs: Iterable[int]) -> list[Waiting]:
        """These jobs with the nodes of their pools, which are told anew only when a pool has grown."""
        if self._known != self.pools:
            self._known, self._placed = self.pools.copy(), {}
        return [self._placed.get(job) or self._place(job) for job in jobs]

    def _place(self, job: int) -> Waiting:
        _, wants, pools = self._wants[job]
        if pools:
            wants = wants._replace(within=tuple(self.pools[p] for p in pools))
        self._placed[job] = wants
        return wants

    def _running(self, here: int) -> list[Running]:
        """What running jobs will give back; nodes that are not `here`, in service, come back to nobody."""
        ends = self._ends
        return [
            Running(ends[job], (whole & here, shared & here, gpus))
            for job, (whole, shared, gpus) in self.held.items()
        ]
