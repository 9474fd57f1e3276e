"""A stage's series in memory, and a mark's own among them: what the claims about marks look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from scenarios.troubleshooting.columns import Block, Metric
from scenarios.troubleshooting.shapes import Array
from scenarios.troubleshooting.signals.history import METRICS, blocks
from scenarios.troubleshooting.signals.stage import Stage, baseline_stage
from scenarios.troubleshooting.traces import Mark
from scenarios.troubleshooting.truth import Incident

Row = tuple[str, dict[str, str], Array]
_METRICS = {metric.name: metric for metric in METRICS}


class Board:
    """All series of a stage in memory, in their own unit; counters as rates per second."""

    def __init__(self, stage: Stage, names: set[str]) -> None:
        self.stage = stage
        self.blocks: dict[str, list[Block]] = {name: [] for name in names}
        self._rows: dict[str, list[Row]] = {}
        for block in blocks(stage):
            if block.metric in names:
                self.blocks[block.metric].append(block)

    def rows(self, name: str) -> list[Row]:
        """(host, labels, values) of every series; gaps are NaN."""
        if name not in self._rows:
            self._rows[name] = [row for block in self.blocks[name] for row in _read(block)]
        return self._rows[name]


def _read(block: Block) -> Iterator[Row]:
    metric = _METRICS[block.metric]
    values = block.values * metric.quantum
    if metric.kind != "gauge":
        values = np.diff(values, axis=1, append=np.nan) / metric.every_s
    values = values.astype(float)
    for start, end in block.spans:
        values[:, start:end] = np.nan
    for labels, row in zip(block.labels, values, strict=True):
        yield block.host, dict(labels), row


class Compare:
    """The run to compare with, made when a claim first asks for it."""

    def __init__(self, incident: Incident, names: set[str]) -> None:
        self._incident, self._names = incident, names

    @cached_property
    def board(self) -> Board:
        return Board(baseline_stage(self._incident), self._names)


def carries(host: str, labels: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    for name, value in wanted.items():
        if name == "node" and host == value:
            continue
        if name == "rank" and "-" in value:
            first, last = value.split("-")
            if not int(first) <= int(labels["rank"]) <= int(last):
                return False
        elif labels.get(name) != value:
            return False
    return True


@dataclass(frozen=True)
class View:
    """A mark's series within its range (`own`), before it, and after it; the others of the metric on the
    training's hosts (`peers`); the metric in the run to compare with (`base`). `fault` is the cause or herring.
    """

    board: Board
    mark: Mark
    fault: Any
    compare: Compare

    @property
    def base_board(self) -> Board:
        return self.compare.board

    @property
    def metric(self) -> Metric:
        return _METRICS[self.mark.metric]

    def _cut(self, rows: list[Array], stage: Stage, from_ms: int, to_ms: int) -> Array:
        first, last = stage.span(from_ms, to_ms, self.metric.every_s)
        return np.array([row[first : max(last - 1, first)] for row in rows])

    def _rows(self, own: bool, name: str | None = None) -> list[Array]:
        stage, wanted = self.board.stage, self.mark.labels
        found = self.board.rows(name or self.mark.metric)
        if own:
            return [row for host, labels, row in found if carries(host, labels, wanted)]
        hosts = stage.own if any(host in stage.own for host, _, _ in found) else None
        return [
            row
            for host, labels, row in found
            if not carries(host, labels, wanted) and (hosts is None or host in hosts)
        ]

    @property
    def own(self) -> Array:
        return self._cut(self._rows(True), self.board.stage, self.mark.from_ms, self.mark.to_ms)

    def other(self, name: str) -> Array:
        """Series of another metric with the mark's labels, in its range."""
        return self._cut(
            self._rows(True, name), self.board.stage, self.mark.from_ms, self.mark.to_ms
        )

    @property
    def before(self) -> Array:
        start = self.board.stage.calendar.window_start
        return self._cut(self._rows(True), self.board.stage, start, self.mark.from_ms)

    @property
    def after(self) -> Array:
        end = self.board.stage.calendar.window_end
        return self._cut(self._rows(True), self.board.stage, self.mark.to_ms + 120_000, end)

    @property
    def peers(self) -> Array:
        return self._cut(self._rows(False), self.board.stage, self.mark.from_ms, self.mark.to_ms)

    @property
    def base(self) -> Array:
        """All series of the metric in the run to compare with, while its steps ran."""
        run = self.base_board.stage.run
        rows = [row for _, _, row in self.base_board.rows(self.mark.metric)]
        return self._cut(rows, self.base_board.stage, run.first_ms, run.end_ms)

    @property
    def labels(self) -> list[dict[str, str]]:
        found = self.board.rows(self.mark.metric)
        return [labels for host, labels, _ in found if carries(host, labels, self.mark.labels)]


def names_of(marks: list[tuple[str, Mark]]) -> set[str]:
    """Metrics that the claims of these marks look at."""
    more = {
        "node_mountstats_nfs_operations_requests_total",
        "node_mountstats_nfs_operations_response_time_seconds_total",
        "node_memory_MemAvailable_bytes",
        "node_memory_numa_local_node_total",
        "DCGM_FI_DEV_SM_CLOCK",
    }
    return {mark.metric for _, mark in marks} | more
