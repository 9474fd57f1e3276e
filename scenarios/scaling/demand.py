"""What is asked of the fleet in the year: the published median, and hidden draws around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from scenarios.company.profile import digest
from scenarios.scaling.assumptions import NOT_THERE, RECLAIMS_HOUR
from scenarios.scaling.scene import Event, Scene
from scenarios.simulator.streams import Stream

LATE = ((0.4, 0, 1), (0.75, 1, 5), (0.92, 5, 10), (1.0, 10, 17))
"""Weeks by which orders come later than promised: part of them up to here, weeks from and below. The documents
show the orders of two years, drawn from the same."""
LAUNCH_SLIP = 1
"""Months by which a launch may come earlier or later."""
LAUNCH_SIZE = 0.5
"""Part by which the jump of a launch may be smaller or larger."""
PRICE_PART = 0.12
"""Part by which prices may be higher than the price book."""
FARTHEST = 1.5
"""Most deviations by which a rate differs from the median."""
TOGETHER, APART = 0.6, 0.8
"""Weights of the common and the own part of a rate: their squares add up to 1."""
KINDS = ("node", "leaf", "spine", "rack", "power", "storage")
SOLD_OUT, SPOT_PRICE, SPOT_RECLAIMS = (0.05, 0.45), (0.85, 1.7), (1.0, 5.0)
"""What a year's market for rents may be: part of the days on which GPUs on demand are sold out; price of spot
and its reclaims over those of the last year."""


@dataclass(frozen=True, slots=True)
class Market:
    """The market for rents in a year. sold_out: part of the days on which none are to be had on demand;
    spot: price over the price book's; reclaims: of a spot node in an hour."""

    sold_out: float = NOT_THERE
    spot: float = 1.0
    reclaims: float = RECLAIMS_HOUR


USUAL = Market()


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """number: 0 for the published median, 1... for the draws. rates: class -> growth per month, such as 0.032;
    slips: kind of order and index of its month, such as "node 3" -> weeks that it comes later than stated;
    price: factor on purchases.
    """

    number: int
    rates: Mapping[str, float]
    events: tuple[Event, ...]
    slips: Mapping[str, int]
    price: float = 1.0
    market: Market = USUAL


def median(scene: Scene) -> Demand:
    """The published one."""
    rates = {one.job_class: one.monthly for one in scene.work}
    return Demand(0, rates, scene.events, {})


def draw(scene: Scene, number: int, of_round: int = 1) -> Demand:
    """A hidden one, from 1, for a round's answer: rates from the stated uncertainty; launches, lead times and
    prices within what the documents say. A common part of the rates makes busy years busy for all classes."""
    seed = f"{digest(scene.profile)}/{scene.level}/{scene.seed}"
    chance = Stream(seed, f"demand/{number}" if of_round == 1 else f"demand/{of_round}/{number}")
    together = _normal(chance)
    rates = {}
    for one in scene.work:
        off = TOGETHER * together + APART * _normal(chance)
        rates[one.job_class] = round(
            one.monthly + one.uncertainty * max(-FARTHEST, min(FARTHEST, off)), 5
        )
    events = tuple(_moved(one, chance) for one in scene.events)
    slips = {f"{kind} {month}": weeks_late(chance) for kind in KINDS for month in range(12)}
    price = round(1 + chance.between(0, PRICE_PART), 4)
    return Demand(number, rates, events, slips, price, _market(chance))


def weeks_late(chance: Stream) -> int:
    """Of one order."""
    luck = chance.unit()
    _, low, high = next(row for row in LATE if luck < row[0])
    return int(chance.between(low, high))


def _market(chance: Stream) -> Market:
    """A tight year is tight for all rents."""
    tight = chance.unit()
    drawn = [
        low + (high - low) * (tight + chance.unit()) / 2
        for low, high in (SOLD_OUT, SPOT_PRICE, SPOT_RECLAIMS)
    ]
    return Market(round(drawn[0], 3), round(drawn[1], 3), RECLAIMS_HOUR * drawn[2])


def _normal(chance: Stream) -> float:
    """Of mean 0 and deviation 1, by twelve uniform draws."""
    return sum(chance.unit() for _ in range(12)) - 6.0


def _moved(one: Event, chance: Stream) -> Event:
    when = one.month + int(chance.between(-LAUNCH_SLIP, LAUNCH_SLIP + 1))
    size = 1 + (one.factor - 1) * chance.between(1 - LAUNCH_SIZE, 1 + LAUNCH_SIZE)
    if one.kind != "launch":
        return one
    return replace(one, month=max(0, min(11, when)), factor=round(size, 3))
