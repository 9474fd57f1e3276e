"""The shared cluster itself: what happens by itself, moment by moment; no controller rule."""

from __future__ import annotations

from scenarios.simulator.agenda import MINUTE, Agenda
from scenarios.simulator.kueue.tree import QuotaTree
from scenarios.simulator.machine import choose, largest_in
from scenarios.simulator.streams import Stream
from scenarios.worlds.cluster_priorities.config import GPUS, CohortWorldConfig
from scenarios.worlds.cluster_priorities.families import Trouble, node_names
from scenarios.worlds.cluster_priorities.meter import Meter
from scenarios.worlds.cluster_priorities.record import Record
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


class CohortWorld:
    """One workload. Same configuration, requests, trouble, seed and actions: same history.

    The fate of the n-th node depends on the seed and n alone; whether the k-th start of a
    workload gets stuck depends on the seed, the workload and k.
    """

    def __init__(
        self, config: CohortWorldConfig, requests: list[Request], trouble: Trouble, seed: str
    ) -> None:
        self.config, self.trouble, self.seed = config, trouble, seed
        self.now = 0
        self.agenda, self.record = Agenda(), Record()
        self.works = [Work(number, request) for number, request in enumerate(requests)]
        self.open: dict[int, Work] = {}
        """Workloads that were sent and are not finished, in the order of arrival."""
        self.nodes = [
            Node(name, flavor, config.flavors[flavor].capacity // config.flavors[flavor].nodes)
            for flavor, name in node_names(config)
        ]
        self.nominal = {
            (queue, flavor): config.planned(queue, flavor, 0)
            for queue, row in enumerate(config.queues)
            for flavor in row.quotas
        }
        self.tree = self._fresh_tree()
        self._room: dict[tuple[int, int], int] = {}
        self.room_shown: list[list[object]] | None = None
        """The answer to a question about room, as long as it is true."""
        self.meter, self.watch = Meter(self), Watch(self)
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

    # -- quota -----------------------------------------------------------------------

    def _fresh_tree(self) -> QuotaTree:
        tree = QuotaTree(self.config.specs(self.nominal), len(self.config.flavors))
        for work in self.open.values():
            if work.holds:
                tree.add(self.queue_of(work), {work.flavor: work.gpus})
        return tree

    def set_nominal(self, queue: int, flavor: int, nominal: int) -> None:
        """Change a nominal quota; what is admitted stays."""
        self.nominal[queue, flavor] = nominal
        self.tree = self._fresh_tree()
        self._quota_moved()

    def _quota_moved(self) -> None:
        self._room.clear()
        self.room_shown = None

    def room(self, queue: int, flavor: int) -> int:
        """GPUs that the queue may take now under all limits; negative when they are exceeded.

        Worked out once for as long as nobody takes or gives back quota: controllers ask often.
        """
        found = self._room.get((queue, flavor))
        if found is None:
            found = self._room[queue, flavor] = self.tree.available(queue, flavor)
        return found

    def queue_of(self, work: Work) -> int:
        """The number of a workload's ClusterQueue."""
        return self.config.teams[work.request.team].queue

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
        self._quota_moved()
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
        self._quota_moved()
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

    # -- what is asked of it ---------------------------------------------------------

    def free(self, flavor: int) -> int:
        """GPUs of a flavour that new pods could use now."""
        return sum(node.free for node in self.nodes if node.flavor == flavor and node.open)

    def places(self, flavor: int, gpus: int) -> list[tuple[int, int]] | None:
        """(node, GPUs there) for new pods by the simulator's rule; None where there is no room."""
        here = [index for index, node in enumerate(self.nodes) if node.flavor == flavor]
        at_level = [0] * (GPUS + 1)
        for place, index in enumerate(here):
            if self.nodes[index].open:
                at_level[self.nodes[index].free] |= 1 << place
        if gpus > largest_in(at_level):
            return None
        return [(here[place], taken) for place, taken in choose(at_level, gpus)]
