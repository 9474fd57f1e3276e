"""What dcgm-exporter 4.8.2 exports of every GPU every 30 s, as often as it collects unless told otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting import physics
from scenarios.troubleshooting.calendar import CELL, HOUR
from scenarios.troubleshooting.columns import Block, Labels, Metric, Owner
from scenarios.troubleshooting.faults.transport import DriverMismatch
from scenarios.troubleshooting.gpu_memory import MEMORY_MHZ, RESERVED_MIB, model
from scenarios.troubleshooting.herrings.in_place import RowSettled
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.signals.activity import NVLINK_STEP, Activity
from scenarios.troubleshooting.signals.gpu_state import State
from scenarios.troubleshooting.signals.noise import Grid
from scenarios.troubleshooting.signals.stage import Stage

EXPORTER = "dcgm-exporter"
EVERY = 30
_EACH = EVERY * 1_000 // CELL
"""Cells of the grid for each scrape."""
_GPU = "DCGM_FI_DEV_"
_PROF = "DCGM_FI_PROF_"
BAND, RATIO, ENERGY = 4_194_304.0, 0.004, 65_536.0
"""Quanta of the PCIe rates (4 MiB/s), of the ratios and of energy (mJ)."""


def _gauge(name: str, about: str, quantum: float = 1.0, fine: int = 1) -> Metric:
    return Metric(name, "gauge", about, EXPORTER, EVERY, quantum, fine)


def _counter(name: str, about: str) -> Metric:
    return Metric(name, "counter", about, EXPORTER, EVERY)


METRICS = (
    _gauge(f"{_GPU}SM_CLOCK", "SM clock frequency (in MHz)."),
    _gauge(f"{_GPU}MEM_CLOCK", "Memory clock frequency (in MHz)."),
    _gauge(f"{_GPU}MEMORY_TEMP", "Memory temperature (in C)."),
    _gauge(f"{_GPU}GPU_TEMP", "GPU temperature (in C)."),
    _gauge(f"{_GPU}POWER_USAGE", "Power draw (in W).", 1.0, 1_000),
    # An idle GPU takes ten times its quantum between two scrapes: the fine part never lets it fall.
    Metric(
        f"{_GPU}TOTAL_ENERGY_CONSUMPTION",
        "counter",
        "Total energy consumption since boot (in mJ).",
        EXPORTER,
        EVERY,
        ENERGY,
        int(ENERGY),
    ),
    _counter(f"{_GPU}PCIE_REPLAY_COUNTER", "Total number of PCIe retries."),
    _gauge(f"{_GPU}GPU_UTIL", "GPU utilization (in %)."),
    _gauge(f"{_GPU}MEM_COPY_UTIL", "Memory utilization (in %)."),
    _gauge(f"{_GPU}ENC_UTIL", "Encoder utilization (in %)."),
    _gauge(f"{_GPU}DEC_UTIL", "Decoder utilization (in %)."),
    _gauge(f"{_GPU}XID_ERRORS", "Value of the last XID error encountered."),
    _gauge(f"{_GPU}FB_FREE", "Framebuffer memory free (in MiB)."),
    _gauge(f"{_GPU}FB_USED", "Framebuffer memory used (in MiB)."),
    _gauge(f"{_GPU}FB_RESERVED", "Framebuffer memory reserved (in MiB)."),
    _counter(
        f"{_GPU}NVLINK_BANDWIDTH_TOTAL", "Total number of NVLink bandwidth counters for all lanes."
    ),
    _gauge(f"{_GPU}VGPU_LICENSE_STATUS", "vGPU License status"),
    _counter(
        f"{_GPU}UNCORRECTABLE_REMAPPED_ROWS",
        "Number of remapped rows for uncorrectable errors",
    ),
    _counter(f"{_GPU}CORRECTABLE_REMAPPED_ROWS", "Number of remapped rows for correctable errors"),
    _gauge(f"{_GPU}ROW_REMAP_FAILURE", "Whether remapping of rows has failed"),
    _gauge(
        f"{_PROF}GR_ENGINE_ACTIVE", "Ratio of time the graphics engine is active.", RATIO, 2_000
    ),
    _gauge(
        f"{_PROF}PIPE_TENSOR_ACTIVE",
        "Ratio of cycles the tensor (HMMA) pipe is active.",
        RATIO,
        2_000,
    ),
    _gauge(
        f"{_PROF}DRAM_ACTIVE",
        "Ratio of cycles the device memory interface is active sending or receiving data.",
        RATIO,
        2_000,
    ),
    _gauge(
        f"{_PROF}PCIE_TX_BYTES",
        "The rate of data transmitted over the PCIe bus - including both protocol headers and data "
        "payloads - in bytes per second.",
        BAND,
        2**20,
    ),
    _gauge(
        f"{_PROF}PCIE_RX_BYTES",
        "The rate of data received over the PCIe bus - including both protocol headers and data "
        "payloads - in bytes per second.",
        BAND,
        2**20,
    ),
)
_TENSOR, _DRAM = 0.60, 0.55
"""Tensor pipe and memory while a healthy GPU computes: over a healthy step 0.46 and 0.42 (handbook 2.2)."""
_FEED = 9.0e7
"""Bytes a second of batches and logging over PCIe while a step runs (assumed)."""


def labels(stage: Stage, node: Node) -> tuple[Labels, ...]:
    """In the exporter's order; `hpc_job` comes and goes with the job and stands apart as an owner."""
    mismatch = stage.told(DriverMismatch)
    older = mismatch is not None and node.name in mismatch.nodes
    driver = mismatch.driver if mismatch and older else stage.plant.versions.driver
    return tuple(
        (
            ("gpu", str(gpu.index)),
            ("UUID", gpu.uuid),
            ("pci_bus_id", gpu.bus_id),
            ("device", f"nvidia{gpu.minor}"),
            ("modelName", stage.plant.gpu_product),
            ("Hostname", node.name),
            ("DCGM_FI_DRIVER_VERSION", driver),
        )
        for gpu in node.gpus
    )


