"""What a panel draws: its lines over a time, thinned so that no spike is lost; and the cells of a heat map."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from assessments.materials.result_cache import Kept
from assessments.troubleshooting.panels import Heat, Panel, Part
from scenarios.troubleshooting.columns import SECOND, Columns, Metric, Real, Series
from scenarios.troubleshooting.promql.blocks import Blocks

Times = tuple[int, int]
Thin = NDArray[np.float32]
FEW = 6
"""More lines than these hide each other where each shows all its spikes."""
DETAILS = ("auto", "spikes", "means")
STATS: dict[str, Callable[[Real], Real]] = {
    "avg": lambda cells: np.asarray(np.nanmean(cells, axis=2)),
    "min": lambda cells: np.asarray(np.fmin.reduce(cells, axis=2)),
    "max": lambda cells: np.asarray(np.fmax.reduce(cells, axis=2)),
}
"""What a cell of the heat map can be of its samples."""


@dataclass(frozen=True)
class Whole:
    """A line over all that is on record: float32, a value each `every_ms` from `start_ms` on."""

    start_ms: int
    every_ms: int
    values: Thin

    def cut(self, times: Times) -> Whole:
        """The part of it between two instants, both included."""
        first = max(-(-(times[0] - self.start_ms) // self.every_ms), 0)
        last = max((times[1] - self.start_ms) // self.every_ms + 1, first)
        return Whole(self.start_ms + first * self.every_ms, self.every_ms, self.values[first:last])


@dataclass
class Line:
    """One line of a panel: lowest and highest of each stretch of time; `part` is its place among the parts."""

    name: str
    labels: dict[str, str]
    part: int
    low: Thin
    high: Thin


@dataclass
class Drawn:
    """A panel's lines: the first stretch begins at `start_ms`, each is `step_ms` long."""

    start_ms: int
    step_ms: int
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True)
class History:
    """A column file of a variant, opened, and the cache of the process."""

    columns: Columns
    blocks: Blocks
    kept: Kept[list[tuple[dict[str, str], Whole]]]

    def metric(self, name: str) -> Metric | None:
        return self.columns.metrics.get(name)

    def find(self, part: Part, fixed: Mapping[str, str], metric: str = "") -> list[Series]:
        """The series that a part of a panel stands for."""
        wanted = {**part.only, **fixed}
        return [
            one
            for one in self.columns.find(metric or part.metric, wanted)
            if all(dict(one.labels).get(n, "").startswith(v) for n, v in part.like.items())
        ]

    def sampled(self, series: list[Series], times: Times, rate: bool) -> tuple[int, int, Real]:
        """(first instant, interval in ms, values) of the samples in a time; counters as rates."""
        metric = series[0].metric
        every = metric.every_s * SECOND
        # One sample more, so that the first rate of the time is known too.
        since = times[0] - every if rate else times[0]
        at, values = self.blocks.values(self.columns, series, since, times[1])
        if rate and len(at):
            at, values = at[1:], _rates(values, metric.every_s)
        return int(at[0]) if len(at) else times[0], every, values

    def drawn(
        self, panel: Panel, fixed: Mapping[str, str], times: Times, points: int, detail: str
    ) -> Drawn:
        """A panel's lines between two instants (ms, both included) in at most `points` stretches.

        `detail` says what is kept of a stretch: spikes (its lowest and highest), means, or auto.
        """
        found: Drawn | None = None
        for number, part in enumerate(panel.parts):
            lines = list(self._lines(part, {**panel.fixed, **fixed}, times))
            thin = _thinned(detail, len(lines))
            for labels, cut in lines:
                each = max(-(-len(cut.values) // points), 1)
                found = found or Drawn(cut.start_ms, cut.every_ms * each)
                low, high = thin(cut.values, each)
                name = _named(part, labels)
                found.lines.append(Line(name, labels, number, low, high))
        return found or Drawn(times[0], times[1] - times[0] + 1)

    def _lines(
        self, part: Part, fixed: Mapping[str, str], times: Times
    ) -> Iterator[tuple[dict[str, str], Whole]]:
        """The lines of a part between two instants, before they are thinned."""
        key = (self.columns.path, msgspec.json.encode(part), *sorted(fixed.items()))
        for labels, whole in self.kept.get(key, lambda: list(self._grouped(part, fixed))):
            yield labels, whole.cut(times)

    def _grouped(
        self, part: Part, fixed: Mapping[str, str]
    ) -> Iterator[tuple[dict[str, str], Whole]]:
        """Each line of a part over all that is on record."""
        series = self.find(part, fixed)
        if not series:
            return
        times = (self.columns.start_ms, self.columns.end_ms)
        start, every, values = self.sampled(series, times, is_rate(series[0].metric, part))
        divisors = {}
        if part.per:
            other = self.find(part, fixed, part.per)
            _, _, below = self.sampled(other, times, True)
            divisors = {key: _folded(below[rows], part.how) for key, rows in _keys(other, part)}
        for key, rows in _keys(series, part):
            line = _folded(values[rows], part.how)
            if part.per:
                with np.errstate(all="ignore"):
                    line = np.where(divisors[key] > 0, line / divisors[key], np.nan)
            yield dict(key), Whole(start, every, (line * part.scale).astype(np.float32))

    def spread(
        self, panel: Panel, fixed: Mapping[str, str], times: Times, points: int, detail: str
    ) -> Drawn:
        """Each part of a panel as one band over all its lines, for the run to compare with."""
        found: Drawn | None = None
        for number, part in enumerate(panel.parts):
            lines = [cut for _, cut in self._lines(part, {**panel.fixed, **fixed}, times)]
            if not lines:
                continue
            each = max(-(-len(lines[0].values) // points), 1)
            found = found or Drawn(lines[0].start_ms, lines[0].every_ms * each)
            thin = _thinned(detail, len(lines))
            both = [thin(line.values, each) for line in lines]
            low = np.fmin.reduce([one[0] for one in both])
            high = np.fmax.reduce([one[1] for one in both])
            found.lines.append(Line(part.label, {}, number, low, high))
        return found or Drawn(times[0], times[1] - times[0] + 1)

    def heat(self, heat: Heat, times: Times, columns: int, stat: str) -> dict[str, Any]:
        """Rows of cells, one for each series of a metric, in the order of hosts."""
        series = list(self.columns.find(heat.metric))
        if not series:
            return {"start": times[0], "step": 1, "rows": [], "values": np.empty((0, 0))}
        part = Part(metric=heat.metric)
        start, every, values = self.sampled(series, times, is_rate(series[0].metric, part))
        each = max(-(-values.shape[1] // columns), 1)
        pad = -values.shape[1] % each
        padded = np.pad(values, ((0, 0), (0, pad)), constant_values=np.nan)
        cells = padded.reshape(len(series), -1, each)
        with np.errstate(all="ignore"):
            gone = np.asarray(np.isnan(cells).all(axis=2))
            cells = np.where(gone[:, :, None], 0.0, cells)
            found = np.where(gone, np.nan, STATS[stat](cells)) * heat.scale
        rows = [(one.host, dict(one.labels).get(heat.label, "")) for one in series]
        return {"start": start, "step": every * each, "rows": rows, "values": found}


def is_rate(metric: Metric, part: Part) -> bool:
    """Whether a part is drawn as a rate."""
    return part.rate or metric.kind == "counter"


def opened(path: Path, blocks: Blocks, keep_bytes: int) -> History:
    """A column file, with its index read; it keeps so many bytes of lines for the next who asks."""

    def size(lines: list[tuple[dict[str, str], Whole]]) -> int:
        return sum(one.values.nbytes for _, one in lines) + 1_000

    return History(Columns.open(path), blocks, Kept(keep_bytes, size))


def _rates(values: Real, every_s: int) -> Real:
    steps = np.diff(values, axis=1)
    # A counter that began anew has risen by what it shows now.
    return np.asarray(np.where(steps < 0, values[:, 1:], steps) / every_s)


def _keys(series: list[Series], part: Part) -> list[tuple[tuple[tuple[str, str], ...], list[int]]]:
    """Rows by the labels of their line, in the order of the file."""
    found: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for row, one in enumerate(series):
        own = {**dict(one.labels), "node": one.host} if "node" in part.by else dict(one.labels)
        key = tuple((name, own.get(name, "")) for name in part.by)
        found.setdefault(key, []).append(row)
    return list(found.items())


def _folded(values: Real, how: str) -> Real:
    """One line of several series; where all of them have a gap, it has one."""
    if len(values) == 1:
        return np.asarray(values[0])
    if how in {"max", "min"}:
        ufunc = np.fmax if how == "max" else np.fmin
        found: Real = ufunc.reduce(values, axis=0)
        return found
    there = ~np.isnan(values)
    count = there.sum(axis=0)
    total = np.where(there, values, 0.0).sum(axis=0)
    with np.errstate(all="ignore"):
        return np.where(count > 0, total if how == "sum" else total / count, np.nan)


def _thinned(detail: str, lines: int) -> Callable[[Thin, int], tuple[Thin, Thin]]:
    is_mean = detail == "means" or (detail == "auto" and lines > FEW)
    return _means if is_mean else _envelope


def _means(values: Thin, each: int) -> tuple[Thin, Thin]:
    if each == 1 or not len(values):
        return values, values
    starts = np.arange(0, len(values), each)
    there = ~np.isnan(values)
    count = np.add.reduceat(there.astype(np.float32), starts)
    with np.errstate(all="ignore"):
        sums = np.add.reduceat(np.where(there, values, np.float32(0)), starts)
        found = (sums / count).astype(np.float32)
    return found, found


def _envelope(values: Thin, each: int) -> tuple[Thin, Thin]:
    if each == 1 or not len(values):
        return values, values
    starts = np.arange(0, len(values), each)
    return np.fmin.reduceat(values, starts), np.fmax.reduceat(values, starts)


def _named(part: Part, labels: Mapping[str, str]) -> str:
    """What a line is called: its part, or what tells it apart."""
    if part.label:
        return part.label
    told = {"gpu": "GPU ", "rank": "rank ", "cpu": "CPU ", "port": "port "}
    return " ".join(f"{told.get(name, '')}{value}" for name, value in labels.items()) or "value"
