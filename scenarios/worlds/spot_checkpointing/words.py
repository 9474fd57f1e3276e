"""What the placeholders of a pack's texts stand for: the formulas; the words themselves are data."""

from __future__ import annotations

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import HOUR
from scenarios.worlds import reading
from scenarios.worlds.spot_checkpointing.config import ClusterConfig, TrainingConfig
from scenarios.worlds.spot_checkpointing.saving import ASYNC_SHARE, SLOW_STORE
from scenarios.worlds.spot_checkpointing.setting import Setting, cluster_config

_DATA = reading.table(__file__, "data.toml")


def words(profile: Profile, setting: Setting) -> dict[str, str]:
    """Every word of `data.toml` for the profile and the level."""
    config, gpu = cluster_config(profile, setting), profile.gpu_model
    found = reading.spoken(
        _DATA["words"],
        profile=profile,
        gpu=gpu,
        setting=setting,
        config=config,
        store=next(iter(config.stores.values())),
        zones=", ".join(f"`{zone}`" for zone in setting.zones),
        regions=", ".join(f"`{region}`" for region in setting.regions),
        slow_store=SLOW_STORE,
        healthy=int(gpu.top_mhz * 0.9),
        throttled=int(gpu.top_mhz * 0.5),
    )
    for number, run in enumerate(config.trainings):
        found |= _run_words(config, run, "" if number == 0 else str(number + 1))
    return found


def _run_words(config: ClusterConfig, run: TrainingConfig, mark: str) -> dict[str, str]:
    store, size = next(iter(config.stores.values())), run.checkpoint_gb
    write, stall = size / (store.write * run.nodes), size / (config.snapshot_gbps * run.nodes)
    return reading.spoken(
        _DATA["run_words"],
        mark=mark,
        run=run,
        step=run.step_ms / 1000,
        work=run.steps * run.step_ms / HOUR,
        deadline=run.deadline // HOUR,
        write=write,
        stall=stall,
        upload=stall + ASYNC_SHARE * write,
        check=size / store.check,
        load=size / (store.read * run.nodes),
        copy=size / store.copy,
        transfer=size * store.transfer,
    )