def owners(stage: Stage, node: Node) -> tuple[tuple[Owner, ...], ...]:
    """Which job has each GPU when, from the mapping files that the prolog writes."""
    found: list[list[Owner]] = [[] for _ in node.gpus]
    jobs = [*stage.by_node[node.name], *([stage.job] if node.name in stage.own else [])]
    for job in sorted(jobs, key=lambda job: job.start_ms or 0):
        end = stage.calendar.window_end if job.end_ms is None else job.end_ms
        for index in dict(job.gpus)[node.name]:
            found[index].append(Owner(job.start_ms or 0, end, str(job.id)))
    return tuple(tuple(row) for row in found)


def gpu_blocks(stage: Stage, node: Node, doing: Activity, state: State) -> Iterator[Block]:
    """All counters of one node's GPUs; what they do and their state are given on the grid."""
    named, owned = labels(stage, node), owners(stage, node)
    doing, state = doing.scraped(_EACH), state.scraped(_EACH)
    grids = {**_core(stage, node, doing, state), **_rest(stage, node, doing, state)}
    for metric in METRICS:
        values = _narrow(grids[metric.name])
        gaps = stage.gaps(node.name, metric.every_s)
        yield Block(metric.name, node.name, named, values, gaps, owned)


def _narrow(grid: np.ndarray) -> NDArray[np.integer]:
    """Whole numbers in as few bytes as hold them and their differences: nothing else here is as many."""
    high = grid.max() if grid.min() >= 0 else np.inf
    kind = np.int16 if high < 2**15 else np.int32 if high < 2**31 else np.int64
    return np.ascontiguousarray(grid, kind)


def _core(stage: Stage, node: Node, doing: Activity, state: State) -> dict[str, Grid]:
    """Clock, heat, power and what the GPU is kept busy with."""
    shape = doing.busy.shape
    shake = stage.noise.bell(f"util {node.name}", *shape)
    near = doing.busy_now + doing.linked_now
    # Copies and the optimiser's small kernels cover the short waits of a healthy step.
    near = np.minimum(near + np.float32(0.17) * (near > 0.3), 1.0)
    util = np.where(near > 0.97, 99.4 + 0.5 * shake, 100 * near)
    host = stage.condition.over(node.name, "host_s")
    if host is not None:
        host = host[::_EACH]
        # Kernels arrive in clumps: a short window catches the GPU between two of them.
        saw = stage.noise.flat(f"saw {node.name}", *shape) * np.float32(40.0) * (host > 0)
        util = np.where(near > 0.5, np.minimum(util, 100 - saw), util)
    load = np.float32(physics.load_clock(stage.plant))
    paced = np.minimum(state.clock / load, 1.0)
    # At a lower clock, and on a GPU that loses time without one, the pipe waits longer for its operands.
    tensor = doing.busy * _TENSOR * np.power(paced, 0.9) / np.square(state.slow)
    return {
        f"{_GPU}SM_CLOCK": state.clock,
        f"{_GPU}GPU_TEMP": state.core,
        f"{_GPU}POWER_USAGE": state.watts,
        f"{_GPU}GPU_UTIL": np.where(doing.held, np.clip(np.rint(util), 0, 100), 0),
        f"{_PROF}PIPE_TENSOR_ACTIVE": _ratio(tensor * (1 + 0.02 * shake)),
    }


def _ratio(values: Grid) -> Grid:
    """In quanta, below 1."""
    found: Grid = np.clip(np.floor(values / np.float32(RATIO)), 0, 249)
    return found


