"""A query to an incident's metrics, answered as text: what a candidate asks in the tab Query."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from scenarios.troubleshooting.columns import Columns
from scenarios.troubleshooting.promql.engine import Engine
from scenarios.troubleshooting.promql.errors import QueryError
from scenarios.troubleshooting.promql.vectors import Vector

HISTORY = "metrics/history.hncol"
MOST_SERIES, MOST_VALUES = 60, 60
WHEN = "Times are UTC, such as 2026-10-09T03:49."


def asked(folder: Path, query: str, start: str, end: str, step_s: int) -> str:
    """The series that answer a query from one instant to another, each with its values; else what is wrong."""
    try:
        times = [_milliseconds(text) for text in (start, end)]
        columns = Columns.open(folder / HISTORY)
        at, found = Engine(columns).over(query, times[0], times[1], max(int(step_s), 1) * 1000)
    except (QueryError, ValueError, OverflowError, RecursionError) as error:
        return f"{error or 'The query cannot be answered.'} {WHEN}"
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # the parser's, of numbers beyond its range
            raise
        return f"A number of the query is out of range. {WHEN}"
    instants = [f"{datetime.fromtimestamp(one / 1000, UTC):%m-%d %H:%M:%S}" for one in at]
    if not isinstance(found, Vector):
        return _line("scalar", instants, [float(one) for one in found.values])
    rows = [
        _line(str(labels), instants, [float(one) for one in values])
        for labels, values in zip(found.labels, found.values, strict=True)
    ]
    left = len(rows) - MOST_SERIES
    rest = [f"({left} more series)"] if left > 0 else []
    return "\n".join([*rows[:MOST_SERIES], *rest]) or "(no series)"


def _milliseconds(text: str) -> int:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text[:40]!r} is no time.") from None
    return round((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000)


def _line(name: str, instants: list[str], values: list[float]) -> str:
    every = -(-len(values) // MOST_VALUES)
    shown = [f"{at} {value:g}" for at, value in zip(instants, values, strict=True)][::every]
    return f"{name}: {', '.join(shown)}"
