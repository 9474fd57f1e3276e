"""How much time somebody has: the one place where a length meets a person's factor, and its words."""

from __future__ import annotations

from datetime import timedelta
from decimal import ROUND_CEILING, Decimal

MICROSECOND = timedelta(microseconds=1)


def stretch(length: timedelta, multiplier: Decimal) -> timedelta:
    """`length` times the multiplier, to the whole second, never shorter than that product."""
    seconds = Decimal(length // MICROSECOND) / 1_000_000 * multiplier
    return timedelta(seconds=int(seconds.to_integral_value(rounding=ROUND_CEILING)))


def in_words(length: timedelta) -> str:
    """To the second: "50 minutes", "49 minutes 30 seconds"."""
    minutes, seconds = divmod(int(length.total_seconds()), 60)
    parts = [_counted(minutes, "minute")] if minutes or not seconds else []
    return " ".join([*parts, *([_counted(seconds, "second")] if seconds else [])])


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}"
