"""Series as Prometheus would hold them: one for each job of a GPU, ended where a scrape misses them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from promql_parser import Matcher, MatchOp, VectorSelector

from scenarios.troubleshooting.columns import SECOND, Columns, Owner, Real, Series, Whole
from scenarios.troubleshooting.exposition import OWNER
from scenarios.troubleshooting.promql.blocks import Blocks
from scenarios.troubleshooting.promql.errors import NotHere, QueryError
from scenarios.troubleshooting.promql.regex import Pattern
from scenarios.troubleshooting.promql.vectors import (
    NAME,
    Label,
    Matrix,
    Present,
    Samples,
    Vector,
    unnamed,
)

LOOKBACK_MS = 300_000
"""How old a sample may be and still be the series' value, as in Prometheus."""
MOST_SERIES = 12_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """One matcher, ready to test a label's value; a label that a series has not reads as empty."""

    name: str
    no: bool
    value: str
    pattern: Pattern | None

    @classmethod
    def of(cls, matcher: Matcher) -> Wanted:
        is_pattern = matcher.op in (MatchOp.Re, MatchOp.NotRe)
        return cls(
            matcher.name,
            matcher.op in (MatchOp.NotEqual, MatchOp.NotRe),
            matcher.value,
            Pattern(matcher.value) if is_pattern else None,
        )

    def fits(self, value: str) -> bool:
        found = self.pattern.matches(value) if self.pattern else value == self.value
        return found != self.no


def wanted_of(selector: VectorSelector) -> list[Wanted]:
    """A selector's matchers, its name among them."""
    if selector.matchers.or_matchers:
        raise NotHere("A matcher joined with “or”")
    found = [Wanted.of(matcher) for matcher in selector.matchers.matchers]
    if selector.name:
        found.insert(0, Wanted(NAME, False, selector.name, None))
    return found


@dataclass
class Source:
    """A column file to ask, and the cache that its blocks come from."""

    columns: Columns
    blocks: Blocks

    def instant(self, selector: VectorSelector, at: Whole) -> Vector:
        """The series' values at instants (ms): the last sample of the five minutes before each."""
        return self._last(selector, at, lambda times, values: values)

    def stamps(self, selector: VectorSelector, at: Whole) -> Vector:
        """When these samples were taken, in seconds."""
        return unnamed(self._last(selector, at, lambda times, values: times / SECOND))

    def _last(
        self, selector: VectorSelector, at: Whole, of: Callable[[Whole, Real], Real]
    ) -> Vector:
        rows = []
        for labels, times, values, every in self._chosen(
            selector, int(at.min()) - LOOKBACK_MS, int(at.max())
        ):
            place = np.searchsorted(times, at, side="right") - 1
            until = self._valid_until(times, every)
            present: Present = (place >= 0) & (at <= until[place])
            if present.any():
                rows.append((labels, np.where(present, of(times, values)[place], 0.0), present))
        return Vector.of(rows, len(at))

    def matrix(self, selector: VectorSelector, ends: Whole, range_ms: int) -> Matrix:
        """The series' samples in the windows that end at these instants."""
        first, last = int(ends.min()) - range_ms, int(ends.max())
        rows = [Samples(*row[:3]) for row in self._chosen(selector, first, last)]
        return Matrix(rows, ends, range_ms)

    def _valid_until(self, times: Whole, every: int) -> Whole:
        """Until when (ms, included) each sample stands.

        A scrape that fails, or no longer shows the series, ends it at once; at the end of the recording
        nobody knows, and a sample stands for the five minutes.
        """
        following = np.append(times[1:], times[-1] + every * 2)
        ended = following - times > every
        ended[-1] = times[-1] + every < self.columns.end_ms
        return np.where(ended, times + every - 1, times + LOOKBACK_MS)

    def _chosen(
        self, selector: VectorSelector, from_ms: int, to_ms: int
    ) -> Iterator[tuple[Label, Whole, Real, int]]:
        """(labels, times, values, interval in ms) of each series that has samples in a time."""
        wanted = wanted_of(selector)
        count = 0
        for name in self.columns.metrics:
            if not all(one.fits(name) for one in wanted if one.name == NAME):
                continue
            series = self._matching(name, wanted)
            if not series:
                continue
            times, values = self.blocks.values(self.columns, series, from_ms, to_ms)
            every = series[0].metric.every_s * SECOND
            for one, row in zip(series, values, strict=True):
                for labels, places in _spells(one, times, row, wanted):
                    count += 1
                    if count > MOST_SERIES:
                        raise QueryError(
                            f"That selects more than {MOST_SERIES:,} series: name a host, a GPU or "
                            "a shorter time."
                        )
                    yield labels, times[places], row[places], every

    def _matching(self, name: str, wanted: Sequence[Wanted]) -> list[Series]:
        rest = [one for one in wanted if one.name not in (NAME, OWNER)]
        found = []
        for series in self.columns.series[name]:
            own = dict(series.labels)
            if all(one.fits(own.get(one.name, "")) for one in rest):
                found.append(series)
        return found


def _spells(
    series: Series, times: Whole, values: Real, wanted: Sequence[Wanted]
) -> Iterator[tuple[Label, Present]]:
    """(labels, which samples) of the series that one row is to Prometheus: one for each job that held it."""
    there: Present = ~np.isnan(values)
    label = {NAME: series.metric.name, **dict(series.labels)}
    of_job = [one for one in wanted if one.name == OWNER]
    held: dict[str, Present] = {}
    for owner in _near(series.owners, times):
        inside: Present = (times >= owner.from_ms) & (times < owner.to_ms) & there
        held[owner.value] = held[owner.value] | inside if owner.value in held else inside
        there = there & ~inside
    for value, places in [("", there), *held.items()]:
        if places.any() and all(one.fits(value) for one in of_job):
            yield ({**label, OWNER: value} if value else label), places


def _near(owners: tuple[Owner, ...], times: Whole) -> Iterator[Owner]:
    """The owners that held the series at some of these times."""
    if len(times):
        for owner in owners:
            if owner.from_ms <= times[-1] and owner.to_ms > times[0]:
                yield owner
