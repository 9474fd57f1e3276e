"""What is printed after a run: how it ended and the raw figures in short; never a score."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .kit import Kit
from .play import Result

WIDTH = 34
MOST_ROWS = 12
"""Rows of a list that are printed; all of them are in what `--json` prints."""


def lines(kit: Kit, workload: str, result: Result) -> Iterator[str]:
    """The report, line by line."""
    one = kit.workload(workload)
    yield f"{kit.title} ({kit.level}), {one.name}: {one.title}"
    yield f"{result.status}: {result.detail}"
    yield f"{result.calls:,} calls, {result.wall_s:.1f} s"
    yield ""
    yield from _figures(kit.world.summary(result.figures))


def _figures(summary: Mapping[str, Any], indent: str = "  ") -> Iterator[str]:
    for key, value in summary.items():
        name = f"{indent}{key}"
        if isinstance(value, Mapping) and value:
            yield name
            yield from _figures(value, f"{indent}  ")
        elif isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            yield f"{name} ({len(value)})"
            yield from (f"{indent}  {_row(one)}" for one in value[:MOST_ROWS])
            if len(value) > MOST_ROWS:
                yield f"{indent}  ... and {len(value) - MOST_ROWS:,} more: --json prints them all"
        else:
            yield f"{name:{WIDTH}} {_shown(value)}"


def _row(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {_shown(value)}" for key, value in row.items())


def _shown(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:,}"
    if isinstance(value, list):
        rest = f" ... and {len(value) - MOST_ROWS:,} more" if len(value) > MOST_ROWS else ""
        return (", ".join(map(_shown, value[:MOST_ROWS])) or "none") + rest
    return value if isinstance(value, str) else json.dumps(value)
