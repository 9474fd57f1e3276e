"""How much time somebody has: the one place where a length meets a person's factor, and its words."""

from __future__ import annotations

from datetime import timedelta
from decimal import ROUND_CEILING, Decimal

from django.utils.translation import ngettext

MICROSECOND = timedelta(microseconds=1)


def stretch(length: timedelta, multiplier: Decimal) -> timedelta:
    """`length` times the multiplier, to the whole second, never shorter than that product."""
    seconds = Decimal(length // MICROSECOND) / 1_000_000 * multiplier
    return timedelta(seconds=int(seconds.to_integral_value(rounding=ROUND_CEILING)))


def in_words(length: timedelta) -> str:
    """To the second: "50 minutes", "49 minutes 30 seconds"."""
    minutes, seconds = divmod(int(length.total_seconds()), 60)
    parts = [ngettext("{count} minute", "{count} minutes", minutes).format(count=minutes)]
    if seconds:
        parts = parts if minutes else []
        parts.append(ngettext("{count} second", "{count} seconds", seconds).format(count=seconds))
    return " ".join(parts)
