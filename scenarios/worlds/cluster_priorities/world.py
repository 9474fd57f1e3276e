"""The shared cluster itself: what happens by itself, moment by moment; no controller rule."""

from __future__ import annotations

from scenarios.simulator.agenda import MINUTE, Agenda
from scenarios.simulator.streams import Stream
from scenarios.worlds.cluster_priorities.config import CohortWorldConfig
from scenarios.worlds.cluster_priorities.families import Trouble
from scenarios.worlds.cluster_priorities.meter import Meter
from scenarios.worlds.cluster_priorities.state import CohortState
from scenarios.worlds.cluster_priorities.tables import (
    AWAY,
    DOWN,
    FINISHED,
    PENDING,
    READY,
    RUNNING,
    SAVING,
    STARTING,
    Kind,
    Node,
    Request,
    Work,
)
from scenarios.worlds.cluster_priorities.watch import Watch

SAMPLE_EVERY = 5 * MINUTE


class CohortWorld(CohortState):
    """One workload. Same configuration, requests, trouble, seed and actions: same history.

    The fate of the n-th node depends on the seed and n alone; whether the k-th start of a
    workload gets stuck depends on the seed, the workload and k.
    """

    def __init__(
        self, config: CohortWorldConfig, requests: list[Request], trouble: Trouble, seed: str
    ) -> None:
        super().__init__(config, requests)
        self.trouble, self.seed, self.agenda = trouble, seed, Agenda()
        self.meter = Meter(self)
        self.watch = Watch(self, self.meter)
        self.woken = False
        for node in self.nodes:
            self.record.timeline.row(node.name)
        self._plan()

    def _plan(self) -> None:
        for work in self.works:
            self.agenda.add(work.request.at, Kind.SUBMIT, work.number)
        for index, outages in enumerate(self.trouble.outages):
            for number, outage in enumerate(outages):
                if outage.reclaimed:
                    notice = max(0, outage.at - self.config.notice)
                    self.agenda.add(notice, Kind.NOTICE, index, outage.at)
                self.agenda.add(outage.at, Kind.OUT, index, number)
                self.agenda.add(outage.until, Kind.BACK, index)
        self.agenda.add(0, Kind.SAMPLE, 0)

    # -- time ------------------------------------------------------------------------

    def advance(self, until: int, *, wake: bool) -> None:
        """Let everything due by `until` ms happen, or all up to the first event that wakes."""
        self.woken = False
        while (event := self.agenda.take(until)) is not None:
            self._reach(event[0])
            self._handle(event[1], event[3], event[4])
            if wake and self.woken and self.agenda.next_time() != self.now:
                return
        self._reach(until)

    def _reach(self, at: int) -> None:
        if at > self.now:
            self.meter.pass_time(at - self.now)
            self.now = at

    def _handle(self, kind: int, subject: int, version: int) -> None:
        if kind == Kind.SAMPLE:
            self.agenda.add(self.now + SAMPLE_EVERY, Kind.SAMPLE, 0)
            self.watch.look()
        elif kind == Kind.SUBMIT:
            self._submit(self.works[subject])
        elif kind == Kind.NOTICE:
            self._notice(self.nodes[subject], version)
        elif kind == Kind.OUT:
            self._out(self.nodes[subject], self.trouble.outages[subject][version].reclaimed)
        elif kind == Kind.BACK:
            self._back(self.nodes[subject])
        elif self.works[subject].version == version:
            work = self.works[subject]
            {Kind.FINISH: self._finish, Kind.SAVED: self._saved, Kind.STARTED: self._started}[
                Kind(kind)
            ](work)

    def event(self, kind: str, subject: str, *, wakes: bool) -> None:
        """Something the controller will be told of; one that wakes it ends the tick."""
        self.record.event(self.now, kind, subject)
        self.woken = self.woken or wakes

    # -- workloads -------------------------------------------------------------------

    def _submit(self, work: Work) -> None:
        work.waiting_since = self.now
        self.open[work.number] = work
        self.event("submitted", work.request.name, wakes=False)

    def admit(self, work: Work, flavor: int, places: list[tuple[int, int]]) -> None:
        """Give a waiting workload GPUs on nodes; its pods start now."""
        work.waited += self.now - work.waiting_since
        work.state, work.flavor, work.nodes = STARTING, flavor, places
        work.gpus = sum(gpus for _, gpus in places)
        work.admitted_at, work.runs = self.now, work.runs + 1
        work.version += 1
        self.tree.add(self.queue_of(work), {flavor: work.gpus})
        self.quota_moved()
        kind = self.config.teams[work.request.team].kind
        for node, gpus in places:
            self.nodes[node].holders[work.number] = gpus
            name = self.nodes[node].name
            self.record.timeline.begin(name, work.number, self.now, work.request.name, kind)
        work.pods = work.pods or Stream(self.seed, f"pods {work.request.name}")
        if work.pods.chance(self.trouble.stuck):
            self._stick(work)
        else:
            load = self.config.load_time(work.gpus) if work.base else 0
            self.agenda.add(
                self.now + self.config.start + load, Kind.STARTED, work.number, work.version
            )

    def _stick(self, work: Work) -> None:
        """Its pods will not become ready by themselves."""
        work.stuck_since = self.now
        self.watch.trouble("pods not ready", work.request.name, work)

    def _started(self, work: Work) -> None:
        work.state, work.since = RUNNING, self.now
        left = -(-(work.total - work.base) // work.gpus)
        self.agenda.add(self.now + left, Kind.FINISH, work.number, work.version)

    def _finish(self, work: Work) -> None:
        self._let_go(work)
        work.base, work.state, work.finished_at = work.total, FINISHED, self.now
        del self.open[work.number]
        self.watch.finished(work)
        self.event("finished", work.request.name, wakes=False)

    def save(self, work: Work) -> None:
        """Begin to write a running workload away."""
        work.reached = work.done(self.now)
        work.state, work.version = SAVING, work.version + 1
        self.agenda.add(self.now + self.config.save, Kind.SAVED, work.number, work.version)

    def _saved(self, work: Work) -> None:
        work.base = work.reached
        self._wait_again(work)

    def drop(self, work: Work) -> int:
        """Stop a workload at once; answers the GPU-ms of work that are lost."""
        lost = work.done(self.now) - work.safe(self.now)
        work.base = work.safe(self.now)
        work.lost += lost
        self._wait_again(work)
        return lost

    def _wait_again(self, work: Work) -> None:
        self._let_go(work)
        work.state, work.waiting_since = PENDING, self.now

    def _let_go(self, work: Work) -> None:
        self.tree.remove(self.queue_of(work), {work.flavor: work.gpus})
        self.quota_moved()
        for node, _ in work.nodes:
            self.nodes[node].holders.pop(work.number, None)
            self.record.timeline.end(self.nodes[node].name, work.number, self.now)
        work.nodes, work.gpus, work.flavor = [], 0, -1
        work.version, work.stuck_since, work.admitted_at = work.version + 1, -1, -1

    # -- nodes -----------------------------------------------------------------------

    def _notice(self, node: Node, at: int) -> None:
        if node.state != READY:
            return
        node.reclaim_at = at
        self.event("spot_notice", node.name, wakes=True)

    def _out(self, node: Node, reclaimed: bool) -> None:
        if node.state != READY:
            return
        if reclaimed:
            self.event("reclaimed", node.name, wakes=True)
        else:
            self.event("node_down", node.name, wakes=True)
        node.reclaim_at, node.ready_at = -1, -1
        self.watch.judge_notice(node, reclaimed)
        for number in sorted(node.holders):
            self._lose_pods(self.works[number], reclaimed)
        node.state = AWAY if reclaimed else DOWN

    def _lose_pods(self, work: Work, reclaimed: bool) -> None:
        """Pods of a reclaimed node are evicted; those of a dead one stay bound to it, unready."""
        lost = work.done(self.now) - work.safe(self.now)
        work.base = work.safe(self.now)
        work.lost += lost
        if reclaimed:
            self._wait_again(work)
            return
        work.state, work.version = STARTING, work.version + 1
        if work.stuck_since < 0:
            self._stick(work)

    def _back(self, node: Node) -> None:
        if node.state == READY:
            return
        node.state, node.ready_at = READY, self.now
        self.event("node_ready", node.name, wakes=False)
