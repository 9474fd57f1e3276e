"""The policy `slurm`: the main loop at every event, the backfill pass at its own beat."""

from __future__ import annotations

from collections.abc import Mapping

from scenarios.simulator.engine import Policy, Simulation
from scenarios.simulator.machine import Nodes
from scenarios.simulator.slurm.plan import Held
from scenarios.simulator.slurm.queue import Queue, Rank
from scenarios.simulator.slurm.settings import read_settings
from scenarios.simulator.slurm.standing import Standing


class Slurm(Policy):
    """Slurm's two schedulers over one queue, on whole or shared nodes.

    The main loop runs at every event and starts jobs strictly in order until one does not
    fit. The backfill pass plans all waiting jobs anew at each beat of `bf_interval`; a
    beat is left out while nothing it looks at has changed since a pass that started
    nothing, because that pass would start nothing again. A pool of processors is taken
    as nodes of one processor each.
    """

    name = "slurm"

    def __init__(self, cluster: Mapping[str, object]) -> None:
        self.settings = read_settings(cluster)

    def bind(self, simulation: Simulation) -> None:
        super().bind(simulation)
        machine = simulation.machine
        self._own = not isinstance(machine, Nodes)
        self.nodes = machine if isinstance(machine, Nodes) else Nodes(machine.capacity, 1)
        per_node = self.nodes.per_node
        self.second = simulation.ticks_per_second
        self.standing = Standing(
            self.settings, simulation.workload, len(self.nodes.level), per_node, self.second
        )
        self._queue = Queue(self.nodes)
        self._eligible = list(simulation.workload.submit)
        self._requeued: dict[int, int] = {}
        self._beat = self._calculation = -1
        self._planning = False

    # ---- what the engine tells ----

    def submitted(self, job: int) -> None:
        self._enqueue(job)
        self._ask_for_beat()

    def ended(self, job: int) -> None:
        self._forget(job)
        self._ask_for_beat()

    def woken(self) -> None:
        now = self.simulation.now
        if now == self._beat:
            self._planning = True
        if now == self._calculation:
            self._reorder()
        for job in [job for job, time in self._requeued.items() if time <= now]:
            del self._requeued[job]
            self._eligible[job] = now
            self._enqueue(job)
            self._ask_for_beat()

    def schedule(self) -> None:
        self._main_loop()
        if self._planning:
            self._planning, self._beat = False, -1
            self._backfill()

    # ---- the two schedulers ----

    def _main_loop(self) -> None:
        while self._queue.waiting:
            job = self._queue.waiting[0][-1]
            held = self._queue.room(job)
            if held is not None:
                self._start(job, held)
            elif not self._evict_for(job):
                return

    def _backfill(self) -> None:
        now, queue = self.simulation.now, self._queue
        for key in [key for key in queue.waiting if not key[0]]:
            self._evict_for(key[-1])
        overdue = queue.overdue(now)
        starts = queue.plan(now, self.settings.bf_max_job_test)
        for job, held in starts:
            self._start(job, held)
        if starts or overdue:
            self._ask_for_beat(after=now + self.second)

    def _evict_for(self, job: int) -> bool:
        """Evict whom it takes and start `job`; False where it may not or that would not do."""
        if not self.standing.can_evict(job):
            return False
        began, worth = self.simulation.began, self.standing.worth
        evictable = [other for other in self._queue.held if self.standing.may_evict(job, other)]
        evictable.sort(key=lambda other: (worth(other), -began[other], other))
        found = self._queue.room_by_eviction(job, evictable)
        if found is None:
            return False
        for other in found[0]:
            self._requeue(other)
        self._start(job, found[1])
        return True

    # ---- bookkeeping ----

    def _start(self, job: int, held: Held) -> None:
        self._queue.start(job, held, self.simulation.now)
        if self._own:
            self.simulation.start(job)
        else:
            self.simulation.note_start(job)
        self._ask_for_calculation()
        if self.standing.share is not None and self.standing.association[job] >= 0:
            billing = float(self.simulation.procs[job])
            self.standing.share.started(
                job, self.standing.association[job], billing, self.simulation.now
            )

    def _forget(self, job: int) -> None:
        if self._own:
            self.nodes.give(job, self.simulation.procs[job])
        self._queue.forget(job)
        if self.standing.share is not None and self.standing.association[job] >= 0:
            self.standing.share.ended(job, self.simulation.now)

    def _requeue(self, job: int) -> None:
        """Evict `job`: all it did is lost, and it is held for a while before it may start."""
        now = self.simulation.now
        self.simulation.preempt(job, now - self.simulation.began[job])
        self._forget(job)
        self._requeued[job] = now + self.settings.requeue_hold * self.second
        self.simulation.wake(self._requeued[job])
        self._ask_for_beat()

    def _enqueue(self, job: int) -> None:
        rank, simulation = self._rank(job), self.simulation
        self._queue.enqueue(rank, simulation.procs[job], simulation.estimate[job])
        self._ask_for_calculation()

    def _rank(self, job: int) -> Rank:
        now = self.simulation.now
        if self.standing.share is not None:
            self.standing.share.advance(now)
        return self.standing.key(job, self._eligible[job], now)

    def _reorder(self) -> None:
        """Slurm recalculates the priorities of all waiting jobs once in each period."""
        self._calculation = -1
        self._queue.reorder(self._rank)
        if self._queue.waiting:
            self._ask_for_calculation()
            self._ask_for_beat()

    def _ask_for_calculation(self) -> None:
        """New priorities matter while somebody waits and somebody runs: else who fits has started."""
        wanted = self.settings.changes_with_time and self._queue.waiting and self._queue.held
        if wanted and self._calculation < 0:
            self._calculation = self._next(self.settings.calc_period, 0, self.simulation.now + 1)
            self.simulation.wake(self._calculation)

    def _ask_for_beat(self, after: int | None = None) -> None:
        """See to it that a pass runs at the next beat, or the next one not before `after`."""
        if self._beat < 0 or self._beat < self.simulation.now:
            earliest = self.simulation.now if after is None else after
            self._beat = self._next(self.settings.bf_interval, self.settings.bf_phase, earliest)
            self.simulation.wake(self._beat)

    def _next(self, interval: int, phase: int, earliest: int) -> int:
        interval, phase = interval * self.second, phase * self.second
        return phase + -((phase - earliest) // interval) * interval
