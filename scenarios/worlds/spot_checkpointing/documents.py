"""Documents made by the world: last week's supervisor log, price history, one monitoring scrape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import sha256

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.refusal import Refused
from scenarios.worlds.spot_checkpointing import views
from scenarios.worlds.spot_checkpointing.episode import Episode
from scenarios.worlds.spot_checkpointing.families import draw_trouble
from scenarios.worlds.spot_checkpointing.record import TEXTS
from scenarios.worlds.spot_checkpointing.setting import Setting, cluster_config, open_run
from scenarios.worlds.spot_checkpointing.tables import STORED, NodeState

BEGAN = datetime(2026, 8, 3)  # noqa: DTZ001  a simulated Monday, written with a Z where it is shown
SCRAPED_AT = 7 * HOUR
LOG_LINES = 60
CALM = ("stopped", "joined", "finished")
"""Events that are no trouble in themselves."""
DRIVER = "580.95.05"


def _play_last_week(week: Episode, until: int) -> None:
    """What the cron script would have done: one zone, the file `latest`, a person after a failed load."""
    zone = week.config.zones[0].name
    while week.world.now < until and not week.complete:
        week.tick()
        if week.now % 600 >= 300:
            continue
        runs = [run for run in week.world.trainings if run.state == "stopped"]
        size = sum(run.config.nodes for run in week.world.trainings)
        _tidy(week)
        week.controls.scale(f"spot-{zone}", size)
        free = [n for n in week.world.machines.alive if _idle(week, n)]
        names = [week.world.machines.nodes[n].name for n in free]
        for run in runs:
            gang, names = names[: run.config.nodes], names[run.config.nodes :]
            best = week.world.saving.best(run)
            failed = run.reason == "load failed"
            source = run.latest if not failed else "" if best is None else best.name
            if len(gang) == run.config.nodes:
                _try_launch(week, run.config.name, gang, source)


def _tidy(week: Episode) -> None:
    """What the person on call cleared away by hand: dead nodes, and all but ten checkpoints."""
    machines, saving = week.world.machines, week.world.saving
    for number in [n for n in machines.alive if machines.nodes[n].state == NodeState.DOWN]:
        machines.give_back(number)
    stored = [i for i in saving.present if saving.all[i].state == STORED]
    for index in stored[:-10]:
        saving.delete(index)


def _idle(week: Episode, number: int) -> bool:
    node = week.world.machines.nodes[number]
    return node.state == NodeState.READY and node.training < 0


def _try_launch(week: Episode, name: str, gang: list[str], source: str) -> None:
    try:
        week.controls.launch(name, gang, source)
    except Refused as refusal:
        week.world.record.timeline.mark(
            week.world.now, "fault", f"launch {name}: {refusal.message}"
        )


def _stamp(seconds: int) -> str:
    return f"{(BEGAN + timedelta(seconds=seconds)).isoformat()}Z"


@lru_cache(maxsize=32)
def last_run_log(profile: Profile, setting: Setting, seed: str) -> str:
    """The first lines of the log of the last attempt, which the cron script looked after."""
    week = open_run(profile, setting, "steady", f"{seed} last week", faults=False)
    _play_last_week(week, week.config.length)
    record = week.world.record
    happened = [
        (at // 1000, kind not in CALM, TEXTS[kind].format(subject))
        for at, kind, subject in record.events
        if kind in TEXTS
    ]
    done = [(m.t, False, m.text) for m in record.timeline.marks if m.kind == "action"]
    lines = [f"# supervisor log of the last attempt, first {LOG_LINES} lines; times UTC"]
    for at, bad, text in sorted([*happened, *done], key=lambda row: row[0])[:LOG_LINES]:
        lines.append(f"{_stamp(at)} {'WARN' if bad else 'INFO'} {text}")
    return "\n".join(lines) + "\n"


def spot_prices(profile: Profile, setting: Setting, seed: str) -> str:
    """Hourly spot prices of every zone in the four days before, USD for a node-hour, as CSV."""
    config = replace(cluster_config(profile, setting), length=96 * HOUR)
    trouble = draw_trouble("diurnal", config, f"{seed} history")
    lines = ["time,zone,usd_per_node_hour"]
    for hour in range(96):
        for zone, points in zip(config.zones, trouble.prices, strict=True):
            price = zone.spot_price if setting.plain else points[hour][1]
            lines.append(f"{_stamp(3600 * hour)},{zone.name},{price:.4f}")
    return "\n".join(lines) + "\n"


_GPU = (
    ("DCGM_FI_DEV_SM_CLOCK", "SM clock frequency (in MHz).", 3),
    ("DCGM_FI_DEV_GPU_TEMP", "GPU temperature (in C).", 4),
    ("DCGM_FI_DEV_POWER_USAGE", "Power draw (in W).", 5),
    ("DCGM_FI_DEV_GPU_UTIL", "GPU utilization (in %).", 1),
    ("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "Ratio of cycles the tensor (HMMA) pipe is active.", 2),
    ("DCGM_FI_DEV_XID_ERRORS", "Value of the last XID error encountered.", 6),
)
_BUS = ("1B", "43", "52", "61", "9D", "C3", "D1", "DF")


@lru_cache(maxsize=32)
def snapshot(profile: Profile, setting: Setting, seed: str) -> str:
    """The exporters' answers while a gang trains with one throttled node, where there are such.

    Names and label order of the GPU metrics are those of dcgm-exporter 4 (domain handbook 1.2).
    """
    week = open_run(profile, setting, "steady", f"{seed} monitoring sample", faults=False)
    _play_last_week(week, SCRAPED_AT)
    while not _training(week) and not week.complete:
        _play_last_week(week, week.world.now + 10 * MINUTE)
    if not setting.plain:
        for gang in _training(week)[:1]:
            week.world.machines.slow(gang[1], 0)
    lines: list[str] = []
    for name, kind, text, samples in [*_run_metrics(week), *_gpu_metrics(week, seed)]:
        lines += [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]
        lines += [f"{name}{{{labels}}} {value}" for labels, value in samples]
    return "\n".join(lines) + "\n"


def _training(week: Episode) -> list[list[int]]:
    return [run.nodes for run in week.world.trainings if run.state == "training"]


Metric = tuple[str, str, str, list[tuple[str, float | int]]]


def _run_metrics(week: Episode) -> list[Metric]:
    runs = [(f'training="{row[0]}"', row) for row in views.training_rows(week.world)]
    stores = views.store_rows(week.world)
    return [
        ("trainer_step", "gauge", "Optimiser steps done.", [(at, _number(r[2])) for at, r in runs]),
        (
            "trainer_step_seconds",
            "gauge",
            "Duration of a step.",
            [(at, _number(r[4])) for at, r in runs],
        ),
        (
            "trainer_loss",
            "gauge",
            "Smoothed training loss.",
            [(at, _number(r[5])) for at, r in runs],
        ),
        (
            "checkpoint_store_used_bytes",
            "gauge",
            "Bytes in the checkpoint store.",
            [(f'region="{row[0]}"', int(_number(row[1])) * 10**9) for row in stores],
        ),
        (
            "spot_price_dollars",
            "gauge",
            "Spot price of a node-hour.",
            [(f'zone="{row[0]}"', _number(row[2])) for row in views.zone_rows(week.world)],
        ),
    ]


def _number(value: object) -> float:
    return float(str(value))


def _gpu_metrics(week: Episode, seed: str) -> list[Metric]:
    held = [n for run in week.world.trainings for n in run.nodes]
    readings = [(n, views.gpu_row(week.world, n)) for n in held]
    found: list[Metric] = []
    for name, text, column in _GPU:
        samples = [
            (_labels(week, row[0], gpu, seed), _spread(row[column], n, gpu, column))
            for n, row in readings
            for gpu in range(week.config.gpus_per_node)
        ]
        found.append((name, "gauge", text, samples))
    return found


def _labels(week: Episode, host: object, gpu: int, seed: str) -> str:
    code = sha256(f"{seed} {host} {gpu}".encode()).hexdigest()
    uuid = f"GPU-{code[:8]}-{code[8:12]}-{code[12:16]}-{code[16:20]}-{code[20:32]}"
    product = week.config.gpu.product
    return (
        f'gpu="{gpu}",UUID="{uuid}",pci_bus_id="00000000:{_BUS[gpu]}:00.0",device="nvidia{gpu}",'
        f'modelName="{product}",Hostname="{host}",DCGM_FI_DRIVER_VERSION="{DRIVER}"'
    )


def _spread(mean: object, node: int, gpu: int, column: int) -> float | int:
    """One GPU's reading around the node's mean; a node's GPUs differ by a few percent."""
    offset = ((node * 31 + gpu * 17 + column * 7) % 11 - 5) / 5
    value = _number(mean)
    if column in (1, 6):
        return int(value)
    if column == 2:
        return round(value * (1 + 0.04 * offset), 6)
    if column == 4:
        return int(value + round(offset))
    if column == 5:
        return round(value * (1 + 0.02 * offset), 3)
    return int(value) - int(value) % 15


DOCUMENTS: Mapping[str, Callable[[Profile, Setting, str], str]] = {
    "metrics.prom": snapshot,
    "spot-prices.csv": spot_prices,
    "last-run.log": last_run_log,
}
