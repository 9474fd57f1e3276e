"""What a level makes of an incident."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """`window_hours` recorded, between `fewest` and `most` causes, `interacting`: two of them overlap.

    `herrings` true but harmless observations, of which `in_time` coincide with the start of the
    slow run and the rest stand where a real cause stands. `stakes`: a second site and a deadline.
    """

    level: str
    window_hours: int
    fewest: int
    most: int
    interacting: bool
    herrings: int
    in_time: int
    stakes: bool


LEVELS = {
    level.level: level
    for level in (
        Settings("junior", 24, 3, 3, False, 3, 2, False),
        Settings("mid", 48, 3, 4, False, 4, 2, False),
        Settings("senior", 72, 4, 4, True, 5, 3, True),
    )
}
