"""Nodes from being asked for to being gone; what happens to the n-th of a pool never changes."""

from __future__ import annotations

from math import cos, pi
from typing import TYPE_CHECKING

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.simulator.streams import Stream
from scenarios.worlds.front import within
from scenarios.worlds.spot_checkpointing.families import DAY_HOURS, WORKDAY_PEAK
from scenarios.worlds.spot_checkpointing.record import Notice
from scenarios.worlds.spot_checkpointing.tables import RUNNING, SAVING, Kind, Node, NodeState

if TYPE_CHECKING:
    from scenarios.worlds.spot_checkpointing.world import SpotWorld

DELAYS = ((6 * MINUTE, 11 * MINUTE), (4 * MINUTE, 8 * MINUTE))
"""From being asked for to being up, on demand and spot: cloud GPU nodes with a prepared image."""
BARS = {"joining": "joining", "training": "training", "saving": "training"}
"""What shows as a bar on the node's row, and as which; a save is too short to be drawn."""


class Machines:
    """Every node, and the cost of it."""

    def __init__(self, world: SpotWorld) -> None:
        self.world = world
        self.nodes: list[Node] = []
        self.alive: list[int] = []
        self._asked = [[0, 0] for _ in world.config.zones]
        self._settled = 0.0

    # -- coming ----------------------------------------------------------------------

    def launch(self, zone: int, spot: bool) -> None:
        """Ask the provider for one node; it comes up later, or fails to."""
        world, trouble = self.world, self.world.trouble
        self._asked[zone][spot] += 1
        letter = "s" if spot else "d"
        name = f"{world.config.zones[zone].name}-{letter}{self._asked[zone][spot]:03d}"
        number = len(self.nodes)
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
        self.phase(number, "idle")
        self.world.record.timeline.row(node.name)
        trouble, agenda = self.world.trouble, self.world.agenda
        fate = Stream(self.world.seed, f"life {node.name}")
        agenda.add(now + int(fate.exponential(trouble.down_mean)), Kind.NODE_DOWN, number)
        agenda.add(now + int(fate.exponential(trouble.slow_mean)), Kind.NODE_SLOW, number)
        if node.spot:
            agenda.add(self._reclaim_time(node, fate), Kind.NOTICE, number)
        self.world.event("node_ready", node.name, wakes=True)

    def _reclaim_time(self, node: Node, fate: Stream) -> int:
        """When the provider wants it back: a Poisson process, thinned by the hour of the day."""
        trouble = self.world.trouble
        peak, time = 1 + trouble.daily, float(self.world.now)
        while True:
            time += fate.exponential(trouble.reclaim_means[node.zone] / peak)
            hour = time / HOUR
            rate = 1 + trouble.daily * cos(2 * pi * (hour - WORKDAY_PEAK) / DAY_HOURS)
            if fate.chance(rate / peak):
                return int(time)

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
        if node.training < 0:
            return
        run = world.trainings[node.training]
        waiting = any(
            n.handled is None and n.training == node.training for n in world.record.notices
        )
        if run.state in (RUNNING, SAVING) and not waiting:
            step = run.step(world.now)
            world.record.notices.append(Notice(world.now, node.name, node.training, step))

    def reclaim(self, number: int, version: int) -> None:
        node = self.nodes[number]
        self.world.judge_notices(node.name)
        if node.state == NodeState.GONE:
            return
        self.world.event("reclaimed", node.name, wakes=True)
        self.world.gangs.lose(number)
        self.remove(number, self.world.now)

    def down(self, number: int, version: int) -> None:
        node = self.nodes[number]
        if node.state != NodeState.READY:
            return
        node.state, node.down_at = NodeState.DOWN, self.world.now
        self.world.event("node_down", node.name, wakes=True)
        self.world.gangs.lose(number)
        self.phase(number, "down")

    def slow(self, number: int, version: int) -> None:
        node = self.nodes[number]
        if node.state == NodeState.READY:
            node.slow, node.slow_at = True, self.world.now
            if node.training >= 0:
                self.world.gangs.change_pace(node.training)

    def give_back(self, number: int) -> str:
        """The controller returns a node; it costs at least the shortest charge."""
        node = self.nodes[number]
        self.world.gangs.lose(number)
        least = node.asked_at + self.world.config.least_charge
        self.remove(number, max(self.world.now, least))
        return node.name

    def remove(self, number: int, charged_until: int) -> None:
        """The node is gone, charged until then (ms)."""
        node = self.nodes[number]
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
        if before == after:
            return
        if before:
            record.timeline.end(node.name, number, now)
        if after:
            name = self.world.trainings[node.training].config.name
            record.timeline.begin(node.name, number, now, f"{name}: {after}", after)

    def _charge(self, node: Node, until: int) -> float:
        path = self.world.paths[node.zone][node.spot]
        return path.charge(node.asked_at, until)

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
