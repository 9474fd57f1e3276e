"""Prices and room in the clouds over a period: decided by the seed alone, whatever anybody does."""

from __future__ import annotations

from math import exp, log, sin, tau

from scenarios.simulator.agenda import HOUR
from scenarios.simulator.streams import Stream
from scenarios.worlds.cloud_bursting.shape import PRICE_STEP, BurstConfig
from scenarios.worlds.front import within

PULL = 0.93
"""Share of a price's distance from its mean that is left after one step of 15 minutes."""
FLAP = 1.45
"""Price in a flap, as a multiple of what it would have been."""


def path(stream: Stream, steps: int, swing: float) -> list[float]:
    """A mean-reverting price path around 1: one factor for each step of 15 minutes.

    `swing` is the standard deviation of one step's change of the logarithm; the path's own
    standard deviation is swing / sqrt(1 - PULL²), about 2.7 times as much.
    """
    level = stream.between(-2.0, 2.0) * swing
    phase = stream.unit()
    found = []
    for step in range(steps):
        daily = 0.05 * sin(tau * (step * PRICE_STEP / (24 * HOUR) + phase))
        found.append(exp(level + daily))
        level = PULL * level + swing * log(stream.lognormal(1.0, 1.0))
    return found


class Market:
    """What a GPU-hour costs and how many GPUs a cloud has for us, by time.

    Number -1 is the primary's own spot market, which is a yardstick here: nothing is bought there.
    """

    def __init__(self, config: BurstConfig, seed: str) -> None:
        self.config = config
        steps = config.length // PRICE_STEP + 2
        base = config.spot_gpu_hour
        primary = path(Stream(seed, "price primary"), steps, 0.03)
        self._prices = [[round(base * factor, 4) for factor in primary]]
        self._room: list[list[int]] = []
        for number, shape in enumerate(config.remotes):
            factors = path(Stream(seed, f"price {shape.name}"), steps, shape.swing)
            self._prices.append(self._remote(number, factors))
            self._room.append(self._rooms(number, Stream(seed, f"room {shape.name}"), steps))

    def _remote(self, number: int, factors: list[float]) -> list[float]:
        config = self.config
        mean = config.spot_gpu_hour * config.remotes[number].price_share
        flaps = config.trouble.price_flaps
        return [
            round(mean * factor * (FLAP if within(step * PRICE_STEP, flaps) else 1.0), 4)
            for step, factor in enumerate(factors)
        ]

    def _rooms(self, number: int, stream: Stream, steps: int) -> list[int]:
        quota = self.config.quotas[number]
        found, share = [], 0.8
        for step in range(steps):
            if step % 4 == 0:
                share = stream.pick(((1.0, 5.0), (0.75, 3.0), (0.5, 2.0), (0.25, 1.0)))
            found.append(int(quota * share))
        return found

    def price(self, number: int, now: int) -> float:
        """USD for a GPU-hour at `now` ms."""
        return self._prices[number + 1][now // PRICE_STEP]

    def room(self, number: int, now: int) -> int:
        """GPUs that the cloud can give us in all at `now` ms, at most our quota."""
        return self._room[number][now // PRICE_STEP]

    def out(self, number: int, now: int) -> bool:
        """Whether the cloud answers nobody at `now` ms."""
        return any(
            cloud == number and begin <= now < end
            for cloud, begin, end in self.config.trouble.outages
        )

    def priced_at(self, now: int) -> int:
        """The instant in ms whose prices the price feed shows at `now`."""
        for begin, end in self.config.trouble.feed_stuck:
            if begin <= now < end:
                return begin // PRICE_STEP * PRICE_STEP
        return now // PRICE_STEP * PRICE_STEP
