"""Answers of the metrics' addresses, without the web: a variant's folder goes in, bytes come out."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from assessments.troubleshooting.metrics_series import (
    DETAILS,
    FEW,
    Drawn,
    History,
    Line,
    is_rate,
    opened,
)
from assessments.troubleshooting.panels import Panel, Part, Row, expression, heats, rows
from scenarios.troubleshooting.columns import Metric, Series
from scenarios.troubleshooting.promql.blocks import Blocks

MOST_PANELS, MOST_POINTS, MOST_COLUMNS = 24, 2_000, 1_500
MOST_VALUES = 400
VARIANTS = 3
"""Whose columns one process holds."""
KEEP_LINES = 32_000_000
HIDDEN = (
    "UUID",
    "pci_bus_id",
    "modelName",
    "DCGM_FI_DRIVER_VERSION",
    "guid",
    "mountaddr",
    "export",
)
"""Labels that tell nothing apart that another label does not."""
BLOCKS = Blocks()


class Bad(ValueError):
    """A request that cannot be answered; one sentence for whoever made it."""


@dataclass(frozen=True)
class Board:
    """The metrics of a variant: history, the run to compare with, and where both lie in time (ms, UTC)."""

    now: History
    before: History
    incident: dict[str, Any]

    @property
    def nodes(self) -> list[str]:
        return list(self.incident["nodes"])

    @property
    def window(self) -> tuple[int, int]:
        return self.now.columns.start_ms, self.now.columns.end_ms

    def switches(self) -> list[str]:
        ports = self.now.columns.series.get("ib_switch_port_xmit_data_bytes_total", ())
        return list(dict.fromkeys(one.host for one in ports))

    def rows(self) -> tuple[Row, ...]:
        """Those whose metrics this variant has: one that was built earlier may lack an exporter."""
        has = self.now.columns.metrics
        found = []
        for row in rows(self.nodes, self.switches()):
            panels = [one for one in row.panels if all(part.metric in has for part in one.parts)]
            if panels:
                found.append(replace(row, panels=tuple(panels)))
        return tuple(found)

    def before_nodes(self) -> list[str]:
        found = self.before.columns.series.get("train_step", ())
        return list(dict.fromkeys(one.host for one in found))

    def panel(self, key: str) -> Panel:
        """A panel by its key; `any/METRIC` is one of any metric. Raises Bad."""
        if key.startswith("any/"):
            return self._any(key.removeprefix("any/"))
        for row in self.rows():
            for panel in row.panels:
                if panel.key == key:
                    return panel
        raise Bad(f"There is no panel “{key}”.")

    def _any(self, name: str) -> Panel:
        metric = self.now.metric(name)
        if metric is None:
            raise Bad(f"There is no metric “{name}”.")
        told = labels_of(self.now.columns.series[name])
        by = tuple(n for n, v in told.items() if len(v) > 1 and n not in (*HIDDEN, "instance"))
        hosts = {one.host for one in self.now.columns.series[name]}
        by = tuple(n for n in by if n not in ("Hostname", "device" if "gpu" in by else ""))
        part = Part(metric=name, by=("node", *by) if len(hosts) > 1 else by)
        return Panel(f"any/{name}", name, unit_of(metric), (part,))


@lru_cache(maxsize=VARIANTS)
def _columns(folder: Path) -> tuple[History, History]:
    metrics = folder / "metrics"
    return (
        opened(metrics / "history.hncol", BLOCKS, KEEP_LINES),
        opened(metrics / "baseline.hncol", BLOCKS, KEEP_LINES // 4),
    )


def board_of(folder: Path, manifest: dict[str, Any]) -> Board:
    """The board of a variant; its files are opened once and kept."""
    now, before = _columns(folder)
    return Board(now, before, manifest["incident"])


def labels_of(series: Iterable[Series]) -> dict[str, list[str]]:
    """The labels of some series, each with its values in order."""
    found: dict[str, dict[str, None]] = {}
    for one in series:
        for name, value in one.labels:
            found.setdefault(name, {})[value] = None
        for owner in one.owners:
            found.setdefault("hpc_job", {})[owner.value] = None
    return {name: list(values) for name, values in found.items()}


_ENDINGS = {
    "_seconds": "s",
    "_seconds_total": "s",
    "_bytes": "B",
    "_bytes_total": "B",
    "_celsius": "°C",
    "_watts": "W",
    "_hertz": "Hz",
    "_rpm": "rpm",
    "_bytes_per_second": "B/s",
}
_WORDS = {"(in MHz)": "MHz", "(in C)": "°C", "(in W)": "W", "(in mJ)": "mJ", "(in %)": "%"}
_WORDS |= {"(in MiB)": "MiB", "in bytes per second": "B/s"}


def unit_of(metric: Metric) -> str:
    """The unit of a metric as a chart shows it: per second for what is drawn as a rate."""
    told = next((u for words, u in _WORDS.items() if words in metric.about), "")
    unit = told or next((u for end, u in _ENDINGS.items() if metric.name.endswith(end)), "")
    return f"{unit}/s" if metric.kind == "counter" else unit


def catalogue(board: Board) -> bytes:
    """Every metric with what it means, and its labels with at most `MOST_VALUES` values."""
    told = []
    for name, metric in board.now.columns.metrics.items():
        series = board.now.columns.series[name]
        labels = {n: v[:MOST_VALUES] for n, v in labels_of(series).items()}
        kept = {n: getattr(metric, n) for n in ("name", "about", "kind", "exporter", "every_s")}
        told.append(kept | {"unit": unit_of(metric), "labels": labels, "series": len(series)})
    return msgspec.json.encode({"metrics": told})


def layout(board: Board) -> bytes:
    """Rows, panels with what they draw and how to ask for it, and what the heat map can show."""
    told = [
        {
            "key": row.key,
            "title": row.title,
            "about": row.about,
            "scope": row.scope,
            "panels": [_panel(board, panel, row.scope) for panel in row.panels],
        }
        for row in board.rows()
    ]
    jobs = {one.host for one in board.now.columns.series.get("train_step", ())}
    answer: dict[str, Any] = {"rows": told, "heats": heats(), "nodes": board.nodes}
    answer |= {"job_nodes": sorted(jobs), "before_nodes": board.before_nodes()}
    return msgspec.json.encode(answer)


def _panel(board: Board, panel: Panel, scope: str) -> dict[str, Any]:
    # The page puts the chosen node in the place of its sign.
    fixed = {scope: f"${scope}"} if scope else panel.fixed
    parts = []
    for part in panel.parts:
        metric = board.now.columns.metrics[part.metric]
        host = host_label(board.now.columns.series[part.metric])
        query = expression(part, fixed, host, is_rate(metric, part))
        parts.append({"label": part.label, "metric": part.metric, "query": query, "host": host})
    told = {"key": panel.key, "title": panel.title, "unit": panel.unit, "fixed": panel.fixed}
    return told | {"parts": parts}


def host_label(series: tuple[Series, ...]) -> tuple[str, str]:
    """The label that names the host, and what stands behind the name in it."""
    for name, value in series[0].labels if series else ():
        if value.startswith(series[0].host):
            return name, value.removeprefix(series[0].host)
    return "instance", ""


@dataclass(frozen=True, slots=True)
class Asked:
    """How panels are to be drawn: for which node, over which time (ms), how finely, with the run before."""

    node: str
    times: tuple[int, int]
    points: int = 400
    detail: str = "auto"
    compare: bool = False


def charts(board: Board, keys: list[str], asked: Asked) -> bytes:
    """Panels, drawn: a JSON head and float32 values, see `framed`. Raises Bad."""
    if asked.detail not in DETAILS:
        raise Bad("The detail is one of auto, spikes and means.")
    if not 1 <= len(keys) <= MOST_PANELS:
        raise Bad(f"Ask for 1 to {MOST_PANELS} panels at a time.")
    if not 2 <= asked.points <= MOST_POINTS:
        raise Bad(f"A chart has 2 to {MOST_POINTS} points.")
    fixed = _of_node(board, asked.node)
    told, arrays = [], _Arrays()
    for key in keys:
        panel = board.panel(key)
        scoped = fixed if key.startswith(("node.", "any/")) else {}
        drawn = board.now.drawn(panel, scoped, asked.times, asked.points, asked.detail)
        one = {"key": panel.key, "title": panel.title, "unit": panel.unit, **arrays.drawn(drawn)}
        if asked.compare:
            one["before"] = _before(board, panel, scoped, asked, drawn.lines, arrays)
        told.append(one)
    return framed({"panels": told}, arrays)


def _of_node(board: Board, node: str) -> dict[str, str]:
    if node and node not in board.incident["hosts"]:
        raise Bad(f"There is no host “{node}”.")
    return {"node": node} if node else {}


def _before(
    board: Board,
    panel: Panel,
    fixed: dict[str, str],
    asked: Asked,
    lines: list[Line],
    arrays: _Arrays,
) -> dict[str, Any] | None:
    """The run to compare with, moved so that both runs begin at the same place; None without data.

    Few lines stand beside their like of that run; of many, there is one band over all of them.
    """
    shift = board.incident["run"]["from_ms"] - board.incident["baseline"]["from_ms"]
    moved = (asked.times[0] - shift, asked.times[1] - shift)
    of = {**panel.fixed, **fixed}.get("node", "")
    drawn = board.before.spread(panel, fixed, moved, asked.points, asked.detail)
    if not drawn.lines and of:
        # The node took no part in that run: any of its nodes says what was usual.
        panel, fixed, of = Panel(panel.key, panel.title, panel.unit, panel.parts), {}, ""
        drawn = board.before.spread(panel, fixed, moved, asked.points, asked.detail)
    elif 1 < len(lines) <= FEW:
        alike = board.before.drawn(panel, fixed, moved, asked.points, asked.detail)
        if [one.name for one in alike.lines] == [one.name for one in lines]:
            drawn = alike
            for place, line in enumerate(drawn.lines):
                line.part = place
    if not drawn.lines:
        return None
    drawn.start_ms += shift
    nodes = board.before_nodes()
    hosts = {one.host for one in board.before.find(panel.parts[0], {**panel.fixed, **fixed})}
    usual = f"its {len(nodes)} nodes" if hosts == set(nodes) else ""
    return {"of": of or usual, **arrays.drawn(drawn)}


def heat(board: Board, metric: str, times: tuple[int, int], columns: int, stat: str) -> bytes:
    """The heat map of a metric. Raises Bad."""
    known = next((one for one in heats() if one.metric == metric), None)
    if known is None:
        raise Bad(f"The heat map cannot show “{metric}”.")
    if stat not in ("avg", "min", "max"):
        raise Bad("A cell is the avg, the min or the max of its time.")
    if not 2 <= columns <= MOST_COLUMNS:
        raise Bad(f"A heat map has 2 to {MOST_COLUMNS} columns.")
    found = board.now.heat(known, times, columns, stat)
    arrays = _Arrays()
    values = arrays.add(found.pop("values").ravel().astype(np.float32))
    head = {"title": known.title, "unit": known.unit, "label": known.label, "values": values}
    return framed(head | found, arrays)


class _Arrays:
    """Values gathered one behind the other; the head says where each begins."""

    def __init__(self) -> None:
        self.parts: list[NDArray[np.float32]] = []
        self.at = 0

    def add(self, values: NDArray[np.float32]) -> int:
        """Where the values begin, counted in values."""
        start, self.at = self.at, self.at + len(values)
        self.parts.append(values)
        return start

    def drawn(self, drawn: Drawn) -> dict[str, Any]:
        lines = [self._line(line) for line in drawn.lines]
        count = len(drawn.lines[0].low) if drawn.lines else 0
        return {"start": drawn.start_ms, "step": drawn.step_ms, "count": count, "lines": lines}

    def _line(self, line: Line) -> dict[str, Any]:
        low = self.add(line.low)
        same = line.high is line.low or np.array_equal(line.high, line.low, equal_nan=True)
        high = low if same else self.add(line.high)
        told = {"name": line.name, "labels": line.labels, "part": line.part}
        return told | {"low": low, "high": high, "size": len(line.low)}


HALF, KEPT_BITS = 0x40, 0xFFFFFF80
"""Of a float32: the last 7 of 23 bits of the fraction are rounded away, which leaves 16, or five digits."""


def framed(head: dict[str, Any], arrays: _Arrays) -> bytes:
    """Length of the head (4 bytes, little-endian), the head as JSON, zeros up to a multiple of 4, float32.

    Values keep five digits: what lies below is no information on a chart and does not compress.
    """
    told = msgspec.json.encode(head)
    told += b" " * (-len(told) % 4)
    parts = np.concatenate(arrays.parts) if arrays.parts else np.empty(0, np.float32)
    bits = parts.astype("<f4").view("<u4")
    kept = np.where(np.isfinite(parts), (bits + HALF) & KEPT_BITS, bits).astype("<u4")
    return struct.pack("<I", len(told)) + told + kept.tobytes()


def clipped(board: Board, from_ms: int, to_ms: int) -> tuple[int, int]:
    """The part of a time that is on record. Raises Bad for none."""
    first, last = board.window
    found = max(from_ms, first), min(to_ms, last)
    if found[0] >= found[1]:
        raise Bad("That time is outside the recording.")
    return found
