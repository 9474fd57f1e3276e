"""Documents made by the world: last week's supervisor log, price history, one monitoring scrape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds import dcgm
from scenarios.worlds.refusal import Refused
from scenarios.worlds.spot_checkpointing import views
from scenarios.worlds.spot_checkpointing.episode import Episode
from scenarios.worlds.spot_checkpointing.families import draw_trouble
from scenarios.worlds.spot_checkpointing.record import CALM, TEXTS
from scenarios.worlds.spot_checkpointing.setting import Setting, cluster_config, open_run
from scenarios.worlds.spot_checkpointing.tables import STORED, NodeState

BEGAN = datetime(2026, 8, 3)  # noqa: DTZ001  a simulated Monday, written with a Z where it is shown
SCRAPED_AT = 7 * HOUR
LOG_LINES = 60
STORE_BYTES = "checkpoint_store_used_bytes"
BUS = ("1B", "43", "52", "61", "9D", "C3", "D1", "DF")
GPU_COLUMNS = {
    "DCGM_FI_DEV_SM_CLOCK": 3,
    "DCGM_FI_DEV_GPU_TEMP": 4,
    "DCGM_FI_DEV_POWER_USAGE": 5,
    "DCGM_FI_DEV_GPU_UTIL": 1,
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": 2,
    "DCGM_FI_DEV_XID_ERRORS": 6,
}
"""Where `views.gpu_row` has the mean of each metric."""


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
        machines = week.world.machines
        free = [n for n in machines.alive if n not in week.world.machine.out]
        names = [machines.nodes[n].name for n in free if machines.run_on(n) is None]
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
        week.world.give_back(number)
    stored = [i for i in saving.present if saving.all[i].state == STORED]
    for index in stored[:-10]:
        saving.delete(index)


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
        (at // 1000, "INFO" if kind in CALM else "WARN", TEXTS[kind].format(subject))
        for at, kind, subject in record.events
        if kind in TEXTS
    ]
    done = [(m.t, "INFO", m.text) for m in record.timeline.marks if m.kind == "action"]
    shown = sorted([*happened, *done], key=lambda row: row[0])[:LOG_LINES]
    head = f"# supervisor log of the last attempt, first {LOG_LINES} lines; times UTC"
    return "\n".join([head, *(f"{_stamp(at)} {how} {text}" for at, how, text in shown)]) + "\n"


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


@lru_cache(maxsize=32)
def snapshot(profile: Profile, setting: Setting, seed: str) -> str:
    """The exporters' answers while a gang trains with one throttled node, where there are such."""
    week = open_run(profile, setting, "steady", f"{seed} monitoring sample", faults=False)
    _play_last_week(week, SCRAPED_AT)
    while not _training(week) and not week.complete:
        _play_last_week(week, week.world.now + 10 * MINUTE)
    if not setting.plain:
        for gang in _training(week)[:1]:
            week.world.node_slow(gang[1], 0)
    return dcgm.scrape([*_run_metrics(week), *_gpu_metrics(week, seed)])


def _training(week: Episode) -> list[list[int]]:
    return [run.nodes for run in week.world.trainings if run.state == "training"]


def _run_metrics(week: Episode) -> list[dcgm.Metric]:
    """The columns of what the API shows that monitoring has as well, with their label."""
    columns = (
        ("trainer_step", "Optimiser steps done.", "training", views.training_rows, 2),
        ("trainer_step_seconds", "Duration of a step.", "training", views.training_rows, 4),
        ("trainer_loss", "Smoothed training loss.", "training", views.training_rows, 5),
        (STORE_BYTES, "Bytes in the checkpoint store.", "region", views.store_rows, 1),
        ("spot_price_dollars", "Spot price of a node-hour.", "zone", views.zone_rows, 2),
    )
    found: list[dcgm.Metric] = []
    for name, text, label, rows, column in columns:
        unit = 10**9 if name == STORE_BYTES else 1.0
        values = [(row[0], _number(row[column])) for row in rows(week.world)]
        samples = [(f'{label}="{who}"', int(v) * unit if unit > 1 else v) for who, v in values]
        found.append((name, text, samples))
    return found


def _number(value: object) -> float:
    return float(str(value))


def _gpu_metrics(week: Episode, seed: str) -> list[dcgm.Metric]:
    held = [n for run in week.world.trainings for n in run.nodes]
    readings = [(n, views.gpu_row(week.world, n)) for n in held]
    product, count = week.config.gpu.product, week.config.gpus_per_node
    found: list[dcgm.Metric] = []
    for name, column in GPU_COLUMNS.items():
        samples = [
            (
                dcgm.labels(gpu, f"{seed} {row[0]} {gpu}", BUS, product, str(row[0])),
                _spread(row[column], n, gpu, column),
            )
            for n, row in readings
            for gpu in range(count)
        ]
        found.append((name, dcgm.TEXTS[name], samples))
    return found


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
