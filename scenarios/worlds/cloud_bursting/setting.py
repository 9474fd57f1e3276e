"""From a company's profile, a level's settings and a family to one playable period."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.simulator.streams import Stream
from scenarios.worlds.cloud_bursting.episode import Episode
from scenarios.worlds.cloud_bursting.shape import (
    PRICE_SHARE,
    REMOTES,
    BurstConfig,
    CloudShape,
    Trouble,
)
from scenarios.worlds.cloud_bursting.workload import FAMILIES, draw_jobs
from scenarios.worlds.front import ApiFaults, windows

MOST_NODES = 32
"""A larger primary is shown in part: its queue would hold more jobs than a run has seconds for."""
RESIDENCY = ("none", "primary", "regions")


@dataclass(frozen=True, slots=True)
class Setting:
    """The depth of a level.

    `backlog_hours`: pending work above which bursting is allowed, in hours of the whole primary.
    `cap_hours`: the daily cap, as hours of all remote quota at 70 % of the usual spot price.
    `team_share`: each team's budget for the period as a share of all daily caps; 0 = none.
    `hang_share`: share of instances that stay after their work. `outages`: of remote clouds, in an
    ordinary period. `stuck_feeds`: spells in which the price feed repeats old prices.
    `api_trouble`: scales how often calls fail. `nodes_share`: part of the company's nodes that the
    queue may use. `own_clocks`: whether clouds write times in their own way. `kestrel_share`:
    kestrel's quota as a share of the primary's GPUs.
    """

    hours: int = 60
    clouds: tuple[str, ...] = ("kestrel",)
    backlog_hours: float = 1.5
    cap_hours: float = 18.0
    team_share: float = 0.0
    residency: str = "primary"
    drivers: bool = False
    hang_share: float = 0.12
    outages: int = 1
    stuck_feeds: int = 0
    api_trouble: float = 1.0
    preempt_hours: float = 14.0
    nodes_share: float = 1.0
    own_clocks: bool = True
    kestrel_share: float = 0.5


_BOUNDS = {
    "backlog_hours": (0.0, 24.0),
    "cap_hours": (1.0, 24.0),
    "team_share": (0.0, 1.0),
    "hang_share": (0.0, 0.5),
    "outages": (0, 10),
    "stuck_feeds": (0, 20),
    "api_trouble": (0.0, 2.0),
    "preempt_hours": (1.0, 1000.0),
    "hours": (24, 96),
    "nodes_share": (0.25, 1.0),
    "kestrel_share": (0.05, 1.0),
}


def read_setting(table: Mapping[str, Any]) -> Setting:
    """A level's `[levels.X.settings]`. Raises ValueError with one sentence for anything wrong."""
    known = {field.name for field in fields(Setting)}
    for key, value in table.items():
        if key not in known:
            raise ValueError(f"The world burst has no setting {key}.")
        if key in _BOUNDS:
            low, high = _BOUNDS[key]
            if type(value) not in (int, float) or not low <= value <= high:
                raise ValueError(f"{key} must be a number from {low:g} to {high:g}.")
    values = dict(table)
    if type(values.get("hours", 60)) is not int:
        raise ValueError("hours must be a whole number.")
    if values.get("residency", "none") not in RESIDENCY:
        raise ValueError(f"residency must be one of {', '.join(RESIDENCY)}.")
    clouds = values.get("clouds", ["kestrel"])
    if not isinstance(clouds, list) or not clouds or not REMOTES.keys() >= set(clouds):
        raise ValueError(f"clouds must list some of {', '.join(REMOTES)}.")
    for key in ("drivers", "own_clocks"):
        if type(values.get(key, False)) is not bool:
            raise ValueError(f"{key} must be true or false.")
    return Setting(**{**values, "clouds": tuple(clouds)})


def _quotas(profile: Profile, setting: Setting) -> tuple[int, ...]:
    per_node = profile.gpus_per_node
    gpus = nodes_of(profile, setting) * per_node
    shares = (_shape(name, setting).quota_share for name in setting.clouds)
    return tuple(max(1, round(gpus * share / per_node)) * per_node for share in shares)


def _spot(profile: Profile) -> float:
    return profile.spot_node_hour / profile.gpus_per_node


def _daily_cap(profile: Profile, setting: Setting) -> float:
    """USD a day, rounded to 10."""
    most = sum(_quotas(profile, setting)) * setting.cap_hours * PRICE_SHARE * _spot(profile)
    return round(most / 10) * 10.0


def _team_budget(profile: Profile, setting: Setting) -> float:
    """USD for each team over the whole period, rounded to 10."""
    days = setting.hours / 24
    return round(_daily_cap(profile, setting) * days * setting.team_share / 10) * 10.0


def burst_config(profile: Profile, setting: Setting) -> BurstConfig:
    """The primary and its remote clouds without trouble."""
    return BurstConfig(
        length=setting.hours * HOUR,
        nodes=nodes_of(profile, setting),
        gpus_per_node=profile.gpus_per_node,
        spot_gpu_hour=_spot(profile),
        overflow_gpu_hour=profile.overflow_gpu_hour,
        remotes=tuple(_shape(name, setting) for name in setting.clouds),
        quotas=_quotas(profile, setting),
        most_pending=max(8, nodes_of(profile, setting)),
        threshold_gpu_hours=_threshold(profile, setting),
        daily_cap=_daily_cap(profile, setting),
        team_budget=_team_budget(profile, setting),
        residency=setting.residency,
        drivers=setting.drivers,
        trouble=Trouble(preempt_mean=setting.preempt_hours * HOUR, hang_share=setting.hang_share),
        per_usd=profile.per_usd,
        faults=ApiFaults(0.03 * setting.api_trouble, 0.006 * setting.api_trouble),
    )


