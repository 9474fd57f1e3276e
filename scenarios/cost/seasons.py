"""How the months of the year differ: growth, holidays, a campaign, and a month in which something was down."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache

from scenarios.cost.draw import Scene
from scenarios.simulator.streams import Stream

_HOLIDAYS = {8: 0.9, 12: 0.86}
"""Calendar month -> what is left of the work of people in it."""
_GROWTH = 0.12
"""By which the last month lies above the first."""
_CAMPAIGN, _DOWN = (1.07, 1.12), (0.84, 0.9)


def season(scene: Scene) -> dict[date, float]:
    """First day of a month -> how much of the usual work it has; about 1 in the mean."""
    return _year(scene.seed, tuple(month.start for month in scene.months)).work


def events(scene: Scene) -> tuple[date, date]:
    """First days of the month of the campaign, and of the one in which something was down."""
    year = _year(scene.seed, tuple(month.start for month in scene.months))
    return year.campaign, year.down


@dataclass(frozen=True)
class _Year:
    work: dict[date, float]
    campaign: date
    down: date


@cache
def _year(seed: str, months: tuple[date, ...]) -> _Year:
    draw = Stream(seed, "seasons")
    usual = [month for month in months if month.month not in _HOLIDAYS]
    campaign = usual.pop(int(draw.unit() * len(usual)))
    down = usual[int(draw.unit() * len(usual))]
    moved = {campaign: draw.between(*_CAMPAIGN), down: draw.between(*_DOWN)}
    work = {
        month: (1 + _GROWTH * (at / (len(months) - 1) - 0.5))
        * _HOLIDAYS.get(month.month, 1.0)
        * moved.get(month, draw.between(0.985, 1.015))
        for at, month in enumerate(months)
    }
    return _Year(work, campaign, down)


def of_day(scene: Scene, day: date) -> float:
    """The same for a day."""
    return season(scene)[day.replace(day=1)]
