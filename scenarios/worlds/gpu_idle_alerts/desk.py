"""The people who work through the alerts: by team, by day, pages at any hour."""

from __future__ import annotations

from scenarios.worlds.gpu_idle_alerts.fleet import Contact
from scenarios.worlds.gpu_idle_alerts.register import Alert, Register
from scenarios.worlds.gpu_idle_alerts.rules import IDLE_BELOW, Case, Truth
from scenarios.worlds.gpu_idle_alerts.setting import DAY, HOUR
from scenarios.worlds.gpu_idle_alerts.world import IdleWorld

WITH_CAUSE, WITHOUT, MISTAKEN = 2, 6, 3
"""Ticks that an alert takes: with the right cause in its finding, without, and for nothing."""
AGAIN = 2 * HOUR
NEARLY = IDLE_BELOW + 5


def is_open(contact: Contact, tick: int) -> bool:
    """Whether the team's desk works now: Monday to Friday."""
    return tick // DAY % 7 < 5 and contact.opens * HOUR <= tick % DAY < contact.closes * HOUR


def is_night(tick: int) -> bool:
    """From eight in the evening until seven, and all weekend."""
    return tick // DAY % 7 >= 5 or not 7 * HOUR <= tick % DAY < 20 * HOUR


class Desk:
    """One team's table: an alert at a time, pages first, then in the order of their numbers."""

    def __init__(
        self, contact: Contact, world: IdleWorld, truth: Truth, register: Register
    ) -> None:
        self._contact, self._world = contact, world
        self._truth, self._register = truth, register
        self._on: Alert | None = None
        self._until = 0

    def work(self) -> None:
        """Let the team do what it can in this tick."""
        tick = self._world.tick
        if self._on is not None and tick >= self._until:
            self._finish(self._on)
            self._on = None
        if self._on is None:
            self._on = self._next()
            if self._on is not None:
                self._until = tick + self._effort(self._on)

    def _next(self) -> Alert | None:
        tick, team = self._world.tick, self._contact.team
        open_now = is_open(self._contact, tick)
        waiting = [
            alert
            for alert in self._register.open()
            if alert.desk == team
            and alert.handled < 0
            and alert.look_at <= tick
            and (open_now or alert.severity == "page")
        ]
        return min(waiting, key=lambda a: (a.severity != "page", a.id), default=None)

    def _effort(self, alert: Alert) -> int:
        case = self._case(alert)
        if case is None:
            return MISTAKEN
        told = alert.findings and alert.findings[-1].cause == case.cause
        return WITH_CAUSE if told else WITHOUT

    def _case(self, alert: Alert) -> Case | None:
        """What the team sees when it looks: the first case that the alert's GPUs are part of."""
        for unit in alert.units:
            for case in self._truth.open.values():
                if unit in case.members:
                    return case
        return None

    def _finish(self, alert: Alert) -> None:
        tick = self._world.tick
        case = self._case(alert)
        if alert.resolved >= 0:
            return
        if case is None:
            near = any(self._world.mean(unit) < NEARLY for unit in alert.units)
            if near and alert.looks < 2:
                alert.looks, alert.look_at = alert.looks + 1, tick + AGAIN
                return
            alert.handled = tick
            self._register.event(tick, "dismissed", alert.id)
        elif self._world.setting.actions and case.team != alert.desk:
            alert.desk = case.team
            self._register.event(tick, "forwarded", alert.id)
        else:
            self._solve(case)
            alert.handled = tick
            self._register.event(tick, "handled", alert.id)

    def _solve(self, case: Case) -> None:
        """Remove the cause, as a person would who has asked the owner first."""
        world = self._world
        job = world.jobs.get(case.job)
        if case.cause == "gpu_lost":
            world.repair(case.members[0])
        elif case.cause == "forgotten_drain":
            world.resume(case.server)
        elif job is None or job.kept >= 0:
            return
        elif case.cause == "slow_input":
            job.fixed = world.tick + 3 * HOUR
        else:
            world.end_job(job, "cancelled")
