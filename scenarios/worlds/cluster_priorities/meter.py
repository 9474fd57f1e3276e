"""Counts GPU-time by state, and money, as time passes."""

from __future__ import annotations

from scenarios.simulator.agenda import DAY, HOUR
from scenarios.worlds.cluster_priorities.state import CohortState
from scenarios.worlds.cluster_priorities.tables import READY, RUNNING, SAVING

PHASES = ("running", "starting", "saving", "free", "away")


class Meter:
    """GPU-ms by phase and team, node-ms in use by flavour. A node is charged while it is held."""

    def __init__(self, world: CohortState) -> None:
        self._world = world
        self.phase_ms = dict.fromkeys(PHASES, 0)
        self.in_use_ms = [0] * len(world.config.flavors)
        self.today_ms = [0] * len(world.config.flavors)
        """In use since midnight, by flavour."""

    def pass_time(self, span: int) -> None:
        """The next `span` ms pass as things stand; no event lies within, midnight at its end at most."""
        world = self._world
        if world.now % DAY == 0:
            self.today_ms = [0] * len(self.today_ms)
        for node in world.nodes:
            if node.holders:
                self.in_use_ms[node.flavor] += span
                self.today_ms[node.flavor] += span
        phases = self.phase_ms
        up = sum(node.gpus for node in world.nodes if node.state == READY)
        phases["away"] += (sum(node.gpus for node in world.nodes) - up) * span
        held_up = 0
        for node in world.nodes:
            for number, gpus in node.holders.items():
                if node.state != READY:
                    continue
                held_up += gpus
                state = world.works[number].state
                phase = state if state in (RUNNING, SAVING) else "starting"
                phases[phase] += gpus * span
        phases["free"] += (up - held_up) * span

    def spend(self) -> float:
        """USD for nodes so far."""
        return self._usd(self.in_use_ms)

    def today_by_flavor(self) -> list[float]:
        """USD since midnight, by flavour."""
        if self._world.now % DAY == 0:
            return [0.0] * len(self.today_ms)
        flavors = self._world.config.flavors
        return [f.price * ms / HOUR for f, ms in zip(flavors, self.today_ms, strict=True)]

    def ondemand_today(self) -> float:
        """USD for on-demand nodes since midnight."""
        flavors = self._world.config.flavors
        today = self.today_by_flavor()
        return sum(usd for f, usd in zip(flavors, today, strict=True) if not f.spot)

    def _usd(self, used: list[int]) -> float:
        flavors = self._world.config.flavors
        return sum(f.price * ms for f, ms in zip(flavors, used, strict=True)) / HOUR
