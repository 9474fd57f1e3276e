"""What the exporters say at each tick: gaps, frozen answers, missing and repeated series."""

from __future__ import annotations

from scenarios.worlds.gpu_idle_alerts import load
from scenarios.worlds.gpu_idle_alerts.fleet import Unit
from scenarios.worlds.gpu_idle_alerts.plan import Silence
from scenarios.worlds.gpu_idle_alerts.setting import HOUR, TICK_S
from scenarios.worlds.gpu_idle_alerts.world import IdleWorld

MISSED = 0.015
"""Share of single readings that a scrape lacks for no reason, at trouble 1."""
REPEATS = 2 * HOUR
"""For this long after a gap an exporter also repeats series from before it."""

Row = list[object]
"""[gpu, at in s, util %, memory MiB, temperature °C, power W, SM clock MHz, last Xid]; None
where the device does not report the value (MIG: utilisation of the whole GPU, sensors of a slice)."""


class Scrape:
    """The newest answer of every exporter, and whether a unit can be seen at all."""

    def __init__(self, world: IdleWorld) -> None:
        self._world = world
        self._by_server: dict[int, list[Silence]] = {}
        for silence in sorted(world.plan.silences, key=lambda one: (one.start, one.end)):
            self._by_server.setdefault(silence.server, []).append(silence)
        self._kept: dict[int, tuple[Silence, list[Row]]] = {}
        self._state: list[Silence | None] = [None] * len(world.fleet.servers)
        self._after: list[Silence | None] = [None] * len(world.fleet.servers)
        self._units = [
            [unit for unit in world.fleet.units if unit.server == server]
            for server in range(len(world.fleet.servers))
        ]
        self._slices: dict[int, list[Unit]] = {}
        for unit in world.fleet.units:
            if unit.parent >= 0:
                self._slices.setdefault(unit.parent, []).append(unit)

    def look(self) -> None:
        """Find out who is silent at this tick; called once a tick."""
        tick = self._world.tick
        for server, silences in self._by_server.items():
            self._state[server] = self._after[server] = None
            for silence in silences:
                if silence.start <= tick < silence.end:
                    self._state[server] = silence
                    self._keep(server, silence)
                elif not silence.frozen and silence.end <= tick < silence.end + REPEATS:
                    self._after[server] = silence

    def _keep(self, server: int, silence: Silence) -> None:
        """Remember the last answer before the silence, as a frozen exporter repeats it."""
        held = self._kept.get(server)
        if held is None or held[0] is not silence:
            last = (self._world.tick - 1) * TICK_S
            rows = [[row[0], last, *row[2:]] for row in self._fresh(server)]
            self._kept[server] = (silence, rows)

    def reports(self, server: int) -> bool:
        """Whether the server's exporter gives fresh answers now."""
        return self._world.in_service(server) and self._state[server] is None

    def sees(self, unit: Unit) -> bool:
        """Whether a fresh reading of the unit can be had now."""
        return self.reports(unit.server) and self._world.lost_at[_physical(unit)] < 0

    def rows(self) -> list[Row]:
        """Every series of the newest scrape of all servers."""
        found: list[Row] = []
        for server in range(len(self._units)):
            silence = self._state[server]
            if not self._world.in_service(server):
                continue
            if silence is not None:
                found += self._kept[server][1] if silence.frozen else []
                continue
            found += self._repeated(server)
            found += self._fresh(server)
        return found

    def _repeated(self, server: int) -> list[Row]:
        """After a restart of the exporter some series come twice, once as they were before."""
        after = self._after[server]
        held = self._kept.get(server)
        if after is None or held is None or held[0] is not after:
            return []
        return [row for number, row in enumerate(held[1]) if number % 2 == 0]

    def _fresh(self, server: int) -> list[Row]:
        lost_at, tick = self._world.lost_at, self._world.tick
        missed = MISSED * self._world.setting.trouble
        return [
            self.reading(unit)
            for unit in self._units[server]
            if lost_at[unit.parent if unit.parent >= 0 else unit.number] < 0
            and load.noise(unit.number, tick, 11) >= missed
        ]

    def reading(self, unit: Unit) -> Row:
        """What a unit's sensors show now."""
        world, number, tick = self._world, unit.number, self._world.tick
        at = tick * TICK_S
        if not unit.whole:
            return self._parent(unit, at)
        now, util, job = world.phase[number], world.util[number], world.job[number]
        used = load.memory(job, now, unit.memory) if job is not None else 0
        if unit.parent >= 0:
            return [unit.name, at, util, used, None, None, None, world.xid[unit.parent]]
        heat = load.temperature(now, util, number, tick)
        watts = load.power(world.gpu, now, util, number, tick)
        clock = load.clock(world.gpu, now, util, number, tick)
        return [unit.name, at, util, used, heat, watts, clock, world.xid[number]]

    def _parent(self, unit: Unit, at: int) -> Row:
        """A GPU that is cut into slices reports no utilisation of its own."""
        world = self._world
        slices = self._slices[unit.number]
        util = int(sum(world.util[one.number] * (one.memory / unit.memory) for one in slices))
        held = 0
        for one in slices:
            job = world.job[one.number]
            if job is not None:
                held += load.memory(job, world.phase[one.number], one.memory)
        now = max(
            (world.phase[one.number] for one in slices), key=lambda p: p != load.Phase.NOTHING
        )
        heat = load.temperature(now, util, unit.number, world.tick)
        watts = load.power(world.gpu, now, util, unit.number, world.tick)
        clock = load.clock(world.gpu, now, util, unit.number, world.tick)
        return [unit.name, at, None, held, heat, watts, clock, world.xid[unit.number]]


def _physical(unit: Unit) -> int:
    return unit.parent if unit.parent >= 0 else unit.number
