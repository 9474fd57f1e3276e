"""GPU-hours over time: what many jobs come to in each hour, added up without walking their hours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

HOUR = 3600


class Hours:
    """GPUs in use by the hour. Times are seconds of local time since 1970."""

    def __init__(self) -> None:
        self._parts: dict[int, float] = defaultdict(float)
        self._steps: dict[int, float] = defaultdict(float)

    def add(self, start: int, end: int, gpus: float) -> None:
        """So many GPUs were in use from `start` to `end`."""
        first, last = start // HOUR, end // HOUR
        if first == last:
            self._parts[first] += gpus * (end - start) / HOUR
            return
        self._parts[first] += gpus * (1 - start % HOUR / HOUR)
        self._parts[last] += gpus * (end % HOUR) / HOUR
        self._steps[first + 1] += gpus
        self._steps[last] -= gpus

    def series(self) -> tuple[int, NDArray[np.float64]]:
        """(first hour since 1970, GPU-hours in it and in each hour after it)."""
        keys = self._parts.keys() | self._steps.keys()
        if not keys:
            return 0, np.zeros(0)
        first, last = min(keys), max(keys)
        steps, parts = np.zeros(last - first + 1), np.zeros(last - first + 1)
        for hour, value in self._steps.items():
            steps[hour - first] += value
        for hour, value in self._parts.items():
            parts[hour - first] += value
        return first, np.cumsum(steps) + parts


def joined(counted: Iterable[Hours]) -> Hours:
    """What several have counted, together."""
    found = Hours()
    for one in counted:
        for hour, value in one._parts.items():
            found._parts[hour] += value
        for hour, value in one._steps.items():
            found._steps[hour] += value
    return found


def rhythm(hours: Hours) -> tuple[float, float] | None:
    """(weekend over weekday, night over day on weekdays); None for less than two weeks of use.

    Day is from 8 to 20 o'clock. Saturday and Sunday are the weekend.
    """
    first, used = hours.series()
    if len(used) < 14 * 24:
        return None
    hour = np.arange(first, first + len(used))
    weekend = (hour // 24 + 3) % 7 >= 5  # 1 January 1970 was a Thursday
    day = (hour % 24 >= 8) & (hour % 24 < 20)
    at_work, at_night = used[~weekend & day].mean(), used[~weekend & ~day].mean()
    weekdays = used[~weekend].mean()
    if at_work <= 0 or weekdays <= 0:
        return None
    return min(2.0, float(used[weekend].mean() / weekdays)), min(2.0, float(at_night / at_work))


def months(hours: Hours) -> list[float]:
    """GPU-hours in stretches of 30 days, the last of which ends with the last use; full ones only."""
    _, used = hours.series()
    length = 30 * 24
    return [
        float(used[len(used) - (n + 1) * length : len(used) - n * length].sum())
        for n in reversed(range(len(used) // length))
    ]
