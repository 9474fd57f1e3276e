"""Read log lines as their programs printed them: when, on which machine, by whom, how grave.

Times are taken as printed and only moved to UTC: a machine whose clock is wrong keeps its wrong times, as it
would in any collection of logs. A severity is what the program itself said, in its words or to the journal
that keeps its lines; nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain, repeat

SEVERITIES = ("not stated", "error", "warning", "info", "debug")
_CODES = {
    "fatal": 1,
    "critical": 1,
    "crit": 1,
    "alarm": 1,
    "err": 1,
    "error": 1,
    "warning": 2,
    "warn": 2,
    "notice": 3,
    "info": 3,
    "debug": 4,
}
_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}


@dataclass(frozen=True, slots=True)
class Place:
    """What a file tells of all its lines: machine and source where lines name none, and how to read times.

    `offset_min` is the site's zone in minutes east of UTC; `year` completes times printed without one.
    """

    host: str
    source: str
    offset_min: int
    year: int


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line. `at_ms` is ms since 1970, UTC, None where nothing says when; `severity` indexes SEVERITIES."""

    at_ms: int | None
    host: str
    source: str
    severity: int
    text: str


Reader = Callable[[str, Place], LogLine]


def _instant(parts: tuple[int, ...], ms: int, offset_min: int) -> int | None:
    """ms since 1970, UTC, of a wall clock `offset_min` east of UTC; None for a date that is none."""
    try:
        seconds = datetime(*parts, tzinfo=UTC).timestamp()  # type: ignore[misc,arg-type]
    except ValueError:
        return None
    return round(seconds) * 1000 + ms - offset_min * 60_000


def _severity(word: str | None) -> int:
    return _CODES.get(word.lower(), 0) if word else 0


_JOURNAL = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)([+-])(\d\d):?(\d\d) (\S+) ([^\s\[:]+)(?:\[\d+\])?:? ?(.*)"
)
_SAID = re.compile(
    r"(?:\blevel=|^\[?)(debug|info|notice|warning|warn|error|err|crit|critical|fatal)\b(?=[\s:\]]|$)",
    re.I,
)


def journal(text: str, place: Place) -> LogLine:
    """`2026-10-11T21:50:08+0300 host program[pid]: message`, as journalctl -o short-iso prints it."""
    if not (found := _JOURNAL.match(text)):
        return plain(text, place)
    *numbers, sign, hours, minutes, host, program, message = found.groups()
    offset = (int(hours) * 60 + int(minutes)) * (-1 if sign == "-" else 1)
    at = _instant(tuple(map(int, numbers)), 0, offset)
    said = _SAID.search(message)
    return LogLine(at, host, program, _severity(said and said[1]), text)


_KERNEL = re.compile(r"\[\w{3} (\w{3}) +(\d+) (\d\d):(\d\d):(\d\d) (\d{4})\] ")


def kernel(text: str, place: Place) -> LogLine:
    """`[Wed Oct  7 07:15:55 2026] message`, as dmesg -T prints it, in the site's time."""
    if not (found := _KERNEL.match(text)):
        return plain(text, place)
    month, day, hour, minute, second, year = found.groups()
    parts = (int(year), _MONTHS.get(month, 0), int(day), int(hour), int(minute), int(second))
    return LogLine(_instant(parts, 0, place.offset_min), place.host, place.source, 0, text)


_EVENT = re.compile(r" *[0-9a-f]+ \| (\d\d)/(\d\d)/(\d{4}) \| (\d\d):(\d\d):(\d\d) \|")


def event(text: str, place: Place) -> LogLine:
    """`1 | 02/16/2026 | 04:32:23 | sensor | ...`, a BMC's event log, in UTC."""
    if not (found := _EVENT.match(text)):
        return plain(text, place)
    month, day, year, hour, minute, second = map(int, found.groups())
    at = _instant((year, month, day, hour, minute, second), 0, 0)
    return LogLine(at, place.host, place.source, 0, text)


_SUBNET = re.compile(r"(\w{3}) (\d\d) (\d\d):(\d\d):(\d\d) (\d{6}) \[\w+\] 0x([0-9a-fA-F]{2}) ->")
_SUBNET_CODES = {1: 1, 2: 3, 4: 4, 8: 4}


def subnet(text: str, place: Place) -> LogLine:
    """`Oct 07 06:00:00 000472 [7F2A5000] 0x02 -> message`, OpenSM's log; 0x01 is an error, 0x02 information."""
    if not (found := _SUBNET.match(text)):
        return plain(text, place)
    month, day, hour, minute, second, micro, level = found.groups()
    parts = (place.year, _MONTHS.get(month, 0), int(day), int(hour), int(minute), int(second))
    at = _instant(parts, int(micro) // 1000, place.offset_min)
    return LogLine(at, place.host, place.source, _SUBNET_CODES.get(int(level, 16), 0), text)


_RANK = re.compile(r"([\w-]+):\d+:\d+ \[\d+\] NCCL (INFO|WARN)\b")


def collective(text: str, place: Place) -> LogLine:
    """`host:pid:thread [gpu] NCCL INFO message`: NCCL prints no time."""
    if not (found := _RANK.match(text)):
        return plain(text, place)
    return LogLine(None, found[1], place.source, _severity(found[2]), text)


_PLAIN = re.compile(r"\[?(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{3}))?\]?(.*)")
_EARLY = re.compile(
    r"(?:^|\s)(DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|CRITICAL|ALARM|FATAL)\b|^\s*(error|fatal|debug\d?|warning):"
)


def plain(text: str, place: Place) -> LogLine:
    """A line that may begin with a date and time of the site; any other line has no time of its own."""
    found = _PLAIN.match(text)
    if found is None:
        return LogLine(None, place.host, place.source, 0, text)
    *numbers, ms, rest = found.groups()
    at = _instant(tuple(map(int, numbers)), int(ms or 0), place.offset_min)
    said = _EARLY.search(rest[:24])
    word = (said[1] or said[2].rstrip("0123456789")) if said else None
    return LogLine(at, place.host, place.source, _severity(word), text)


def controller(text: str, place: Place) -> LogLine:
    """`[2026-10-11T21:46:03.876] message`, Slurm's log: what bears no other word is information."""
    line = plain(text, place)
    if line.severity or line.at_ms is None:
        return line
    return LogLine(line.at_ms, line.host, line.source, 3, text)


_READERS: dict[str, Reader] = {
    "journal.log": journal,
    "dmesg.txt": kernel,
    "ipmi-sel.txt": event,
    "opensm.log": subnet,
    "nccl.log": collective,
    "slurmctld.log": controller,
}


def read(name: str, text: str, place: Place) -> Iterator[LogLine]:
    """The lines of one file; a line without a time belongs to the entry before it and shares its time."""
    reader = _READERS.get(name, plain)
    at: int | None = None
    for line in text.removesuffix("\n").split("\n"):
        found = reader(line, place)
        if found.at_ms is None and at is not None:
            found = LogLine(at, found.host, found.source, found.severity, line)
        at = found.at_ms
        yield found


def with_priorities(lines: Iterable[LogLine], priorities: str) -> Iterator[LogLine]:
    """Lines that state no severity with their journal's: a digit for each line, as syslog counts."""
    for line, priority in zip(lines, chain(priorities, repeat("-")), strict=False):
        known = _PRIORITIES.get(priority, 0)
        yield replace(line, severity=known) if known and not line.severity else line


_PRIORITIES = {"0": 1, "1": 1, "2": 1, "3": 1, "4": 2, "5": 3, "6": 3, "7": 4}
