"""How a departure from health runs over time: weights on the 15 s grid, 0 = healthy, 1 = in full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scenarios.troubleshooting.calendar import CELL, Calendar

Array = NDArray[np.float64]


class Shape(Protocol):
    def weights(self, calendar: Calendar) -> Array:
        """One weight for each cell of the window."""
        ...


@dataclass(frozen=True, slots=True)
class Always:
    """In full during the whole window: a configuration, a defect older than the window."""

    def weights(self, calendar: Calendar) -> Array:
        return np.ones(calendar.cells)


@dataclass(frozen=True, slots=True)
class Since:
    """Nothing before `start_ms`, then a straight rise of `rise_ms`, then in full."""

    start_ms: int
    rise_ms: int = 0

    def weights(self, calendar: Calendar) -> Array:
        middle = _middles(calendar) - self.start_ms
        if self.rise_ms == 0:
            return (middle >= 0).astype(np.float64)
        return np.clip(middle / self.rise_ms, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Bursts:
    """In full during each span (start, end in ms); a cell that is partly covered counts in part."""

    spans: tuple[tuple[int, int], ...]

    def weights(self, calendar: Calendar) -> Array:
        found = np.zeros(calendar.cells)
        edge = calendar.window_start
        for start, end in self.spans:
            for cell in range(
                max((start - edge) // CELL, 0), min(-(-(end - edge) // CELL), len(found))
            ):
                low = edge + cell * CELL
                found[cell] += (min(end, low + CELL) - max(start, low)) / CELL
        return found


@dataclass(frozen=True, slots=True)
class Fading:
    """Nothing before `start_ms`; falls straight from `first` there to `last` at `end_ms`; then nothing."""

    start_ms: int
    end_ms: int
    first: float
    last: float

    def weights(self, calendar: Calendar) -> Array:
        middle = _middles(calendar)
        part = (middle - self.start_ms) / (self.end_ms - self.start_ms)
        inside = (part >= 0) & (part <= 1)
        return np.where(inside, self.first + (self.last - self.first) * part, 0.0)


def _middles(calendar: Calendar) -> Array:
    cells = np.arange(calendar.cells, dtype=np.float64)
    return calendar.window_start + (cells + 0.5) * CELL
