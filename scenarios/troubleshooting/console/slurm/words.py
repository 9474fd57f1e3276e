"""What Slurm's commands share: times and host lists as people write them, and columns of `-o` and `-O`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from scenarios.troubleshooting.calendar import DAY, HOUR, MINUTE, SECOND
from scenarios.troubleshooting.console.command import Failed
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.jobs import TEAMS

STATES = tuple(
    (
        "PENDING RUNNING SUSPENDED COMPLETED CANCELLED FAILED TIMEOUT NODE_FAIL PREEMPTED BOOT_FAIL "
        "DEADLINE OUT_OF_MEMORY COMPLETING CONFIGURING RESIZING RESV_DEL_HOLD REQUEUED REQUEUE_FED "
        "REQUEUE_HOLD REVOKED SIGNALING SPECIAL_EXIT STAGE_OUT STOPPED"
    ).split()
)
SHORT = {
    "PENDING": "PD",
    "RUNNING": "R",
    "COMPLETED": "CD",
    "CANCELLED": "CA",
    "FAILED": "F",
    "TIMEOUT": "TO",
    "SUSPENDED": "S",
    "NODE_FAIL": "NF",
    "PREEMPTED": "PR",
    "COMPLETING": "CG",
    "OUT_OF_MEMORY": "OOM",
    "BOOT_FAIL": "BF",
    "DEADLINE": "DL",
    "CONFIGURING": "CF",
}
"""State -> its short form in squeue."""
USERS = {user: account for account, users in TEAMS.items() for user in users}
"""User -> account, of everybody who has jobs here."""
_UNITS = {
    "second": SECOND,
    "sec": SECOND,
    "s": SECOND,
    "minute": MINUTE,
    "min": MINUTE,
    "m": MINUTE,
    "hour": HOUR,
    "h": HOUR,
    "day": DAY,
    "d": DAY,
    "week": 7 * DAY,
    "w": 7 * DAY,
}
_RELATIVE = re.compile(r"^now(?:([+-])(\d{1,6})([a-z]*))?$")
_FORMS = (
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d",
    "%m/%d/%y-%H:%M:%S",
    "%m/%d/%y-%H:%M",
    "%m/%d/%y",
    "%m%d%y",
)
_SHORTER = ("%m/%d-%H:%M:%S", "%m/%d-%H:%M", "%m/%d", "%m%d")


def state_of(word: str) -> str | None:
    """The long name of a state given in either form, or None."""
    upper = word.strip().upper()
    if upper in STATES:
        return upper
    return next((state for state, short in SHORT.items() if short == upper), None)


def instant(site: Site, tool: str, word: str) -> int:
    """A time of `-S` and `-E` in ms UTC, read in the site's zone. Raises Failed."""
    found = _instant(site, word.strip())
    if found is None:
        raise Failed(f"{tool}: error: Invalid time specification (pos=0): {word}")
    return found


def _instant(site: Site, word: str) -> int | None:
    calendar, now = site.incident.calendar, site.now_ms
    offset = calendar.zone.offset * MINUTE
    midnight = (now + offset) // DAY * DAY - offset
    named = {"today": midnight, "midnight": midnight, "noon": midnight + 12 * HOUR}
    named |= {"teatime": midnight + 16 * HOUR, "tomorrow": midnight + DAY}
    if word.lower() in named:
        return named[word.lower()]
    if found := _RELATIVE.match(word.lower()):
        given = found[3] or "seconds"
        unit = given if given in _UNITS else given.removesuffix("s")
        if found[2] and unit not in _UNITS:
            return None
        ahead = int(found[2] or 0) * _UNITS.get(unit, SECOND)
        return now + (ahead if found[1] == "+" else -ahead)
    if found := re.match(r"^(\d{1,2}):(\d{2})(?::(\d{2}))?$", word, re.ASCII):
        hour, minute, second = (int(part or 0) for part in found.groups())
        if hour > 23 or minute > 59 or second > 59:
            return None
        return midnight + hour * HOUR + minute * MINUTE + second * SECOND
    return _dated(word, calendar.local(now).year, offset)


