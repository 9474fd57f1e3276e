"""Kinds of training weeks: how spot markets move and what goes wrong, drawn from a seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import exp

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.simulator.streams import Stream
from scenarios.simulator.world.failures import swing
from scenarios.worlds import reading
from scenarios.worlds.front import ApiFaults, Windows, windows
from scenarios.worlds.spot_checkpointing.config import ClusterConfig, Trouble, Wave

IN_HOURS = ("down_mean", "slow_mean")


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of workload.

    `levels` are the zones' price levels as multiples of the profile's spot price, `lives` the mean
    hours until a spot node is wanted back, cheapest zone first; both are dealt out by the seed.
    `waves` and `dry` count for each zone and 96 hours; `price_spikes` are hours of dear spot.
    `trouble` and `api` replace fields of `Trouble` and `ApiFaults`; `throttled_waves`: every other
    wave is when calls are throttled.
    """

    levels: tuple[float, ...] = (0.94, 1.0, 1.08, 1.14)
    lives: tuple[float, ...] = (15.0, 22.0, 28.0, 34.0)
    waves: int = 1
    dry: int = 1
    dry_minutes: tuple[float, float] = (40.0, 120.0)
    price_spikes: int = 1
    daily: float = 0.0
    slow_store: tuple[int, int, int] | None = None
    trouble: Mapping[str, float] = field(default_factory=dict)
    api: Mapping[str, float] = field(default_factory=dict)
    throttled_waves: bool = False


FAMILIES: Mapping[str, Family] = {
    name: Family(**values)
    for name, values in reading.table(__file__, "data.toml")["families"].items()
}


def _deal(stream: Stream, count: int) -> list[int]:
    """A seed's order of the zones."""
    order = list(range(count))
    for last in range(count - 1, 0, -1):
        other = int(stream.unit() * (last + 1))
        order[last], order[other] = order[other], order[last]
    return order


def _path(
    stream: Stream, level: float, cap: float, length: int, daily: float, spikes: Windows
) -> tuple[tuple[int, float], ...]:
    """Hourly prices in USD that wander about `level` and never exceed `cap`."""
    drift, points = 0.0, []
    for hour in range(length // HOUR + 2):
        drift += -0.12 * drift + stream.between(-0.045, 0.045)
        price = level * exp(drift) * swing(hour, 0.3 * daily)
        if any(begin <= hour * HOUR < end for begin, end in spikes):
            price *= 2.1
        points.append((hour * HOUR, round(min(price, cap), 4)))
    return tuple(points)


def _market(family: Family, config: ClusterConfig, seed: str) -> Trouble:
    """Prices, dry spells and waves of every zone; a wave is always followed by a dry spell."""
    zones, length = config.zones, config.length
    order = _deal(Stream(seed, "zones"), len(zones))
    prices, dry, waves = [], [], []
    for zone, shape in enumerate(zones):
        stream = Stream(seed, f"market {shape.name}")

        def spells(number: int, low: float, high: float, stream: Stream = stream) -> Windows:
            return windows(stream, round(number * length / (96 * HOUR)), low, high, length)

        # an hour's raise lasts three to eight, long enough to be worth moving for
        spikes = spells(family.price_spikes, 180, 480)
        level = shape.spot_price * family.levels[order[zone]]
        prices.append(
            _path(stream, level, shape.ondemand_price * 0.95, length, family.daily, spikes)
        )
        struck, alone = (spells(n, *family.dry_minutes) for n in (family.waves, family.dry))
        waves += [Wave(begin, zone, 0.75) for begin, _ in struck]
        dry.append(tuple(sorted(struck + alone)))
    means = tuple(family.lives[order[zone]] * HOUR for zone in range(len(zones)))
    waves.sort(key=lambda wave: (wave.at, wave.zone))
    return Trouble(tuple(prices), tuple(dry), means, tuple(waves), family.daily)


def draw_trouble(family: str, config: ClusterConfig, seed: str) -> Trouble:
    """Everything that will happen to the cluster by itself. KeyError for an unknown family."""
    kind, stream, length = FAMILIES[family], Stream(seed, "trouble"), config.length
    market = _market(kind, config, seed)
    api = ApiFaults(
        throttled=windows(stream, 4, 2, 8, length), stale=windows(stream, 14, 5, 12, length)
    )
    slow_store = windows(stream, 2, 60, 150, length)
    if kind.slow_store:
        slow_store = windows(stream, *kind.slow_store, length)
    if kind.throttled_waves:
        struck = tuple((one.at + MINUTE, one.at + 6 * MINUTE) for one in market.waves[::2])
        api = replace(api, throttled=struck)
    worse = {
        name: value * HOUR if name in IN_HOURS else value for name, value in kind.trouble.items()
    }
    api = replace(api, **kind.api)  # type: ignore[arg-type]
    return replace(market, api=api, slow_store=slow_store, **worse)  # type: ignore[arg-type]
