"""Shortest remaining GPU-time first: remaining time times processors, with preemption."""

from __future__ import annotations

from scenarios.simulator.policies.srtf import Srtf


class Srgf(Srtf):
    """As Srtf, each unit of time counted once for every processor of the job."""

    name = "srgf"

    def weight(self, job: int) -> int:
        return self.simulation.procs[job]
