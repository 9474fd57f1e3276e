"""The cluster itself: what happens by itself, moment by moment; no controller rule."""

from __future__ import annotations

from collections.abc import Callable

from scenarios.simulator.agenda import MINUTE
from scenarios.simulator.streams import Stream
from scenarios.worlds.mig_sharing import planned
from scenarios.worlds.mig_sharing.core import Core
from scenarios.worlds.mig_sharing.demand import GangSpec, ServiceSpec
from scenarios.worlds.mig_sharing.fleet import Gpu, GpuState, Node
from scenarios.worlds.mig_sharing.gangs import Gang, GangState
from scenarios.worlds.mig_sharing.kinds import Placement
from scenarios.worlds.mig_sharing.planned import SliceEvent
from scenarios.worlds.mig_sharing.serving import Serving
from scenarios.worlds.mig_sharing.settings import Config
from scenarios.worlds.mig_sharing.training import Training
from scenarios.worlds.mig_sharing.trials import Trials

Handler = Callable[[int, int], None]


class SliceWorld:
    """One day of one cluster. Same configuration, demand, seed and actions: same history."""

    def __init__(
        self, config: Config, services: list[ServiceSpec], gangs: list[GangSpec], seed: str
    ) -> None:
        self.config = config
        self.core = Core(config, seed)
        self.serving = Serving(self.core, services)
        self.training = Training(self.core, gangs)
        self.trials = Trials(self.core, self.training)
        self.planned = planned.plan_trouble(config, seed)
        self._layouts = Stream(seed, "layouts")
        self._repair = Stream(seed, "repair")
        self._handlers = self._handler_table()
        for number, one in enumerate(self.planned):
            self.core.plan(one.at, one.kind, number)

    def _handler_table(self) -> dict[int, Handler]:
        return {
            SliceEvent.GANG_END: self.training.ends,
            SliceEvent.GANG_SAVED: self.training.saved,
            SliceEvent.XID: self._xid,
            SliceEvent.NODE_DOWN: self._crash,
            SliceEvent.MAINTENANCE: self._maintenance,
            SliceEvent.RDMA_DOWN: self._rdma_down,
            SliceEvent.HANG: self._hang,
            SliceEvent.NOTICE: self._notice,
            SliceEvent.HANG_OVER: self._hang_over,
            SliceEvent.RDMA_UP: self._rdma_up,
            SliceEvent.NODE_UP: self._node_up,
            SliceEvent.GPU_BACK: self._gpu_back,
            SliceEvent.LAYOUT_DONE: self._layout_done,
            SliceEvent.REPLICA_READY: self.serving.becomes_ready,
            SliceEvent.GANG_ELIGIBLE: self.training.eligible,
            SliceEvent.WANTED: self.serving.next_step,
            SliceEvent.GANG_SUBMIT: self.training.submit,
        }

    @property
    def now(self) -> int:
        """Simulated time in ms."""
        return self.core.now

    def advance(self, until: int) -> None:
        """Let everything due by `until` ms happen, in the agenda's order."""
        core = self.core
        while (event := core.agenda.take(until)) is not None:
            core.now = event[0]
            self._handlers[event[1]](event[3], event[4])
        core.now = until
        core.meter.touch(until)

    # -- GPUs ------------------------------------------------------------------------

    def empty(self, gpu: Gpu) -> None:
        """Everything on the GPU ends without warning; a gang ends on all of its GPUs."""
        self.serving.clear(gpu)
        if gpu.gang >= 0:
            self.training.stop(self.training.gangs[gpu.gang])

    def _xid(self, number: int, version: int) -> None:
        one = self.planned[number]
        gpu = self.core.fleet.gpus[one.subject]
        if gpu.state in (GpuState.FAULTY, GpuState.LOST) or not self.core.node_of(gpu).up:
            return
        gpu.xid = one.detail
        self.core.tell("xid", gpu.name, f"{gpu.name}: Xid {gpu.xid}")
        if gpu.xid == planned.LOST_XID:
            self._fail(gpu, GpuState.LOST)
            back = self.now + int(self._repair.between(120, 300) * MINUTE)
            self.core.plan(back, SliceEvent.GPU_BACK, gpu.number)
        elif gpu.xid in planned.RESET_XIDS:
            self._fail(gpu, GpuState.FAULTY)
            self.trials.faulty(gpu)
        elif gpu.gang >= 0:
            self.training.stop(self.training.gangs[gpu.gang])
        else:
            self.serving.restart_one(gpu)

    def _fail(self, gpu: Gpu, state: GpuState) -> None:
        self.empty(gpu)
        gpu.state = state
        gpu.version += 1
        self.core.timeline.end(gpu.name, "mig", self.now)
        self.core.timeline.begin(gpu.name, "out", self.now, f"Xid {gpu.xid}", "fault")

    def _gpu_back(self, number: int, version: int) -> None:
        gpu = self.core.fleet.gpus[number]
        gpu.state, gpu.xid, gpu.mig, gpu.layout = GpuState.READY, 0, False, ()
        gpu.empty_since = self.now
        self.core.timeline.end(gpu.name, "out", self.now)
        self.core.tell("gpu_back", gpu.name)

    def _well_again(self, gpu: Gpu) -> None:
        """The restart of its node has reset the GPU."""
        self.trials.excused(gpu)
        gpu.state, gpu.xid = GpuState.READY, 0
        self.core.timeline.end(gpu.name, "out", self.now)
        self.core.draw_layout(gpu)

    def change_layout(self, gpu: Gpu, places: tuple[Placement, ...]) -> None:
        """Reset the GPU and build the instances, which takes a minute or two and may fail."""
        config, core = self.config, self.core
        self.trials.answered(gpu)
        gpu.state, gpu.wanted, gpu.version = GpuState.CHANGING, places, gpu.version + 1
        gpu.layout, gpu.mig = (), bool(places)
        core.timeline.end(gpu.name, "out", self.now)
        core.draw_layout(gpu)
        core.timeline.begin(gpu.name, "out", self.now, "reset", "reset")
        due = self.now + int(self._layouts.between(config.layout_low, config.layout_high))
        core.plan(due, SliceEvent.LAYOUT_DONE, gpu.number, gpu.version)

    def _layout_done(self, number: int, version: int) -> None:
        gpu, core = self.core.fleet.gpus[number], self.core
        if gpu.version != version:
            return
        core.timeline.end(gpu.name, "out", self.now)
        gpu.xid = 0
        if gpu.wanted and self._layouts.chance(self.config.trouble.layout_failure):
            gpu.state = GpuState.FAILED
            core.tell("layout_failed", gpu.name, f"{gpu.name}: MIG is on, no instance was made")
            core.timeline.begin(gpu.name, "out", self.now, "no instances", "fault")
            self.trials.failed_layout(gpu)
            return
        gpu.state, gpu.layout = GpuState.READY, gpu.wanted
        gpu.settled_at = gpu.empty_since = self.now
        core.draw_layout(gpu)
        core.tell("layout_done", gpu.name)

    # -- nodes -----------------------------------------------------------------------

    def _node(self, number: int) -> Node:
        return self.core.fleet.nodes[self.planned[number].subject]

    def _crash(self, number: int, version: int) -> None:
        node = self._node(number)
        if node.up and node.maintained_at < 0:
            self._down(node, self.planned[number].detail, "went down")

    def _down(self, node: Node, length: int, text: str) -> None:
        node.up = False
        for gpu in self.core.fleet.of(node):
            self.empty(gpu)
            self.core.timeline.begin(gpu.name, "down", self.now, text, "fault")
        self.core.tell("node_down", node.name, f"{node.name} {text}")
        self.core.plan(self.now + length, SliceEvent.NODE_UP, node.number)

    def _node_up(self, number: int, version: int) -> None:
        node = self.core.fleet.nodes[number]
        node.up, node.maintained_at = True, -1
        for gpu in self.core.fleet.of(node):
            gpu.empty_since = self.now
            self.core.timeline.end(gpu.name, "down", self.now)
            if gpu.state == GpuState.FAULTY:
                self._well_again(gpu)
        self.core.tell("node_up", node.name)

    def _notice(self, number: int, version: int) -> None:
        node = self._node(number)
        if not node.up or node.maintained_at >= 0:
            return
        node.maintained_at = self.now + self.config.notice
        self.core.tell("maintenance", node.name, f"{node.name}: maintenance in 30 minutes")
        self.trials.noticed(node)
        self.core.plan(node.maintained_at, SliceEvent.MAINTENANCE, number)

    def _maintenance(self, number: int, version: int) -> None:
        node = self._node(number)
        self.trials.maintained(node)
        if node.up:
            self._down(node, self.planned[number].detail, "is in maintenance")

    # -- networks and inventory ------------------------------------------------------

    def _rdma_down(self, number: int, version: int) -> None:
        node = self._node(number)
        node.rdma = False
        self.core.tell("rdma_down", node.name, f"{node.name}: second network down")
        for gang in self._crossing(node):
            self.training.pace(gang)
            self.trials.crippled(gang, node)

    def _rdma_up(self, number: int, version: int) -> None:
        node = self._node(number)
        node.rdma = True
        self.core.tell("rdma_up", node.name)
        for gang in self._crossing(node):
            self.training.pace(gang)

    def _crossing(self, node: Node) -> list[Gang]:
        found = []
        for number in sorted(self.training.running):
            gang = self.training.gangs[number]
            nodes = self.training.nodes(gang)
            if gang.state == GangState.RUNNING and len(nodes) > 1 and node.number in nodes:
                found.append(gang)
        return found

    def _hang(self, number: int, version: int) -> None:
        node = self._node(number)
        if node.hung_since < 0:
            node.hung_since = self.now
            self.core.timeline.mark(self.now, "fault", f"{node.name}: device plugin hangs")

    def _hang_over(self, number: int, version: int) -> None:
        self._node(number).hung_since = -1
