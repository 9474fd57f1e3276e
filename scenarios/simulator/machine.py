"""Where jobs run: a pool that is counted, or nodes with GPUs, each gang all or nothing."""

from __future__ import annotations

from typing import Protocol


class Machine(Protocol):
    """What the engine needs of a place: jobs and processors as integers, times nowhere."""

    capacity: int
    free: int

    def could_hold(self, procs: int) -> bool:
        """Whether the machine, empty and whole, has room for a job of `procs`."""
        ...

    def fits(self, procs: int) -> bool:
        """Whether a job of `procs` can start now."""
        ...

    def largest(self) -> int:
        """The largest job that can start now; every smaller one can too."""
        ...

    def take(self, job: int, procs: int) -> None:
        """Give `job` its room; only after `fits`."""
        ...

    def give(self, job: int, procs: int) -> None:
        """Take back the room of `job`."""
        ...


class Pool:
    """`capacity` processors without identity: a job fits when enough are free."""

    __slots__ = ("capacity", "free")

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.free = capacity

    def could_hold(self, procs: int) -> bool:
        return procs <= self.capacity

    def fits(self, procs: int) -> bool:
        return procs <= self.free

    def largest(self) -> int:
        return self.free

    def take(self, job: int, procs: int) -> None:
        self.free -= procs

    def give(self, job: int, procs: int) -> None:
        self.free += procs


Share = tuple[int, int]
"""(node, GPUs taken there)."""


class Nodes:
    """`count` nodes of `per_node` GPUs; a gang gets particular nodes or nothing.

    The rule: a job of at most one node's GPUs runs on one node, the fullest on which it
    fits. A larger one takes as many empty nodes as it fills, and its remainder goes on one
    more node by the same rule. Lowest node number first among equals. `level[n]` is the free
    GPUs of node n; `at_level[k]` is a bit mask of the nodes in service with k free.
    """

    __slots__ = ("at_level", "capacity", "free", "level", "out", "per_node", "where")

    def __init__(self, count: int, per_node: int) -> None:
        self.per_node = per_node
        self.capacity = self.free = count * per_node
        self.level = [per_node] * count
        self.at_level = [0] * per_node + [(1 << count) - 1]
        self.where: dict[int, tuple[Share, ...]] = {}
        self.out: set[int] = set()

    def could_hold(self, procs: int) -> bool:
        return -(-procs // self.per_node) <= len(self.level)

    def fits(self, procs: int) -> bool:
        return procs <= largest_in(self.at_level)

    def largest(self) -> int:
        return largest_in(self.at_level)

    def take(self, job: int, procs: int) -> None:
        self.take_at(job, choose(self.at_level, procs))

    def take_at(self, job: int, shares: tuple[Share, ...]) -> None:
        """Place `job` on particular nodes, chosen by the caller."""
        for node, gpus in shares:
            self._move(node, -gpus)
        self.where[job] = shares

    def give(self, job: int, procs: int) -> None:
        self.release(self.where.pop(job))

    def release(self, shares: tuple[Share, ...]) -> None:
        """These GPUs are free again, whoever had them."""
        for node, gpus in shares:
            self._move(node, gpus)

    def _move(self, node: int, gpus: int) -> None:
        level, at_level, bit = self.level, self.at_level, 1 << node
        old = level[node]
        level[node] = new = old + gpus
        if node in self.out:
            return
        at_level[old] ^= bit
        at_level[new] |= bit
        self.free += gpus

    def draft(self) -> Nodes:
        """A copy to try things on; it does not know which job is where."""
        copy = Nodes.__new__(Nodes)
        copy.per_node, copy.capacity, copy.free = self.per_node, self.capacity, self.free
        copy.level, copy.at_level = self.level.copy(), self.at_level.copy()
        copy.where, copy.out = {}, self.out
        return copy

    def emptied(self) -> Nodes:
        """The same nodes, those out of service still out, with no job on them."""
        empty = Nodes(len(self.level), self.per_node)
        for node in self.out:
            empty.take_out(node)
        return empty

    def jobs_on(self, node: int) -> list[int]:
        """The jobs with a share of `node`, lowest job first."""
        return sorted(
            job for job, shares in self.where.items() if any(n == node for n, _ in shares)
        )

    def take_out(self, node: int) -> None:
        """`node` leaves service: nothing new starts there. Stop its jobs first or let them end."""
        if node not in self.out:
            self.out.add(node)
            self.at_level[self.level[node]] ^= 1 << node
            self.free -= self.level[node]
            self.capacity -= self.per_node

    def put_back(self, node: int) -> None:
        """`node` is in service again with whatever it still has free."""
        if node in self.out:
            self.out.remove(node)
            self.at_level[self.level[node]] |= 1 << node
            self.free += self.level[node]
            self.capacity += self.per_node

    def add_nodes(self, count: int) -> range:
        """New nodes join, empty and in service; their numbers."""
        first = len(self.level)
        self.level += [self.per_node] * count
        self.at_level[self.per_node] |= ((1 << count) - 1) << first
        self.capacity += count * self.per_node
        self.free += count * self.per_node
        return range(first, first + count)


def largest_in(at_level: list[int]) -> int:
    """The largest job that finds room under the rule of Nodes, given the masks per free count."""
    per_node = len(at_level) - 1
    rest = per_node - 1
    while rest and not at_level[rest]:
        rest -= 1
    return at_level[per_node].bit_count() * per_node + rest


def choose(at_level: list[int], procs: int) -> tuple[Share, ...]:
    """The nodes the rule of Nodes names for a job that fits, with the GPUs on each."""
    per_node = len(at_level) - 1
    whole, rest = divmod(procs, per_node)
    shares: list[Share] = []
    empty = at_level[per_node]
    for _ in range(whole):
        low = empty & -empty
        shares.append((low.bit_length() - 1, per_node))
        empty ^= low
    if rest:
        mask = next((mask for mask in at_level[rest:per_node] if mask), empty)
        shares.append(((mask & -mask).bit_length() - 1, rest))
    return tuple(shares)
