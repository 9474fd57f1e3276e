"""Whose a departure is, and what a host's clock shows: what all texts that print the condition share."""

from __future__ import annotations

from datetime import UTC, datetime

from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.condition import Condition
from scenarios.troubleshooting.truth import Incident


def owner(condition: Condition, subject: str, *names: str) -> str | None:
    """Key of the cause or herring that takes one of these fields of the subject out of health."""
    for effect in condition.about(subject):
        if effect.field in names:
            return effect.tag
    return None


def value_at(condition: Condition, subject: str, name: str, at_ms: int) -> float:
    """The field's value in the cell of an instant."""
    values = condition.over(subject, name)
    if values is None:
        return condition.healthy(name)
    return float(values[condition.calendar.cell(at_ms)])


def total_until(condition: Condition, subject: str, name: str, at_ms: int) -> float:
    """Integral of a rate per second from the window's start to an instant, in whole cells."""
    values = condition.over(subject, name)
    if values is None:
        return 0.0
    cells = condition.calendar.cell(at_ms) + 1
    return float(values[:cells].sum()) * 15.0


def shown(incident: Incident, host: str, at_ms: int) -> datetime:
    """The site's wall clock as this host shows it at a true instant: a wrong clock is ahead."""
    return incident.calendar.local(at_ms + clock_ahead(incident, host))


def clock_ahead(incident: Incident, host: str) -> int:
    """How far the host's clock is ahead, ms."""
    return round(incident.condition.constant(host, "clock_offset_s") * SECOND)


def universal(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms // SECOND, UTC)


def during(incident: Incident) -> int:
    """The moment at which somebody looked while the run was slow: two hours and a half into its steps."""
    return (incident.run.first_ms + 150 * 60 * SECOND) // SECOND * SECOND
