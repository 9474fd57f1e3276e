"""What is asked of the fleet in the year: the published median, and hidden draws around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from scenarios.company.profile import digest
from scenarios.scaling.scene import Event, Scene
from scenarios.simulator.streams import Stream

WEEKS_LATE = 4
"""Weeks by which an order may come later than stated; the documents say so."""
LAUNCH_SLIP = 1
"""Months by which a launch may come earlier or later."""
LAUNCH_SIZE = 0.35
"""Part by which the jump of a launch may be smaller or larger."""
PRICE_PART = 0.04
"""Part by which prices may be higher than the price book."""
FARTHEST = 1.5
"""Most deviations by which a rate differs from the median."""
TOGETHER, APART = 0.6, 0.8
"""Weights of the common and the own part of a rate: their squares add up to 1."""
KINDS = ("node", "leaf", "spine", "rack", "power", "storage")


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """number: 0 for the published median, 1... for the draws. rates: class -> growth per month, such as 0.032;
    slips: kind of order (node, leaf, ...) -> weeks that it comes later than stated; price: factor on purchases.
    """

    number: int
    rates: Mapping[str, float]
    events: tuple[Event, ...]
    slips: Mapping[str, int]
    price: float = 1.0


def median(scene: Scene) -> Demand:
    """The published one."""
    rates = {one.job_class: one.monthly for one in scene.work}
    return Demand(0, rates, scene.events, dict.fromkeys(KINDS, 0))


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
    slips = {kind: int(chance.between(0, WEEKS_LATE + 1)) for kind in KINDS}
    return Demand(number, rates, events, slips, round(1 + chance.between(0, PRICE_PART), 4))


def _normal(chance: Stream) -> float:
    """Of mean 0 and deviation 1, by twelve uniform draws."""
    return sum(chance.unit() for _ in range(12)) - 6.0


def _moved(one: Event, chance: Stream) -> Event:
    when = one.month + int(chance.between(-LAUNCH_SLIP, LAUNCH_SLIP + 1))
    size = 1 + (one.factor - 1) * chance.between(1 - LAUNCH_SIZE, 1 + LAUNCH_SIZE)
    if one.kind != "launch":
        return one
    return replace(one, month=max(0, min(11, when)), factor=round(size, 3))
