"""What happens to a cluster whatever is planned: uneven traffic, failures, GPUs sold out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from scenarios.company.profile import digest
from scenarios.scaling.arrivals import FIRST_H, hours_of
from scenarios.scaling.scene import Scene
from scenarios.simulator.streams import Stream

READ_SIGMA, BURST_SIGMA, CROSS_SIGMA = 0.16, 0.75, 0.22
_SHAPES = {
    "reads": (0.987, READ_SIGMA),
    "bursts": (0.755, BURST_SIGMA),
    "cross": (0.976, CROSS_SIGMA),
}
"""Median and sigma of the factors; the median is exp(-sigma² / 2), so that their mean is 1. Jobs read evenly,
and write their checkpoints when they please: assumptions."""


@dataclass(frozen=True, slots=True, eq=False)
class Disruptions:
    """By site and hour from FIRST_H, factors on traffic with a mean of about 1; by hour, numbers from 0 to 1
    that decide what fails and what is reclaimed; by day, one for whether GPUs on demand are sold out."""

    reads: tuple[Sequence[float], ...]
    bursts: tuple[Sequence[float], ...]
    cross: tuple[Sequence[float], ...]
    luck: tuple[Sequence[float], ...]
    sold_out: Sequence[float]


@lru_cache(maxsize=16)
def disruptions(scene: Scene) -> Disruptions:
    """The same for every plan and every demand."""
    name = f"{digest(scene.profile)}/{scene.level}/{scene.seed}"
    count = hours_of(scene) - FIRST_H
    sites = [one.site.name for one in scene.places]
    found: dict[str, list[Sequence[float]]] = {"reads": [], "bursts": [], "cross": []}
    for site in sites:
        for kind, (median, sigma) in _SHAPES.items():
            chance = Stream(name, f"{kind}/{site}")
            found[kind].append([chance.lognormal(median, sigma) for _ in range(count)])
    luck = []
    for index in range(2 * len(sites) + 2):
        unit = Stream(name, f"luck/{index}").unit
        luck.append([unit() for _ in range(count)])
    unit = Stream(name, "sold out").unit
    sold = [unit() for _ in range(count // 24 + 1)]
    return Disruptions(
        tuple(found["reads"]), tuple(found["bursts"]), tuple(found["cross"]), tuple(luck), sold
    )
