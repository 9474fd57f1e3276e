"""Calendar files (RFC 5545) for windows and sittings: one event each, the same one when sent again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache

LINE_BYTES = 75
"""RFC 5545, 3.1: longer lines are folded, counted in bytes without the line break."""


@dataclass(frozen=True)
class Event:
    """key: what makes it the same event when it is sent again.

    is_free: it blocks nobody's time.

    is_off: it was called off, and a calendar that knows the key takes it out.
    """

    key: str
    title: str
    text: str
    begins_at: datetime
    ends_at: datetime
    is_free: bool = False
    is_off: bool = False
    warn_before_end: timedelta | None = None


def calendar_file(event: Event, *, now: datetime, site: str) -> str:
    """The file's text; its lines end in CR LF. `site` is the host that the key is unique on."""
    before, after = _around(replace(event, key=""), now)
    return before + _written([f"UID:{event.key}@{site}"]) + after


@lru_cache(maxsize=64)
def _around(event: Event, now: datetime) -> tuple[str, str]:
    """What stands before and after the key; kept, because one press tells two hundred people of one window."""
    before = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Headnode//Messages//EN",
        f"METHOD:{'CANCEL' if event.is_off else 'PUBLISH'}",
        "BEGIN:VEVENT",
    ]
    after = [
        f"SEQUENCE:{int(now.timestamp())}",
        f"DTSTAMP:{_utc(now)}",
        f"DTSTART:{_utc(event.begins_at)}",
        f"DTEND:{_utc(event.ends_at)}",
        f"SUMMARY:{_text(event.title)}",
        f"DESCRIPTION:{_text(event.text)}",
        f"STATUS:{'CANCELLED' if event.is_off else 'CONFIRMED'}",
        f"TRANSP:{'TRANSPARENT' if event.is_free else 'OPAQUE'}",
    ]
    if event.warn_before_end:
        seconds = int(event.warn_before_end.total_seconds())
        after += [
            "BEGIN:VALARM",
            "ACTION:DISPLAY",
            f"DESCRIPTION:{_text(event.title)}",
            f"TRIGGER;RELATED=END:-PT{seconds}S",
            "END:VALARM",
        ]
    after += ["END:VEVENT", "END:VCALENDAR"]
    return _written(before), _written(after)


def _written(lines: list[str]) -> str:
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _utc(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _text(value: str) -> str:
    """Backslash, semicolon, comma and line break as 3.3.11 writes them."""
    for char in ("\\", ";", ","):
        value = value.replace(char, f"\\{char}")
    return "\\n".join(value.splitlines())


def _folded(line: str) -> str:
    """Broken between characters, never inside one; each further line begins with a space."""
    if line.isascii():
        rest = range(LINE_BYTES, len(line), LINE_BYTES - 1)
        pieces = [line[:LINE_BYTES], *(line[at : at + LINE_BYTES - 1] for at in rest)]
        return "\r\n ".join(pieces)
    pieces, room = [""], LINE_BYTES
    for char in line:
        size = len(char.encode())
        if size > room:
            pieces.append(" ")
            room = LINE_BYTES - 1
        pieces[-1] += char
        room -= size
    return "\r\n".join(pieces)
