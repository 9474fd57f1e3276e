"""The truth about the house rules: which GPUs fall under which, since when, and why."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.worlds.gpu_idle_alerts.fleet import OPS
from scenarios.worlds.gpu_idle_alerts.scrape import Scrape
from scenarios.worlds.gpu_idle_alerts.setting import DAY, HOUR
from scenarios.worlds.gpu_idle_alerts.world import IdleWorld

IDLE_BELOW = 10
"""Percent of utilisation, mean over 24 hours."""
LOST_AFTER = HOUR
HELD_AFTER = 12 * HOUR
STALLED_AFTER = 2 * HOUR

Key = tuple[str, int]


@dataclass(eq=False)
class Case:
    """GPUs in one hand that fall under a rule for one reason.

    `rules` says when (tick) each rule was first met, `over` is -1 while it lasts. `members` are
    all GPUs concerned.
    """

    key: Key
    cause: str
    job: int
    server: int
    members: tuple[int, ...]
    due: int
    rules: dict[str, int]
    urgent: bool
    team: str
    over: int = -1


class Truth:
    """Looks once a tick and opens and closes cases."""

    def __init__(self, world: IdleWorld, scrape: Scrape) -> None:
        self.world, self._scrape = world, scrape
        self.cases: list[Case] = []
        self.open: dict[Key, Case] = {}
        self._silent = [0] * len(world.fleet.units)
        self._answers: list[list[int]] = [[0] for _ in world.fleet.servers]
        self._exempt: set[int] = set()

    def look(self) -> None:
        """Judge this tick."""
        world = self.world
        for server, answers in enumerate(self._answers):
            answers.append(answers[-1] + self._scrape.reports(server))
        self._exempt = {
            unit
            for window in world.plan.windows
            if window.start <= world.tick < window.end
            for unit in window.units
        }
        found: dict[Key, dict[str, None]] = {}
        serves = world.serving()
        for unit in world.fleet.units:
            number = unit.number
            if world.lost_at[number] >= 0:
                rule = self._lost(number)
            else:
                self._silent[number] = 0
                judged = unit.whole and number not in self._exempt and serves[unit.server]
                rule = self._idle(number) if judged else ""
            if rule:
                found.setdefault(self._key(number, rule), {})[rule] = None
        self._update(found)

    def _lost(self, unit: int) -> str:
        # only an exporter that answers for the other GPUs shows that this one is missing
        self._silent[unit] += self._scrape.reports(self.world.fleet.units[unit].server)
        return "lost" if self._silent[unit] > LOST_AFTER else ""

    def _idle(self, unit: int) -> str:
        """The first of the other rules that a unit meets which is there and not set aside."""
        world = self.world
        job = world.job[unit]
        if job is not None and 0 <= job.kept <= world.tick:
            return ""
        rules = world.setting.rules
        if "stalled" in rules and world.hot[unit] >= STALLED_AFTER:
            return "stalled"
        if world.tick - max(0, world.judged[unit]) >= DAY:
            total = world.total[unit]
            if total[-1] - total[-1 - DAY] < IDLE_BELOW * DAY:
                return "idle"
        return "held" if "held" in rules and world.still[unit] >= HELD_AFTER else ""

    def _key(self, unit: int, rule: str) -> Key:
        if rule == "lost":
            return ("gpu", unit)
        job = self.world.job[unit]
        if job is not None:
            return ("job", job.id)
        server = self.world.fleet.units[unit].server
        return ("server", server) if self.world.drained[server] else ("free", unit)

    def _update(self, found: dict[Key, dict[str, None]]) -> None:
        tick = self.world.tick
        for key, rules in found.items():
            case = self.open.get(key)
            if case is None:
                case = self._new(key)
                self.open[key] = case
                self.cases.append(case)
            for rule in rules:
                case.rules.setdefault(rule, tick)
        for key in [key for key in self.open if key not in found]:
            self.open.pop(key).over = tick

    def seen(self, server: int, begin: int, end: int) -> int:
        """Ticks after `begin` up to `end` in which the server's exporter answered."""
        answers = self._answers[server]
        return answers[min(end + 1, len(answers) - 1)] - answers[min(begin + 1, len(answers) - 1)]

    def _new(self, key: Key) -> Case:
        world, tick = self.world, self.world.tick
        kind, number = key
        if kind == "job":
            job = world.jobs[number]
            server = world.fleet.units[job.units[0]].server
            members = job.units[1:] if job.fate == "over_request" else job.units
            stalled = job.fate == "hung_collective"
            urgent = world.setting.audit and stalled and job.priority == "high"
            cause = job.fate if job.ill else "none"
            team = job.team if world.setting.actions else OPS
            return Case(key, cause, number, server, members, tick, {}, urgent, team)
        if kind == "server":
            members = tuple(u.number for u in world.fleet.units if u.server == number and u.whole)
            return Case(key, "forgotten_drain", -1, number, members, tick, {}, False, OPS)
        server = world.fleet.units[number].server
        urgent = not world.setting.audit or bool(world.fleet.servers[server].contract)
        cause = "gpu_lost" if kind == "gpu" else "none"
        return Case(key, cause, -1, server, (number,), tick, {}, urgent and kind == "gpu", OPS)

    def due(self, units: set[int]) -> Case | None:
        """The open case that concerns exactly these GPUs or more."""
        for case in self.open.values():
            if units <= set(case.members):
                return case
        return None
