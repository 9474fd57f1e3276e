"""The whole history of one run's metrics, written to a column file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scenarios.troubleshooting.columns import Block, Metric, Stretch, write_columns
from scenarios.troubleshooting.signals import bmc, fabric, gpu, job, node, slurm, storage
from scenarios.troubleshooting.signals.activity import activity
from scenarios.troubleshooting.signals.gpu_state import gpu_state
from scenarios.troubleshooting.signals.host import Host
from scenarios.troubleshooting.signals.stage import Stage, baseline_stage, slow_stage
from scenarios.troubleshooting.truth import Incident

METRICS: tuple[Metric, ...] = (
    *gpu.METRICS,
    *node.METRICS,
    *bmc.METRICS,
    *fabric.METRICS,
    *storage.METRICS,
    *slurm.METRICS,
    *job.METRICS,
)


def blocks(stage: Stage) -> Iterator[Block]:
    """All series of a stage, node by node, so that never more than one node's grids are held."""
    traffic = fabric.traffic_of(stage)
    for one in stage.hosts:
        doing = activity(stage, one)
        state = gpu_state(stage, one, doing)
        yield from gpu.gpu_blocks(stage, one, doing, state)
        yield from node.node_blocks(Host(stage, one, doing, state, node.EVERY))
        yield from bmc.bmc_blocks(Host(stage, one, doing, state, bmc.EVERY))
        yield from traffic.adapters(one, doing)
    if len(stage.hosts) == len(stage.plant.nodes):
        yield from traffic.switches()
        yield from slurm.slurm_blocks(stage)
    yield from storage.storage_blocks(stage)
    yield from job.job_blocks(stage)


def write_history(incident: Incident, path: Path, stretch: Stretch | None = None) -> int:
    """The window in which the slow run lies; returns the bytes written, and fills the stretch."""
    return _write(slow_stage(incident), path, stretch)


def write_baseline(incident: Incident, path: Path) -> int:
    """The run to compare with: its nodes, the storage and its timers, without the switches' ports."""
    return _write(baseline_stage(incident), path)


def _write(stage: Stage, path: Path, stretch: Stretch | None = None) -> int:
    start, end = stage.calendar.window_start, stage.calendar.window_end
    return write_columns(path, start, end, METRICS, blocks(stage), stretch)