def _dated(word: str, year: int, offset: int) -> int | None:
    if not word.isascii():
        return None
    for form in (*_FORMS, *_SHORTER):
        dated, text = (form, word) if form in _FORMS else (f"%Y {form}", f"{year} {word}")
        try:
            at = datetime.strptime(text, dated)  # noqa: DTZ007 - the site's wall clock
        except ValueError:
            continue
        since = at - datetime(1970, 1, 1)  # noqa: DTZ001
        return since // timedelta(milliseconds=1) - offset
    return None


_LIST = re.compile(r"([^,\[]*(?:\[[^\]]*\])?[^,\[]*)(?:,|$)")


def hosts_of(text: str, most: int = 4_096) -> list[str]:
    """`gpu-n[001-003,7],login01` as names, in order; what cannot be read stays as it is."""
    found: list[str] = []
    for part in _LIST.findall(text):
        match = re.match(r"^(.*)\[([0-9,\-]*)\](.*)$", part)
        if match is None:
            found += [part] if part else []
            continue
        for span in match[2].split(","):
            first, _, last = span.partition("-")
            if not first.isdigit() or (last and not last.isdigit()) or len(first + last) > 12:
                continue
            top = min(int(last or first), int(first) + most)
            found += [f"{match[1]}{n:0{len(first)}d}{match[3]}" for n in range(int(first), top + 1)]
        if len(found) > most:
            break
    return found[:most]


def known_hosts(site: Site, tool: str, text: str) -> set[str]:
    """The nodes of a list. Raises Failed for one that is not a node."""
    names = hosts_of(text)
    for name in names:
        if name not in site.nodes:
            raise Failed(f"{tool}: error: Invalid node name {name}")
    return set(names)


@dataclass(frozen=True, slots=True)
class Column:
    """One column of an output: heading, width (0: as wide as the text), and whether it stands right."""

    head: str
    width: int
    right: bool
    read: Callable[[object], str]
    after: str = ""


_CODE = re.compile(r"%(\.?)(\d{0,4})([a-zA-Z])([^%]*)")
Reader = Callable[[object], str]


def coded(form: str, known: Mapping[str, tuple[str, Reader]]) -> tuple[str, list[Column]]:
    """(text before the first column, columns) of a `-o` format; a letter nobody knows prints its code."""
    before = form.partition("%")[0]
    found = []
    for right, width, letter, after in _CODE.findall(form):
        if letter in known:
            head, read = known[letter]
            found.append(Column(head, int(width or 0), bool(right), read, after))
        else:
            found.append(Column(f"%{letter}", 0, False, lambda _, text=f"%{letter}": text, after))  # type: ignore[misc]
    return before, found


def named(
    tool: str, form: str, known: Mapping[str, tuple[str, Reader]], default: int = 20
) -> list[Column]:
    """Columns of a `-O` format: `JobID:10,Name:.30`. Raises Failed."""
    found = []
    for part in form.split(","):
        name, _, size = part.partition(":")
        if name.strip().lower() not in known:
            raise Failed(f"{tool}: error: Invalid job format specification: {name.strip()}")
        head, read = known[name.strip().lower()]
        width = int(size.lstrip(".")) if re.match(r"^\.?[0-9]{1,4}$", size) else default
        found.append(Column(head, width, size.startswith("."), read))
    return found


def row(columns: Sequence[Column], cells: Sequence[str], before: str = "") -> str:
    """One line: every cell cut to its width and placed left or right."""
    parts = [before]
    for column, cell in zip(columns, cells, strict=True):
        if column.width:
            cut = cell[: column.width]
            cell = cut.rjust(column.width) if column.right else cut.ljust(column.width)
        parts.append(cell + column.after)
    return "".join(parts)


def heading(columns: Sequence[Column], before: str = "") -> str:
    return row(columns, [column.head for column in columns], before)
