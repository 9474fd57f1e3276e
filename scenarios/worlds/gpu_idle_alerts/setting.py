"""What a level of the pack sets, and the span of time it is played over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TICK_S = 600
TICK_MS = TICK_S * 1000
HOUR = 6
DAY = 24 * HOUR
"""Inside this world time is a whole number of ticks of ten minutes since Monday, midnight."""

FLEETS = ("one", "three", "ten")
RULES = ("idle", "lost", "held", "stalled")


@dataclass(frozen=True, slots=True)
class Setting:
    """`fleet` names the servers, `days` the span, `rules` the house rules that are in force.

    `actions`: jobs may be warned and cancelled, and alerts are routed to teams. `audit`: every
    cancellation needs a finding, and pages at night weigh more. `trouble` scales the rate of
    failed calls and missing readings.
    """

    fleet: str
    days: int
    rules: tuple[str, ...]
    actions: bool
    audit: bool
    trouble: float

    @property
    def length(self) -> int:
        """Length of one workload in ms."""
        return self.ticks * TICK_MS

    @property
    def ticks(self) -> int:
        """Length of one workload in ticks."""
        return self.days * DAY


def read_setting(table: Mapping[str, Any]) -> Setting:
    """A level's `[levels.X.settings]`; ValueError with one sentence for anything wrong."""
    known = {"fleet", "days", "rules", "actions", "audit", "trouble"}
    for key in table:
        if key not in known:
            raise ValueError(f"The world idlewatch has no setting {key}.")
    fleet, days = table.get("fleet", "one"), table.get("days", 10)
    rules = tuple(table.get("rules", ("idle", "lost")))
    trouble = table.get("trouble", 1.0)
    if fleet not in FLEETS:
        raise ValueError(f"fleet must be one of {', '.join(FLEETS)}.")
    if type(days) is not int or not 5 <= days <= 10:
        raise ValueError("days must be a whole number from 5 to 10.")
    if not {"idle", "lost"} <= set(rules) <= set(RULES):
        raise ValueError(f"rules must hold idle and lost, and may hold {', '.join(RULES[2:])}.")
    if type(trouble) not in (int, float) or not 0 <= trouble <= 2:
        raise ValueError("trouble must be a number from 0 to 2.")
    flags = table.get("actions", False), table.get("audit", False)
    if not all(type(flag) is bool for flag in flags):
        raise ValueError("actions and audit must be true or false.")
    return Setting(fleet, days, rules, flags[0], flags[1], float(trouble))
