"""Which parts of the platform have been alive lately, and how the site answered."""

from __future__ import annotations

from datetime import datetime, timedelta

from assessments.models import Pulse

WEB, WORKER, GPU, TERMINAL, SCHEDULE = "web", "worker", "gpu", "terminal", "schedule"
CLUSTER = "cluster"
"""A host of terminals that can hold live clusters as well."""
PULSE_S = 5.0
AWAY = timedelta(seconds=15)
# The site is asked twice a second, as a browser asks it. Whoever waits a second more than that between
# two answers feels that it hangs, and short ones add up; less is lost in what any network does. What is
# given back begins with the last good answer: asked more seldom, many short outages give back too much.
KNOCK_S = 0.5
FELT = timedelta(seconds=KNOCK_S + 1)
# While the site answers within FELT, what it was sent is taken and written down well within this.
WORKED_OFF = timedelta(seconds=5)


def is_alive(component: str, now: datetime) -> bool:
    """True where the part has said so lately."""
    return Pulse.objects.filter(component=component, at__gte=now - AWAY).exists()


def is_away(component: str, now: datetime) -> bool:
    """True where the part was alive once and has been silent for too long."""
    return Pulse.objects.filter(component=component, at__lt=now - AWAY).exists()


def is_slow(now: datetime) -> bool:
    """True where the site hangs, or did so and nobody was credited yet."""
    pulse = Pulse.objects.filter(component=WEB).first()
    return pulse is not None and (pulse.slow_since is not None or now - pulse.at > FELT)


def has_worked_off(moment: datetime) -> bool:
    """True where the site answered on and on after `moment`: nothing sent before it still waits."""
    pulse = Pulse.objects.filter(component=WEB).first()
    return pulse is None or (pulse.slow_since is None and pulse.at >= moment + WORKED_OFF)
