"""What the preemptive policies share: waiting and running jobs compete for the machine together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scenarios.simulator.engine import RUNNING, Policy
from scenarios.simulator.machine import Machine, Nodes, Share, choose


class Preemptive(Policy):
    """At every event ranks all jobs in the system and gives the machine out in that order.

    A job that does not fit is skipped. A running job that gets no room is preempted and
    keeps its progress; on nodes it goes on where it is or not at all.
    """

    def __init__(self, cluster: Mapping[str, object]) -> None:
        self._jobs: list[int] = []
        self.on_machine: dict[int, None] = {}

    def submitted(self, job: int) -> None:
        self._jobs.append(job)

    def ended(self, job: int) -> None:
        self._jobs.remove(job)
        del self.on_machine[job]

    def progress(self, job: int) -> int:
        """How long a running job has been at it since its latest start."""
        return self.simulation.now - self.simulation.began[job]

    def give_out(self, ranked: Iterable[int]) -> None:
        """Preempt and start so that exactly those run who find room in this order."""
        simulation = self.simulation
        draft, state = _empty(simulation.machine), simulation.state
        chosen, kept = [], set[int]()
        for job in ranked:
            if not draft.free:
                break
            if state[job] == RUNNING:
                if draft.keep(job, simulation.procs[job]):
                    kept.add(job)
            elif draft.place(job, simulation.procs[job]):
                chosen.append(job)
        for job in [job for job in self.on_machine if job not in kept]:
            simulation.preempt(job)
            del self.on_machine[job]
        for job in chosen:
            draft.start(self, job)
            self.on_machine[job] = None


class _PoolDraft:
    """Who would have room, counted."""

    def __init__(self, capacity: int) -> None:
        self.free = capacity

    def keep(self, job: int, procs: int) -> bool:
        return self.place(job, procs)

    def place(self, job: int, procs: int) -> bool:
        if procs > self.free:
            return False
        self.free -= procs
        return True

    def start(self, policy: Policy, job: int) -> None:
        policy.simulation.start(job)


class _NodesDraft:
    """Who would have room on which nodes, from an empty machine.

    `_spare` is the part of that room where nobody runs now: a newcomer goes there if it can,
    so that no running job has to leave for want of a better place.
    """

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._draft, self._spare = nodes.emptied(), nodes.draft()

    @property
    def free(self) -> int:
        return self._draft.free

    def keep(self, job: int, procs: int) -> bool:
        shares, draft = self._nodes.where[job], self._draft
        if any(draft.level[node] < gpus or node in draft.out for node, gpus in shares):
            self._spare.release(shares)
            self._clip(shares)
            return False
        draft.take_at(job, shares)
        self._clip(shares)
        return True

    def place(self, job: int, procs: int) -> bool:
        for room in (self._spare, self._draft):
            if room.fits(procs):
                shares = choose(room.at_level, procs)
                self._draft.take_at(job, shares)
                self._use_up(shares)
                return True
        return False

    def start(self, policy: Policy, job: int) -> None:
        self._nodes.take_at(job, self._draft.where[job])
        policy.simulation.note_start(job)

    def _use_up(self, shares: tuple[Share, ...]) -> None:
        for node, gpus in shares:
            self._spare.release(((node, -min(gpus, self._spare.level[node])),))

    def _clip(self, shares: tuple[Share, ...]) -> None:
        """What is no longer in the draft is not spare."""
        for node, _ in shares:
            excess = self._spare.level[node] - self._draft.level[node]
            if excess > 0:
                self._spare.release(((node, -excess),))


def _empty(machine: Machine) -> _PoolDraft | _NodesDraft:
    return _NodesDraft(machine) if isinstance(machine, Nodes) else _PoolDraft(machine.capacity)
