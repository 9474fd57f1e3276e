"""The primary and the remote clouds themselves: what happens by itself, moment by moment."""

from __future__ import annotations

from hashlib import sha256

from scenarios.simulator.agenda import HOUR, MINUTE, SECOND, Agenda, EventKind
from scenarios.simulator.machine import Nodes
from scenarios.simulator.slurm.queue import Queue
from scenarios.simulator.streams import Stream
from scenarios.simulator.world import progress
from scenarios.simulator.world.failures import Clock
from scenarios.worlds.cloud_bursting.market import Market
from scenarios.worlds.cloud_bursting.shape import LEAST_CHARGE, RESTART, BurstConfig
from scenarios.worlds.cloud_bursting.sketch import Sketch
from scenarios.worlds.cloud_bursting.tables import (
    COMPLETED,
    FAILED,
    NODE_FAIL,
    PREEMPTED,
    JobTable,
    Run,
    RunState,
)
from scenarios.worlds.cloud_bursting.workload import JobSpec

WAVE_SHARE = 0.6
WRONG_DRIVER_AFTER = 2 * MINUTE


class BurstWorld:
    """One period. Same configuration, jobs, seed and actions: same history.

    What happens to the n-th instance of a cloud is drawn from the seed and n alone, and prices
    and room do not depend on anybody's actions.
    """

    def __init__(self, config: BurstConfig, specs: list[JobSpec], seed: str) -> None:
        self.config, self.seed = config, seed
        self.now = 0
        self.jobs, self.agenda = JobTable(specs), Agenda()
        self.market = Market(config, seed)
        self.queue = Queue(Nodes(config.nodes, config.gpus_per_node))
        self.running: dict[int, Run] = {}
        self.sketch = Sketch(config)
        self.runs: list[Run] = []
        self.remote: dict[int, Run] = {}
        self.charged: dict[int, Run] = {}
        self.asked = [0] * len(config.remotes)
        self.events: list[tuple[int, str, str]] = []
        self.compute_usd = self.transfer_usd = 0.0
        self._handlers = {
            EventKind.JOB_SUBMIT: self._submit,
            EventKind.JOB_END: self._job_end,
            EventKind.NODE_DOWN: self._node_down,
            EventKind.NODE_READY: self._node_ready,
            EventKind.JOB_ELIGIBLE: self._instance_up,
            EventKind.START_FAILED: self._start_failed,
            EventKind.RECLAIM: self._reclaim,
            EventKind.RECLAIM_WAVE: self._wave,
        }
        self._begin()

    def _begin(self) -> None:
        for job, spec in enumerate(self.jobs.spec):
            self.agenda.add(spec.submit, EventKind.JOB_SUBMIT, job)
        for number, (_, instant) in enumerate(self.config.trouble.waves):
            self.agenda.add(instant, EventKind.RECLAIM_WAVE, number)
        for node in range(self.config.nodes):
            self._plan_failure(node, 0)

    def _plan_failure(self, node: int, life: int) -> None:
        fate = Stream(self.seed, f"node {node} {life}")
        due = int(Clock(fate, self.config.trouble.node_mean).after(self.now))
        self.agenda.add(due, EventKind.NODE_DOWN, node, life)

    # -- time ------------------------------------------------------------------------

    def advance(self, until: int) -> None:
        """Let everything due by `until` ms happen; what is charged is billed up to there."""
        begin = self.now
        while (event := self.agenda.take(until)) is not None:
            self.now = event[0]
            self._handlers[EventKind(event[1])](event[3], event[4])
            if self.agenda.next_time() != self.now:
                self.start_pending()
        self.now = until
        for run in self.charged.values():
            self._bill(run, until, begin)

    def _bill(self, run: Run, until: int, priced: int) -> None:
        hours = run.charged_gpus * (until - run.billed_to) / HOUR
        usd = hours * self.market.price(run.cloud, priced)
        run.cost += usd
        self.compute_usd += usd
        run.billed_to = until

    def _move(self, run: Run, gb: int, price: float) -> None:
        run.cost += gb * price
        self.transfer_usd += gb * price

    def used(self, cloud: int) -> int:
        """GPUs that the account holds in a remote cloud now, those on their way included."""
        return sum(run.charged_gpus for run in self.remote.values() if run.cloud == cloud)

    # -- jobs ------------------------------------------------------------------------

    def _submit(self, job: int, version: int) -> None:
        self.jobs.seen = job + 1
        self.jobs.waiting_since[job] = self.now
        self.jobs.true_state[job], self.jobs.true_since[job] = "queued", self.now
        self.jobs.published_since[job] = self.now
        self.events.append((self.now, "submitted", str(job)))

    def touch(self, job: int) -> None:
        """Note the job's state after something changed."""
        jobs = self.jobs
        state = jobs.truth(job)
        if state != jobs.true_state[job]:
            jobs.true_state[job], jobs.true_since[job] = state, self.now
        served = any(run.serves for run in jobs.runs[job])
        since = jobs.waiting_since[job]
        if served and since >= 0:
            jobs.waited[job] += self.now - since
            jobs.waiting_since[job] = -1
        elif not served and since < 0:
            jobs.waiting_since[job] = self.now

    def _name(self, cloud: int, number: int) -> str:
        if cloud < 0:
            return str(48_200 + number)
        digest = sha256(f"{self.seed}\nname\n{cloud}\n{number}".encode()).hexdigest()
        return f"{self.config.remotes[cloud].name[:2]}-{digest[:12]}"

    def new_run(self, job: int, cloud: int, key: str, charged_gpus: int) -> Run:
        """Begin a run: it waits at the primary, or its instance is on its way in a remote cloud."""
        spec, number = self.jobs.spec[job], len(self.runs)
        run = Run(
            number, self._name(cloud, number), job, cloud, key, self.now, spec.gpus, charged_gpus
        )
        run.changed = self.now
        self.runs.append(run)
        self.jobs.runs[job].append(run)
        if cloud < 0:
            self.queue.enqueue((spec.priority, spec.submit, number), spec.gpus, spec.limit)
            self.start_pending()
        else:
            self._launch(run)
        self.touch(job)
        return run

    def start_pending(self) -> None:
        """Start every run of the primary whose turn it is in the queue's plan."""
        for number, places in self.queue.begin(self.now):
            self.running[number] = run = self.runs[number]
            run.nodes = places
            self._begin_work(run, RESTART if self._kept(run) else 0)

    def _kept(self, run: Run) -> int:
        return self.jobs.kept[run.job].get(run.cloud, 0)

    def _begin_work(self, run: Run, before: int) -> None:
        run.state, run.begun, run.changed = RunState.RUNNING, self.now, self.now
        run.works_from = self.now + before
        run.kept = self._kept(run)
        due = run.works_from + self.jobs.spec[run.job].work - run.kept
        self.agenda.add(due, EventKind.JOB_END, run.number)
        self.sketch.begin(self.now, run, self.jobs.spec[run.job].priority)
        self.touch(run.job)

    def _launch(self, run: Run) -> None:
        shape = self.config.remotes[run.cloud]
        self.asked[run.cloud] += 1
        run.state = RunState.STARTING
        self.remote[run.number] = run
        fate = Stream(self.seed, f"instance {shape.name} {self.asked[run.cloud]}")
        due = self.now + int(fate.between(shape.start_low, shape.start_high))
        fails = fate.chance(shape.start_failure)
        lasts = int(fate.exponential(self.config.trouble.preempt_mean))
        hangs = fate.chance(self.config.trouble.hang_share)
        kind = EventKind.START_FAILED if fails else EventKind.JOB_ELIGIBLE
        self.agenda.add(due, kind, run.number, int(hangs))
        if not fails:
            self.agenda.add(due + lasts, EventKind.RECLAIM, run.number)

    def _instance_up(self, number: int, hangs: int) -> None:
        run = self.runs[number]
        if run.state != RunState.STARTING:
            return
        shape, spec = self.config.remotes[run.cloud], self.jobs.spec[run.job]
        run.billed_to = self.now
        run.hangs = bool(hangs)
        self.charged[number] = run
        staged = run.cloud in self.jobs.kept[run.job]
        before = RESTART if staged else int(spec.data_gb / shape.gb_per_s) * SECOND
        if not staged:
            self.jobs.kept[run.job][run.cloud] = 0
            self._move(run, spec.data_gb, self.config.egress_primary)
        self._begin_work(run, before)
        if shape.driver_branch < spec.driver:
            self.agenda.add(self.now + WRONG_DRIVER_AFTER, EventKind.START_FAILED, number)

    def _start_failed(self, number: int, version: int) -> None:
        run = self.runs[number]
        if run.state in (RunState.STARTING, RunState.RUNNING):
            self.sketch.mark(self.now, "fault", f"{run.name} failed to start")
            self.stop(run, FAILED)

    def _job_end(self, number: int, version: int) -> None:
        run = self.runs[number]
        if run.state != RunState.RUNNING:
            return
        jobs = self.jobs
        run.over = self.now
        if jobs.done_at[run.job] < 0:
            jobs.done_at[run.job] = self.now
        if run.cloud >= 0:
            self._move(run, jobs.spec[run.job].result_gb, self.config.egress(run.cloud))
        if run.hangs:
            run.state, run.changed = RunState.EXITED, self.now
            self.sketch.mark(self.now, "fault", f"{run.name} hangs after its job's end")
        else:
            self._finish(run, COMPLETED)
        self.touch(run.job)

    def stop(self, run: Run, end: str, saved: bool = False) -> None:
        """End a run before its time. What its newest checkpoint lacks is lost unless `saved`."""
        spec = self.jobs.spec[run.job]
        if run.state == RunState.RUNNING:
            run.over = max(self.now, run.works_from)
            done = run.kept + run.over - run.works_from
            if not (saved and spec.every):
                done = progress.saved(done, spec.every)
            kept = self.jobs.kept[run.job]
            kept[run.cloud] = max(kept.get(run.cloud, 0), done)
            run.saved = done
        if run.state == RunState.EXITED:
            end = COMPLETED
        self._finish(run, end)
        self.touch(run.job)

    def _finish(self, run: Run, end: str) -> None:
        self.sketch.end(self.now, run)
        if run.state == RunState.PENDING:
            self.queue.dequeue(run.number)
        elif run.cloud < 0:
            self.queue.end(run.number)
            del self.running[run.number]
            run.nodes = ()
        elif run.billed_to >= 0:
            priced = (self.now - 1) if self.now > run.billed_to else self.now
            self._bill(run, max(self.now, run.begun + LEAST_CHARGE), max(0, priced))
            self.charged.pop(run.number, None)
        self.remote.pop(run.number, None)
        run.state, run.end, run.ended, run.changed = RunState.ENDED, end, self.now, self.now
        if run.over < 0 and run.works_from >= 0:
            run.over = self.now

    # -- machines --------------------------------------------------------------------

    def _node_down(self, node: int, life: int) -> None:
        trouble = self.config.trouble
        self.sketch.mark(self.now, "fault", f"{self.sketch.node(node)} went down")
        for number in self.queue.nodes.jobs_on(node):
            self.stop(self.runs[number], NODE_FAIL)
        self.queue.in_service(node, False)
        fate = Stream(self.seed, f"repair {node} {life}")
        due = self.now + int(fate.between(trouble.repair_low, trouble.repair_high))
        self.agenda.add(due, EventKind.NODE_READY, node, life)

    def _node_ready(self, node: int, life: int) -> None:
        self.queue.in_service(node, True)
        self._plan_failure(node, life + 1)

    def _reclaim(self, number: int, version: int) -> None:
        run = self.runs[number]
        if run.state in (RunState.RUNNING, RunState.EXITED):
            self.sketch.mark(self.now, "spot", f"{run.name} was preempted")
            self.stop(run, PREEMPTED)

    def _wave(self, number: int, version: int) -> None:
        cloud, _ = self.config.trouble.waves[number]
        fate = Stream(self.seed, f"wave {number}")
        for run in list(self.charged.values()):
            if run.cloud == cloud and fate.chance(WAVE_SHARE):
                self._reclaim(run.number, 0)
