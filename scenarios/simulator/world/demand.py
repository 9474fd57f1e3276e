"""What waits, and which nodes are held by work that counts; it decides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scenarios.simulator.engine import Simulation
    from scenarios.simulator.machine import Nodes, Share

EXPENDABLE_BELOW = -10
"""Work of lower priority neither brings nodes nor keeps them (cluster autoscaler's default)."""


class Demand:
    """`jobs` and `gpus` wait in all; `sizes`, `firm_jobs`, `firm_gpus` leave out expendable ones.

    `sizes[processors]` counts waiting jobs. `held` is a bit mask of the nodes with a job that
    is not expendable, kept only where some job of the workload is.
    """

    def __init__(self, simulation: Simulation, machine: Nodes) -> None:
        self._procs, self._where = simulation.procs, machine.where
        expendable = [number < EXPENDABLE_BELOW for number in simulation.workload.priority]
        self._expendable: Sequence[bool] = expendable if any(expendable) else ()
        self.jobs = self.gpus = self.firm_jobs = self.firm_gpus = 0
        self.sizes: dict[int, int] = {}
        self.held = 0
        self._shares: dict[int, tuple[Share, ...]] = {}
        self._firm_on = [0] * len(machine.level)

    @property
    def mixed(self) -> bool:
        """Whether any job is expendable."""
        return bool(self._expendable)

    def wait(self, job: int, by: int) -> None:
        """`job` waits from now on (1) or no longer (-1)."""
        size = self._procs[job]
        self.jobs += by
        self.gpus += by * size
        if not self._expendable or not self._expendable[job]:
            self.sizes[size] = self.sizes.get(size, 0) + by
            self.firm_jobs += by
            self.firm_gpus += by * size

    def started(self, job: int) -> None:
        """`job` is on the machine."""
        self.wait(job, -1)
        if self._expendable and not self._expendable[job]:
            self._shares[job] = shares = self._where[job]
            for node, _ in shares:
                self._firm_on[node] += 1
                self.held |= 1 << node

    def left(self, job: int) -> None:
        """`job` is off the machine."""
        for node, _ in self._shares.pop(job, ()):
            self._firm_on[node] -= 1
            if not self._firm_on[node]:
                self.held ^= 1 << node