def _rest(stage: Stage, node: Node, doing: Activity, state: State) -> dict[str, Grid]:
    """The other counters; ratios and rates are means of the interval before the scrape."""
    busy, linked = doing.busy, doing.linked
    shape = busy.shape
    shake = stage.noise.bell(f"rest {node.name}", *shape)
    reserved = RESERVED_MIB[model(stage.plant)]
    clocks = np.full(shape, MEMORY_MHZ[model(stage.plant)], np.int16)
    zero = np.zeros(shape, np.int16)
    sends, receives = _pcie(stage, node, doing, shake)
    joules = np.cumsum(state.watts.astype(np.float64) + 0.5, axis=1) * EVERY
    boot = np.array([stage.noise.unit(f"energy {gpu.uuid}") * 9e8 + 4e8 for gpu in node.gpus])
    return {
        f"{_GPU}MEM_CLOCK": clocks,
        f"{_GPU}MEMORY_TEMP": np.minimum(
            state.core + np.where(doing.held, 8 + np.rint(shake), 2), 95
        ),
        f"{_GPU}TOTAL_ENERGY_CONSUMPTION": np.floor((boot[:, None] + joules) * 1_000 / ENERGY),
        f"{_GPU}PCIE_REPLAY_COUNTER": _replays(stage, node),
        f"{_GPU}MEM_COPY_UTIL": np.clip(np.rint(busy * 55 + 2 * shake * (busy > 0.05)), 0, 100),
        f"{_GPU}ENC_UTIL": zero,
        f"{_GPU}DEC_UTIL": zero,
        f"{_GPU}XID_ERRORS": _xids(stage, node),
        f"{_GPU}FB_FREE": stage.plant.memory_mib - reserved - doing.used,
        f"{_GPU}FB_USED": doing.used,
        f"{_GPU}FB_RESERVED": np.full(shape, reserved, np.int16),
        f"{_GPU}NVLINK_BANDWIDTH_TOTAL": _nvlink(stage, node, doing),
        f"{_GPU}VGPU_LICENSE_STATUS": zero,
        f"{_GPU}UNCORRECTABLE_REMAPPED_ROWS": zero + _remapped(stage, node)[:, None],
        f"{_GPU}CORRECTABLE_REMAPPED_ROWS": zero,
        f"{_GPU}ROW_REMAP_FAILURE": zero,
        f"{_PROF}GR_ENGINE_ACTIVE": _ratio(np.minimum(busy + linked, 0.985) * (1 + 0.008 * shake)),
        f"{_PROF}DRAM_ACTIVE": _ratio((busy * _DRAM + linked * 0.06) * (1 + 0.02 * shake)),
        f"{_PROF}PCIE_TX_BYTES": sends,
        f"{_PROF}PCIE_RX_BYTES": receives,
    }


def _pcie(stage: Stage, node: Node, doing: Activity, shake: Grid) -> tuple[Grid, Grid]:
    """PCIe rates in quanta: the adapter's traffic and the batches; through host memory it goes twice."""
    mismatch = stage.told(DriverMismatch)
    staged = mismatch is not None and node.name in mismatch.nodes
    feed = _FEED * (doing.busy + doing.linked)
    wire = doing.wire * 1e9 * (2.0 if staged else 1.0)
    few = np.where(doing.held, 2e6, 1e5)
    sends = (wire + 0.2 * feed + few) * (1 + 0.02 * shake) / BAND
    receives = (wire + feed + few) * (1 - 0.02 * shake) / BAND
    return np.floor(sends), np.floor(receives)


def _replays(stage: Stage, node: Node) -> Grid:
    """Since the driver was loaded at the maintenance; a few happen when links train."""
    at = stage.times(EVERY)
    hours = np.maximum(at - stage.calendar.maintenance, 0) / HOUR
    found = np.zeros((len(node.gpus), len(at)), np.float32)
    for row, gpu in enumerate(node.gpus):
        few = int(Stream(stage.seed, f"replays {gpu.name}").between(0, 4))
        rate = stage.condition.over(gpu.name, "replays")
        found[row] = few if rate is None else few + np.floor(rate[::_EACH] * hours)
    return np.maximum.accumulate(found, axis=1)


def _nvlink(stage: Stage, node: Node, doing: Activity) -> Grid:
    """MB over all links since boot: what a step exchanges, and less where links are down."""
    plant = stage.plant
    rate = doing.steps * np.float32(NVLINK_STEP)
    rate = np.where(doing.steps > 0, rate, doing.linked * np.float32(60_000.0))
    for row, gpu in enumerate(node.gpus):
        down = stage.condition.over(gpu.name, "nvlink_down")
        if down is not None:
            rate[row] *= (plant.nvlinks - down[::_EACH]) / plant.nvlinks
    total = np.cumsum(rate.astype(np.float64), axis=1) * EVERY
    boot = np.array([stage.noise.unit(f"nvlink {gpu.uuid}") * 9e10 for gpu in node.gpus])
    found: Grid = np.rint(boot[:, None] + total)
    return found


def _xids(stage: Stage, node: Node) -> Grid:
    """The last Xid of each GPU; it stays after the GPU has recovered."""
    at = stage.times(EVERY)
    found = np.zeros((len(node.gpus), len(at)), np.float32)
    for trace in stage.traces:
        if trace.kind == "dmesg.xid" and trace.host == node.name:
            found[int(trace.fields["gpu"]), at >= trace.at_ms] = int(trace.fields["xid"])
    return found


def _remapped(stage: Stage, node: Node) -> np.ndarray:
    settled = stage.told(RowSettled)
    on = -1 if settled is None or settled.host != node.name else settled.gpu
    return np.array([int(gpu.index == on) for gpu in node.gpus])
