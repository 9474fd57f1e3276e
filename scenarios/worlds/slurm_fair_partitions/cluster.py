"""The shared cluster itself: what happens by itself, moment by moment; no controller's verb."""

from __future__ import annotations

from collections.abc import Callable

from scenarios.simulator.agenda import HOUR, MINUTE, Agenda, EventKind
from scenarios.simulator.slurm.nodes import members
from scenarios.simulator.slurm.plan import Held
from scenarios.simulator.streams import Stream
from scenarios.worlds.slurm_fair_partitions.config import TRAINING, ClusterConfig
from scenarios.worlds.slurm_fair_partitions.fleet import Reservation
from scenarios.worlds.slurm_fair_partitions.job import T4_SPEED, Job, State
from scenarios.worlds.slurm_fair_partitions.ledger import Ledger
from scenarios.worlds.slurm_fair_partitions.state import ClusterState
from scenarios.worlds.slurm_fair_partitions.workload import JobSpec, Kind

TRY_AGAIN = 2 * HOUR
CORRECTS_AFTER = 60 * MINUTE
STAGING = 30 * MINUTE
"""Copying a job's data when it runs at the other site."""
RESTART = 6 * MINUTE
"""Loading a checkpoint after a requeue: the GPUs are held and do nothing."""
SLIP_INFERENCE, SLIP_TRAINING = 0.05, 0.04
"""Share of jobs sent to the wrong partition when nobody is in a hurry; three times that when the
right one is congested."""
HEEDS = 0.6
"""Share of people who use a published template."""


