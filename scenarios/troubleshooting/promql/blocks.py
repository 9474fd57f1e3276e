"""Decoded blocks of column files, kept within a number of bytes, for charts and queries alike."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from threading import Lock

import numpy as np

from scenarios.troubleshooting.columns import SECOND, Columns, Real, Series, Whole

KEEP_BYTES = 64_000_000
"""Decoded values that one process keeps: four metrics of 160 GPUs over two days."""


@dataclass
class Blocks:
    """The cache of one process; safe to use from several threads."""

    keep_bytes: int = KEEP_BYTES
    _held: OrderedDict[tuple[Path, int], Real] = field(default_factory=OrderedDict, repr=False)
    _bytes: int = 0
    _lock: Lock = field(default_factory=Lock, repr=False)

    def values(
        self, columns: Columns, series: Sequence[Series], from_ms: int, to_ms: int
    ) -> tuple[Whole, Real]:
        """(times, values) of series of one metric, as `Columns.window` gives them; NaN is a gap."""
        metric = series[0].metric
        every = metric.every_s * SECOND
        times = columns.times(metric, from_ms, to_ms)
        first = int((times[0] - columns.start_ms) // every) if len(times) else 0
        found = np.empty((len(series), len(times)))
        place = 0
        for number, group in groupby(series, key=lambda one: one.block):
            rows = [one.row for one in group]
            block = self._block(columns, metric.name, number)
            found[place : place + len(rows)] = block[rows, first : first + len(times)]
            place += len(rows)
        return times, found

    def _block(self, columns: Columns, name: str, number: int) -> Real:
        key = (columns.path, number)
        with self._lock:
            held = self._held.get(key)
            if held is not None:
                self._held.move_to_end(key)
                return held
        whole = tuple(one for one in columns.series[name] if one.block == number)
        _, values = columns.window(whole, columns.start_ms, columns.end_ms)
        with self._lock:
            if key not in self._held:
                self._held[key] = values
                self._bytes += values.nbytes
            while self._bytes > self.keep_bytes and len(self._held) > 1:
                _, gone = self._held.popitem(last=False)
                self._bytes -= gone.nbytes
        return values
