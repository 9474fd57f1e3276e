"""Seconds of every rank in every step, from the same functions that made the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scenarios.troubleshooting.calendar import CELL
from scenarios.troubleshooting.condition import Condition
from scenarios.troubleshooting.physics import COMPUTE, OTHER, STEPS
from scenarios.troubleshooting.plant import Node, Plant
from scenarios.troubleshooting.shapes import Array
from scenarios.troubleshooting.steps import Run, Times, data, node_data, rank_compute
from scenarios.troubleshooting.truth import Incident

_ACTIVE = 4.95e9
"""Parameters that one token meets: 6 times this is its arithmetic, forward and backward."""
_RATES = {
    "A100": (8_192, 312e12),
    "H100": (32_768, 989e12),
    "H200": (32_768, 989e12),
    "B200": (65_536, 2250e12),
}
"""Tokens of a GPU in a step, and its peak in bf16 without sparsity (handbook 2.1)."""

_EVERY_RANK = 2**20
MOST_SHAKEN, _SHAKEN = 0.3, 50.0
"""Of the wait for data a quarter comes and goes, of no more than these seconds."""


@dataclass
class Timing:
    """One run seen by its ranks. `condition` is None for the run to compare with: nothing departs.

    A rank's communication is what is left of the step, so it holds the wait for slower ranks.
    """

    run: Run
    nodes: Sequence[Node]
    plant: Plant
    condition: Condition | None

    @cached_property
    def cells(self) -> Times:
        """The cell of the window in which each step starts."""
        if self.condition is None:
            return np.zeros(STEPS, dtype=np.int64)
        calendar = self.condition.calendar
        found: Times = np.minimum(
            (self.run.starts[:-1] - calendar.window_start) // CELL, calendar.cells - 1
        )
        return found

    @cached_property
    def fresh(self) -> Array:
        """Waiting for data that goes with the step's number and meets every rank."""
        if self.condition is None:
            return np.zeros(STEPS)
        found: Array = self.run.data - data(self.condition, self.nodes)[self.cells]
        return found

    def compute(self, rank: int) -> Array:
        """Forward and backward pass of the rank, with half a per cent of noise; communication takes it back."""
        node, index = self._place(rank)
        if self.condition is None:
            healthy: Array = self._noise(rank) * (COMPUTE * node.gpus[index].pace)
            return healthy
        own = rank_compute(self.condition, node, index)
        whole = own if np.ndim(own) == 0 else np.asarray(own)[self.cells]
        seen: Array = whole * self._noise(rank)
        return seen

    def _noise(self, rank: int) -> Array:
        raw = np.random.Philox(key=[rank, self.run.first_ms]).random_raw(STEPS)
        # Twenty bits: a remainder of short numbers takes half the time.
        unit = ((raw >> np.uint64(44)).astype(np.uint32) % np.uint32(1001)).astype(np.float64)
        found: Array = 1.0 + (unit - 500.0) * 1e-5
        return found

    @cached_property
    def _batches(self) -> Array:
        """What differs from batch to batch, for every rank the same."""
        return self._noise(_EVERY_RANK)

    def data(self, rank: int) -> Array:
        """Waiting for data: no two batches take the same, all ranks' alike, and communication takes it back."""
        node = "" if self.condition is None else self._place(rank)[0].name
        if node not in self._waits:
            self._waits[node] = self._data(node)
        return self._waits[node]

    @cached_property
    def _waits(self) -> dict[str, Array]:
        """By node: its ranks wait alike."""
        return {}

    def _data(self, node: str) -> Array:
        whole = self.run.data
        if self.condition is not None:
            whole = node_data(self.condition, node)[self.cells] + self.fresh
        seen: Array = whole + np.minimum(whole, MOST_SHAKEN) * _SHAKEN * (self._batches - 1.0)
        seen.flags.writeable = False
        return seen

    def communication(self, rank: int) -> Array:
        """What is left of the step, waiting for slower ranks included."""
        left: Array = self.run.step_s - self.compute(rank) - self.data(rank) - self.run.save - OTHER
        return left

    def _place(self, rank: int) -> tuple[Node, int]:
        node, index = divmod(rank, self.plant.gpus_per_node)
        return self.nodes[node], index

    def tokens(self) -> tuple[int, float]:
        """Tokens of one GPU in one step, and the peak of its arithmetic in operations per second."""
        model = next(name for name in _RATES if name in self.plant.gpu_product)
        return _RATES[model]

    def speed(self, step_s: float) -> tuple[float, float]:
        """Tokens per second and GPU, and model FLOPs utilisation, at a step time."""
        tokens, peak = self.tokens()
        rate = tokens / step_s
        return rate, 6 * _ACTIVE * rate / peak


def slow_timing(incident: Incident) -> Timing:
    return Timing(incident.run, incident.training.nodes, incident.plant, incident.condition)


def baseline_timing(incident: Incident) -> Timing:
    return Timing(incident.baseline, incident.training.before, incident.plant, None)


def means(values: Array, every: int) -> Array:
    """Means over each `every` steps, one after the other."""
    found: Array = values[: len(values) // every * every].reshape(-1, every).mean(axis=1)
    return found
