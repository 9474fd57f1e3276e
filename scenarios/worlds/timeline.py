"""What an episode leaves behind to be drawn: samples, marks, log lines and who held which machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from scenarios.simulator.agenda import MINUTE

MOST_MARKS = 1000
MOST_LOG_LINES = 400
MOST_BARS = 4000
MOST_ROWS = 400

Bar = list[Any]
"""[row, begin in s, end in s or -1 while it lasts, label, kind]"""


@dataclass(frozen=True, slots=True)
class Series:
    """One line of the timeline; series of one `group` share a chart."""

    key: str
    label: str
    unit: str
    group: str


@dataclass(frozen=True, slots=True)
class Mark:
    """Something at one instant: `t` in s, `kind` fault, spot, action, rule, alert or log."""

    t: int
    kind: str
    text: str


@dataclass
class Timeline:
    """Times come in ms of simulated time and are kept in s. What exceeds a cap is dropped, and
    `replay` says from when on.

    `keys` are the columns of a sample, in the order of its values.
    """

    keys: Sequence[str]
    every: int = 5 * MINUTE
    times: list[int] = field(default_factory=list)
    columns: dict[str, list[float]] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=dict)
    bars: list[Bar] = field(default_factory=list)
    _open: dict[tuple[str, object], Bar] = field(default_factory=dict)
    _logged: int = 0
    _cut: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.columns = {key: [] for key in self.keys}

    def due(self, now: int) -> bool:
        """Whether a sample belongs at `now` ms."""
        return now % self.every == 0

    def sample(self, now: int, values: Sequence[float]) -> None:
        """Note the state at `now` ms."""
        self.times.append(now // 1000)
        for key, value in zip(self.columns, values, strict=True):
            self.columns[key].append(value)

    def mark(self, now: int, kind: str, text: str) -> None:
        """A point on the timeline."""
        if len(self.marks) < MOST_MARKS:
            self.marks.append(Mark(now // 1000, kind, text))
        else:
            self._cut.setdefault("marks", now // 1000)

    def log(self, now: int, text: str) -> None:
        """A line of the controller's own log; what cannot be printed becomes a replacement mark."""
        self._logged += 1
        if self._logged <= MOST_LOG_LINES:
            shown = "".join(char if char.isprintable() else "\ufffd" for char in text)
            self.mark(now, "log", shown)

    def row(self, name: str) -> None:
        """Give a machine its row of the Gantt chart, in the order of the calls."""
        if len(self.rows) < MOST_ROWS:
            self.rows.setdefault(name, len(self.rows))

    def begin(self, row: str, bar: object, now: int, label: str, kind: str) -> None:
        """From now on `bar` (a job's number, say) holds the machine `row`."""
        self.row(row)
        if row in self.rows and len(self.bars) < MOST_BARS:
            drawn: Bar = [self.rows[row], now // 1000, -1, label, kind]
            self.bars.append(drawn)
            self._open[row, bar] = drawn
        elif row in self.rows:
            self._cut.setdefault("bars", now // 1000)

    def end(self, row: str, bar: object, now: int) -> None:
        """`bar` left the machine `row`. One that was never begun is ignored."""
        drawn = self._open.pop((row, bar), None)
        if drawn is not None:
            drawn[2] = now // 1000

    def replay(self, series: Sequence[Series], now: int) -> dict[str, Any]:
        """Everything as plain data: t in s, series with values, marks, gantt {rows, bars}.

        A bar that still lasts ends at `now` ms; bars of no length are left out. Where a cap was
        reached, `cut` has the time in s of the first mark or bar that was dropped.
        """
        until = now // 1000
        bars = [[r, b, until if e < 0 else e, label, kind] for r, b, e, label, kind in self.bars]
        cut = {"cut": dict(self._cut)} if self._cut else {}
        return {
            **cut,
            "t": list(self.times),
            "series": [
                {
                    "key": one.key,
                    "label": one.label,
                    "unit": one.unit,
                    "group": one.group,
                    "values": list(self.columns[one.key]),
                }
                for one in series
            ],
            "marks": [{"t": mark.t, "kind": mark.kind, "text": mark.text} for mark in self.marks],
            "gantt": {"rows": list(self.rows), "bars": [bar for bar in bars if bar[2] > bar[1]]},
        }
