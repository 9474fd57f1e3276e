"""Kinds of spans: how teams behave and what goes wrong with nodes, pods and calls, from a seed."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.simulator.streams import Stream
from scenarios.worlds import reading
from scenarios.worlds.cluster_priorities.config import DEADLINE, CohortWorldConfig
from scenarios.worlds.cluster_priorities.demand import Shape
from scenarios.worlds.front import ApiFaults, apart, windows

WAVE_SHARE = 0.8
"""Of the spot nodes of a region that a wave takes."""


@dataclass(frozen=True, slots=True)
class Outage:
    """A node is gone from `at` to `until` ms: taken back by the provider, or dead."""

    at: int
    until: int
    reclaimed: bool


@dataclass(frozen=True, slots=True)
class Trouble:
    """What one workload has in store. `outages` by node, in the order of flavours and nodes."""

    outages: tuple[tuple[Outage, ...], ...]
    stuck: float
    api: ApiFaults


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of span. Means in hours of a node's life; `waves` for each region and 72 hours.

    `before_due` has the waves strike, and writes throttled, in the hours before deadlines.
    """

    shape: Shape
    spot_life: float = 22.0
    away: tuple[float, float] = (20.0, 60.0)
    waves: int = 1
    node_life: float = 260.0
    stuck: float = 0.03
    write_timeout: float = 0.03
    read_timeout: float = 0.006
    before_due: bool = False


FAMILIES = {
    name: Family(**{**row, "shape": Shape(**row.get("shape", {}))})
    for name, row in reading.table(__file__, "data.toml")["families"].items()
}


def _waves(kind: Family, config: CohortWorldConfig, region: str, seed: str) -> list[int]:
    """Moments in ms at which much of a region's spot capacity is wanted back."""
    stream = Stream(seed, f"waves {region}")
    count = round(kind.waves * config.length / (72 * HOUR))
    if not kind.before_due:
        return sorted(int(stream.between(2 * HOUR, config.length - 3 * HOUR)) for _ in range(count))
    found = []
    for _ in range(count):
        team = next(team for team in config.teams if team.kind == DEADLINE)
        day = int(stream.unit() * (config.length // (24 * HOUR)))
        low = day * 24 * HOUR + team.submit + 20 * MINUTE
        found.append(int(stream.between(low, low + (team.due - team.submit) * 0.6)))
    return sorted(found)


def _outages(
    kind: Family, config: CohortWorldConfig, flavor: int, name: str, waves: list[int], seed: str
) -> tuple[Outage, ...]:
    """A node's fate: it depends on the seed and the node, never on what is done with it."""
    spot, stream = config.flavors[flavor].spot, Stream(seed, f"node {name}")
    planned = []
    at = 0.0
    while (at := at + stream.exponential(kind.node_life * HOUR)) < config.length:
        planned.append(Outage(int(at), int(at + stream.between(30, 90) * MINUTE), False))
    at = 0.0
    while spot and (at := at + stream.exponential(kind.spot_life * HOUR)) < config.length:
        planned.append(Outage(int(at), int(at + stream.between(*kind.away) * MINUTE), True))
    for wave in waves if spot else ():
        struck, length = stream.chance(WAVE_SHARE), stream.between(50, 140) * MINUTE
        if struck:
            planned.append(Outage(wave, int(wave + length), True))
    kept: list[Outage] = []
    for outage in sorted(planned, key=lambda one: (one.at, one.until)):
        if outage.at > (kept[-1].until + 5 * MINUTE if kept else 5 * MINUTE):
            kept.append(outage)
    return tuple(kept)


def node_names(config: CohortWorldConfig) -> list[tuple[int, str]]:
    """Flavour number and name of every node."""
    return [
        (number, f"{flavor.name}-{node + 1:02d}")
        for number, flavor in enumerate(config.flavors)
        for node in range(flavor.nodes)
    ]


def draw_trouble(family: str, config: CohortWorldConfig, seed: str) -> Trouble:
    """Everything that will happen to the cluster by itself. KeyError for an unknown family."""
    kind, stream = FAMILIES[family], Stream(seed, "trouble")
    regions = sorted({flavor.region for flavor in config.flavors})
    waves = {region: _waves(kind, config, region, seed) for region in regions}
    outages = tuple(
        _outages(kind, config, flavor, name, waves[config.flavors[flavor].region], seed)
        for flavor, name in node_names(config)
    )
    throttled = windows(stream, 4, 4, 9, config.length)
    stale = windows(stream, 12, 6, 14, config.length)
    if kind.before_due:
        throttled += tuple((at + MINUTE, at + 9 * MINUTE) for at in waves[regions[0]])
    api = ApiFaults(
        write_timeout=kind.write_timeout,
        read_timeout=kind.read_timeout,
        throttled=apart(throttled, 2 * config.tick),
        stale=apart(stale, 2 * config.tick),
    )
    return Trouble(outages, kind.stuck, api)
