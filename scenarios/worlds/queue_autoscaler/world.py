"""The elastic cluster itself: what happens by itself, moment by moment; no controller rule."""

from __future__ import annotations

from collections.abc import Callable

from scenarios.simulator.agenda import Agenda, Event, EventKind
from scenarios.simulator.machine import Nodes
from scenarios.simulator.slurm.queue import Queue
from scenarios.simulator.streams import Stream
from scenarios.simulator.world.failures import Clock
from scenarios.worlds.front import within
from scenarios.worlds.queue_autoscaler.config import WorldConfig
from scenarios.worlds.queue_autoscaler.record import Record
from scenarios.worlds.queue_autoscaler.tables import JobState, JobTable, NodeState, NodeTable
from scenarios.worlds.queue_autoscaler.workload import JobSpec

RECLAIMED, FAILED_START = "reclaimed", "start failed"


class ElasticWorld:
    """One episode of one cluster. Same configuration, jobs, seed and actions: same history.

    What happens to the n-th node of a pool is drawn from the seed and n alone, so two
    controllers that start the same number of nodes meet the same fate.
    """

    def __init__(self, config: WorldConfig, specs: list[JobSpec], seed: str) -> None:
        self.config, self.seed = config, seed
        self.now = 0
        self.queue = Queue(Nodes(0, config.gpus_per_node), len(config.pools))
        self.jobs, self.nodes, self.agenda = JobTable(specs), NodeTable(self.queue), Agenda()
        self.record = Record(config, self.jobs, self.nodes)
        self.running: set[int] = set()
        self.launched = [0] * len(config.pools)
        self._handlers = self._handler_table()
        self._begin()

    def _handler_table(self) -> dict[int, Callable[[int, int], None]]:
        return {
            EventKind.JOB_END: self._job_end,
            EventKind.JOB_SAVED: self._job_saved,
            EventKind.NODE_DOWN: self._node_down,
            EventKind.NODE_SLOW: self._node_slow,
            EventKind.RECLAIM_WAVE: self._reclaim_wave,
            EventKind.RECLAIM_NOTICE: self._reclaim_notice,
            EventKind.RECLAIM: self._reclaim,
            EventKind.START_FAILED: self._start_failed,
            EventKind.NODE_READY: self._node_ready,
            EventKind.JOB_ELIGIBLE: self._job_eligible,
            EventKind.JOB_SUBMIT: self._job_submit,
        }

    def _begin(self) -> None:
        for job, spec in enumerate(self.jobs.spec):
            self.agenda.add(spec.submit, EventKind.JOB_SUBMIT, job)
        for wave in self.config.faults.reclaim_waves:
            self.agenda.add(wave, EventKind.RECLAIM_WAVE, wave)
        for pool, shape in enumerate(self.config.pools):
            for wave in shape.faults.reclaim_waves if shape.faults else ():
                self.agenda.add(wave, EventKind.RECLAIM_WAVE, wave, pool + 1)
            for _ in range(shape.start):
                node = self._new_node(pool)
                self._make_ready(node)

    # -- time ------------------------------------------------------------------------

    def advance(self, until: int) -> None:
        """Let everything due by `until` ms happen, in the agenda's order."""
        while (event := self.agenda.take(until)) is not None:
            self.now = event[0]
            self._handle(event)
            if self.agenda.next_time() != self.now:
                self.place()
        self.now = until
        self.record.sample(until, self.queue.waiting, self.nodes.alive)

    def _handle(self, event: Event) -> None:
        self._handlers[event[1]](event[3], event[4])

    def place(self) -> None:
        """Start every job whose turn it is in the queue's plan."""
        for job, places in self.queue.begin(self.now):
            self._start_job(job, places)

    def pools_for(self, job: int) -> list[int]:
        """Pools a job may use, preferred first: spot before firm, then in the order of the pools."""
        spec, pools = self.jobs.spec[job], self.config.pools
        here = [i for i, pool in enumerate(pools) if not spec.zone or pool.zone == spec.zone]
        spot = [i for i in here if pools[i].spot and spec.spot]
        return spot + [i for i in here if not pools[i].spot]

    def dry(self, pool: int) -> bool:
        """Whether the provider has no node for this spot pool now."""
        return self.config.pools[pool].spot and within(
            self.now, self.config.trouble(pool).stockouts
        )

    # -- jobs ------------------------------------------------------------------------

    def _job_submit(self, job: int, version: int) -> None:
        self.jobs.queued_at[job] = self.now
        self._job_eligible(job, self.jobs.version[job])

    def _job_eligible(self, job: int, version: int) -> None:
        if version == self.jobs.version[job]:
            self.jobs.state[job] = JobState.PENDING
            spec = self.jobs.spec[job]
            rank = (spec.priority, spec.submit, job)
            self.queue.enqueue(rank, spec.gpus, spec.limit, self.pools_for(job))

    def _start_job(self, job: int, places: tuple[int, ...]) -> None:
        jobs, nodes = self.jobs, self.nodes
        for node in places:
            nodes.jobs[node].add(job)
            self.record.job_on(job, nodes.name[node], self.now)
        jobs.waited[job] += self.now - jobs.queued_at[job]
        jobs.state[job], jobs.nodes[job] = JobState.RUNNING, places
        jobs.started_at[job] = self.now
        jobs.done_at[job] = self.now + (self.config.restart if jobs.kept[job] else 0)
        self.running.add(job)
        self._set_rate(job)

    def _set_rate(self, job: int) -> None:
        """Plan the job's end anew at the speed of its slowest node."""
        jobs = self.jobs
        jobs.done[job] = jobs.work_done(job, self.now)
        jobs.done_at[job] = max(jobs.done_at[job], self.now)
        slow = any(self.nodes.slow[node] for node in jobs.nodes[job])
        jobs.rate[job] = self.config.slow_speed if slow else 100
        jobs.version[job] += 1
        left = jobs.spec[job].work - jobs.done[job]
        end = jobs.done_at[job] - (-left * 100 // jobs.rate[job])
        self.agenda.add(end, EventKind.JOB_END, job, jobs.version[job])

    def _free_nodes(self, job: int) -> None:
        self.queue.end(job)
        for node in self.jobs.nodes[job]:
            self.nodes.jobs[node].discard(job)
            self.record.job_off(job, self.nodes.name[node], self.now)
            if not self.nodes.jobs[node]:
                self.nodes.idle_since[node] = self.now
        self.jobs.nodes[job] = ()
        self.running.discard(job)

    def _job_end(self, job: int, version: int) -> None:
        if version != self.jobs.version[job]:
            return
        self.jobs.done[job] = self.jobs.spec[job].work
        self.jobs.state[job] = JobState.DONE
        self.jobs.ended_at[job] = self.now
        self._free_nodes(job)

    def save_job(self, job: int) -> None:
        """Begin a checkpoint, after which the job gives up its nodes and waits again."""
        self.jobs.done[job] = self.jobs.work_done(job, self.now)
        self.jobs.state[job] = JobState.SAVING
        self.jobs.version[job] += 1
        due = self.now + self.config.save
        self.agenda.add(due, EventKind.JOB_SAVED, job, self.jobs.version[job])

    def _job_saved(self, job: int, version: int) -> None:
        if version == self.jobs.version[job]:
            self.stop_job(job, self.jobs.done[job])

    def stop_job(self, job: int, kept: int | None = None) -> None:
        """Take a job off its nodes; what its newest checkpoint (or `kept` ms) lacks is lost."""
        jobs = self.jobs
        done = jobs.work_done(job, self.now)
        kept = jobs.last_saved(job, self.now) if kept is None else kept
        jobs.lost[job] += done - kept
        jobs.done[job] = jobs.kept[job] = kept
        jobs.state[job], jobs.queued_at[job] = JobState.HELD, self.now
        jobs.stops[job] += 1
        jobs.version[job] += 1
        self._free_nodes(job)
        due = self.now + self.config.hold
        self.agenda.add(due, EventKind.JOB_ELIGIBLE, job, jobs.version[job])

    # -- nodes -----------------------------------------------------------------------

    def _new_node(self, pool: int) -> int:
        self.launched[pool] += 1
        name = f"{self.config.pools[pool].prefix}-{self.launched[pool]:03d}"
        return self.nodes.add(name, pool, self.now)

    def launch(self, pool: int) -> int:
        """Ask the provider for one node; it comes up later, or fails to. Returns its number."""
        node = self._new_node(pool)
        shape = self.config.pools[pool]
        fate = Stream(self.seed, f"start {self.nodes.name[node]}")
        due = self.now + int(fate.between(shape.delay_low, shape.delay_high))
        failed = fate.chance(shape.start_failure)
        self.agenda.add(due, EventKind.START_FAILED if failed else EventKind.NODE_READY, node)
        return node

    def _make_ready(self, node: int) -> None:
        self.nodes.turn(node, NodeState.READY)
        self.record.node_up(self.nodes.name[node])
        self.nodes.ready_at[node] = self.nodes.idle_since[node] = self.now
        faults = self.config.trouble(self.nodes.pool[node])
        fate = Stream(self.seed, f"life {self.nodes.name[node]}")
        down = int(Clock(fate, faults.down_mean).after(self.now))
        slow = int(Clock(fate, faults.slow_mean).after(self.now))
        taken = int(Clock(fate, faults.reclaim_mean).after(self.now))
        self.agenda.add(down, EventKind.NODE_DOWN, node)
        self.agenda.add(slow, EventKind.NODE_SLOW, node)
        if self.config.pools[self.nodes.pool[node]].spot:
            self.agenda.add(taken, EventKind.RECLAIM_NOTICE, node)

    def _node_ready(self, node: int, version: int) -> None:
        if self.nodes.state[node] == NodeState.STARTING:
            self._make_ready(node)

    def _start_failed(self, node: int, version: int) -> None:
        if self.nodes.state[node] == NodeState.STARTING:
            self.record.event(self.now, "start_failed", self.nodes.name[node])
            self.remove(node, self.nodes.asked_at[node])

    def remove(self, node: int, charged_until: int) -> None:
        """The node is given back or taken away, charged until then. Its jobs must be gone."""
        self.nodes.turn(node, NodeState.GONE)
        self.nodes.gone_at[node] = self.now
        self.nodes.charged_until[node] = charged_until

    def _stop_all(self, node: int) -> None:
        for job in sorted(self.nodes.jobs[node]):
            self.stop_job(job)

    def _node_down(self, node: int, version: int) -> None:
        if self.nodes.state[node] != NodeState.READY:
            return
        self._stop_all(node)
        self.nodes.turn(node, NodeState.DOWN)
        self.nodes.down_at[node] = self.now
        self.record.event(self.now, "node_down", self.nodes.name[node])

    def _node_slow(self, node: int, version: int) -> None:
        if self.nodes.state[node] != NodeState.READY:
            return
        self.nodes.slow[node] = True
        self.nodes.slow_at[node] = self.now
        for job in sorted(self.nodes.jobs[node]):
            if self.jobs.state[job] == JobState.RUNNING:
                self._set_rate(job)

    def _reclaim_wave(self, wave: int, version: int) -> None:
        """A wave over one pool (its number and 1), or over all that share the cluster's fate (0)."""
        for node in list(self.nodes.alive):
            pool = self.nodes.pool[node]
            shape = self.config.pools[pool]
            met = pool == version - 1 if version else shape.faults is None
            fate = Stream(self.seed, f"wave {wave} {self.nodes.name[node]}")
            if met and shape.spot and fate.chance(self.config.trouble(pool).wave_share):
                self._reclaim_notice(node, 0)

    def _reclaim_notice(self, node: int, version: int) -> None:
        ready = self.nodes.state[node] == NodeState.READY
        if not ready or self.nodes.notice_at[node] >= 0:
            return
        self.nodes.notice_at[node] = self.now
        self.agenda.add(self.now + self.config.notice, EventKind.RECLAIM, node)
        savable = any(self.jobs.spec[job].every for job in self.nodes.jobs[node])
        self.record.event(self.now, "spot_notice", self.nodes.name[node], int(savable))

    def _reclaim(self, node: int, version: int) -> None:
        if self.nodes.state[node] in (NodeState.GONE, NodeState.STARTING):
            return
        unsaved = any(self.jobs.spec[job].every for job in self.nodes.jobs[node])
        self.record.event(self.now, "reclaimed", self.nodes.name[node], int(unsaved))
        self._stop_all(node)
        self.remove(node, self.now)
