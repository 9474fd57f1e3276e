"""What is printed after a run: how it ended and the raw figures in short; never a score."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .kit import Kit
from .play import Result

WIDTH = 34


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
            yield from (f"{indent}  {_row(one)}" for one in value)
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
        return ", ".join(map(_shown, value)) or "none"
    return value if isinstance(value, str) else json.dumps(value)
