"""The clouds' own ways to write an instant: each list of runs speaks the time of its cloud."""

from __future__ import annotations

UNIX_BEGIN = 1_772_409_600
"""Unix time in s of the period's first midnight, Monday 2 March 2026, 00:00 UTC."""
AHEAD = 2 * 3600
"""How far the clock of a cloud that writes local time (UTC+2) is ahead, in s."""


def written(clock: str, instant: int) -> int:
    """`instant` in ms of the period as the clock writes it; -1 stays -1 (never).

    "s": seconds of the period. "ms": Unix time in milliseconds. "ahead": seconds since the
    first local midnight, two hours ahead of the period.
    """
    if instant < 0:
        return -1
    if clock == "ms":
        return UNIX_BEGIN * 1000 + instant
    return instant // 1000 + (AHEAD if clock == "ahead" else 0)
