"""What the placeholders of a pack's texts stand for."""

from __future__ import annotations

from scenarios.company.profile import Profile
from scenarios.worlds.spot_checkpointing.config import ClusterConfig, TrainingConfig
from scenarios.worlds.spot_checkpointing.saving import ASYNC_SHARE, SLOW_STORE
from scenarios.worlds.spot_checkpointing.setting import Setting, cluster_config


def words(profile: Profile, setting: Setting) -> dict[str, str]:
    """Prices in USD, sizes in GB, times in the unit of the word's ending."""
    config, gpu = cluster_config(profile, setting), profile.gpu_model
    store = next(iter(config.stores.values()))
    found = {
        "cluster": profile.cluster,
        "gpu": profile.gpu,
        "gpu_product": gpu.product,
        "gpus_per_node": str(profile.gpus_per_node),
        "zone": setting.zones[0],
        "zones": ", ".join(f"`{zone}`" for zone in setting.zones),
        "regions": ", ".join(f"`{region}`" for region in setting.regions),
        "pool_max": str(config.zones[0].spot_most),
        "spot_price": f"{profile.spot_node_hour:.2f}",
        "ondemand_price": f"{profile.ondemand_node_hour:.2f}",
        "overflow_price": f"{profile.overflow_gpu_hour:.2f}",
        "hours": str(setting.hours),
        "quota_gb": f"{setting.quota_gb:,}",
        "limit_gb": f"{setting.limit_gb:,}",
        "ondemand_cost": f"{config.ondemand_cost():,.0f}",
        "goal_percent": str(config.saving_asked()),
        "goal_cost": f"{config.goal_cost():,.0f}",
        "budget": f"{config.budget:,.0f}",
        "transfer_price": f"{store.transfer:.2f}",
        "slow_store": str(SLOW_STORE),
        "healthy_mhz": f"{int(gpu.top_mhz * 0.9):,} to {gpu.top_mhz:,}",
        "throttled_mhz": f"{int(gpu.top_mhz * 0.5):,}",
        "idle_mhz": str(gpu.idle_mhz),
    }
    for number, run in enumerate(config.trainings):
        found |= _run_words(config, run, "" if number == 0 else str(number + 1))
    return found


def _run_words(config: ClusterConfig, run: TrainingConfig, mark: str) -> dict[str, str]:
    store = next(iter(config.stores.values()))
    write = run.checkpoint_gb / (store.write * run.nodes)
    stall = run.checkpoint_gb / (config.snapshot_gbps * run.nodes)
    return {
        f"run{mark}": run.name,
        f"model{mark}": run.model,
        f"steps{mark}": f"{run.steps:,}",
        f"step{mark}_s": f"{run.step_ms / 1000:g}",
        f"work{mark}_h": f"{run.steps * run.step_ms / 3_600_000:g}",
        f"gang{mark}": str(run.nodes),
        f"least{mark}": str(run.least),
        f"most{mark}": str(run.most),
        f"checkpoint{mark}_gb": str(run.checkpoint_gb),
        f"deadline{mark}_h": str(run.deadline // 3_600_000),
        f"penalty{mark}": f"{run.penalty:g}",
        f"write{mark}_s": f"{write:.0f}",
        f"stall{mark}_s": f"{stall:.0f}",
        f"upload{mark}_s": f"{stall + ASYNC_SHARE * write:.0f}",
        f"check{mark}_s": f"{run.checkpoint_gb / store.check:.0f}",
        f"load{mark}_s": f"{run.checkpoint_gb / (store.read * run.nodes):.0f}",
        f"copy{mark}_s": f"{run.checkpoint_gb / store.copy:.0f}",
        f"copy{mark}_usd": f"{run.checkpoint_gb * store.transfer:.2f}",
    }
