"""What a workload leaves behind: its timeline, its events, and the facts that measures are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scenarios.worlds import reading
from scenarios.worlds.timeline import Timeline

_DATA = reading.table(__file__, "data.toml")
SERIES = reading.series(_DATA["series"])
TEXTS: Mapping[str, str] = {kind: row["text"] for kind, row in _DATA["events"].items()}
CALM = {kind for kind, row in _DATA["events"].items() if row.get("calm")}
"""Events that are no trouble in themselves."""

EventRow = tuple[int, str, str]
"""(ms, kind, subject) as the controller will be told."""


@dataclass(slots=True)
class Notice:
    """A reclaim notice that hit a training gang, and whether its work was safe in time."""

    at: int
    node: str
    training: int
    step: int
    handled: bool | None = None


@dataclass
class Record:
    """The timeline, sampled every five minutes, and everything notable. Times in ms."""

    timeline: Timeline = field(default_factory=lambda: Timeline([one.key for one in SERIES]))
    events: list[EventRow] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    broken_rules: list[tuple[int, str]] = field(default_factory=list)
    failed_loads: list[tuple[int, str]] = field(default_factory=list)
    over_quota_gb_ms: int = 0
    store_ms: int = 0
    """Time in which a store was above its quota or a run had no good checkpoint."""
    transfer_usd: float = 0.0
    nodes_started: int = 0
    phase_ms: dict[str, int] = field(default_factory=dict)

    def event(self, now: int, kind: str, subject: str) -> None:
        """Something the world did."""
        self.events.append((now, kind, subject))
        if mark := _DATA["events"].get(kind, {}).get("mark"):
            self.timeline.mark(now, mark, TEXTS[kind].format(subject))

    def rule(self, now: int, name: str) -> None:
        """A rule was broken; each counts once."""
        if all(name != known for _, known in self.broken_rules):
            self.broken_rules.append((now, name))
            self.timeline.mark(now, "rule", name)
