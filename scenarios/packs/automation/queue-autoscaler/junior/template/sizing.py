"""The four decisions. They know no API, so each can be tried with made-up jobs and nodes."""

from __future__ import annotations

from headnode_sdk import Job, Node


class IdleClock:
    """Since when each node has been idle, in seconds of the day."""

    def __init__(self) -> None:
        self._since: dict[str, int] = {}

    def note(self, nodes: list[Node], now: int) -> None:
        """Look at the nodes once a minute."""
        idle = {node.name for node in nodes if node.idle}
        self._since = {name: self._since.get(name, now) for name in sorted(idle)}

    def idle_for(self, name: str, now: int) -> int:
        """Seconds for which the node has been idle; 0 if it is not."""
        return now - self._since.get(name, now)


def nodes_missing(waiting: list[Job], nodes: list[Node]) -> int:
    """How many more nodes the waiting jobs would fill.

    Think of: GPUs and not jobs; what is free already; nodes that are still starting; jobs of
    several nodes, which need whole empty ones; small jobs, which share.
    """
    return 0


def dead(nodes: list[Node]) -> list[str]:
    """Names of the nodes that died and are still charged for.

    Think of: which states a node can have.
    """
    return []


def dispensable(nodes: list[Node], waiting: list[Job], idle: IdleClock, now: int) -> list[str]:
    """Names of the idle nodes that can be given back now.

    Think of: how long one should be idle first; what a node costs that goes after ten minutes;
    whether a waiting job is about to take it.
    """
    return []


def to_preempt(waiting: list[Job], jobs: list[Job]) -> list[int]:
    """Numbers of the running jobs that make room for an urgent one when the pool is full.

    Think of: who is urgent; who loses nothing when stopped; who must never be stopped; how
    many GPUs are needed; that a job just stopped takes a minute to be saved.
    """
    return []
