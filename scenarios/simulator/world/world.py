"""A simulated cluster with everything that happens around it.

It knows no scheduling rule: policies see a machine that grows and shrinks, and jobs that return.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from scenarios.simulator.engine import Kind, Simulation, State
from scenarios.simulator.machine import Nodes
from scenarios.simulator.policy import Policy
from scenarios.simulator.trace import Workload
from scenarios.simulator.world.autoscaler import Autoscaler
from scenarios.simulator.world.demand import Demand
from scenarios.simulator.world.failures import Failures
from scenarios.simulator.world.maintenance import Maintenance
from scenarios.simulator.world.pools import Is, Pools
from scenarios.simulator.world.progress import Progress
from scenarios.simulator.world.record import Record
from scenarios.simulator.world.setting import Setting
from scenarios.simulator.world.spot import Spot

if TYPE_CHECKING:
    from scenarios.simulator.controllers import Desk

HOUR_S = 3_600


class Queued(Policy):
    """A policy as it is, that also tells the world of each submission."""

    def __init__(self, inner: Policy, world: World) -> None:
        self.inner, self.name, self._world = inner, inner.name, world
        self.ended, self.resized = inner.ended, inner.resized  # type: ignore[method-assign]
        self.woken, self.schedule = inner.woken, inner.schedule  # type: ignore[method-assign]

    def bind(self, simulation: Simulation) -> None:
        super().bind(simulation)
        self.inner.bind(simulation)

    def submitted(self, job: int) -> None:
        self.inner.submitted(job)
        if self.simulation.first_start[job] < 0:
            self._world.submitted(job)

    def waiting(self) -> Iterable[int]:
        return self.inner.waiting()


class World:
    """One run of a workload in a world. Times are integers in the trace's unit.

    `seed` is any text: every cause of chance has a stream of its own under it. The world
    is `over` when the last job has ended (or long after the last submission); nothing is
    charged, fails or is counted after that.
    """

    def __init__(
        self,
        workload: Workload,
        policy: Policy,
        setting: Setting,
        seed: str,
        ticks_per_second: int = 1,
        scan_always: bool = False,
    ) -> None:
        self.setting, self.seed, self.tick = setting, seed, ticks_per_second
        slots = sum(pool.slots for pool in setting.pools)
        self.machine = Nodes(slots, setting.gpus_per_node)
        self.simulation = Simulation(
            workload, self.machine, Queued(policy, self), "batch", self, ticks_per_second
        )
        self.over, self.ended_at = False, 0
        self.demand = Demand(self.simulation, self.machine)
        self.desk: Desk | None = None
        self.record = Record(self.machine, len(setting.pools))
        self.progress = Progress(self.simulation, setting.checkpoint)
        self.pools = Pools(self)
        self._failures, self._spot = Failures(self), Spot(self)
        self.autoscaler: Autoscaler | None = None
        if setting.autoscaler is not None:
            self.autoscaler = Autoscaler(self, setting.autoscaler, scan_always)
        self._open_jobs = sum(self.machine.could_hold(size) for size in workload.procs)
        self._begin(max(workload.submit, default=0))

    def _begin(self, last_submission: int) -> None:
        self.pools.open()
        Maintenance(self)
        self.record.settle(0)
        self._sample_every = self.ticks(self.setting.sample_s)
        if self._sample_every:
            self.simulation.at(0, Kind.TIMER, self._sample)
        end = last_submission + self.ticks(self.setting.after_last_s)
        self.simulation.at(end, Kind.TIMER, self._close)
        if not self._open_jobs:
            self._close()

    # ---- time ----

    @property
    def now(self) -> int:
        """The present instant."""
        return self.simulation.now

    def ticks(self, seconds: float) -> int:
        """Seconds in the trace's unit, to the nearest whole number."""
        return round(seconds * self.tick)

    def run(self) -> None:
        """Go on until the world is over; it stays resumable before that by `run_until`."""
        simulation = self.simulation
        while not self.over and (time := simulation.next_time()) is not None:
            simulation.run_until(time + self.ticks(86_400))

    def run_until(self, time: int) -> None:
        """Handle everything up to and including `time`."""
        self.simulation.run_until(time)

    def _close(self) -> None:
        if not self.over:
            self.over, self.ended_at = True, self.now
            self.record.settle(self.now)
            self.pools.close()
            for job in list(self.simulation.running()):
                self.record.busy += (self.now - self.simulation.began[job]) * (
                    self.simulation.procs[job]
                )

    # ---- what the engine and the policy tell ----

    def submitted(self, job: int) -> None:
        """A job waits for its first start."""
        self.demand.wait(job, 1)
        if self.autoscaler is not None:
            self.autoscaler.look()
        if self.desk is not None:
            self.desk.tell("submitted")

    def started(self, job: int, now: int) -> None:
        """A job is on the machine."""
        self.demand.started(job)
        self.progress.started(job)
        if self.simulation.first_start[job] != now:
            self.record.event(now, "restarted", f"job {self.simulation.workload.job_id[job]}")
        self.record.settle(now)
        if self.autoscaler is not None:
            self.autoscaler.look()

    def left(self, job: int, now: int, finished: bool) -> None:
        """A job is off the machine."""
        if self.over:
            return
        simulation, record = self.simulation, self.record
        record.busy += (now - simulation.began[job]) * simulation.procs[job]
        record.settle(now)
        self.demand.left(job)
        if finished:
            self._open_jobs -= 1
            if not self._open_jobs:
                self._close()
                return
        else:
            self.progress.left(job)
            self.demand.wait(job, 1)
        if self.pools.draining:
            for slot in list(self.pools.draining):
                self.look_at_drained(slot)
        if self.autoscaler is not None:
            self.autoscaler.look()
        if self.desk is not None:
            self.desk.tell("ended" if finished else "stopped")

    # ---- what faults and pools do ----

    def stop(self, job: int, notice: int | None = None) -> None:
        """Something takes a running job off; it returns to the queue."""
        lost = self.progress.interrupt(job, notice)
        job_id = self.simulation.workload.job_id[job]
        self.record.event(self.now, "interrupted", f"job {job_id}, {lost} lost")

    def stop_jobs_on(self, slot: int, notice: int | None = None) -> None:
        """Take every job off a node that is about to be off."""
        if self.machine.level[slot] < self.machine.per_node:
            for job in self.machine.jobs_on(slot):
                self.stop(job, notice)

    def look_at_drained(self, slot: int) -> None:
        """Do what follows when a node that takes no more work is empty."""
        if self.machine.level[slot] < self.machine.per_node:
            return
        why = self.pools.draining.get(slot)
        if why == "repair":
            self._failures.drained(slot)
        elif why == "leave":
            self.pools.remove(slot, "given_back")

    def node_came(self, slot: int) -> None:
        """A node is there for the first time."""
        self._spot.came(slot)

    def machine_changed(self) -> None:
        """Nodes came, went or were drained: meters, policy, autoscaler and controller are told."""
        self.record.settle(self.now)
        self.simulation.resized()
        self.nodes_changed(True)

    def nodes_changed(self, told: bool) -> None:
        """Something about the nodes changed that the scheduler does not see."""
        if self.autoscaler is not None and told:
            self.autoscaler.look_again()
        self.tell("nodes")

    def tell(self, reason: str) -> None:
        """Let a controller decide at this instant if it asked for this reason."""
        if self.desk is not None:
            self.desk.tell(reason)

    def log(self, kind: str, slot: int) -> None:
        """One line of the event log about a node."""
        self.record.event(self.now, kind, self.pools.name[slot])

    # ---- what is measured ----

    def spent(self) -> float:
        """USD for nodes up to now, energy not included."""
        pools, total = self.pools, 0.0
        for pool, setting in enumerate(pools.settings):
            open_since = [pools.asked[slot] for slot in pools.slots[pool] if pools.asked[slot] >= 0]
            time = self.record.node_time[pool] + len(open_since) * self.now - sum(open_since)
            total += setting.price * time / (HOUR_S * self.tick)
        return total

    def busy_gpus(self) -> int:
        """GPUs of running jobs, also on nodes that take no new work."""
        machine = self.machine
        return len(machine.level) * machine.per_node - sum(machine.level)

    def _sample(self) -> None:
        if self.over:
            return
        state = self.pools.state
        starting = state.count(Is.STARTING)
        nodes = len(state) - state.count(Is.ABSENT) - starting
        capacity, spent = self.machine.capacity, round(self.spent(), 2)
        self.record.sample(
            (
                self.now,
                self.demand.jobs,
                self.demand.gpus,
                self.busy_gpus(),
                capacity,
                starting,
                nodes,
                spent,
            )
        )
        self.simulation.at(self.now + self._sample_every, Kind.TIMER, self._sample)

    def unfinished(self) -> list[int]:
        """Jobs that wait or run, in the trace's order."""
        return [
            job
            for job, state in enumerate(self.simulation.state)
            if state in (State.WAITING, State.RUNNING)
        ]
