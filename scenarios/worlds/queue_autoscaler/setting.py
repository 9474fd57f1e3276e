"""From a company's profile, a level and a family of days to one playable day."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.simulator.streams import Stream
from scenarios.worlds.queue_autoscaler.config import FaultConfig, PoolConfig, WorldConfig
from scenarios.worlds.queue_autoscaler.episode import Episode
from scenarios.worlds.queue_autoscaler.level import PoolTerms, Setting, read_setting
from scenarios.worlds.queue_autoscaler.workload import FAMILIES, draw_jobs

__all__ = ["Setting", "open_day", "read_setting", "words", "world_config"]

FIRM_SHARE = 0.6
"""Part of the cluster's nodes that can be had on demand; the rest is spot."""
NEVER = 1e15
BUDGET_STEP = 50
"""USD to which a budget is rounded, as people write budgets."""


def world_config(profile: Profile, setting: Setting | None = None) -> WorldConfig:
    """The elastic cluster of a profile as a level wants it."""
    level = setting or Setting()
    pools = _own_pools(profile, level) if level.pools else _two_pools(profile)
    whole = sum(pool.most * pool.price for pool in pools) * 24
    return WorldConfig(
        cluster=profile.cluster,
        gpu=profile.gpu_model,
        gpus_per_node=profile.gpus_per_node,
        overflow_price=profile.overflow_gpu_hour,
        pools=pools,
        tenants=level.tenants,
        bound=level.bound,
        budget=float(round(level.budget_share * whole / BUDGET_STEP) * BUDGET_STEP),
    )


def _two_pools(profile: Profile) -> tuple[PoolConfig, ...]:
    """Three fifths on demand, two fifths spot.

    Delays are of cloud GPU nodes with a prepared image: 8 to 15 minutes on demand, 6 to 12
    spot; four of a hundred starts fail on demand, ten of a hundred on spot (assumptions).
    """
    firm = round(profile.nodes * FIRM_SHARE)
    start = max(2, firm // 3)
    return (
        PoolConfig(
            "ondemand",
            "od",
            False,
            2,
            firm,
            start,
            profile.ondemand_node_hour,
            8 * MINUTE,
            15 * MINUTE,
            0.04,
        ),
        PoolConfig(
            "spot",
            "sp",
            True,
            0,
            profile.nodes - firm,
            0,
            profile.spot_node_hour,
            6 * MINUTE,
            12 * MINUTE,
            0.10,
        ),
    )


def _own_pools(profile: Profile, setting: Setting) -> tuple[PoolConfig, ...]:
    sizes = [max(1, round(profile.nodes * terms.share)) for terms in setting.pools]
    sizes[-1] = max(1, profile.nodes - sum(sizes[:-1]))
    return tuple(
        _own_pool(profile, terms, size) for terms, size in zip(setting.pools, sizes, strict=True)
    )


def _own_pool(profile: Profile, terms: PoolTerms, size: int) -> PoolConfig:
    price = profile.spot_node_hour if terms.spot else profile.ondemand_node_hour
    low, high = terms.start_min
    return PoolConfig(
        name=terms.name,
        prefix=terms.prefix,
        spot=terms.spot,
        least=min(terms.least, size),
        most=size,
        start=min(size, max(terms.least, round(size * terms.start))),
        price=round(price * terms.price, 2),
        delay_low=low * MINUTE,
        delay_high=high * MINUTE,
        start_failure=terms.start_failures,
        zone=terms.zone,
    )


def words(profile: Profile, setting: Setting) -> dict[str, str]:
    """What the placeholders of a pack's texts stand for; a pool's begin with its name."""
    gpu, config = profile.gpu_model, world_config(profile, setting)
    gpus = profile.nodes * profile.gpus_per_node
    found = {
        "cluster": profile.cluster,
        "nodes": str(profile.nodes),
        "gpus": str(gpus),
        "gpus_per_node": str(profile.gpus_per_node),
        "gpu": profile.gpu,
        "gpu_product": gpu.product,
        "overflow_price": f"{profile.overflow_gpu_hour:.2f}",
        "healthy_mhz": f"{int(gpu.top_mhz * 0.89):,} to {gpu.top_mhz:,}",
        "throttled_mhz": f"{int(gpu.top_mhz * 0.6):,}",
        "idle_mhz": str(gpu.idle_mhz),
        "budget": f"{config.budget:,.0f}",
    }
    for pool in config.pools:
        name = pool.name.replace("-", "_")
        found[f"{name}_min"], found[f"{name}_max"] = str(pool.least), str(pool.most)
        found[f"{name}_start"], found[f"{name}_price"] = str(pool.start), f"{pool.price:.2f}"
    return found


def _softened(faults: FaultConfig, setting: Setting) -> FaultConfig:
    """A family's trouble as the level lets it come."""
    return replace(
        faults,
        down_mean=faults.down_mean / setting.node_trouble if setting.node_trouble else NEVER,
        slow_mean=faults.slow_mean / setting.node_trouble if setting.slow_nodes else NEVER,
        write_timeout=faults.write_timeout * setting.timeouts,
        read_timeout=faults.read_timeout * setting.timeouts,
        shortage=faults.shortage * setting.timeouts,
        throttled=faults.throttled if setting.throttling else (),
        stale=faults.stale if setting.stale_reads else (),
    )


def _pools_with_faults(
    config: WorldConfig,
    setting: Setting,
    trouble: Callable[[FaultConfig, Stream], FaultConfig],
    seed: str,
) -> tuple[PoolConfig, ...]:
    """Pools of a level's own: each spot pool dries up and is reclaimed at times of its own."""
    found = []
    for pool, terms in zip(config.pools, setting.pools, strict=True):
        habits = replace(FaultConfig(), reclaim_mean=terms.reclaim_hours * HOUR)
        own = trouble(habits, Stream(seed, f"trouble {pool.name}"))
        found.append(replace(pool, faults=_softened(own, setting)))
    return tuple(found)


def open_day(
    profile: Profile, setting: Setting, family: str, seed: str, *, faults: bool = True
) -> Episode:
    """One day of a family from a seed; KeyError for an unknown family."""
    kind = FAMILIES[family]
    kind = replace(kind, load=kind.load * setting.load)
    config = world_config(profile, setting)
    trouble = _softened(kind.trouble(config.faults, Stream(seed, "trouble")), setting)
    config = replace(config, faults=trouble)
    if setting.pools:
        config = replace(config, pools=_pools_with_faults(config, setting, kind.trouble, seed))
    return Episode(config, draw_jobs(kind, config, seed), seed, faults=faults)
