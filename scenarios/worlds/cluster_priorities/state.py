"""The shared cluster at one instant: workloads, nodes, quotas, and the room that they leave."""

from __future__ import annotations

from scenarios.simulator.kueue.tree import QuotaTree
from scenarios.simulator.machine import choose, largest_in
from scenarios.worlds.cluster_priorities.config import GPUS, CohortWorldConfig
from scenarios.worlds.cluster_priorities.families import node_names
from scenarios.worlds.cluster_priorities.record import Record
from scenarios.worlds.cluster_priorities.tables import Node, Request, Work


class CohortState:
    """What there is, at `now` in ms, and the record of what was. Nothing here lets time pass."""

    def __init__(self, config: CohortWorldConfig, requests: list[Request]) -> None:
        self.config, self.now, self.record = config, 0, Record()
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
        self.quota_moved()

    def quota_moved(self) -> None:
        """Somebody took or gave back quota: what was worked out about room is old."""
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

    # -- nodes -----------------------------------------------------------------------

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
