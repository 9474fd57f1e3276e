"""Which parts of the platform have been alive lately."""

from __future__ import annotations

from datetime import datetime, timedelta

from assessments.models import Pulse

WEB, WORKER, GPU, TERMINAL = "web", "worker", "gpu", "terminal"
PULSE_S = 5.0
AWAY = timedelta(seconds=15)


def is_alive(component: str, now: datetime) -> bool:
    """True where the part has said so lately."""
    return Pulse.objects.filter(component=component, at__gte=now - AWAY).exists()


def is_away(component: str, now: datetime) -> bool:
    """True where the part was alive once and has been silent for too long."""
    return Pulse.objects.filter(component=component, at__lt=now - AWAY).exists()
