"""What the monitor has said so far: alerts, findings, the dashboard; judges nothing but panels."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenarios.worlds.gpu_idle_alerts.fleet import MAX_OPERATING_C, Unit
from scenarios.worlds.gpu_idle_alerts.rules import IDLE_BELOW
from scenarios.worlds.gpu_idle_alerts.setting import HOUR, TICK_MS
from scenarios.worlds.gpu_idle_alerts.world import IdleWorld

SETTLING = 6 * HOUR
"""How long the dashboard may lag behind a change of the fleet."""
UNITS_OF = {"util": "%", "memory": "MiB", "temperature": "C", "power": "W"}


Fact = tuple[str, str, str]
"""(source, subject, value)."""


@dataclass(slots=True)
class Finding:
    """A cause with its evidence, as filed: the facts that were true, and the number of the others."""

    tick: int
    cause: str
    facts: tuple[Fact, ...]
    untrue: int


@dataclass(slots=True, eq=False)
class Alert:
    """One alert; times in ticks, -1 for never. `desk` is the team that has it on its table."""

    id: int
    rule: str
    units: tuple[int, ...]
    severity: str
    team: str
    text: str
    raised: int
    desk: str
    resolved: int = -1
    handled: int = -1
    look_at: int = 0
    looks: int = 0
    findings: list[Finding] = field(default_factory=list)


class Register:
    """Every alert by number, and the events that the people around them caused."""

    def __init__(self) -> None:
        self.alerts: list[Alert] = []
        self.events: list[tuple[int, str, str]] = []
        """(ms, kind, subject), not told yet."""

    def raise_alert(
        self, tick: int, rule: str, units: tuple[int, ...], severity: str, team: str, text: str
    ) -> Alert:
        """A new alert, with the next number."""
        alert = Alert(len(self.alerts) + 1, rule, units, severity, team, text, tick, team)
        self.alerts.append(alert)
        return alert

    def get(self, number: int) -> Alert | None:
        """The alert of that number, open or not."""
        return self.alerts[number - 1] if 1 <= number <= len(self.alerts) else None

    def open(self) -> list[Alert]:
        """Alerts that are not resolved."""
        return [alert for alert in self.alerts if alert.resolved < 0]

    def event(self, tick: int, kind: str, subject: object) -> None:
        """Something that the monitor is told with the next tick."""
        self.events.append((tick * TICK_MS, kind, str(subject)))

    def due(self, now: int) -> list[tuple[int, str, str]]:
        """Events whose time has come, each given out once."""
        due = [event for event in self.events if event[0] <= now]
        self.events = [event for event in self.events if event[0] > now]
        return sorted(due)


Panel = tuple[str, str, str, float]
"""(gpu, metric, unit of measurement, threshold)."""


class Dashboard:
    """The panels shown, and how much of what should be shown they are, tick by tick."""

    def __init__(self, world: IdleWorld) -> None:
        self._world = world
        self._shown: frozenset[Panel] = frozenset()
        self._names: frozenset[str] = frozenset()
        self._wrong = 0
        self._present = -1.0
        self.sum = 0.0
        self.looked = 0

    def show(self, panels: list[Panel]) -> None:
        """Put these panels up instead of those before."""
        self._shown = frozenset(panels)
        self._wrong = len(panels) - len(self._shown)
        self._present = -1.0

    def look(self) -> None:
        """Judge this tick; the monitor has an hour after the beginning."""
        world = self._world
        joins = {server.joins for server in world.fleet.servers}
        if world.tick in joins or world.tick - SETTLING in joins:
            self._present = -1.0
        if self._present < 0:
            self._present = self._share()
        if world.tick > HOUR:
            self.sum += self._present
            self.looked += 1

    def wanted(self, unit: Unit) -> set[Panel]:
        """The panels that a unit needs."""
        world, gpu = self._world, self._world.gpu
        found: set[Panel] = set()
        if unit.whole:
            found.add((unit.name, "util", "%", float(IDLE_BELOW)))
            found.add((unit.name, "memory", "MiB", float(unit.memory)))
        if unit.parent < 0:
            found.add((unit.name, "temperature", "C", float(MAX_OPERATING_C[gpu.name])))
            if world.setting.actions:
                found.add((unit.name, "power", "W", float(gpu.top_w)))
        return found

    def _share(self) -> float:
        """Right panels among those that are wanted, shown by mistake or shown twice."""
        needed: set[Panel] = set()
        allowed: set[Panel] = set()
        for unit in self._world.fleet.units:
            joins = self._world.fleet.servers[unit.server].joins
            panels = self.wanted(unit)
            allowed |= panels
            if joins == 0 or self._world.tick >= joins + SETTLING:
                needed |= panels
        right = len(needed & self._shown)
        wrong = len(self._shown - allowed) + self._wrong
        return right / (len(needed) + wrong)

    @property
    def mean(self) -> float:
        """Mean share in percent so far."""
        return 100 * self.sum / self.looked if self.looked else 0.0