def nodes_of(profile: Profile, setting: Setting) -> int:
    """Nodes of the primary that the queue may use."""
    return min(MOST_NODES, max(4, round(profile.nodes * setting.nodes_share)))


def _shape(name: str, setting: Setting) -> CloudShape:
    shape = REMOTES[name]
    if name == "kestrel":
        shape = replace(shape, quota_share=setting.kestrel_share)
    return shape if setting.own_clocks else replace(shape, clock="s")


def _threshold(profile: Profile, setting: Setting) -> float:
    """GPU-hours of pending work above which bursting is allowed, rounded to 10."""
    gpus = nodes_of(profile, setting) * profile.gpus_per_node
    return round(gpus * setting.backlog_hours / 10) * 10.0


def _outages(stream: Stream, count: int, config: BurstConfig) -> tuple[tuple[int, int, int], ...]:
    found = []
    for begin, end in windows(stream, count, 60, 170, config.length - 2 * HOUR):
        found.append((int(stream.unit() * len(config.remotes)), begin, end))
    return tuple(found)


def _troubled(config: BurstConfig, setting: Setting, family: str, stream: Stream) -> BurstConfig:
    """The period's own trouble: more of it in failure-heavy and adversarial ones."""
    worse = family == "failure-heavy"
    hostile = family == "adversarial"
    trouble, length = config.trouble, config.length
    extra = 1 if worse or hostile else 0
    outages = _outages(stream, setting.outages + extra if setting.outages else 0, config)
    trouble = replace(
        trouble,
        outages=outages,
        feed_stuck=windows(stream, setting.stuck_feeds * (1 + extra), 30, 100, length),
    )
    if worse:
        trouble = replace(
            trouble,
            node_mean=trouble.node_mean / 4,
            preempt_mean=trouble.preempt_mean / 2,
            hang_share=min(0.5, trouble.hang_share * 2),
        )
    if hostile:
        waves = sorted(int(stream.between(4 * HOUR, length - 4 * HOUR)) for _ in range(4))
        trouble = replace(
            trouble,
            waves=tuple((int(stream.unit() * len(config.remotes)), wave) for wave in waves),
            price_flaps=windows(stream, 16, 15, 45, length),
        )
    return replace(config, trouble=trouble, faults=_faults(config, setting, stream, worse, hostile))


def _faults(
    config: BurstConfig, setting: Setting, stream: Stream, worse: bool, hostile: bool
) -> ApiFaults:
    """Throttling for up to 20 minutes and stale reads for up to 15 (api.md states both bounds)."""
    scale, length = setting.api_trouble, config.length
    count = round((10 if worse else 5) * scale)
    return ApiFaults(
        write_timeout=config.faults.write_timeout * (2.4 if worse else 1.8 if hostile else 1.0),
        read_timeout=config.faults.read_timeout * (3 if worse else 1),
        throttled=windows(stream, count, 5, 20, length),
        stale=windows(stream, 2 * count, 5, 15, length),
    )


def open_period(
    profile: Profile, setting: Setting, family: str, seed: str, *, faults: bool = True
) -> Episode:
    """One period of a family from a seed; KeyError for an unknown family."""
    kind = FAMILIES[family]
    config = _troubled(
        burst_config(profile, setting), setting, family, Stream(seed, f"trouble {family}")
    )
    return Episode(config, draw_jobs(kind, config, seed), seed, faults=faults)


def words(profile: Profile, setting: Setting) -> dict[str, str]:
    """What the placeholders of a pack's texts stand for."""
    config = burst_config(profile, setting)
    made = {
        "cluster": profile.cluster,
        "nodes": str(config.nodes),
        "gpus": str(config.gpus),
        "gpus_per_node": str(profile.gpus_per_node),
        "gpu": profile.gpu,
        "gpu_product": profile.gpu_model.product,
        "spot_gpu_hour": f"{config.spot_gpu_hour:.2f}",
        "spot_node_hour": f"{profile.spot_node_hour:.2f}",
        "limit_gpu_hour": f"{PRICE_SHARE * config.spot_gpu_hour:.2f}",
        "overflow_price": f"{profile.overflow_gpu_hour:.2f}",
        "threshold": f"{config.threshold_gpu_hours:,.0f}",
        "most_pending": str(config.most_pending),
        "daily_cap": f"{config.daily_cap:,.0f}",
        "team_budget": f"{config.team_budget:,.0f}",
        "hours": str(setting.hours),
        "ticks": str(setting.hours * HOUR // (5 * MINUTE)),
        "egress_primary": f"{config.egress_primary:.2f}",
    }
    for number, shape in enumerate(config.remotes):
        price = config.spot_gpu_hour * shape.price_share
        made[f"{shape.name}_quota"] = str(config.quotas[number])
        made[f"{shape.name}_egress"] = f"{config.egress(number):.2f}"
        made[f"{shape.name}_driver"] = shape.driver
        made[f"{shape.name}_gpu_hour"] = f"{price:.2f}"
        made[f"{shape.name}_node_hour"] = f"{price * profile.gpus_per_node:.2f}"
    return made
