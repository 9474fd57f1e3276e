"""Nodes from being asked for to being gone; what happens to the n-th of a pool never changes."""

from __future__ import annotations

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.simulator.streams import Stream
from scenarios.simulator.world.failures import Clock
from scenarios.worlds.front import within
from scenarios.worlds.spot_checkpointing.record import Notice
from scenarios.worlds.spot_checkpointing.state import SpotState
from scenarios.worlds.spot_checkpointing.tables import Kind, Node, NodeState, Training

DELAYS = ((6 * MINUTE, 11 * MINUTE), (4 * MINUTE, 8 * MINUTE))
"""From being asked for to being up, on demand and spot: cloud GPU nodes with a prepared image."""
BARS = {"joining": "joining", "training": "training", "saving": "training"}
"""What shows as a bar on the node's row, and as which; a save is too short to be drawn."""


class Machines:
    """Every node, and the cost of it."""

    def __init__(self, world: SpotState) -> None:
        self.world = world
        self.nodes: list[Node] = []
        self.alive: list[int] = []
        self._asked = [[0, 0] for _ in world.config.zones]
        self._settled = 0.0

    def run_on(self, number: int) -> Training | None:
        """The run whose gang holds the node."""
        jobs = self.world.machine.jobs_on(number)
        return self.world.trainings[jobs[0]] if jobs else None

    # -- coming ----------------------------------------------------------------------

    def launch(self, zone: int, spot: bool) -> None:
        """Ask the provider for one node; it comes up later, or fails to."""
        world, trouble = self.world, self.world.trouble
        self._asked[zone][spot] += 1
        letter = "s" if spot else "d"
        name = f"{world.config.zones[zone].name}-{letter}{self._asked[zone][spot]:03d}"
        [number] = world.machine.add_nodes(1)
        world.machine.take_out(number)
        self.nodes.append(Node(name, zone, spot, world.now, phase_since=world.now))
        self.alive.append(number)
        world.record.nodes_started += 1
        fate = Stream(world.seed, f"start {name}")
        due = world.now + int(fate.between(*DELAYS[spot]))
        failed = fate.chance(trouble.start_failure)
        self.nodes[number].mute = fate.chance(trouble.mute)
        world.agenda.add(due, Kind.START_FAILED if failed else Kind.NODE_READY, number)

    def start_failed(self, number: int, version: int) -> None:
        node = self.nodes[number]
        if node.state == NodeState.STARTING:
            self.world.event("start_failed", node.name, wakes=True)
            self.remove(number, node.asked_at)

    def ready(self, number: int, version: int) -> None:
        node, now = self.nodes[number], self.world.now
        if node.state != NodeState.STARTING:
            return
        node.state, node.ready_at = NodeState.READY, now
        self.world.machine.put_back(number)
        self.phase(number, "idle")
        self.world.record.timeline.row(node.name)
        trouble = self.world.trouble
        fate = Stream(self.world.seed, f"life {node.name}")
        clocks = {
            Kind.NODE_DOWN: Clock(fate, trouble.down_mean),
            Kind.NODE_SLOW: Clock(fate, trouble.slow_mean),
        }
        if node.spot:
            mean = trouble.reclaim_means[node.zone]
            clocks[Kind.NOTICE] = Clock(fate, mean, trouble.daily, HOUR)
        for kind, clock in clocks.items():
            self.world.agenda.add(int(clock.after(now)), kind, number)
        self.world.event("node_ready", node.name, wakes=True)

    # -- going -----------------------------------------------------------------------

    def wave(self, index: int, version: int) -> None:
        wave = self.world.trouble.waves[index]
        for number in list(self.alive):
            node = self.nodes[number]
            fate = Stream(self.world.seed, f"wave {index} {node.name}")
            if node.spot and node.zone == wave.zone and fate.chance(wave.share):
                self.notice(number, 0)

    def notice(self, number: int, version: int) -> None:
        node, world = self.nodes[number], self.world
        if node.state != NodeState.READY or node.notice_at >= 0:
            return
        node.notice_at = world.now
        world.agenda.add(world.now + world.config.notice, Kind.RECLAIM, number)
        world.event("spot_notice", node.name, wakes=True)
        run, notices = self.run_on(number), world.record.notices
        if run is None or not run.trains:
            return
        if not any(one.handled is None and one.training == run.number for one in notices):
            notices.append(Notice(world.now, node.name, run.number, run.pace.at(world.now)))

    def remove(self, number: int, charged_until: int) -> None:
        """The node is gone, charged until then (ms)."""
        node = self.nodes[number]
        self.world.machine.take_out(number)
        self.phase(number, "gone")
        node.state, node.gone_at, node.charged_until = NodeState.GONE, self.world.now, charged_until
        self.alive.remove(number)
        self._settled += self._charge(node, charged_until)

    # -- accounts --------------------------------------------------------------------

    def phase(self, number: int, phase: str) -> None:
        """What the node's GPUs do from now on; the time until now goes to what they did."""
        node, now, record = self.nodes[number], self.world.now, self.world.record
        spent = record.phase_ms
        spent[node.phase] = spent.get(node.phase, 0) + now - node.phase_since
        before, after = BARS.get(node.phase), BARS.get(phase)
        node.phase, node.phase_since = phase, now
        if before and before != after:
            record.timeline.end(node.name, number, now)
        if after and before != after and (run := self.run_on(number)) is not None:
            label = f"{run.config.name}: {after}"
            record.timeline.begin(node.name, number, now, label, after)

    def _charge(self, node: Node, until: int) -> float:
        return self.world.paths[node.zone][node.spot].charge(node.asked_at, until)

    def spend(self) -> float:
        """USD for nodes up to now."""
        now = self.world.now
        return self._settled + sum(self._charge(self.nodes[n], now) for n in self.alive)

    def members(self, zone: int, spot: bool) -> list[int]:
        """Nodes of a pool that are not gone."""
        nodes = self.nodes
        return [n for n in self.alive if nodes[n].zone == zone and nodes[n].spot == spot]

    def dry(self, zone: int) -> bool:
        """Whether the zone has no spot node to give."""
        return within(self.world.now, self.world.trouble.dry[zone])
