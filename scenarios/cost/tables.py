"""A bill's CSV files as tables of SQLite: in memory, or in a file that many can read at once."""

from __future__ import annotations

import csv
import json
import os
import re
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

NUMBER, TIME, TEXT = "number", "time", "text"
_DECLARED = {NUMBER: "NUMERIC", TIME: "TEXT TIME", TEXT: "TEXT"}
"""What SQLite is told; it takes everything with TEXT in it as text."""
_DAY = re.compile(r"\d{4}-\d\d(-\d\d([T ].*)?)?")
_GPUS = re.compile(r"gres/gpu=(\d+)")
_TAGS, _TRES, _SECONDS = "Tags", "AllocTRES", "ElapsedRaw"
LINES = "_lines"
"""The table with a row for every set of cost rows that no filter of an opportunity can tell apart."""
LINE_COLUMNS = tuple(
    (
        "ServiceName SkuMeter ServiceCategory ServiceSubcategory SubAccountName SubAccountId Team "
        "ResourceName ResourceId ResourceType RegionId RegionName AvailabilityZone ProviderName "
        "ChargeCategory ChargeFrequency PricingCategory CommitmentDiscountStatus CommitmentDiscountId "
        "CommitmentDiscountName Tags"
    ).split()
)

Cells = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Column:
    """A column and what it holds: number, time (days or months as text that sorts), or text."""

    name: str
    kind: str


def _team(row: Cells) -> str:
    found = json.loads(row[_TAGS]).get("team", "") if row[_TAGS] else ""
    return str(found)


def _gpus(row: Cells) -> str:
    found = _GPUS.search(row[_TRES])
    return found[1] if found else "0"


def _gpu_hours(row: Cells) -> str:
    return f"{int(_gpus(row)) * int(row[_SECONDS] or 0) / 3600:.3f}"


DERIVED: Mapping[str, Mapping[str, tuple[str, Callable[[Cells], str]]]] = {
    "costs": {"Team": (_TAGS, _team)},
    "sacct": {"gpus": (_TRES, _gpus), "gpu_hours": (f"{_TRES}, {_SECONDS}", _gpu_hours)},
}
"""Table -> columns that its file has only inside others: (from which, how)."""


def load(base: sqlite3.Connection, folder: Path) -> None:
    """Put every CSV below a folder into a table. Raises OSError where the folder cannot be read."""
    for path in sorted(folder.rglob("*.csv")):
        _load(base, path)
    if "costs" in columns_of(base):
        names = ", ".join(f'"{name}"' for name in LINE_COLUMNS)
        base.execute(
            f"CREATE TABLE {LINES} AS SELECT {names}, ChargeDescription, count(*) AS n, "  # noqa: S608  our names
            "min(ChargePeriodStart) AS first, max(ChargePeriodEnd) AS last, "
            "CAST(round(sum(EffectiveCost) * 100) AS INTEGER) AS cents "
            f"FROM costs GROUP BY {names} ORDER BY {names}"
        )
    base.commit()


def store(folder: Path, target: Path) -> None:
    """Write the tables of a folder to one file; who reads sees all of it or none."""
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=target.name, delete=False) as part:
        made = Path(part.name)
    try:
        base = sqlite3.connect(made)
        base.execute("PRAGMA journal_mode = OFF")
        base.execute("PRAGMA synchronous = OFF")
        load(base, folder)
        base.close()
        made.chmod(0o644)
        os.replace(made, target)
    finally:
        made.unlink(missing_ok=True)


def opened(source: Path) -> sqlite3.Connection:
    """The tables of a folder in memory, or those of a stored file, which is never written."""
    if source.is_dir():
        base = sqlite3.connect(":memory:", check_same_thread=False)
        load(base, source)
        return base
    return sqlite3.connect(
        f"{source.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
    )


def columns_of(base: sqlite3.Connection) -> dict[str, tuple[Column, ...]]:
    """Table -> its columns, for every table that is a file's."""
    names = base.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    kinds = {declared: kind for kind, declared in _DECLARED.items()}
    return {
        name: tuple(
            Column(row[1], kinds.get(row[2], TEXT))
            for row in base.execute(f'PRAGMA table_info("{name}")')
        )
        for (name,) in names.fetchall()
        if not name.startswith("_")
    }


def table_name(stem: str) -> str:
    """A file's name as SQL can say it without quotes."""
    return "costs" if stem == "focus" else stem.replace("-", "_")


def _load(base: sqlite3.Connection, path: Path) -> None:
    name = table_name(path.stem)
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file, delimiter="|" if path.stem == "sacct" else ",")
        head = next(reader)
        rows = list(reader)
    for column, (_, of) in DERIVED.get(name, {}).items():
        for row in rows:
            row.append(of(dict(zip(head, row, strict=False))))
        head = [*head, column]
    kinds = [_kind(row[at] for row in rows) for at in range(len(head))]
    marks = ", ".join(f'"{one}" {_DECLARED[kind]}' for one, kind in zip(head, kinds, strict=True))
    base.execute(f'CREATE TABLE "{name}" ({marks})')
    places = ", ".join("?" * len(head))
    base.executemany(
        f'INSERT INTO "{name}" VALUES ({places})',  # noqa: S608  the name is a file's of ours
        ([cell if cell != "" else None for cell in row] for row in rows),
    )


def _kind(cells: Iterable[str]) -> str:
    """What all cells that say something are; a column without any is text."""
    found = [cell for cell in cells if cell != ""]
    if not found:
        return TEXT
    if all(map(_is_number, found)):
        return NUMBER
    return TIME if all(map(_DAY.fullmatch, found)) else TEXT


def _is_number(cell: str) -> bool:
    digits = cell.removeprefix("-").replace(".", "", 1)
    return digits.isascii() and digits.isdigit()


if __name__ == "__main__":
    store(Path(sys.argv[1]), Path(sys.argv[2]))
