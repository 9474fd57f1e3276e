"""What a span leaves behind: its timeline, its events, trouble and broken rules."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenarios.simulator.agenda import DAY
from scenarios.worlds import reading
from scenarios.worlds.timeline import Timeline

SERIES = reading.series(reading.table(__file__, "data.toml")["series"])

EventRow = tuple[int, str, str]
"""(ms, kind, subject) as the controller will be told."""

_TEXTS = {
    "spot_notice": ("spot", "notice: {} will be taken back in two minutes"),
    "reclaimed": ("spot", "{} was taken back"),
    "node_down": ("fault", "{} went down"),
}


@dataclass(slots=True)
class Incident:
    """Trouble that wants an answer; `handled` stays None while there is time. Times in ms."""

    at: int
    kind: str
    subject: str
    work: int = -1
    version: int = -1
    handled: bool | None = None


@dataclass
class Record:
    """The timeline, sampled every five minutes, and everything notable. Times in ms."""

    timeline: Timeline = field(default_factory=lambda: Timeline([one.key for one in SERIES]))
    events: list[EventRow] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    broken_rules: list[tuple[int, str]] = field(default_factory=list)
    out_ms: int = 0
    """Time in which some part of the agreement was not kept."""
    idle_gpu_ms: int = 0
    needless_stops: int = 0
    stops: int = 0

    def event(self, now: int, kind: str, subject: str) -> None:
        """Something the world did."""
        self.events.append((now, kind, subject))
        if kind in _TEXTS:
            mark, text = _TEXTS[kind]
            self.timeline.mark(now, mark, text.format(subject))

    def rule(self, now: int, name: str) -> None:
        """A rule was broken; each counts once a day."""
        day = now // DAY
        if all((name, day) != (known, at // DAY) for at, known in self.broken_rules):
            self.broken_rules.append((now, name))
            self.timeline.mark(now, "rule", name)
