"""The training's steps as the scrapes meet them: which step, how far into it, what share each part took."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scenarios.troubleshooting.calendar import CELL, Calendar
from scenarios.troubleshooting.shapes import Array
from scenarios.troubleshooting.signals.noise import Grid
from scenarios.troubleshooting.steps import Run, Times

Moment = tuple[Times, Array]
"""(step, seconds into it) at some instants."""
COLLECT_MS = 10_000
"""The exporter collects every ten seconds, at its own pace: what a scrape finds is up to that old."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The steps as seen from the samples `first` to `last` (excluded) of the grid.

    `at` are the scrapes, one before `first` and one after `last` included, and `here` where the
    run is at each of them.
    """

    run: Run
    first: int
    last: int
    at: Times
    here: Moment


def make_timeline(run: Run, calendar: Calendar) -> Timeline:
    count = calendar.cells
    first = min(max(-(-(run.first_ms - calendar.window_start) // CELL), 0), count)
    last = min(max(-(-(run.end_ms - calendar.window_start) // CELL), 0), count)
    at = calendar.window_start + np.arange(first - 1, last + 1, dtype=np.int64) * CELL
    return Timeline(run, first, last, at, moment(run, at))


def moment(run: Run, at: Times) -> Moment:
    """Where the run is at some instants; before its first step and after its last, at their edges."""
    inside = np.clip(at, run.first_ms, run.end_ms)
    step = np.searchsorted(run.starts, inside, side="right") - 1
    step = np.clip(step, 0, len(run.compute) - 1)
    return step, (inside - run.starts[step]) / 1_000.0


def glimpses(line: Timeline, age: Array) -> tuple[Moment, Moment]:
    """Begin and end of the second that was averaged for each scrape, `age` (0 to 1) of `COLLECT_MS` ago."""
    then = line.at[1:-1] - (age[line.first : line.last] * COLLECT_MS).astype(np.int64)
    return moment(line.run, then - 1_000), moment(line.run, then)


@dataclass(frozen=True, eq=False)
class Part:
    """A part of every step: it begins `begin` seconds into it and takes `length`; a value for each step."""

    begin: Array
    length: Array

    @cached_property
    def before(self) -> Array:
        """Seconds of this part in all steps before each step."""
        return np.concatenate([[0.0], np.cumsum(self.length)])

    def until(self, when: Moment) -> Array:
        """Seconds of this part from the run's start on until some instants."""
        step, into = when
        done: Array = self.before[step] + np.clip(into - self.begin[step], 0.0, self.length[step])
        return done

    def share(self, line: Timeline) -> Grid:
        """Its share of the cell before each scrape."""
        found: Grid = (np.diff(self.until(line.here))[:-1] / (CELL / 1_000)).astype(np.float32)
        return found

    def glimpse(self, second: tuple[Moment, Moment]) -> Grid:
        """Its share of the second that was averaged."""
        found = self.until(second[1]) - self.until(second[0])
        return np.clip(found, 0.0, 1.0).astype(np.float32)


def step_rate(line: Timeline) -> Array:
    """Steps a second in each cell."""
    step, into = line.here
    done = step + into / line.run.step_s[step]
    rate: Array = np.diff(done)[:-1] / (CELL / 1_000)
    return rate
