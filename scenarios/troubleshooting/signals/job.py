"""What the trainer exports of itself: the timers of the steps, rank by rank, while steps run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scenarios.troubleshooting.calendar import CELL
from scenarios.troubleshooting.columns import Block, Labels, Metric, Span
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.shapes import Array
from scenarios.troubleshooting.signals.stage import Stage
from scenarios.troubleshooting.steps import Times, rank_compute

EXPORTER = "trainer"
HOST_PORT = 9401


def _timer(name: str, about: str) -> Metric:
    return Metric(f"train_{name}_seconds", "gauge", about, EXPORTER, 15, 0.001)


METRICS = (
    Metric("train_step", "gauge", "Number of the last finished step.", EXPORTER, 15),
    _timer("step", "Duration of the longest step finished since the last scrape."),
    _timer("compute", "Forward and backward pass of the last finished step on this rank."),
    _timer(
        "comm", "Collectives of the last finished step that compute did not hide, on this rank."
    ),
    _timer("data_wait", "Longest wait for a batch among the steps finished since the last scrape."),
    _timer("checkpoint", "Longest standstill for a checkpoint among those steps."),
)


def job_blocks(stage: Stage) -> Iterator[Block]:
    """The timers of all ranks, one block for each node."""
    run, line = stage.run, stage.timeline
    first, last = line.first, line.last
    # A step is told of by the first scrape after its end; a scrape between two ends repeats what it knew.
    ends = np.maximum.accumulate(np.maximum(line.here[0][1:-1] - 1, 0))
    begins = np.minimum(np.concatenate([[0], ends[:-1] + 1]), ends)
    shared = {
        "train_step": ends + 1,
        "train_step_seconds": _longest(run.step_s, begins, ends),
        "train_data_wait_seconds": _longest(run.data, begins, ends),
        "train_checkpoint_seconds": _longest(run.save, begins, ends),
    }
    outside = tuple(s for s in ((0, first), (last, stage.cells)) if s[1] > s[0])
    for node in stage.nodes:
        found = _timers(stage, node, ends, shared)
        gaps = (*outside, *_inside(stage, node.name, first, last))
        for metric in METRICS:
            values = np.zeros((len(node.gpus), stage.cells), np.int64)
            values[:, first:last] = np.rint(found[metric.name] / metric.quantum)
            values[:, :first], values[:, last:] = values[:, [first]], values[:, [last - 1]]
            yield Block(metric.name, node.name, _labels(stage, node), values, gaps)


def _labels(stage: Stage, node: Node) -> tuple[Labels, ...]:
    return tuple(
        (
            ("job", stage.job.name),
            ("instance", f"{node.name}:{HOST_PORT}"),
            ("rank", str(stage.rank(node.name, gpu.index))),
        )
        for gpu in node.gpus
    )


def _timers(stage: Stage, node: Node, ends: Times, shared: dict[str, Array]) -> dict[str, Array]:
    """Every timer of a node's ranks at each scrape of the run: who computes less waits more."""
    run, cells = stage.run, stage.cells
    cell_of = np.clip((run.starts[:-1] - stage.calendar.window_start) // CELL, 0, cells - 1)
    rows = []
    for gpu in node.gpus:
        pace = np.broadcast_to(rank_compute(stage.condition, node, gpu.index), cells)
        rows.append(np.minimum(pace[cell_of], run.compute)[ends])
    computes = np.array(rows)
    waits = (run.compute + run.communication)[ends] - computes
    shake = stage.noise.bell(f"timer {node.name}", len(rows), len(ends))
    found = {name: np.tile(row, (len(rows), 1)) for name, row in shared.items()}
    found["train_compute_seconds"] = computes * (1 + 0.004 * shake)
    found["train_comm_seconds"] = np.maximum(waits * (1 + 0.02 * shake), 0.001)
    found["train_data_wait_seconds"] = found["train_data_wait_seconds"] * (1 + 0.01 * shake)
    return found


def _longest(values: Array, begins: Times, ends: Times) -> Array:
    """The largest value among the steps from `begins` to `ends`, both included, at every scrape."""
    found = values[ends].copy()
    for back in range(1, int((ends - begins).max()) + 1):
        step = ends - back
        found = np.where(step >= begins, np.maximum(found, values[np.maximum(step, 0)]), found)
    return found


def _inside(stage: Stage, host: str, first: int, last: int) -> tuple[Span, ...]:
    """Gaps of the host's exporters that lie within the run."""
    spans = ((max(a, first), min(b, last)) for a, b in stage.gaps(host))
    return tuple((a, b) for a, b in spans if b > a)
