"""Trouble that a controller should answer, and whether it did in time."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.simulator.agenda import MINUTE
from scenarios.worlds.front import Incident
from scenarios.worlds.mig_sharing.core import Core
from scenarios.worlds.mig_sharing.fleet import Gpu, Node
from scenarios.worlds.mig_sharing.gangs import Gang, GangState
from scenarios.worlds.mig_sharing.training import Training

RESET_WITHIN = 15 * MINUTE
LAYOUT_WITHIN = 10 * MINUTE
MOVE_WITHIN = 20 * MINUTE
WORTH_MOVING = 60 * MINUTE
"""A gang with less work left than this may crawl on where it is."""


@dataclass(slots=True)
class _Repair:
    """A GPU that waits for a new layout. Times in ms, `answered` -1 until then."""

    at: int
    kind: str
    gpu: int
    within: int
    answered: int = -1
    excused: bool = False


@dataclass(slots=True)
class _Crawl:
    """A gang that runs over a node without its second network."""

    at: int
    gang: int
    started_at: int
    node: int


class Trials:
    """Every chance to answer trouble that the day has given so far."""

    def __init__(self, core: Core, training: Training) -> None:
        self.core = core
        self.training = training
        self.done: list[Incident] = []
        self._repairs: list[_Repair] = []
        self._crawls: list[_Crawl] = []
        self._held: dict[int, bool] = {}

    # -- GPUs ------------------------------------------------------------------------

    def faulty(self, gpu: Gpu) -> None:
        """An Xid that only a reset ends."""
        self._repairs.append(_Repair(self.core.now, "GPU to reset", gpu.number, RESET_WITHIN))

    def failed_layout(self, gpu: Gpu) -> None:
        """A layout that ended half way."""
        self._repairs.append(_Repair(self.core.now, "failed layout", gpu.number, LAYOUT_WITHIN))

    def answered(self, gpu: Gpu) -> None:
        """The GPU is given a layout."""
        for one in self._repairs:
            if one.gpu == gpu.number and one.answered < 0:
                one.answered = self.core.now

    def excused(self, gpu: Gpu) -> None:
        """The trouble went away by itself."""
        for one in self._repairs:
            if one.gpu == gpu.number and one.answered < 0:
                one.answered, one.excused = self.core.now, True

    # -- maintenance -----------------------------------------------------------------

    def noticed(self, node: Node) -> None:
        """Maintenance is announced."""
        self._held[node.number] = self._movable(node)

    def maintained(self, node: Node) -> None:
        """Maintenance begins now, whatever still stands on the node."""
        left = self._movable(node)
        if left or self._held.pop(node.number, False):
            self._note(self.core.now, "maintenance", node.name, not left)

    def _movable(self, node: Node) -> bool:
        gpus = self.core.fleet.of(node)
        gangs = [self.training.gangs[gpu.gang] for gpu in gpus if gpu.gang >= 0]
        return any(gpu.held for gpu in gpus) or any(_may_move(gang) for gang in gangs)

    # -- the second network ----------------------------------------------------------

    def crippled(self, gang: Gang, node: Node) -> None:
        """The gang lost its second network on the node."""
        left = gang.spec.work - gang.pace.at(self.core.now)
        known = any(one.gang == gang.number for one in self._crawls)
        if left > WORTH_MOVING and _may_move(gang) and not known:
            one = _Crawl(self.core.now, gang.number, gang.started_at, node.number)
            self._crawls.append(one)

    def look(self) -> None:
        """Once a tick: which gangs were moved, which network came back, whose time is up."""
        now, still = self.core.now, []
        for one in self._crawls:
            gang, node = self.training.gangs[one.gang], self.core.fleet.nodes[one.node]
            moved = gang.state != GangState.RUNNING or gang.started_at != one.started_at
            if moved or now - one.at > MOVE_WITHIN:
                self._note(one.at, "slow gang", f"job {one.gang}", moved)
            elif not node.rdma:
                still.append(one)
        self._crawls = still

    def _note(self, at: int, kind: str, subject: str, handled: bool) -> None:
        self.done.append(Incident(at // 1000, kind, subject, handled))

    def incidents(self) -> list[Incident]:
        """Everything whose time to act is up or that was answered, in order of time."""
        now, found = self.core.now, list(self.done)
        for one in self._repairs:
            if one.excused or (one.answered < 0 and now - one.at <= one.within):
                continue
            handled = 0 <= one.answered <= one.at + one.within
            name = self.core.fleet.gpus[one.gpu].name
            found.append(Incident(one.at // 1000, one.kind, name, handled))
        return sorted(found, key=lambda one: (one.at, one.kind, one.subject))


def _may_move(gang: Gang) -> bool:
    running = gang.state == GangState.RUNNING
    return running and bool(gang.spec.every) and not gang.spec.protected
