"""What a level makes of an incident."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """`window_hours` recorded, between `fewest` and `most` causes, `interacting`: two of them overlap.

    `herrings` true but harmless observations, of which `in_time` coincide with the start of the
    slow run and the rest stand where a real cause stands. `stakes`: a second site and a deadline.
    `constraint`: something may not be done for now, which changes the best action against one cause.
    `rare`: how often the causes that leave the least behind are drawn, as a multiple of the others.
    `fleet`: other people's work goes on between and during the two runs. Settings change, machines
    complain, and harmless changes that could each be the cause are among the herrings.
    """

    level: str
    window_hours: int
    fewest: int
    most: int
    interacting: bool
    herrings: int
    in_time: int
    stakes: bool
    rare: float = 1.0
    fleet: bool = False
    constraint: bool = False


LEVELS = {
    level.level: level
    for level in (
        Settings("junior", 24, 3, 3, False, 3, 2, False),
        Settings("mid", 48, 3, 4, False, 6, 3, False, rare=1.5, fleet=True, constraint=True),
        Settings("senior", 72, 4, 4, True, 7, 4, True, rare=1.5, fleet=True, constraint=True),
    )
}

QUIET = {
    "junior": LEVELS["junior"],
    "mid": Settings("mid", 48, 3, 4, False, 4, 2, False),
    "senior": Settings("senior", 72, 4, 4, True, 5, 3, True),
}
"""The levels on a cluster where nothing else is going on, for which kept answers were written."""
