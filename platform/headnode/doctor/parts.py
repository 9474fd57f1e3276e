"""The site's processes: web server, workers, schedule, terminals, and which versions they run."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from django.db.models import Sum
from django.utils import timezone

from assessments.models import Pulse
from assessments.presences import database_now, own_version, present
from assessments.pulses import AWAY, GPU, SCHEDULE, TERMINAL, WEB, WORKER
from headnode.doctor.findings import Finding, failed, warning, well
from headnode.doctor.stores import age
from sandbox.gpu import survey

STARTS = {
    WEB: "headnode web",
    WORKER: "headnode worker",
    SCHEDULE: "headnode schedule",
    TERMINAL: "headnode terminals",
    GPU: "headnode gpu-worker",
}
WORDS = {
    WEB: "web server",
    WORKER: "worker",
    SCHEDULE: "schedule",
    TERMINAL: "terminals",
    GPU: "GPU worker",
}
WITHOUT = {
    WEB: "Nobody can open a page.",
    WORKER: "Runs and gradings wait; candidates get the time back.",
    SCHEDULE: "Nothing repeats a message that got lost; rounds are closed only when their pages are opened.",
    TERMINAL: "Candidates read that the terminal is away; everything else works.",
    GPU: "GPU exercises run as practice on a processor.",
}


def processes() -> Iterator[Finding]:
    """Each part that a site needs, by its last pulse."""
    now = timezone.now()
    for component in (WEB, WORKER, SCHEDULE, TERMINAL):
        yield alive(component, now)
    if survey().units:
        yield alive(GPU, now)


def alive(component: str, now: datetime) -> Finding:
    """Whether the part pulsed lately. Without terminals and GPU workers a site is whole."""
    pulse = Pulse.objects.filter(component=component).first()
    name = WORDS[component]
    if pulse is not None and now - pulse.at <= AWAY:
        return well(name, f"Alive {age(pulse.at, now)}{_where(component)}.")
    seen = f"Last seen {age(pulse.at, now)}." if pulse else "Never seen."
    tell = warning if component in (TERMINAL, GPU) else failed
    return tell(name, f"{seen} {WITHOUT[component]}", f"Start it: {STARTS[component]}")


def _where(component: str) -> str:
    hosts = present(database_now()).filter(component=component)
    names = ", ".join(sorted(row.host for row in hosts))
    return f" on {names}" if names else ""


def terminals() -> Iterator[Finding]:
    """How many places for terminals the hosts have together."""
    hosts = present(database_now()).filter(component=TERMINAL)
    places = hosts.aggregate(Sum("places"))["places__sum"] or 0
    if places:
        yield well("places of terminals", f"{places} candidates can have a terminal at once.")


def versions() -> Iterator[Finding]:
    """Whether all hosts run the version that is asked."""
    own = own_version()
    others = {row.host: row.version for row in present(database_now()) if row.version != own}
    if others:
        told = ", ".join(
            f"{host} runs {version or 'an older one'}" for host, version in others.items()
        )
        cure = "Finish the upgrade there: install this version and start its processes again."
        yield warning("versions", f"This is {own}; {told}.", cure)
        return
    debug = " DEBUG is on." if settings.DEBUG else ""
    yield well("versions", f"Headnode {own} everywhere.{debug}")
