"""Step time from conditions: one function for each component, exposed seconds add up.

Components (s per step): compute (the slowest rank sets the pace), communication (what is not
hidden behind compute), data (beyond what prefetching hides), checkpoint, the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from scenarios.troubleshooting import physics
from scenarios.troubleshooting.calendar import CELL, Calendar
from scenarios.troubleshooting.condition import FABRIC, JOB, LUSTRE, MDS, NFS, Condition
from scenarios.troubleshooting.physics import COMPUTE, STEPS
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.shapes import Array

Times = NDArray[np.int64]


def slowness(condition: Condition, gpu: str) -> Array | float:
    """Compute time of a GPU as a multiple of health, from clock, power limit and silent loss."""
    part = condition.over(gpu, "clock")
    limit = condition.over(gpu, "power_limit_w")
    if limit is not None:
        plant = condition.plant
        values, where = np.unique(limit, return_inverse=True)
        clocks = [
            physics.clock_at_limit(plant, float(v)) / physics.load_clock(plant) for v in values
        ]
        fits = np.array(clocks)[where]
        part = fits if part is None else np.minimum(part, fits)
    sluggish = condition.over(gpu, "sluggish")
    slow: Array | float = 1.0
    if part is not None:
        slow = (1 - physics.CLOCKED) + physics.CLOCKED / part
    return slow if sluggish is None else slow * sluggish


def rank_compute(condition: Condition, node: Node, index: int) -> Array | float:
    """Compute of one rank on each cell (s per step): a healthy GPU has its own `pace`. Not to be changed."""
    known = _PACES.setdefault(condition, {})
    if (node.name, index) not in known:
        known[node.name, index] = _rank_compute(condition, node, index)
    return known[node.name, index]


_PACES: WeakKeyDictionary[Condition, dict[tuple[str, int], Array | float]] = WeakKeyDictionary()
"""By node and GPU: every second of a GPU's readings asks for it."""


def _rank_compute(condition: Condition, node: Node, index: int) -> Array | float:
    gpu = node.gpus[index]
    work = condition.constant(JOB, "work")
    host = condition.over(node.name, "host_s")
    slow = slowness(condition, gpu.name)
    # A GPU that is slowed loses what it had over the slowest healthy one within the first five per cent.
    ahead = (1 - gpu.pace) * np.maximum(1 - (slow - 1) / 0.05, 0.0)
    own: Array | float = COMPUTE * work * (slow - ahead)
    return own if host is None else own + host


def compute(condition: Condition, nodes: Sequence[Node]) -> Array:
    """Compute of the slowest rank on each cell (s per step)."""
    work = condition.constant(JOB, "work")
    pace = np.full(condition.calendar.cells, COMPUTE * work)
    for node in nodes:
        host = condition.over(node.name, "host_s")
        for gpu in node.gpus:
            slow = slowness(condition, gpu.name)
            if host is None and isinstance(slow, float):
                continue  # as fast as the pace that is there already
            own = COMPUTE * work * np.maximum(slow, 1.0)
            pace = np.maximum(pace, own if host is None else own + host)
    return pace


def communication(condition: Condition, nodes: Sequence[Node]) -> Array:
    """Exposed communication on each cell (s per step); the slowest link sets the pace."""
    nvlink = np.ones(condition.calendar.cells)
    adapter = np.ones(condition.calendar.cells)
    stalls = np.zeros(condition.calendar.cells)
    links = condition.plant.nvlinks
    for node in nodes:
        for gpu in node.gpus:
            down = condition.over(gpu.name, "nvlink_down")
            if down is not None:
                nvlink = np.maximum(nvlink, links / (links - down))
        for hca in node.hcas:
            adapter = np.maximum(adapter, _adapter(condition, node.name, hca.name))
            stall = condition.over(hca.name, "stall_s")
            stalls = stalls if stall is None else stalls + stall
    adapter = adapter / condition.constant(JOB, "rails")
    uplinks = condition.over(FABRIC, "uplinks")
    crowded = 0.0 if uplinks is None else physics.CROSS * (1 / uplinks - 1)
    exposed = physics.LOCAL * nvlink + physics.NIC * adapter + crowded - physics.HIDDEN
    total: Array = exposed + stalls
    return total


