"""The table that a person reads who grades many answers at once: best first, and why one has no score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from typing import Any

Row = Mapping[str, Any]
"""{"answer", "score", "status", "detail", "measures": [{"key", "score"}, ...]}"""

LONGEST_NAME = 32


def in_order(rows: Sequence[Row]) -> list[Row]:
    """Best first, by the mean of unclipped scores where totals are equal; those without last."""
    return sorted(rows, key=_place)


def _place(row: Row) -> tuple[bool, float, float, str]:
    scores = [one["score"] for one in row["measures"]]
    mean = fsum(scores) / len(scores) if scores else 0.0
    return row["score"] is None, -(row["score"] or 0.0), -mean, row["answer"]


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """The table line by line: a head of the measures' keys, broken at their underscores, then rows.

    Scores of measures are not clipped. A row without a score has the reason instead.
    """
    keys = next(([m["key"] for m in row["measures"]] for row in rows if row["measures"]), [])
    names = [row["answer"][:LONGEST_NAME] for row in rows]
    first = max(len("answer"), *map(len, names))
    widths = [max(6, *map(len, key.split("_"))) for key in keys]
    yield from _head(keys, widths, first)
    for name, row in zip(names, rows, strict=True):
        yield f"{name:{first}}  {_cells(row, keys, widths)}".rstrip()


def _head(keys: Sequence[str], widths: Sequence[int], first: int) -> Iterator[str]:
    broken = [key.split("_") for key in keys]
    height = max(map(len, broken), default=1)
    stacked = [[""] * (height - len(parts)) + parts for parts in broken]
    for level in range(height):
        last = level == height - 1
        start = f"{'answer' if last else '':{first}}  {'score' if last else '':>7}"
        cells = [f"{parts[level]:>{width}}" for parts, width in zip(stacked, widths, strict=True)]
        yield "  ".join([start, *cells]).rstrip()


def _cells(row: Row, keys: Sequence[str], widths: Sequence[int]) -> str:
    if row["score"] is None:
        return f"{'-':>7}  {row['status']}: {row['detail']}"
    found = {m["key"]: m["score"] for m in row["measures"]}
    shown = [
        f"{found[key]:{width}.2f}" if key in found else f"{'-':>{width}}"
        for key, width in zip(keys, widths, strict=True)
    ]
    return "  ".join([f"{row['score']:7.3f}", *shown])
