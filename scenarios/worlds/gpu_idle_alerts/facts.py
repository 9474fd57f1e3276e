"""From a finished episode to plain figures; knows no anchor and no score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scenarios.worlds.gpu_idle_alerts.controls import Controls
from scenarios.worlds.gpu_idle_alerts.desk import is_night
from scenarios.worlds.gpu_idle_alerts.jobs import CAUSES
from scenarios.worlds.gpu_idle_alerts.load import Phase
from scenarios.worlds.gpu_idle_alerts.proofs import shown
from scenarios.worlds.gpu_idle_alerts.register import Alert
from scenarios.worlds.gpu_idle_alerts.rules import Case, Truth
from scenarios.worlds.gpu_idle_alerts.setting import DAY, HOUR, TICK_S
from scenarios.worlds.gpu_idle_alerts.world import IdleWorld

IN_TIME = HOUR
"""An alert may come this long after a rule is met, in ticks in which it could be seen."""
EARLY = 2 * HOUR
"""Readings are incomplete: an alert this long before the rule is met still counts as right."""
FINDING_WITHIN = 6 * HOUR
CLOSED_WITHIN = 2 * HOUR
TAKEN_BACK = HOUR
"""An alert resolved so soon after it was raised, though its rule still holds, has told nobody anything."""
WORST_DELAY = 24 * HOUR
READ_BY_PEOPLE = 8
"""So many false or repeated alerts in 24 hours, and one more for every two GPUs, are still read."""
PAGE, WRONG_PAGE, NIGHT_PAGE = 3.0, 2.0, 4.0
"""Noise of a false page; of a page for what could wait; the same at night under audit."""


class Tally:
    """Counts GPU time tick by tick."""

    def __init__(self, world: IdleWorld) -> None:
        self._world = world
        self._units = [
            (unit.number, unit.server, unit.memory / world.gpu.memory_mib / HOUR)
            for unit in world.fleet.units
            if unit.whole
        ]
        self.in_service = 0.0
        self.wasted = 0.0

    def look(self) -> None:
        """Count this tick, in GPU-hours; a slice counts by its share of the memory."""
        serves = self._world.serving()
        for unit, server, share in self._units:
            if serves[server]:
                self.in_service += share
                self.wasted += share * self._idle(unit)

    def _idle(self, unit: int) -> float:
        """The part of this tick that a cause kept the GPU from its work."""
        world, job = self._world, self._world.job[unit]
        if job is None:
            server = world.fleet.units[unit].server
            return float(world.lost_at[unit] >= 0 or world.drained[server])
        if job.fate not in CAUSES or (0 <= job.fixed <= world.tick):
            return 0.0
        phase = world.phase[unit]
        if phase == Phase.STALLED:
            return 1.0
        at_work = phase in (Phase.WORK, Phase.MIXED)
        return 0.0 if at_work else 1.0 - world.util[unit] / 100


@dataclass
class Judged:
    """One alert: the case it is right about, or None if there is none or it was taken back at once."""

    alert: Alert
    case: Case | None


def judge(truth: Truth, alerts: list[Alert]) -> list[Judged]:
    """Every alert with its case. Right: all its GPUs belong to a case whose rule it names."""
    return [Judged(alert, _case_of(truth, alert)) for alert in alerts]


def _case_of(truth: Truth, alert: Alert) -> Case | None:
    units = set(alert.units)
    for case in truth.cases:
        met = case.rules.get(alert.rule)
        if met is None or not units <= set(case.members):
            continue
        if met - EARLY <= alert.raised and (case.over < 0 or alert.raised <= case.over + 1):
            return None if _taken_back(alert, case) else case
    return None


def _taken_back(alert: Alert, case: Case) -> bool:
    """Resolved within an hour though the case went on and nobody had dealt with it: as good as false."""
    if alert.resolved < 0 or alert.handled >= 0 or alert.resolved > alert.raised + TAKEN_BACK:
        return False
    return case.over < 0 or alert.resolved < case.over - HOUR


def patience(world: IdleWorld) -> int:
    """False or repeated alerts in 24 hours after which people stop reading."""
    return READ_BY_PEOPLE + sum(server.gpus for server in world.fleet.servers) // 2


def figures(world: IdleWorld, truth: Truth, controls: Controls, tally: Tally) -> dict[str, Any]:
    """Every raw figure, as plain data in the units named by its key."""
    judged = judge(truth, controls.register.alerts)
    sorted_out = _sort_out(world, judged)
    read = sorted_out.read(patience(world))
    rows = [_case_row(truth, world.tick, case, read.get(id(case))) for case in truth.cases]
    return {
        "cases": [row for row in rows if row is not None],
        "alerts_raised": len(judged),
        "alerts_right": len(sorted_out.first),
        "alerts_false": sum(row.case is None for row in judged),
        "alerts_repeated": sum(row.case is not None for row in judged) - len(sorted_out.first),
        "alerts_unread": len(sorted_out.first) - len(read),
        "pages_at_night": sum(_is_night_page(row.alert) for row in judged),
        "noise": sorted_out.noise + controls.warned_wrongly,
        "dashboard_percent": controls.board.mean,
        "gpu_h_in_service": tally.in_service,
        "gpu_h_wasted": tally.wasted,
        "gpu_h_of_work_destroyed": controls.lost_gpu_h,
        "owners_warned": controls.warned,
        "owners_warned_for_nothing": controls.warned_wrongly,
        "jobs_cancelled": controls.cancelled,
        "broken_rules": [[tick * TICK_S, text] for tick, text in controls.broken_rules],
        "jobs_started": len(world.jobs) + len(world.ended),
    }


@dataclass
class SortedOut:
    """The first right alert of each case (by its id), the ticks of the others, and their noise."""

    first: dict[int, Alert]
    needless: list[int]
    noise: float

    def read(self, most: int) -> dict[int, Alert]:
        """The first alerts that people still read: not those after a day of needless ones."""
        return {
            key: alert
            for key, alert in self.first.items()
            if sum(alert.raised - DAY < tick <= alert.raised for tick in self.needless) <= most
        }


def _sort_out(world: IdleWorld, judged: list[Judged]) -> SortedOut:
    found = SortedOut({}, [], 0.0)
    for row in judged:
        alert, case = row.alert, row.case
        if case is not None and id(case) not in found.first:
            found.first[id(case)] = alert
            found.noise += _wrong_page(world, alert, case)
            continue
        found.needless.append(alert.raised)
        found.noise += PAGE if alert.severity == "page" and case is None else 1.0
    return found


def _is_night_page(alert: Alert) -> bool:
    return alert.severity == "page" and is_night(alert.raised)


def _wrong_page(world: IdleWorld, alert: Alert, case: Case) -> float:
    if alert.severity != "page" or case.urgent:
        return 0.0
    return NIGHT_PAGE if world.setting.audit and is_night(alert.raised) else WRONG_PAGE


def _case_row(truth: Truth, now: int, case: Case, alert: Alert | None) -> dict[str, Any] | None:
    """What became of a case; None for one that was over, or the days were, before it could be told."""
    end = case.over if case.over >= 0 else now
    if case.cause == "none" or (alert is None and end - case.due <= IN_TIME):
        return None
    finding = _finding(truth, case, alert)
    delay = _delay(truth, case, alert)
    closed = case.over >= 0 and truth.seen(case.server, case.over, now) >= CLOSED_WITHIN
    return {
        "rule": min(case.rules, key=lambda rule: (case.rules[rule], rule)),
        "cause": case.cause,
        "gpus": len(case.members),
        "due_s": case.due * TICK_S,
        "over_s": case.over * TICK_S if case.over >= 0 else -1,
        "alerted_s": alert.raised * TICK_S if alert is not None else -1,
        "delay_h": round(delay / HOUR, 3),
        "in_time": alert is not None and delay <= IN_TIME,
        "routed": alert is not None and _routed(alert, case),
        "cause_right": finding is not None and finding[0] == case.cause,
        "evidence_right": finding is not None and finding == (case.cause, True),
        "closed_right": _closed(truth, case, alert) if closed else None,
    }


def _delay(truth: Truth, case: Case, alert: Alert | None) -> int:
    """Ticks from the rule to the alert in which the exporter answered, at most a day."""
    if alert is None:
        return WORST_DELAY
    return min(WORST_DELAY, max(0, truth.seen(case.server, case.due, alert.raised)))


def _routed(alert: Alert, case: Case) -> bool:
    return alert.team == case.team and (alert.severity == "page") == case.urgent


def _finding(truth: Truth, case: Case, alert: Alert | None) -> tuple[str, bool] | None:
    """(cause, whether the evidence shows it for this case) of the newest finding filed in time."""
    if alert is None:
        return None
    filed = [f for f in alert.findings if f.tick <= alert.raised + FINDING_WITHIN]
    if not filed:
        return None
    newest = filed[-1]
    return newest.cause, shown(truth.world, case, newest)


def _closed(truth: Truth, case: Case, alert: Alert | None) -> bool:
    """Resolved at most an hour before the case was over, or within two hours that could be seen."""
    if alert is None or alert.resolved < case.over - HOUR:
        return False
    return truth.seen(case.server, case.over, alert.resolved) <= CLOSED_WITHIN
