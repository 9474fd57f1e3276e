"""Random numbers with one independent stream for each cause, the same on every platform."""

from __future__ import annotations

import math
from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Stream:
    """Draws for one cause of one episode.

    Two streams of different cause never share a draw, so adding a cause to a world
    leaves every other cause as it was. Only `Random.random` is used, whose sequence
    Python guarantees; the distributions are written out here because the library's
    own may change between versions.
    """

    __slots__ = ("unit",)

    def __init__(self, seed: str, cause: str) -> None:
        digest = sha256(f"{seed}\n{cause}".encode()).digest()
        self.unit = Random(int.from_bytes(digest, "big")).random  # noqa: S311  simulation

    def between(self, low: float, high: float) -> float:
        """Uniform in [low, high), in the unit of the arguments."""
        return low + (high - low) * self.unit()

    def chance(self, probability: float) -> bool:
        """True with the given probability (0 to 1)."""
        return self.unit() < probability

    def exponential(self, mean: float) -> float:
        """Time to the next event of a memoryless process, in the unit of `mean`."""
        return -mean * math.log(1.0 - self.unit())

    def lognormal(self, median: float, sigma: float) -> float:
        """Log-normal by Box and Muller: `median` in the wanted unit, `sigma` of the logarithm."""
        radius = math.sqrt(-2.0 * math.log(1.0 - self.unit()))
        return median * math.exp(sigma * radius * math.cos(2.0 * math.pi * self.unit()))

    def pick(self, choices: Sequence[tuple[T, float]]) -> T:
        """One of the values, with probability proportional to its weight."""
        left = self.unit() * sum(weight for _, weight in choices)
        for value, weight in choices:
            left -= weight
            if left < 0:
                return value
        return choices[-1][0]
