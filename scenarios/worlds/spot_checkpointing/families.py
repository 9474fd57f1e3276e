"""Kinds of training weeks: how spot markets move and what goes wrong, drawn from a seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import cos, exp, pi

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.simulator.streams import Stream
from scenarios.worlds.front import ApiFaults, Windows, windows
from scenarios.worlds.spot_checkpointing.config import ClusterConfig, Trouble, Wave

DAY_HOURS = 24
WORKDAY_PEAK = 14.0


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of workload.

    `levels` are the zones' price levels as multiples of the profile's spot price, `lives` the mean
    hours until a spot node is wanted back, cheapest zone first; both are dealt out by the seed.
    `waves` and `dry` count for each zone and 96 hours; `spikes` are hours of dear spot.
    """

    name: str
    levels: tuple[float, ...] = (0.94, 1.0, 1.08, 1.14)
    lives: tuple[float, ...] = (15.0, 22.0, 28.0, 34.0)
    waves: int = 1
    dry: int = 1
    dry_minutes: tuple[float, float] = (40.0, 120.0)
    price_spikes: int = 1
    daily: float = 0.0
    adapt: Callable[[Trouble, Stream, int], Trouble] = lambda trouble, stream, length: trouble


def _deal(stream: Stream, values: Sequence[float], count: int) -> list[int]:
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
        price = level * exp(drift)
        price *= 1 + 0.3 * daily * cos(2 * pi * (hour - WORKDAY_PEAK) / DAY_HOURS)
        if any(begin <= hour * HOUR < end for begin, end in spikes):
            price *= 2.1
        points.append((hour * HOUR, round(min(price, cap), 4)))
    return tuple(points)


def _count(number: int, length: int) -> int:
    """So many in 96 hours, for a span of `length` ms."""
    return round(number * length / (96 * HOUR))


def _market(family: Family, config: ClusterConfig, seed: str) -> Trouble:
    """Prices, dry spells and waves of every zone; a wave is always followed by a dry spell."""
    zones = config.zones
    order = _deal(Stream(seed, "zones"), family.levels, len(zones))
    prices, dry, waves = [], [], []
    for zone, shape in enumerate(zones):
        stream = Stream(seed, f"market {shape.name}")
        # an hour's raise lasts three to eight, long enough to be worth moving for
        spikes = windows(
            stream, _count(family.price_spikes, config.length), 180, 480, config.length
        )
        level = shape.spot_price * family.levels[order[zone]]
        cap = shape.ondemand_price * 0.95
        prices.append(_path(stream, level, cap, config.length, family.daily, spikes))
        struck = windows(
            stream, _count(family.waves, config.length), *family.dry_minutes, config.length
        )
        alone = windows(
            stream, _count(family.dry, config.length), *family.dry_minutes, config.length
        )
        waves += [Wave(begin, zone, 0.75) for begin, _ in struck]
        dry.append(tuple(sorted(struck + alone)))
    means = tuple(family.lives[order[zone]] * HOUR for zone in range(len(zones)))
    return Trouble(
        tuple(prices),
        tuple(dry),
        means,
        tuple(sorted(waves, key=lambda w: (w.at, w.zone))),
        family.daily,
    )


def _failing(trouble: Trouble, stream: Stream, length: int) -> Trouble:
    """Machines, storage and calls at their worst."""
    return replace(
        trouble,
        down_mean=80 * HOUR,
        slow_mean=90 * HOUR,
        mute=0.12,
        start_failure=0.12,
        shortage=0.12,
        corrupt=0.08,
        failed_save=0.06,
        stale_pointer=0.15,
        slow_store=windows(stream, 6, 60, 180, length),
        api=replace(trouble.api, write_timeout=0.07, read_timeout=0.015),
    )


def _hostile(trouble: Trouble, stream: Stream, length: int) -> Trouble:
    """The cheapest zone is the worst one, and calls are throttled just when a wave strikes."""
    waves = trouble.waves
    throttled = tuple((wave.at + MINUTE, wave.at + 6 * MINUTE) for wave in waves[::2])
    return replace(
        trouble,
        corrupt=0.06,
        stale_pointer=0.2,
        failed_save=0.04,
        mute=0.06,
        shortage=0.12,
        api=replace(trouble.api, write_timeout=0.05, throttled=throttled),
    )


FAMILIES = {
    family.name: family
    for family in (
        Family("steady"),
        Family("burst", waves=4, dry=0, dry_minutes=(45.0, 150.0), lives=(24.0, 30.0, 36.0, 40.0)),
        Family("diurnal", daily=0.8, price_spikes=2),
        Family("failure-heavy", lives=(18.0, 24.0, 30.0, 34.0), adapt=_failing),
        Family(
            "adversarial",
            levels=(0.82, 1.0, 1.06, 1.12),
            lives=(9.0, 20.0, 26.0, 30.0),
            waves=2,
            dry=2,
            dry_minutes=(60.0, 200.0),
            price_spikes=2,
            adapt=_hostile,
        ),
    )
}


def draw_trouble(family: str, config: ClusterConfig, seed: str) -> Trouble:
    """Everything that will happen to the cluster by itself. KeyError for an unknown family."""
    kind = FAMILIES[family]
    market, stream = _market(kind, config, seed), Stream(seed, "trouble")
    usual = ApiFaults(
        throttled=windows(stream, 4, 2, 8, config.length),
        stale=windows(stream, 14, 5, 12, config.length),
    )
    usual_store = windows(stream, 2, 60, 150, config.length)
    market = replace(market, api=usual, slow_store=usual_store)
    return kind.adapt(market, stream, config.length)
