"""What a lever is worth in the data as it came out: counted, never assumed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from scenarios.cost.draw import Scene
from scenarios.cost.rows import Row


@dataclass(frozen=True, slots=True)
class Worth:
    """`parts`: line -> part of its cost of twelve months that the lever saves when it alone is pulled.

    `how` is the calculation in one or two sentences, `shows` the materials that show it.
    """

    lever: str
    parts: dict[str, float]
    how: str
    shows: tuple[str, ...]


Cells = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A CSV of the materials: its tab's title, its columns, its rows."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[Cells]


@dataclass(frozen=True)
class Part:
    """One area of the bill: its charges, its tables (path -> table) and what its levers are worth."""

    rows: list[Row] = field(default_factory=list)
    tables: dict[str, Table] = field(default_factory=dict)
    worths: list[Worth] = field(default_factory=list)


def worth(lever: str, line: str, part: float, how: str, *shows: str) -> Worth:
    """What a lever saves of one line."""
    return Worth(lever, {line: part}, how, shows)


def gathered(scene: Scene, *makes: Callable[[Scene], Part]) -> Part:
    """Several areas as one, in their order."""
    part = Part()
    for make in makes:
        found = make(scene)
        part.rows.extend(found.rows)
        part.tables.update(found.tables)
        part.worths.extend(found.worths)
    return part
