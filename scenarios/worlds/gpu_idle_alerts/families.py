"""Kinds of week: which troubles come, how often, and how badly the readings suffer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scenarios.worlds import reading

_DATA = reading.table(__file__, "data.toml")


@dataclass(frozen=True, slots=True)
class Family:
    """`every`: healthy jobs between two that go wrong in one queue (up to two more by chance).

    `losses` of a GPU in one span on a server of four (more with the square root of the fleet),
    `gaps` and `freezes` of a server's exporter a day, `storms` that crash half of all running
    jobs, `near`: loads close to the threshold, `late`: maintenance that overruns. `api` scales
    the rate of failed calls.
    """

    kinds: tuple[str, ...]
    healthy: tuple[str, ...]
    every: int = 3
    losses: float = 1.2
    gaps: float = 0.35
    freezes: float = 0.12
    storms: int = 0
    near: bool = False
    late: bool = False
    api: float = 1.0


def _read(row: Mapping[str, Any]) -> Family:
    both: dict[str, Any] = {**_DATA["fates"], **row}
    both |= {key: tuple(both[key]) for key in ("kinds", "healthy")}
    return Family(**both)


FAMILIES = {name: _read(row) for name, row in _DATA["families"].items()}
