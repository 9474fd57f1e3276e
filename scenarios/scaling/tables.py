"""Tables of the materials: how one is written, and names that are fit for columns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

Cell = str | int | float
Cells = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """One file: `path` in the variant, the title of its tab, column names and rows. mark: between cells."""

    path: str
    title: str
    head: tuple[str, ...]
    rows: Sequence[Cells]
    mark: str = ","

    def text(self) -> str:
        """The table as CSV with Unix line ends."""
        out = io.StringIO()
        writer = csv.writer(out, delimiter=self.mark, lineterminator="\n")
        writer.writerow(self.head)
        writer.writerows(self.rows)
        return out.getvalue()


def slug(name: str) -> str:
    """A name as columns and accounts have it: small letters, digits and _."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "unnamed"


def slugs(names: Sequence[str]) -> dict[str, str]:
    """Name -> slug; names whose slugs are the same get a number."""
    found: dict[str, str] = {}
    for name in names:
        base, number = slug(name), 2
        one = base
        while one in found.values():
            one, number = f"{base}_{number}", number + 1
        found[name] = one
    return found


def plain(value: float, digits: int = 2) -> Cell:
    """A figure without zeros that say nothing: 3.0 is 3."""
    rounded = round(value, digits)
    return int(rounded) if rounded == int(rounded) else rounded


def clean(row: Cells) -> Cells:
    """The row with names that hold nothing that separates cells: simple programs read the tables as well."""
    return tuple(
        one.replace(",", ";").replace("|", "/") if isinstance(one, str) else one for one in row
    )
