"""What the exporters of one node showed last, so that a command and a chart tell the same figure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scenarios.troubleshooting.calendar import MINUTE
from scenarios.troubleshooting.columns import Block, Labels, Metric, Whole
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.signals import fabric, gpu, node
from scenarios.troubleshooting.signals.activity import activity
from scenarios.troubleshooting.signals.gpu_state import gpu_state
from scenarios.troubleshooting.signals.host import Host
from scenarios.troubleshooting.signals.stage import Stage, slow_stage
from scenarios.troubleshooting.truth import Incident

_METRICS = {metric.name: metric for metric in (*gpu.METRICS, *node.METRICS, *fabric.METRICS)}
KEPT_MS = 30 * MINUTE
"""How much of the history is kept from the instant at which time stands still on."""


@dataclass(frozen=True)
class Series:
    """One metric of one node: labels of each row, and its values from `first_ms` on in the metric's quanta."""

    metric: Metric
    labels: tuple[Labels, ...]
    values: Whole
    first_ms: int

    def at(self, at_ms: int, **labels: str) -> float:
        """The last value up to an instant of the first row that has these labels; 0 if there is none."""
        for row, own in zip(self.values, self.labels, strict=True):
            if all(dict(own).get(name) == value for name, value in labels.items()):
                place = (at_ms - self.first_ms) // (self.metric.every_s * 1_000)
                return int(row[min(max(place, 0), len(row) - 1)]) * self.metric.quantum
        return 0.0


class Readings:
    """What a node's exporters showed from an instant on; made in less than a tenth of a second."""

    def __init__(self, incident: Incident, one: Node, from_ms: int) -> None:
        stage, self.series = slow_stage(incident), dict[str, Series]()
        start = incident.calendar.window_start
        for block in _blocks(stage, one):
            metric = _METRICS[block.metric]
            every = metric.every_s * 1_000
            first = (from_ms - start) // every
            # The whole window would take tens of megabytes for each node.
            kept = np.array(block.values[:, first : first + KEPT_MS // every + 1])
            self.series[block.metric] = Series(metric, block.labels, kept, start + first * every)

    def at(self, name: str, at_ms: int, **labels: str) -> float:
        """The last value of a metric up to an instant (ms UTC); 0 where the node has no such series."""
        series = self.series.get(name)
        return 0.0 if series is None else series.at(at_ms, **labels)


def _blocks(stage: Stage, one: Node) -> Iterator[Block]:
    doing = activity(stage, one)
    state = gpu_state(stage, one, doing)
    yield from gpu.gpu_blocks(stage, one, doing, state)
    yield from node.node_blocks(Host(stage, one, doing, state, node.EVERY))
    yield from fabric.Traffic(stage).adapters(one, doing)
