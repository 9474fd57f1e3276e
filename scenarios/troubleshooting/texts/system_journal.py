"""The journal of one machine: what units and the kernel wrote, in journalctl's short-iso form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import MINUTE
from scenarios.troubleshooting.texts import fleet
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


_Row = tuple[int, str, str, str, str, int, str | None]
"""An entry as a plain tuple: a variant's journals have tens of thousands, and only their lines are kept."""


def entries(incident: Incident, host: str, traces: list[Trace]) -> tuple[Entry, ...]:
    """Everything in the host's journal, sorted by time. `traces` are those of the whole incident."""
    return tuple(map(Entry._make, _rows(incident, host, traces)))


def _rows(incident: Incident, host: str, traces: list[Trace]) -> list[_Row]:
    first = archive_start(incident, host, traces)
    found: list[_Row] = [
        (at, host, unit, severity, text, _pid(incident, host, unit, at), None)
        for at, unit, severity, text in _ordinary(incident, host, first, traces)
    ]
    for line in kernel_lines(incident, host, traces):
        if line.at_ms >= first:
            found.append(
                (line.at_ms, host, "kernel", kernel_level(line.text), line.text, 0, line.tag)
            )
    for trace in traces:
        seen = trace.at_ms < incident.calendar.window_end
        if trace.kind == "syslog.line" and trace.host == host and seen:
            found.append(_traced(incident, trace))
    found.sort(key=itemgetter(0))
    return found


def journal(incident: Incident, host: str, traces: list[Trace]) -> Document:
    """`journalctl -o short-iso` of the host as a file."""
    zone, ahead = incident.calendar.zone, clock_ahead(incident, host)
    found = _rows(incident, host, traces)
    stamps = zone.stamps(map(itemgetter(0), found), ahead)
    return Document(f"logs/{host}/journal.log", tuple(_printed(found, stamps)))


def printed(incident: Incident, entry: Entry) -> Line:
    """An entry as journalctl prints it: the host's own clock, in the site's zone."""
    ahead = clock_ahead(incident, entry.host)
    stamp = incident.calendar.zone.stamp(entry.at_ms + ahead)
    return next(_printed((entry,), (stamp,)))


def _printed(found: Iterable[_Row], stamps: Iterable[str]) -> Iterator[Line]:
    for (at_ms, host, unit, severity, text, pid, tag), when in zip(found, stamps, strict=True):
        who = f"{unit}[{pid}]" if pid else unit
        # What Line(...) does as well, in half the time: a variant has tens of thousands.
        yield tuple.__new__(Line, (at_ms, f"{when} {host} {who}: {text}", tag, severity))


def _ordinary(
    incident: Incident, host: str, first: int, traces: list[Trace]
) -> Iterable[tuple[int, str, str, str]]:
    starts = kind_of(incident, host) == "node"
    boot = boot_ms(incident, host, traces)
    return chain(
        started(incident, host, boot) if starts else (),
        background(incident, host, first),
        _by_others(incident, host, first),
    )


def _by_others(incident: Incident, host: str, first: int) -> Iterable[tuple[int, str, str, str]]:
    """What any machine of its kind complains of now and then."""
    plant, kind = incident.plant, kind_of(incident, host)
    hosts = [node.name for node in plant.nodes] if kind == "node" else plant.storage.oss
    for at, name, row in fleet.said(
        incident, f"journal_{'node' if kind == 'node' else 'server'}", hosts
    ):
        if name == host and at >= first:
            yield at, row[0], row[1], row[2]


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


_PLACE = {unit: 5 * place for place, unit in enumerate(_SHORT)}


def _pid(incident: Incident, host: str, unit: str, at_ms: int) -> int:
    if unit == "systemd":
        return 1
    if unit in _PLACE:
        minutes = (at_ms - incident.calendar.maintenance) // MINUTE
        return 40_000 + (minutes * 67 + _PLACE[unit]) % 3_900_000
    return _lasting_pid(incident.seed, host, unit)


@lru_cache(maxsize=4096)
def _lasting_pid(seed: str, host: str, unit: str) -> int:
    return int(Stream(seed, f"pid {host} {unit}").between(1_200, 6_800))
