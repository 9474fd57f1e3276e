"""What every GPU of a node does on the grid: computes, waits in a collective, stands still, is free."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting import physics
from scenarios.troubleshooting.calendar import CELL, MINUTE
from scenarios.troubleshooting.condition import JOB
from scenarios.troubleshooting.gpu_memory import RESERVED_MIB, TRAINING_MEMORY, model
from scenarios.troubleshooting.jobs import Job
from scenarios.troubleshooting.plant import Gpu, Node
from scenarios.troubleshooting.signals.noise import Grid
from scenarios.troubleshooting.signals.stage import Stage
from scenarios.troubleshooting.signals.timeline import Part, glimpses, step_rate
from scenarios.troubleshooting.steps import rank_compute

NVLINK_STEP = 225_000.0
"""MB that a GPU moves over NVLink in a step: half a second at 450 GB/s (handbook 2.1)."""


@dataclass(slots=True)
class Activity:
    """A node's GPUs (rows) on the grid. Shares of the time, 0 to 1: `busy` computes, `linked` waits in or
    carries out a collective; the rest stands still. Those named `_now` are of the second that
    the exporter averaged, the others of the cell before it. `warm` is the share that heats (short pauses do not
    cool), `steps` the steps a second, `wire` GB/s that each GPU's adapter sends, `used` MiB.
    """

    held: np.ndarray
    busy: Grid
    linked: Grid
    busy_now: Grid
    linked_now: Grid
    warm: Grid
    steps: Grid
    wire: Grid
    used: Grid

    def scraped(self, each: int) -> Activity:
        """As a scrape every `each` cells finds it: means since the one before, and the second before it."""
        held, busy_now, linked_now = (
            grid[:, ::each] for grid in (self.held, self.busy_now, self.linked_now)
        )
        busy, linked, warm, steps, wire = (
            _means(grid, each)
            for grid in (self.busy, self.linked, self.warm, self.steps, self.wire)
        )
        used = self.used[:, ::each]
        return Activity(held, busy, linked, busy_now, linked_now, warm, steps, wire, used)


def _means(grid: Grid, each: int) -> Grid:
    """Means of every `each` cells that end with a scrape; the first has its own cell alone."""
    found = grid[:, ::each].copy()
    for back in range(1, each):
        found[:, 1:] += grid[:, each - back :: each][:, : found.shape[1] - 1]
    found[:, 1:] /= np.float32(each)
    return found


def wire_step(stage: Stage) -> float:
    """GB that each adapter in use sends in one step."""
    return physics.NIC * physics.rail_gbytes(stage.plant)


def activity(stage: Stage, node: Node) -> Activity:
    """What the GPUs of one node do during the window."""
    shape = (len(node.gpus), stage.cells)
    grids = [np.zeros(shape, np.float32) for _ in range(8)]
    found = Activity(np.zeros(shape, bool), *grids)
    for job in stage.by_node[node.name]:
        _other(stage, node, job, found)
    if node.name in stage.own:
        _training(stage, node, found)
    return found


def _training(stage: Stage, node: Node, found: Activity) -> None:
    """The training on its node: the wait for the slowest rank is spent in the collective."""
    run, line = stage.run, stage.timeline
    first, last = line.first, line.last
    cell_of = np.clip((run.starts[:-1] - stage.calendar.window_start) // CELL, 0, stage.cells - 1)
    spell = slice(first, last)
    gone = run.data + run.compute + run.communication
    standing = Part(run.step_s - run.save, run.save).share(line)
    second = glimpses(line, stage.noise.flat(f"collect {node.name}", 1, stage.cells)[0])
    rate = step_rate(line)
    for row, gpu in enumerate(node.gpus):
        pace = rank_compute(stage.condition, node, row)
        own = np.minimum(np.broadcast_to(pace, stage.cells)[cell_of], run.compute)
        computes, rest = Part(run.data, own), Part(run.data + own, gone - run.data - own)
        found.busy[row, spell] = computes.share(line)
        found.busy_now[row, spell] = computes.glimpse(second)
        found.linked[row, spell] = rest.share(line)
        found.linked_now[row, spell] = rest.glimpse(second)
        found.steps[row, spell] = rate
        found.warm[row, spell] = 1 - standing
        found.used[row, slice(*_held(stage, stage.job))] = memory(stage, stage.job, gpu)
    found.held[:, slice(*_held(stage, stage.job))] = True
    rails = stage.condition.constant(JOB, "rails")
    in_use = np.arange(len(node.gpus)) < round(rails * len(node.gpus))
    sent = rate * wire_step(stage) / rails
    found.wire[:, spell] = np.where(in_use[:, None], sent, 0.002)


def _held(stage: Stage, job: Job) -> tuple[int, int]:
    end = stage.calendar.window_end if job.end_ms is None else job.end_ms
    return stage.span(job.start_ms or 0, end)


def memory(stage: Stage, job: Job, gpu: Gpu) -> int:
    """MiB that a job uses of a GPU: the figure that nvidia-smi shows as well."""
    room = stage.plant.memory_mib - RESERVED_MIB[model(stage.plant)]
    cause = f"memory {job.id} {gpu.name}"
    if job.role in ("slow", "baseline"):
        part = stage.condition.constant(JOB, "gpu_memory") if job.role == "slow" else 1.0
        return int(room * TRAINING_MEMORY * part) + int(
            Stream(stage.seed, cause).between(-180, 180)
        )
    part = _part(stage.seed, job.id)
    return int(room * part) + int(Stream(stage.seed, cause).between(0, 90))


@lru_cache(maxsize=4_096)
def _part(seed: str, job: int) -> float:
    """The part of a GPU's memory that somebody else's job uses, the same on all its GPUs."""
    return Stream(seed, f"memory {job}").between(0.2, 0.93)


@dataclass(frozen=True, slots=True)
class Habit:
    """Somebody else's job: mean shares of time, GB/s on each adapter, cells between checkpoints (0: none)."""

    busy: float
    linked: float
    wire: float
    save_cells: int