class SharedCluster(ClusterState):
    """One workload. Same configuration, jobs, seed and actions: same history."""

    def __init__(
        self, config: ClusterConfig, specs: list[JobSpec], seed: str, keys: list[str]
    ) -> None:
        super().__init__(config, specs, keys)
        self.seed, self.agenda = seed, Agenda()
        self.ledger = Ledger(self)
        self.news: list[tuple[int, str, str]] = []
        self.templates: dict[str, int] = {}
        """When a template for training or inference was published, in ms."""
        self._handlers: dict[int, Callable[[int, int], None]] = {
            EventKind.JOB_END: self._job_end,
            EventKind.NODE_DOWN: self._node_down,
            EventKind.NODE_READY: self._node_ready,
            EventKind.JOB_ELIGIBLE: self._job_eligible,
            EventKind.JOB_SUBMIT: self._job_submit,
            EventKind.DEADLINE: self._reservation_edge,
        }
        self._begin()

    def _begin(self) -> None:
        for fleet in self.fleets:
            for name in fleet.names:
                self.timeline.row(name)
        for job in self.jobs:
            self.agenda.add(job.spec.submit, EventKind.JOB_SUBMIT, job.id)
        self._plan_deaths()
        if self.config.leftover_reservation:
            nodes = (1 << self.config.leftover_reservation) - 1
            self.add_reservation(Reservation("workshop", -1, 0, nodes, 0, self.config.length))

    def _plan_deaths(self) -> None:
        """When which node dies, from the seed alone, so that every controller meets the same."""
        fate, trouble = Stream(self.seed, "nodes"), self.config.trouble
        places = [(f, n) for f, fleet in enumerate(self.fleets) for n in range(fleet.shape.nodes)]
        at, self._deaths = 0.0, []
        while True:
            at += fate.exponential(trouble.node_down)
            if at >= self.config.length:
                return
            repair = int(fate.between(trouble.repair_low, trouble.repair_high))
            self._deaths.append((places[int(fate.unit() * len(places))], repair))
            self.agenda.add(int(at), EventKind.NODE_DOWN, len(self._deaths) - 1)

    # ---- time ----

    def advance(self, until: int) -> None:
        """Let everything due by `until` ms happen, then renew priorities and run backfill.

        What a controller changed since the last step takes effect before anything else.
        """
        self.place()
        while (event := self.agenda.take(until)) is not None:
            self.now = event[0]
            self._handlers[event[1]](event[3], event[4])
            if self.agenda.next_time() != self.now:
                self.place()
        self.now = until
        self._revise()
        self.book.renew(until)
        self.scheduler.resort(until)
        self.place()
        for number in range(len(self.fleets)):
            for job, held in self.scheduler.backfill(number, until):
                self.start(job, held)
        self.ledger.sample(until)

    def place(self) -> None:
        """Start every job that the main loop can start now."""
        for number, dirty in enumerate(self.scheduler.dirty):
            if not dirty:
                continue
            self.scheduler.dirty[number] = False
            while (found := self.scheduler.next_start(number, self.now)) is not None:
                job, held, evicted = found
                for victim in evicted:
                    self.stop(victim)
                self.start(job, held)

    def _revise(self) -> None:
        for change in self.config.revisions:
            if change.at <= self.now and self.guaranteed[change.team] != change.guaranteed:
                self.guaranteed[change.team] = change.guaranteed
                self.agreed[change.team] = change.shares
                self.say("agreement_revised", self.config.teams[change.team].name)

    def say(self, kind: str, subject: str) -> None:
        """Tell the controller at its next tick, and mark the timeline."""
        self.news.append((self.now, kind, subject))
        mark = "fault" if kind.startswith("node") else "rule"
        self.timeline.mark(self.now, mark, f"{kind.replace('_', ' ')}: {subject}")

    # ---- submission ----

    def _heeds(self, job: Job) -> bool:
        home = "inference" if job.spec.kind == Kind.INFER else "training"
        published = self.templates.get(home, self.config.length)
        return job.spec.care < HEEDS and self.now >= published

    def _job_submit(self, number: int, version: int) -> None:
        job = self.jobs[number]
        job.queued_at = self.now
        if self._heeds(job):
            job.limit = job.spec.tight
        else:
            self._slip(job)
        self._try_to_submit(job)

    def _slip(self, job: Job) -> None:
        """Send a job to the wrong partition if its owner is careless, or in a hurry."""
        spec, inference = job.spec, self.config.inference
        if spec.kind == Kind.INFER:
            queue, share, wrong = inference, SLIP_TRAINING, spec.home
        elif spec.kind == Kind.TRAIN:
            queue, share, wrong = job.partition, SLIP_INFERENCE, inference
        else:
            return
        waiting = sum(each.spec.gpus for each in self.scheduler.waiting(queue))
        hurry = 3.0 if waiting > self.fleets[queue].shape.gpus // 3 else 1.0
        if spec.slip < share * hurry:
            job.partition = wrong

    def _try_to_submit(self, job: Job) -> None:
        """The controller daemon takes the job, or turns it away and the owner tries again."""
        fleet = self.fleets[job.partition]
        barred = fleet.allow_qos and job.qos not in fleet.allow_qos
        if barred or job.limit > fleet.max_time or not self.book.may_submit(job):
            job.state = State.REFUSED
            self.present[job.id] = job
            again = TRY_AGAIN if not barred else CORRECTS_AFTER
            job.version += 1
            self.agenda.add(self.now + again, EventKind.JOB_ELIGIBLE, job.id, job.version)
            if barred or job.limit > fleet.max_time:
                self._correct(job)
            return
        job.state = State.PENDING
        self.present[job.id] = job
        self.book.submits(job, 1)
        self.scheduler.enqueue(job, self.now)

    def _correct(self, job: Job) -> None:
        """The owner reads the message and asks for the right partition and a limit it allows."""
        serves = job.spec.kind == Kind.INFER or (job.spec.disguised and job.qos == self.book.serve)
        home = self.config.inference if serves else job.spec.home
        job.partition = home
        job.limit = min(job.limit, max(job.spec.tight, self.fleets[home].max_time))
        if job.limit > self.fleets[home].max_time and job.spec.disguised:
            job.partition, job.qos = job.spec.home, job.spec.team

    def _job_eligible(self, number: int, version: int) -> None:
        job = self.jobs[number]
        if version != job.version:
            return
        if job.state == State.REFUSED:
            self._try_to_submit(job)
        elif job.state == State.PENDING:
            self.scheduler.dirty[job.partition] = True

    # ---- running ----

    def start(self, job: Job, held: Held) -> None:
        """Give a waiting job its nodes."""
        shape, spec = self.config.partitions[job.partition], job.spec
        self.fleets[job.partition].queue.start(job.id, held, self.now)
        self.book.starts(job, self.now)
        job.waited += self.now - job.queued_at
        job.state, job.nodes, job.began, job.reason = State.RUNNING, held, self.now, "None"
        job.speed = T4_SPEED if shape.gpu == "t4" and spec.kind in (Kind.TRAIN, Kind.SWEEP) else 100
        away = shape.purpose == TRAINING and job.partition != spec.home
        job.overhead = (STAGING if away else 0) + (RESTART if job.kept else 0)
        self.plan_end(job)
        self.ledger.started(job)
        for name in self.fleets[job.partition].node_names(held):
            team = self.config.teams[spec.team].name
            self.timeline.begin(name, job.id, self.now, f"{job.id} {spec.name}", team)

    def shorten(self, job: Job) -> None:
        """A job that waits or runs has another limit now."""
        queue = self.fleets[job.partition].queue
        if job.state == State.RUNNING:
            queue.replan(job.id, job.began + job.limit)
            self.plan_end(job)
        else:
            queue.dequeue(job.id)
            queue.enqueue(job.key, job.spec.gpus, job.limit)
        self.scheduler.dirty[job.partition] = True

    def plan_end(self, job: Job) -> None:
        """Plan when a running job ends: by its work, or by its limit."""
        job.version += 1
        left = -(-(job.spec.work - job.kept) * 100 // job.speed)
        end = job.began + job.overhead + min(left, job.limit)
        self.agenda.add(max(end, self.now), EventKind.JOB_END, job.id, job.version)

    def _job_end(self, number: int, version: int) -> None:
        job = self.jobs[number]
        if version != job.version:
            return
        done = job.work_done(self.now)
        if done >= job.spec.work:
            job.kept = job.spec.work
            self._leave(job, State.DONE, "COMPLETED")
            return
        self._timed_out(job)

    def _timed_out(self, job: Job) -> None:
        """Slurm kills it at its limit; the owner asks again for what is missing, and for longer."""
        done, kept = job.work_done(self.now), job.saved(self.now)
        job.lost += done - kept
        self.ledger.lost(job, done - kept, "timeout")
        job.kept = kept
        self._leave(job, State.REFUSED, "TIMEOUT")
        job.queued_at = self.now
        self.present[job.id] = job
        job.limit = min(2 * job.spec.limit, 2 * 24 * HOUR)
        if job.spec.kind != Kind.INFER:
            job.partition, job.qos = job.spec.home, job.spec.team
        self.agenda.add(self.now + HOUR, EventKind.JOB_ELIGIBLE, job.id, job.version)

    def _leave(self, job: Job, state: State, word: str) -> None:
        """A job gives up its nodes and leaves the system."""
        self._free(job, word)
        job.state, job.ended_at = state, self.now
        self.book.submits(job, -1)
        self.present.pop(job.id, None)

    def _free(self, job: Job, word: str) -> None:
        fleet = self.fleets[job.partition]
        for name in fleet.node_names(job.nodes):
            self.timeline.end(name, job.id, self.now)
        fleet.queue.end(job.id)
        self.book.stops(job, self.now)
        self.ledger.ended(job, word)
        job.version += 1
        job.nodes = (0, 0, 0)
        self.scheduler.dirty[job.partition] = True

    def stop(self, job: Job, word: str = "PREEMPTED") -> int:
        """Requeue a running job; returns the work in ms that it loses."""
        done, kept = job.work_done(self.now), job.saved(self.now)
        job.lost += done - kept
        self.ledger.lost(job, done - kept + (RESTART if kept else 0), word.lower())
        self._free(job, word)
        job.kept, job.state, job.queued_at = kept, State.PENDING, self.now
        job.restarts += 1
        job.eligible_at = self.now + self.config.requeue_hold
        self.scheduler.enqueue(job, self.now)
        self.agenda.add(job.eligible_at, EventKind.JOB_ELIGIBLE, job.id, job.version)
        return done - kept

    def cancel(self, job: Job) -> int:
        """Take a job out of the system for good; returns the work in ms that is thrown away."""
        done = job.work_done(self.now)
        if job.state == State.RUNNING:
            self._leave(job, State.CANCELLED, "CANCELLED")
        else:
            self.scheduler.dequeue(job)
            self.book.submits(job, -1)
            job.state, job.ended_at = State.CANCELLED, self.now
            self.present.pop(job.id, None)
        return done

    # ---- nodes ----

    def _node_down(self, number: int, version: int) -> None:
        (place, node), repair = self._deaths[number]
        fleet = self.fleets[place]
        if node in fleet.nodes.out:
            return
        fleet.queue.in_service(node, False)
        self.say("node_down", fleet.names[node])
        self.agenda.add(self.now + repair, EventKind.NODE_READY, number)
        for job in list(self.scheduler.running(place)):
            if node in members(job.nodes[0] | job.nodes[1]):
                self.stop(job, "NODE_FAIL")

    def _node_ready(self, number: int, version: int) -> None:
        (place, node), _ = self._deaths[number]
        self.fleets[place].queue.in_service(node, True)
        self.say("node_up", self.fleets[place].names[node])
        self.scheduler.dirty[place] = True

    # ---- reservations ----

    def add_reservation(self, kept: Reservation) -> None:
        """Keep nodes for a team; the scheduler looks again when it begins and when it ends."""
        self.scheduler.reservations.append(kept)
        for edge in (kept.start, kept.end):
            if self.now < edge < self.config.length:
                self.agenda.add(edge, EventKind.DEADLINE, kept.partition)

    def _reservation_edge(self, partition: int, version: int) -> None:
        self.scheduler.reservations = [
            kept for kept in self.scheduler.reservations if kept.end > self.now
        ]
        self.scheduler.dirty[partition] = True
