"""Times as systemd and util-linux read them: a date, a clock, a distance from now."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from scenarios.troubleshooting.calendar import DAY, HOUR, MINUTE, SECOND
from scenarios.troubleshooting.console.site import Site

_UNITS = {
    "us": 0.001,
    "ms": 1,
    "s": SECOND,
    "sec": SECOND,
    "second": SECOND,
    "m": MINUTE,
    "min": MINUTE,
    "minute": MINUTE,
    "h": HOUR,
    "hr": HOUR,
    "hour": HOUR,
    "d": DAY,
    "day": DAY,
    "w": 7 * DAY,
    "week": 7 * DAY,
    "month": 30 * DAY,
    "y": 365 * DAY,
    "year": 365 * DAY,
}
_SPAN = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s*([a-z]*)\s*")
_FORMS = (
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%dT%H:%M",
    "%y-%m-%d %H:%M:%S",
    "%a %Y-%m-%d %H:%M:%S",
)


def instant(site: Site, word: str) -> int | None:
    """ms UTC of a time on the site's clock, or None if it cannot be read."""
    word = word.strip()
    calendar, now = site.incident.calendar, site.now_ms
    offset = calendar.zone.offset * MINUTE
    midnight = (now + offset) // DAY * DAY - offset
    named = {"now": now, "today": midnight, "yesterday": midnight - DAY, "tomorrow": midnight + DAY}
    if word.lower() in named:
        return named[word.lower()]
    if word.startswith("@") and re.match(r"^@\d{1,12}$", word, re.ASCII):
        return int(word[1:]) * SECOND
    if not word.isascii():
        return None
    zone = 0 if word.endswith((" UTC", "Z")) else offset
    plain = word.removesuffix(" UTC").removesuffix("Z")
    plain = re.sub(rf" {re.escape(calendar.zone.short)}$", "", plain)
    if (dated := _dated(plain, now + offset)) is not None:
        return dated - zone
    return _relative(word.lower(), now)


def _dated(word: str, shown: int) -> int | None:
    """ms of a date or a clock, as if the site's clock were UTC; `shown` is now on it."""
    for form in ("%H:%M:%S", "%H:%M"):
        try:
            at = datetime.strptime(word, form)  # noqa: DTZ007 - the site's wall clock
        except ValueError:
            continue
        return shown // DAY * DAY + at.hour * HOUR + at.minute * MINUTE + at.second * SECOND
    for form in _FORMS:
        try:
            at = datetime.strptime(word, form)  # noqa: DTZ007
        except ValueError:
            continue
        return (at - datetime(1970, 1, 1)) // timedelta(milliseconds=1)  # noqa: DTZ001
    return None


def _relative(word: str, now: int) -> int | None:
    """`-2h`, `+10min`, `3 hours ago`, `1h30min ago`."""
    ago = word.endswith(" ago") or word.startswith("-")
    rest = word.removesuffix(" ago").lstrip("+-").strip()
    if not ago and not word.startswith("+"):
        return None
    total, at = 0.0, 0
    while at < len(rest):
        match = _SPAN.match(rest, at)
        if match is None or match.end() == at:
            return None
        unit = match[2] or "s"
        size = _UNITS.get(unit, _UNITS.get(unit.removesuffix("s")))
        if size is None:
            return None
        total, at = total + float(match[1]) * size, match.end()
    return now + (-int(total) if ago else int(total)) if rest else None
