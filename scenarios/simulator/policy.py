"""What a scheduling policy is asked, and when.

It knows nothing of traces or command lines; the engine is the only caller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scenarios.simulator.engine import Simulation


class Policy:
    """Base of every policy: keeps the queue, decides who starts, never moves time itself.

    The engine calls `bind` once, then for each event `submitted`, `ended`, `resized` or
    `woken` to tell what changed, and `schedule` to act: once after all events of one
    instant (event order batch) or after every event (one-by-one). A policy acts by
    `simulation.start(job)` and `simulation.preempt(job)` inside `schedule` only, and asks
    for a wake-up with `simulation.wake(time)`.
    """

    name = ""
    simulation: Simulation

    def bind(self, simulation: Simulation) -> None:
        """Remember the simulation and prepare arrays; the workload is complete by now."""
        self.simulation = simulation

    def submitted(self, job: int) -> None:
        """`job` waits from now on: newly submitted, or back in the queue after a stop."""

    def ended(self, job: int) -> None:
        """`job` has left the machine: finished, or stopped by something other than a policy."""

    def resized(self) -> None:
        """The machine grew, shrank or lost nodes."""

    def woken(self) -> None:
        """A time asked for by `simulation.wake` has come."""

    def schedule(self) -> None:
        """Start and preempt what should start and be preempted now."""

    def play(self) -> bool:
        """Play a whole run by itself, as fast as it can; False, and nothing done, if it cannot.

        Asked before the first event of a run in which nothing but submissions, starts and ends
        will happen. It fills in `first_start` and calls `simulation.conclude`.
        """
        return False