def habit(stage: Stage, job: Job) -> Habit:
    """By what the job is: notebooks are mostly idle, several GPUs exchange, several nodes use the fabric."""
    unit = stage.noise.unit(f"habit {job.id}")
    more = stage.noise.unit(f"more {job.id}")
    if job.role == "neighbour" and len(job.nodes) > 0 and not job.name.startswith("jupyter"):
        full = 0.9 * stage.plant.port_gbps / 8
        return Habit(0.45, 0.5, full if "router" in job.name else 0.4, 0)
    if job.name.startswith(("jupyter", "eval", "tokenise", "fold-infer")):
        return Habit(0.15 + 0.4 * unit, 0.02, 0.0, 0)
    if job.gpu_count == 1:
        return Habit(0.55 + 0.4 * unit, 0.0, 0.0, 0)
    saves = int(12 + 30 * more) * MINUTE // CELL
    wire = 1.0 + 3.0 * more if len(job.nodes) > 1 else 0.0
    return Habit(0.55 + 0.25 * unit, 0.14 + 0.08 * more, wire, saves)


def _other(stage: Stage, node: Node, job: Job, found: Activity) -> None:
    first, last = _held(stage, job)
    if last <= first:
        return
    own, rows = habit(stage, job), dict(job.gpus)[node.name]
    count = last - first
    wobble = stage.noise.slow(f"wobble {job.id}", len(rows), count, 40) * np.float32(0.05)
    shake = stage.noise.bell(f"shake {job.id} {node.name}", len(rows), count) * np.float32(0.10)
    busy = np.minimum(np.maximum(own.busy + wobble, 0.02), 0.96)
    alive = np.ones(count, np.float32)
    alive[:4] = 0.0
    if own.save_cells:
        alive[np.arange(count) % own.save_cells >= own.save_cells - 2] = 0.0
    # The rows of a job lie anywhere on the node; side by side they are quicker to fill.
    beside = rows == tuple(range(rows[0], rows[0] + len(rows)))
    spell = slice(rows[0], rows[-1] + 1) if beside else list(rows), slice(first, last)
    found.held[spell] = True
    found.busy[spell] = busy * alive
    linked = own.linked * alive
    if own.linked:
        found.linked[spell] = linked
    now = np.minimum(np.maximum(busy + shake, 0.0), 1.0) * alive
    found.busy_now[spell] = now
    if own.linked:
        found.linked_now[spell] = np.minimum(linked, 1 - now)
    found.warm[spell] = np.minimum(1.0, (busy + own.linked) * 1.1) * alive
    if own.wire:
        found.wire[spell] = own.wire * alive * (1 + wobble)
    found.used[spell] = np.array([memory(stage, job, node.gpus[row]) for row in rows])[:, None]
