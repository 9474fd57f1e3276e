"""Clock, power and heat of a node's GPUs: what the condition leaves of them under what they do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scenarios.troubleshooting import physics
from scenarios.troubleshooting.herrings.in_place import LimitTouched
from scenarios.troubleshooting.plant import Gpu, Node
from scenarios.troubleshooting.signals.activity import Activity
from scenarios.troubleshooting.signals.noise import Grid
from scenarios.troubleshooting.signals.stage import Stage


@dataclass(slots=True)
class State:
    """Clock (MHz), power (W, whole), core temperature (C, whole) and the loss of speed of a node's GPUs."""

    clock: Grid
    watts: Grid
    core: Grid
    slow: Grid

    def scraped(self, each: int) -> State:
        """As a scrape every `each` cells finds it."""
        return State(*(grid[:, ::each] for grid in (self.clock, self.watts, self.core, self.slow)))


def gpu_state(stage: Stage, node: Node, doing: Activity) -> State:
    """Clock, power and heat move together: power follows the clock, heat follows power."""
    shape = doing.busy.shape
    load = float(physics.load_clock(stage.plant))
    clock, slow = np.full(shape, load, np.float32), np.ones(shape, np.float32)
    full = np.full(shape, physics.load_power(stage.plant), np.float32)
    heat, spread = np.zeros(shape, np.float32), np.full((shape[0], 1), 12.0, np.float32)
    limit = np.full(shape, stage.plant.top_w, np.float32)
    for row, gpu in enumerate(node.gpus):
        _departures(stage, gpu, row, clock, full, heat, slow, limit, spread)
    _brake(stage, node, clock, full)
    shake = stage.noise.bell(f"clock {node.name}", *shape)
    seen = _clock(stage, doing, clock, spread, shake)
    watts = _watts(stage, node, doing, full, limit)
    return State(seen, watts, _heat(stage, node, doing, full, heat), slow)


def _departures(
    stage: Stage,
    gpu: Gpu,
    row: int,
    clock: Grid,
    full: Grid,
    heat: Grid,
    slow: Grid,
    limit: Grid,
    spread: Grid,
) -> None:
    """What the condition takes from one GPU: its clock and power under load, its heat, its speed."""
    plant, step = stage.plant, physics.CLOCK_STEP
    load = physics.load_clock(plant)
    part = stage.condition.over(gpu.name, "clock")
    if part is not None:
        clock[row] = np.rint(part * load / step) * step
        above = full[row] - plant.idle_w
        full[row] = plant.idle_w + above * np.power(clock[row] / load, 1 / 0.75)
        hot = stage.departs(gpu.name, "heat_c")
        # Heat hunts for its clock; one that somebody set does not move at all.
        spread[row] = 18.0 if hot else 0.0
    watts = stage.condition.over(gpu.name, "power_limit_w")
    if watts is not None:
        fits = {float(w): physics.clock_at_limit(plant, float(w)) for w in np.unique(watts)}
        capped = np.array([fits[float(w)] for w in watts], np.float32)
        clock[row] = np.minimum(clock[row], capped)
        limit[row] = watts
        full[row] = np.minimum(full[row], watts * 1.02)
    if (warm := stage.condition.over(gpu.name, "heat_c")) is not None:
        heat[row] = warm
    if (times := stage.condition.over(gpu.name, "sluggish")) is not None:
        slow[row] = times
        full[row] = plant.idle_w + (full[row] - plant.idle_w) * (1 - 0.25 * (1 - 1 / times))


def _brake(stage: Stage, node: Node, clock: Grid, full: Grid) -> None:
    """Under the power brake samples show either the brake's clock or the load's, on all GPUs at once."""
    share = stage.condition.over(node.gpus[0].name, "braked")
    if share is None:
        return
    plant = stage.plant
    load = float(physics.load_clock(plant))
    even = float(stage.condition.constant(node.gpus[0].name, "clock"))
    lost = physics.slowdown(even) - 1
    depth = 1 - lost / (1 + lost) / float(share.max())
    held = round(depth * load / physics.CLOCK_STEP) * physics.CLOCK_STEP
    hit = stage.noise.flat(f"brake {node.name}", 1, stage.cells)[0] < share
    lamed = share > 0
    clock[:, lamed] = load
    clock[:, hit] = held
    full[:, lamed] = physics.load_power(plant)
    full[:, hit] = physics.power_at_clock(plant, held)


def _clock(stage: Stage, doing: Activity, clock: Grid, spread: Grid, shake: Grid) -> Grid:
    """Load clock while a step runs, top clock while a job stands still, idle clock without a job."""
    step = np.float32(physics.CLOCK_STEP)
    running = doing.busy + doing.linked > 0.2
    loose = np.rint(shake * spread / step) * step
    # A pinned clock holds in a standstill as well: its GPU has no spread.
    load = float(physics.load_clock(stage.plant))
    rest = np.where((spread == 0) & (clock < load), clock, np.float32(stage.plant.top_mhz))
    held = np.where(running, np.clip(clock + loose, 0, stage.plant.top_mhz), rest)
    found: Grid = np.where(doing.held, held, np.float32(stage.plant.idle_mhz))
    return found


def _watts(stage: Stage, node: Node, doing: Activity, full: Grid, limit: Grid) -> Grid:
    """Power in the second before the scrape: full in compute, half in a collective, little in a standstill."""
    idle = np.float32(stage.plant.idle_w)
    shake = stage.noise.bell(f"watts {node.name}", *full.shape)
    waiting = idle + (full - idle) * np.float32(0.42)
    still = idle + np.float32(0.06) * np.float32(stage.plant.top_w)
    rest = np.maximum(1 - doing.busy_now - doing.linked_now, 0)
    drawn = doing.busy_now * full + doing.linked_now * waiting + rest * still
    drawn = np.where(doing.held, drawn * (1 + 0.009 * shake), idle + shake * 1.3)
    touched = stage.told(LimitTouched)
    if touched is not None and touched.host == node.name:
        hit = stage.noise.flat(f"touch {node.name}", 1, stage.cells)[0] < np.float32(0.1)
        hit &= doing.busy_now[touched.gpu] > 0.8
        drawn[touched.gpu] = np.where(hit, limit[touched.gpu] - 5, drawn[touched.gpu])
    capped: Grid = np.floor(np.minimum(drawn, limit - 1))
    return capped


def _heat(stage: Stage, node: Node, doing: Activity, full: Grid, extra: Grid) -> Grid:
    """Core temperature: that of the power under load, reached in about a minute, lost as slowly."""
    plant = stage.plant
    idle, load = np.float32(plant.idle_w), np.float32(physics.load_power(plant))
    share = doing.warm.copy()
    lagged = 0.4 * share
    for back, weight in ((1, 0.3), (2, 0.2), (3, 0.1)):
        lagged[:, back:] += weight * share[:, :-back]
    warmth = np.array([gpu.warmth for gpu in node.gpus], np.float32)[:, None]
    inlet = stage.condition.over(node.name, "inlet_c")
    if stage.departs(node.gpus[0].name, "braked"):
        full = np.broadcast_to(full.mean(axis=1, keepdims=True), full.shape)
    core: Grid = 24.0 + 38.0 * (idle + (full - idle) * lagged) / load + warmth + extra * lagged
    if inlet is not None:
        core = core + inlet.astype(np.float32)
    core = core + stage.noise.slow(f"core {node.name}", len(core), stage.cells, 8) * np.float32(0.5)
    found: Grid = np.rint(np.minimum(core, physics.limit_c(plant) + 1.4))
    return found
