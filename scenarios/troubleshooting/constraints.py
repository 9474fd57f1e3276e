"""What may not be done for now, as somebody says who is responsible: it changes the best action."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import HOUR, MINUTE, Calendar
from scenarios.troubleshooting.faults import Fault


@dataclass(frozen=True, slots=True)
class Constraint:
    """One constraint. It holds until `until_ms` (UTC) and forbids the usual action against `cause`.

    `who` said `said` at `said_ms`; `told` is what the brief says, `why` what staff read. `breaks` and
    `keeps` are an action that it forbids and one that it allows, as people would write them.
    """

    key: str
    cause: str
    who: str
    said_ms: int
    until_ms: int
    said: str
    told: str
    why: str
    breaks: str
    keeps: str


@cache
def _texts() -> Mapping[str, Any]:
    path = Path(__file__).with_suffix(".toml")
    found: Mapping[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return found


def bound_by(key: str) -> frozenset[str]:
    """Keys of all faults whose usual action the constraint forbids."""
    return frozenset(_texts()[key]["causes"])


def draw_constraint(calendar: Calendar, largest: Sequence[Fault], seed: str) -> Constraint:
    """One that binds a cause of this variant: of the larger ones first. Every cause has one."""
    draw = Stream(seed, "constraint")
    fault = largest[int(draw.between(0, max(len(largest) - 1, 1)))]
    key, row = next((key, row) for key, row in _texts().items() if fault.key in row["causes"])
    until = calendar.window_end + int(draw.between(9, 20)) * HOUR
    until = until // HOUR * HOUR
    node = next((place.split("/")[0] for place in fault.places() if place != "job"), "the node")
    facts = {"until": f"{calendar.local(until):%A, %H:%M}", "node": node}
    texts = {
        name: " ".join(row[name].format(**facts).split())
        for name in ("said", "told", "why", "breaks", "keeps")
    }
    said = calendar.window_end - int(draw.between(20, 50)) * MINUTE
    return Constraint(key, fault.key, row["who"], said, until, **texts)