def _adapter(condition: Condition, node: str, hca: str) -> Array | float:
    """Time of an adapter's traffic as a multiple of health."""
    full = physics.rail_gbytes(condition.plant)
    left: Array | float = full
    rate = condition.over(hca, "rate_gbps")
    if rate is not None:
        left = np.minimum(left, rate / condition.plant.port_gbps * full)
    for subject, name in ((hca, "path_gbytes"), (node, "gdr_gbytes")):
        limit = condition.over(subject, name)
        if limit is not None:
            left = np.minimum(left, limit)
    return full / left


def node_data(condition: Condition, node: str) -> Array:
    """What the ranks of one node wait for data on each cell (s per step), respawns and leak apart."""
    fetch = np.full(condition.calendar.cells, -physics.PREFETCH)
    sources = (
        (LUSTRE, "latency", physics.LUSTRE),
        (NFS, "latency", physics.NFS),
        (MDS, "latency", physics.METADATA),
        (node, "workers", physics.WORKERS),
    )
    for subject, name, seconds in sources:
        times = condition.over(subject, name)
        fetch = fetch + (seconds if times is None else seconds * times)
    waited: Array = np.maximum(fetch, 0.0)
    return waited


def data(condition: Condition, nodes: Sequence[Node]) -> Array:
    """Waiting for data on each cell (s per step): the rank that gets its batch last sets the pace."""
    waits = [node_data(condition, node.name) for node in nodes]
    longest: Array = np.maximum.reduce(waits)
    return longest


@dataclass(frozen=True, slots=True)
class Rhythm:
    """What a run's steps will cost: cells from `origin_ms` on, and what goes with the step's number.

    Every `save_every` steps all ranks stand still for `save_stall`, every `respawn_every` steps
    for `respawn`; a leak grows from 0 at the first step to `leak` at the last. Seconds.
    """

    origin_ms: int
    compute: Array
    communication: Array
    data: Array
    save_every: int = physics.SAVE_EVERY
    save_stall: float = physics.SAVE_STALL
    respawn_every: int = 250
    respawn: float = 0.0
    leak: float = 0.0


def rhythm(condition: Condition, nodes: Sequence[Node]) -> Rhythm:
    """The rhythm of a job on these nodes under a condition."""
    return Rhythm(
        origin_ms=condition.calendar.window_start,
        compute=compute(condition, nodes),
        communication=communication(condition, nodes),
        data=data(condition, nodes),
        save_every=int(condition.constant(JOB, "save_every")),
        save_stall=condition.constant(JOB, "save_stall_s"),
        respawn_every=int(condition.constant(JOB, "respawn_every")),
        respawn=condition.constant(JOB, "respawn_s"),
        leak=condition.constant(JOB, "leak_s"),
    )


@dataclass(frozen=True, eq=False)
class Run:
    """A finished run, step by step. `starts` has one entry more than there are steps (the end), ms UTC.

    The other arrays are seconds of each step: `compute` of the slowest rank, `communication`
    exposed beside it, `data`, `save` (checkpoint), `jitter` (zero on average). With `OTHER` they
    add up to the step, to a millisecond.
    """

    starts: Times
    compute: Array
    communication: Array
    data: Array
    save: Array
    jitter: Array

    @property
    def first_ms(self) -> int:
        return int(self.starts[0])

    @property
    def end_ms(self) -> int:
        return int(self.starts[-1])

    @property
    def hours(self) -> float:
        """From the first step's start to the last step's end."""
        return (self.end_ms - self.first_ms) / 3_600_000

    @cached_property
    def step_s(self) -> Array:
        found: Array = np.diff(self.starts) / 1000.0
        found.flags.writeable = False
        return found

    def step_at(self, at_ms: int) -> int:
        """The step that runs at an instant; -1 before the first, `STEPS` after the last."""
        return int(np.searchsorted(self.starts, at_ms, side="right")) - 1


