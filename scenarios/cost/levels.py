"""What a level makes of the bill."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """`real` levers planted and `baits` put forward by colleagues; `volumes`: disks in the cloud.

    `business`: a second region, contracts up for talks and a launch that must not be disturbed. `bound`: the
    cloud is to be paid a least sum in the coming year, and only part of what fails could be prevented.
    """

    level: str
    real: int
    baits: int
    volumes: int
    business: bool
    bound: bool


LEVELS = {
    one.level: one
    for one in (
        Settings("junior", 8, 3, 16, False, False),
        Settings("mid", 10, 4, 24, False, True),
        Settings("senior", 12, 5, 30, True, True),
    )
}
