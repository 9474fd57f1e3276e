"""A query's answer as the page reads it."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from assessments.troubleshooting.metrics_answers import BLOCKS, Board
from scenarios.troubleshooting.columns import Real, Whole
from scenarios.troubleshooting.promql.engine import Engine
from scenarios.troubleshooting.promql.errors import QueryError
from scenarios.troubleshooting.promql.reading import read, selected
from scenarios.troubleshooting.promql.vectors import Matrix, Present, Scalar, Text, Vector

__all__ = ["QueryError", "instant", "over"]
logger = logging.getLogger(__name__)
MOST_LINES, MOST_ROWS, MOST_POINTS = 200, 1_000, 2_000
_STEPS = (1, 5, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600)
OUT_OF_RANGE = "A number, a time or an offset of the query is out of range."
TOO_DEEP = "The query has too many parts inside each other: ask for it in several queries."
Told = float | str | None


@contextmanager
def _in_range() -> Iterator[None]:
    """Say as a QueryError what the query's numbers are too large for.

    The parser is written in Rust and panics at some of them. A panic is no Exception: nothing above would
    catch it, and it would end the web server's process together with everybody's requests.
    """
    try:
        yield
    except QueryError:
        raise
    except (OverflowError, ValueError) as error:
        logger.warning("A query went out of range: %s", error)
        raise QueryError(OUT_OF_RANGE) from error
    except RecursionError as error:
        raise QueryError(TOO_DEEP) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        logger.warning("The parser of queries panicked: %s", error)
        raise QueryError(OUT_OF_RANGE) from error


@_in_range()
def over(board: Board, text: str, times: tuple[int, int], points: int, step_s: int = 0) -> bytes:
    """The answer over a time (ms), every `step_s` seconds; 0 fits the step to the points. Raises QueryError."""
    began = time.monotonic()
    length = times[1] - times[0]
    step = _asked(step_s, length) if step_s else step_for(length, min(max(points, 2), MOST_POINTS))
    first = -(-times[0] // step) * step
    at, found = Engine(board.now.columns, BLOCKS).over(text, first, times[1], step)
    series = _lines(found, at)
    answer = {
        "kind": "range",
        "start": first,
        "step": step,
        "count": len(at),
        "series": series[:MOST_LINES],
        "left_out": max(len(series) - MOST_LINES, 0),
    }
    return _told(answer, text, began)


def _asked(step_s: int, length_ms: int) -> int:
    if step_s < 1 or length_ms / 1000 / step_s > MOST_POINTS:
        raise QueryError(
            f"A step of {step_s} s would make more than {MOST_POINTS:,} values for each series: "
            "choose a longer step or a shorter time."
        )
    return step_s * 1000


def step_for(length_ms: int, points: int) -> int:
    """A round step (ms) that makes at most so many instants of a time."""
    least = length_ms / points / 1000
    return next((s for s in _STEPS if s >= least), math.ceil(least / 3600) * 3600) * 1000


@_in_range()
def instant(board: Board, text: str, at_ms: int) -> bytes:
    """The answer at one instant. Raises QueryError."""
    began = time.monotonic()
    found = Engine(board.now.columns, BLOCKS).instant(text, at_ms)
    rows: list[dict[str, Any]]
    if isinstance(found, Matrix):
        rows = [
            {
                "labels": one.labels,
                "samples": [
                    [int(t), _value(float(v))]
                    for t, v in zip(one.times, one.values, strict=True)
                    if at_ms - found.range_ms <= t <= at_ms
                ][-MOST_ROWS:],
            }
            for one in found.rows
        ]
        rows = [row for row in rows if row["samples"]]
    elif isinstance(found, Text):
        rows = [{"labels": {}, "value": found.value}]
    else:
        rows = [
            {"labels": one["labels"], "value": one["values"][0]}
            for one in _lines(found, None)
            if one["values"][0] is not None
        ]
        if isinstance(found, Vector) and not found.sorted:
            rows.sort(key=lambda row: sorted(row["labels"].items()))
    answer = {"kind": "instant", "at": at_ms, "rows": rows[:MOST_ROWS]}
    return _told(answer | {"left_out": max(len(rows) - MOST_ROWS, 0)}, text, began)


def _told(answer: dict[str, Any], text: str, began: float) -> bytes:
    picked = [{"metric": one.metric, "labels": one.labels} for one in selected(read(text))]
    took = round((time.monotonic() - began) * 1000)
    return msgspec.json.encode(answer | {"selectors": picked, "took_ms": took})


def _lines(found: Scalar | Vector, at: Whole | None) -> list[dict[str, Any]]:
    if isinstance(found, Scalar):
        return [{"labels": {}, "values": [_value(v) for v in found.values.tolist()]}]
    rows = zip(found.labels, found.values, found.present, strict=True)
    return [{"labels": labels, "values": _values(v, there)} for labels, v, there in rows]


def _values(values: Real, present: Present) -> list[Told]:
    pairs = zip(values.tolist(), present.tolist(), strict=True)
    return [_value(value) if there else None for value, there in pairs]


def _value(value: float) -> Told:
    """A number; what JSON has no numbers for, as Prometheus writes it."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
