"""A GPU server at the instants of one exporter's scrapes: what all exporters that run on it share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scenarios.troubleshooting.calendar import CELL
from scenarios.troubleshooting.columns import Block, Labels, Metric, Span
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.shapes import Array
from scenarios.troubleshooting.signals.activity import Activity
from scenarios.troubleshooting.signals.gpu_state import State
from scenarios.troubleshooting.signals.noise import Grid
from scenarios.troubleshooting.signals.stage import Stage


class Host:
    """One node every `every_s` seconds: `held` is the share of its GPUs that have a job, `busy` how busy they
    are, `runs` 1 while the training's steps run here; `watts` and `heat` are of its GPUs.
    """

    def __init__(
        self, stage: Stage, node: Node, doing: Activity, state: State, every_s: int
    ) -> None:
        self.stage, self.node, self.name, self.every_s = stage, node, node.name, every_s
        self.each = every_s * 1_000 // CELL
        self.samples = stage.cells // self.each
        thin = (slice(None), slice(None, None, self.each))
        self.held = doing.held[thin].mean(axis=0)
        self.busy = np.minimum(doing.busy + doing.linked, 1.0)[thin].mean(axis=0)
        self.runs = (doing.steps[thin][0] > 0).astype(np.float64)
        self.watts = state.watts[thin].sum(axis=0)
        self.heat = state.core[thin]
        self.gaps = stage.gaps(node.name, every_s)

    def seen(self, subject: str, name: str) -> Array:
        """The condition's field of any subject at the scrapes."""
        return self.stage.over(subject, name)[:: self.each]

    def over(self, name: str) -> Array:
        """A field of the node itself."""
        return self.seen(self.name, name)

    def shake(self, cause: str, rows: int = 1) -> Grid:
        return self.stage.noise.bell(f"{cause} {self.name}", rows, self.samples)

    def grown(self, rates: Array, first: float) -> Array:
        """A counter from rates per second (rows), some way on since boot: about `first`."""
        units = [
            self.stage.noise.unit(f"boot {self.name} {row} {first}") for row in range(len(rates))
        ]
        start = first * (0.3 + np.array(units)[:, None])
        total: Array = start + np.cumsum(np.maximum(rates, 0), axis=1) * self.every_s
        return total

    def block(
        self,
        metric: Metric,
        port: int,
        labels: Sequence[Mapping[str, str]],
        values: Array,
        outside: tuple[Span, ...] = (),
    ) -> Block:
        """Values in the metric's own unit; the exporter's address comes first, more gaps are `outside`."""
        named: tuple[Labels, ...] = tuple(
            (("instance", f"{self.name}:{port}"), *one.items()) for one in labels
        )
        whole = np.rint(np.atleast_2d(values) / metric.quantum).astype(np.int64)
        gaps = tuple(span for span in (*outside, *self.gaps) if span[1] > span[0])
        return Block(metric.name, self.name, named, whole, gaps)
