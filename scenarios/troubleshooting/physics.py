"""Constants of the step and of a GPU under load, and the few formulas that truth and metrics share.

Baseline of the domain handbook, 3.0: 12,000 steps of 2.40 s, of which compute 1.85, exposed
communication 0.30, waiting for data 0.10, checkpoint and the rest 0.15. How the parts divide
further is assumed here and stated beside each figure.
"""

from __future__ import annotations

import math

from scenarios.troubleshooting.plant import Plant

STEPS = 12_000
COMPUTE = 1.85
"""Seconds of forward and backward pass of the slowest healthy rank."""
CLOCKED = 0.85
"""Part of compute that goes with the SM clock; the rest waits for memory, which does not slow down."""
LOCAL, NIC, HIDDEN = 0.50, 0.90, 1.10
"""Seconds of communication over NVLink, over the adapters, and what hides behind compute: 0.30 is exposed."""
CROSS = 0.45
"""Seconds of the adapters' traffic that cross the spines; they grow when uplinks give less than asked."""
LUSTRE, NFS, METADATA, WORKERS, PREFETCH = 1.00, 0.20, 0.15, 0.35, 1.60
"""Seconds to fetch a batch from each source, and what prefetching hides of their sum: 0.10 is waited for."""
OTHER = 0.06
"""Seconds of logging and optimiser bookkeeping in each step."""
SAVE_EVERY, SAVE_STALL = 500, 45.0
"""Steps between checkpoints and seconds for which all ranks stand still at one."""
BASELINE_STEP = (
    COMPUTE
    + (LOCAL + NIC - HIDDEN)
    + (LUSTRE + NFS + METADATA + WORKERS - PREFETCH)
    + OTHER
    + SAVE_STALL / SAVE_EVERY
)

CLOCK_STEP = 15
"""GPU clocks move in steps of 15 MHz."""
_LOAD_POWER, _LOAD_CLOCK, _CURVE = 0.95, 0.94, 0.75


def load_clock(plant: Plant) -> int:
    """SM clock in MHz that a healthy GPU holds in this training (H100: 1860 of 1980)."""
    return int(plant.top_mhz * _LOAD_CLOCK) // CLOCK_STEP * CLOCK_STEP


def load_power(plant: Plant) -> float:
    """Power in W that a healthy GPU draws while it computes (H100: 665 of 700)."""
    return _LOAD_POWER * plant.top_w


def clock_at_limit(plant: Plant, limit_w: float) -> int:
    """SM clock in MHz that fits under a power limit; the load clock if the limit does not bind.

    Clock goes with the 0.75th power of what is drawn above idle: 450 W leave an H100 1320 MHz,
    600 W 1695 (assumed curve; the handbook's catalogue, entry 4, gives 1300 to 1600 for 450 to 500 W).
    """
    above = max(limit_w - plant.idle_w, 1.0) / (load_power(plant) - plant.idle_w)
    mhz = load_clock(plant) * min(1.0, math.pow(above, _CURVE))
    return int(mhz) // CLOCK_STEP * CLOCK_STEP


def power_at_clock(plant: Plant, mhz: float) -> float:
    """Power in W of a GPU that computes at `mhz`: the inverse of `clock_at_limit`."""
    part = min(1.0, max(mhz, 1.0) / load_clock(plant))
    return plant.idle_w + (load_power(plant) - plant.idle_w) * math.pow(part, 1 / _CURVE)


def core_c(plant: Plant, watts: float) -> float:
    """Core temperature in C of a healthy GPU in 22 C air: 62 under load, 28 idle (handbook 2.2: 55 to 72)."""
    return 24.0 + 38.0 * watts / load_power(plant)


def limit_c(plant: Plant) -> int:
    """Highest core temperature in C at full clock: 87, on A100 85 (handbook 1.1.2 and 2.1)."""
    return 87 if plant.port_gbps >= 400 else 85


def heat_c(plant: Plant, mhz: float, reached_c: float) -> float:
    """How much hotter than in health a GPU is that reaches `reached_c` although it runs at `mhz` only."""
    return round(reached_c - core_c(plant, power_at_clock(plant, mhz)), 1)


def slowdown(part: float) -> float:
    """Compute time at `part` of the load clock, as a multiple of the time at the load clock."""
    return (1 - CLOCKED) + CLOCKED / part


def clock_for(plant: Plant, seconds: float) -> int:
    """SM clock in MHz at which a GPU needs `seconds` more for a step's compute."""
    part = CLOCKED / (1 + seconds / COMPUTE - (1 - CLOCKED))
    return round(load_clock(plant) * part / CLOCK_STEP) * CLOCK_STEP


def rail_gbytes(plant: Plant) -> float:
    """What one healthy adapter moves, GB/s: 96 % of its port."""
    return plant.port_gbps / 8 * 0.96


def path_gbytes(plant: Plant) -> float:
    """What PCIe leaves between a GPU and its adapter, GB/s: 55.4 of generation 5, 26 of 4 (handbook 2.1)."""
    return 55.4 if plant.port_gbps >= 400 else 26.0
