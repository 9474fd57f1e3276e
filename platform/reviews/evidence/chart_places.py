"""A stretch of a chart of the materials as a place for a remark: its name in words and what it shows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import numpy as np

from assessments.troubleshooting import metrics_answers
from assessments.workplace.access import Room
from reviews.evidence.troubleshooting_key import chart_url
from scenarios.troubleshooting.columns import SECOND, Series

MOST_LABELS = 8


class NoChart(ValueError):
    """What was sent names no chart of these materials."""


class Chart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a chart draws; labels narrow it, `node` is the host as in the dashboards."""

    metric: str
    labels: dict[str, str] = {}


def read(part: str) -> Chart:
    """The chart that a pin's part names, as JSON. Raises NoChart."""
    try:
        chart = msgspec.json.decode(part, type=Chart)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
        raise NoChart from error
    if len(chart.labels) > MOST_LABELS:
        raise NoChart
    return chart


def place(room: Room, part: str, first: int, last: int) -> tuple[str, str]:
    """(words, what is shown there) of a chart between two instants in whole seconds since 1970.

    Times are those of the site's clocks. Counters are shown as rates, as the dashboards draw them.
    Raises NoChart where there is no such chart or the time is not on record.
    """
    if room.manifest.get("incident") is None:
        raise NoChart
    chart, board = read(part), metrics_answers.board_of(room.folder, room.manifest)
    try:
        series = list(board.now.columns.find(chart.metric, chart.labels))
        times = metrics_answers.clipped(board, first * SECOND, last * SECOND)
    except (metrics_answers.Bad, ValueError) as error:
        raise NoChart from error
    if not series:
        raise NoChart
    zone = timedelta(minutes=room.manifest["incident"]["offset_min"])
    said = [_moment(at, zone) for at in times]
    if said[0].partition(",")[0] == said[1].partition(",")[0]:
        said[1] = said[1].partition(", ")[2]
    return f"{_named(chart)}, {said[0]} to {said[1]}", _shown(board, series, times)


def link(room_url: str, part: str, first: int, last: int) -> str:
    """Where the staff's room (`room_url` is its address) shows it. Raises NoChart."""
    chart = read(part)
    return chart_url(room_url, chart.metric, chart.labels, first * SECOND, last * SECOND)


def _named(chart: Chart) -> str:
    labels = ", ".join(f"{name} {value}" for name, value in chart.labels.items())
    return f"{chart.metric} ({labels})" if labels else chart.metric


def _moment(at_ms: int, zone: timedelta) -> str:
    return f"{datetime.fromtimestamp(at_ms / SECOND, UTC) + zone:%-d %b %Y, %H:%M}"


def _shown(board: metrics_answers.Board, series: list[Series], times: tuple[int, int]) -> str:
    metric = series[0].metric
    _, _, values = board.now.sampled(series, times, metric.kind == "counter")
    there = values[np.isfinite(values)]
    count = "1 series" if len(series) == 1 else f"{len(series)} series"
    if not there.size:
        return f"{count}\nnothing recorded"
    unit = metrics_answers.unit_of(metric)
    figures = [_figure(float(one)) for one in (there.min(), there.mean(), there.max())]
    low, mean, high = (f"{figure} {unit}".strip() for figure in figures)
    return f"{count}\nlowest {low}\nmean {mean}\nhighest {high}"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
