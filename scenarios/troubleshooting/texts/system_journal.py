"""The journal of one machine: what units and the kernel wrote, in journalctl's short-iso form."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import MINUTE
from scenarios.troubleshooting.texts.kernel import kernel_level, kernel_lines
from scenarios.troubleshooting.texts.lines import Document, Line
from scenarios.troubleshooting.texts.owners import clock_ahead
from scenarios.troubleshooting.texts.system_host import archive_start, boot_ms, kind_of
from scenarios.troubleshooting.texts.system_noise import background, started
from scenarios.troubleshooting.traces import Trace
from scenarios.troubleshooting.truth import Incident


class Entry(NamedTuple):
    """One entry with what a log explorer filters by. `at_ms` is the true time, ms UTC.

    `unit` is the identifier as printed (without `.service`), `severity` a syslog word (`info`, `notice`,
    `warning`, `err`); `pid` 0: the kernel or an entry without one.
    """

    at_ms: int
    host: str
    unit: str
    severity: str
    text: str
    pid: int = 0
    tag: str | None = None


def entries(incident: Incident, host: str, traces: list[Trace]) -> tuple[Entry, ...]:
    """Everything in the host's journal, sorted by time. `traces` are those of the whole incident."""
    first = archive_start(incident, host, traces)
    found = [
        Entry(at, host, unit, severity, text, _pid(incident, host, unit, at))
        for at, unit, severity, text in _ordinary(incident, host, first, traces)
    ]
    for line in kernel_lines(incident, host, traces):
        if line.at_ms >= first:
            found.append(
                Entry(line.at_ms, host, "kernel", kernel_level(line.text), line.text, 0, line.tag)
            )
    for trace in traces:
        seen = trace.at_ms < incident.calendar.window_end
        if trace.kind == "syslog.line" and trace.host == host and seen:
            found.append(_traced(incident, trace))
    found.sort(key=itemgetter(0))
    return tuple(found)


def journal(incident: Incident, host: str, traces: list[Trace]) -> Document:
    """`journalctl -o short-iso` of the host as a file."""
    zone, ahead = incident.calendar.zone, clock_ahead(incident, host)
    found = entries(incident, host, traces)
    lines = tuple(_printed(entry, zone.stamp(entry.at_ms + ahead)) for entry in found)
    return Document(f"logs/{host}/journal.log", lines)


def printed(incident: Incident, entry: Entry) -> Line:
    """An entry as journalctl prints it: the host's own clock, in the site's zone."""
    ahead = clock_ahead(incident, entry.host)
    return _printed(entry, incident.calendar.zone.stamp(entry.at_ms + ahead))


def _printed(entry: Entry, when: str) -> Line:
    who = f"{entry.unit}[{entry.pid}]" if entry.pid else entry.unit
    return Line(entry.at_ms, f"{when} {entry.host} {who}: {entry.text}", entry.tag, entry.severity)


def _ordinary(
    incident: Incident, host: str, first: int, traces: list[Trace]
) -> Iterable[tuple[int, str, str, str]]:
    if kind_of(incident, host) == "node":
        yield from started(incident, host, boot_ms(incident, host, traces))
    yield from background(incident, host, first)


def _traced(incident: Incident, trace: Trace) -> Entry:
    unit = str(trace.fields["unit"]).removesuffix(".service")
    text, severity = str(trace.fields["text"]), str(trace.fields["severity"])
    pid = 0 if unit == "kernel" else _pid(incident, trace.host, unit, trace.at_ms)
    return Entry(trace.at_ms, trace.host, unit, severity, text, pid, trace.tag)


_SHORT = (
    "CRON",
    "sshd",
    "sudo",
    "su",
    "gpu-health",
    "gpu-power",
    "mdstat",
    "systemd-modules-load",
    "enroot",
)
"""Units that start a new process each time; the others keep theirs."""


def _pid(incident: Incident, host: str, unit: str, at_ms: int) -> int:
    if unit == "systemd":
        return 1
    if unit in _SHORT:
        minutes = (at_ms - incident.calendar.maintenance) // MINUTE
        return 40_000 + (minutes * 67 + 5 * _SHORT.index(unit)) % 3_900_000
    return _lasting_pid(incident.seed, host, unit)


@lru_cache(maxsize=4096)
def _lasting_pid(seed: str, host: str, unit: str) -> int:
    return int(Stream(seed, f"pid {host} {unit}").between(1_200, 6_800))