def walk(pace: Rhythm, first_ms: int, jitter: Array | None = None) -> Run:
    """Run all steps one after the other, each as long as the moment at which it starts says."""
    shake = np.zeros(STEPS) if jitter is None else jitter
    save, fresh = _numbered(pace)
    whole = _whole(pace)
    at = np.array(_clock(whole, (shake + save + fresh) * 1000.0, first_ms - pace.origin_ms))
    cells = np.minimum(at[:-1].astype(np.int64) // CELL, len(whole) - 1)
    return Run(
        starts=_starts(pace, at),
        compute=pace.compute[cells],
        communication=pace.communication[cells],
        data=pace.data[cells] + fresh,
        save=save,
        jitter=shake,
    )


def hours(pace: Rhythm, first_ms: int) -> float:
    """Hours that `walk` takes without jitter: all that is asked of a run that never was."""
    save, fresh = _numbered(pace)
    at = _clock(_whole(pace), (save + fresh) * 1000.0, first_ms - pace.origin_ms)
    first, last = _starts(pace, np.array([at[0], at[-1]])).tolist()
    found: float = (last - first) / 3_600_000
    return found


def _numbered(pace: Rhythm) -> tuple[Array, Array]:
    """What goes with each step's number (s): the checkpoint, and the loader's new workers with the leak."""
    number = np.arange(STEPS)
    save = np.where(number % pace.save_every == pace.save_every - 1, pace.save_stall, 0.0)
    fresh = np.where(number % pace.respawn_every == 0, pace.respawn, 0.0)
    return save, fresh + pace.leak * number / STEPS


def _whole(pace: Rhythm) -> Array:
    """What a step costs that starts in a cell, ms."""
    found: Array = (pace.compute + pace.communication + pace.data + physics.OTHER) * 1000.0
    return found


def _starts(pace: Rhythm, at: Array) -> Times:
    found: Times = np.rint(at).astype(np.int64) + pace.origin_ms
    return found


def _clock(whole: Array, extra: Array, start: int) -> list[float]:
    """When each step starts, and the last one ends, in ms from the first cell's start on.

    A step costs what its cell says (the last cell's figure holds on) and what goes with its number.
    """
    costs, later = whole.tolist(), extra.tolist()
    costs += costs[-1:] * _BEYOND
    clock, steps = float(start), len(later)
    at = [clock]
    for first, last in (*_stretches(whole), (len(costs), len(costs))):
        begin, end = first * CELL, last * CELL
        while clock < begin and len(at) <= steps:
            clock += costs[int(clock) // CELL] + later[len(at) - 1]
            at.append(clock)
        if clock < end and len(at) <= steps:
            # Added up one after the other, as above: the same to the last bit.
            many = np.cumsum(np.concatenate([[clock], extra[len(at) - 1 :] + costs[first]]))
            at += many[1 : int(np.searchsorted(many, end)) + 1].tolist()
            clock = at[-1]
    return at


def _stretches(whole: Array) -> Iterator[tuple[int, int]]:
    """(first cell, last + 1) wherever many cells in a row cost the same; the last figure holds on."""
    bounds = (np.flatnonzero(np.diff(whole)) + 1).tolist()
    for first, last in pairwise([0, *bounds, len(whole) + _BEYOND]):
        if last - first > _LONG:
            yield first, last


_BEYOND = 10_000
"""Cells after the last one that a run may still use: 41 hours."""
_LONG = 40
"""Cells of one cost from which on their steps are added up at once."""


def draw_jitter(seed: int) -> Array:
    """Up to 25 ms more or less for each step; each 1,000 steps take back what they gave: the sum is zero."""
    raw = np.random.Philox(key=seed).random_raw(STEPS // 2)
    half = ((raw >> np.uint64(40)).astype(np.int64) % 51 - 25).reshape(-1, 500)
    found: Array = np.concatenate([half, -half[:, ::-1]], axis=1).reshape(-1) / 1000.0
    return found


def healthy(calendar: Calendar, first_ms: int) -> Rhythm:
    """The rhythm of the run to compare with: nothing departs from health."""
    cell = np.ones(1)
    return Rhythm(
        origin_ms=first_ms,
        compute=cell * COMPUTE,
        communication=cell * (physics.LOCAL + physics.NIC - physics.HIDDEN),
        data=cell
        * (physics.LUSTRE + physics.NFS + physics.METADATA + physics.WORKERS - physics.PREFETCH),
    )
