"""A replay made ready to be drawn on paper: its span, ticks, groups of series, lanes of bars and marks.

The same rules as the page's own `replay_data.js`, so that the picture and the page agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import floor, log10
from typing import Any

DAY = 86_400
COLOURS = 8
LEAST_S = 60
TITLES = {
    "queue": "Jobs waiting",
    "gpus": "GPUs",
    "nodes": "Nodes",
    "cost": "Cost so far",
    "loss": "Loss",
}
MARKS = {
    "fault": "Faults",
    "spot": "Spot events",
    "rule": "Rules broken",
    "alert": "Alerts",
    "action": "Actions",
    "log": "Log",
}
COUNTED = {"jobs", "nodes", "GPUs", "gangs", "slices", "replicas"}
PLAIN_UNITS = {"jobs", "nodes", "GPUs", ""}
TIME_STEPS = (1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 10800, 21600, 43200, DAY, 2 * DAY)
ROUND = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 20)
Values = Sequence[float | None]


@dataclass(frozen=True)
class Group:
    """The series of one chart."""

    title: str
    unit: str
    is_stepped: bool
    series: Sequence[dict[str, Any]]


@dataclass
class Row:
    """A machine; a bar is (lane, from, to, kind), times in s."""

    name: str
    bars: list[tuple[int, int, int, str]] = field(default_factory=list)
    lanes: int = 1


@dataclass(frozen=True)
class Shape:
    """Everything that is drawn. `start` and `end` in s, or in steps where `is_steps`."""

    t: Sequence[int]
    start: int
    end: int
    is_steps: bool
    groups: Sequence[Group]
    marks: dict[str, list[int]]
    rows: Sequence[Row]
    colours: dict[str, int]
    cut: dict[str, int]

    def moment(self, at: float) -> str:
        """ "day 2, 14:20" where the span is longer than a day, "14:20" where not, or "step 12"."""
        if self.is_steps:
            return f"step {round(at)}"
        day, rest = divmod(round(at), DAY)
        clock = f"{rest // 3600:02d}:{rest // 60 % 60:02d}"
        return f"day {day + 1}, {clock}" if self.end > DAY else clock

    def tick(self, at: int) -> str:
        if self.is_steps:
            return str(at)
        if self.end > DAY and at % DAY == 0:
            return f"day {at // DAY + 1}"
        return f"{at % DAY // 3600:02d}:{at % DAY // 60 % 60:02d}"

    def ticks(self, most: int) -> list[int]:
        """At most `most` + 1 places on the axis, all multiples of one step."""
        span = self.end - self.start
        steps = _round_steps(span) if self.is_steps else TIME_STEPS
        step = next((one for one in steps if span / one <= most), steps[-1])
        while span / step > most:
            step *= 2
        first = -(-self.start // step) * step
        return list(range(first, self.end + 1, step))


def _round_steps(span: int) -> tuple[int, ...]:
    top = floor(log10(max(span, 1))) + 1
    return tuple(base * 10**power for power in range(top) for base in (1, 2, 5))


def shape(replay: dict[str, Any]) -> Shape:
    """The shape of what `Timeline.replay` gave; whatever is missing is empty."""
    t = list(replay.get("t") or [])
    gantt = replay.get("gantt") or {}
    bars = gantt.get("bars") or []
    marks = _marks(replay.get("marks") or [])
    is_steps = replay.get("axis") == "step"
    start = min(0, t[0]) if t else 0
    ends = [t[-1] if t else 0, *(bar[2] for bar in bars), *(max(times) for times in marks.values())]
    groups = _groups(replay.get("series") or [])
    rows = _rows(gantt.get("rows") or [], bars)
    kinds = list(dict.fromkeys(bar[3] for row in rows for bar in row.bars))
    return Shape(
        t=t,
        start=start,
        end=max(*ends, start + (1 if is_steps else LEAST_S)),
        is_steps=is_steps,
        groups=groups,
        marks=marks,
        rows=rows,
        colours=_colours(kinds, groups),
        cut=dict(replay.get("cut") or {}),
    )


def _marks(marks: Iterable[dict[str, Any]]) -> dict[str, list[int]]:
    """Kind -> its times, sorted; known kinds first."""
    found: dict[str, list[int]] = {kind: [] for kind in MARKS}
    for mark in marks:
        found.setdefault(str(mark["kind"]), []).append(mark["t"])
    return {kind: sorted(times) for kind, times in found.items() if times}


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _groups(series: Sequence[dict[str, Any]]) -> list[Group]:
    order = dict.fromkeys([*TITLES, *(str(one["group"]) for one in series)])
    found = []
    for key in order:
        members = [one for one in series if one["group"] == key]
        units = list(dict.fromkeys(str(one.get("unit") or "") for one in members))
        if members:
            unit = units[0] if len(units) == 1 else ""
            title = TITLES.get(key, capital(key))
            found.append(Group(title, unit, set(units) <= COUNTED, members))
    return found


def _rows(names: Sequence[str], bars: Sequence[Sequence[Any]]) -> list[Row]:
    """Bars that overlap on a row lie in lanes, each in the first that is free."""
    rows = [Row(str(name)) for name in names]
    ends: list[list[int]] = [[] for _ in rows]
    for at, begin, end, _label, kind in sorted(bars, key=lambda bar: (bar[1], bar[0])):
        if not 0 <= at < len(rows):
            continue
        busy = ends[at]
        lane = next((number for number, until in enumerate(busy) if until <= begin), len(busy))
        busy[lane : lane + 1] = [end]
        rows[at].bars.append((lane, begin, end, str(kind)))
        rows[at].lanes = max(rows[at].lanes, lane + 1)
    return rows


def _colours(kinds: Sequence[str], groups: Sequence[Group]) -> dict[str, int]:
    """A kind of bar has the colour of the series it is named in, else the next free one."""
    found: dict[str, int] = {}
    for kind in kinds:
        places = [
            at
            for group in groups
            for at, one in enumerate(group.series[:COLOURS])
            if one["key"] == kind or str(one["key"]).endswith(f"_{kind}")
        ]
        free = [at for at in places if at not in found.values()]
        if free:
            found[kind] = free[0]
    left = [at for at in range(COLOURS) if at not in found.values()]
    rest = [kind for kind in kinds if kind not in found]
    found |= {kind: (left[n] if n < len(left) else n % COLOURS) for n, kind in enumerate(rest)}
    return {kind: found[kind] for kind in kinds}


def thinned(t: Sequence[int], values: Values, most: int) -> list[tuple[float, float]]:
    """(time, value) without the unknown ones; of many, the lowest and highest of each bucket."""
    known: list[tuple[float, float]] = [
        (at, value) for at, value in zip(t, values, strict=False) if value is not None
    ]
    if len(known) <= 2 * most:
        return known
    size = -(-len(known) // most)
    kept: list[tuple[float, float]] = []
    for begin in range(0, len(known), size):
        bucket = known[begin : begin + size]
        ends = {
            min(bucket, key=lambda pair: (pair[1], pair[0])),
            max(bucket, key=lambda pair: (pair[1], -pair[0])),
            bucket[-1],
        }
        kept += sorted(ends)
    return kept


def round_top(value: float) -> float:
    """The next number at or above `value` that reads well at the top of an axis."""
    if value < 1e-12:
        return 1.0
    power = 10.0 ** floor(log10(value))
    return next(base * power for base in ROUND if base * power >= value)
