"""Questions to a bill's tables: pivots, and SQL that can only read, quick enough for a page."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scenarios.cost.tables import columns_of, opened

MOST_ROWS = 2_000
"""Rows that an answer may have."""
MOST_SECONDS = 3.0
LONGEST_SQL = 10_000
MOST_GROUPS = 4
PERIODS = {"year": 4, "month": 7, "day": 10}
"""Period -> how many characters of a date stand for it."""
SUMS = ("sum", "count", "avg", "min", "max")
TOO_LONG = f"The query took longer than {MOST_SECONDS:.0f} seconds and was stopped."
MOST_BYTES = 4_000_000
"""Text that an answer may have, in characters."""
_STEPS = 5_000
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 1_000_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 60_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 400,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 200,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 200,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
"""What SQLite itself refuses: bytes of a value and of a query, columns, and so on."""
_FUNCTIONS = frozenset(
    (
        "abs avg coalesce count date ifnull iif instr julianday length like lower ltrim max min "
        "nullif printf replace round row_number rank rtrim strftime substr substring sum total "
        "trim upper lag lead json_extract cast format group_concat ntile dense_rank sign ceil "
        "floor"
    ).split()
)
_READS = frozenset((sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE))


Cell = str | int | float | None


class BadQuery(ValueError):
    """The question cannot be answered; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Columns and rows; `cut` says that there were more rows than may be shown; `seconds` it took."""

    columns: list[str]
    rows: list[list[Cell]]
    cut: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Pivot:
    """Sums by groups: of `value` in `table`, by the columns `by` and by `period` of the column `time`.

    `where` holds for each column the values of which a row must have one, "" for none at all; `how` is
    one of SUMS. `first` and `last` bound the column `time`, both included, as far as they are written:
    "2025-03" is all of March. Without a `period` the time bounds and does not group.
    """

    table: str
    value: str
    by: tuple[str, ...] = ()
    where: Mapping[str, Sequence[str]] | None = None
    time: str = ""
    period: str = "month"
    how: str = "sum"
    first: str = ""
    last: str = ""


class Tables:
    """The tables of a built variant: every CSV is one, named after its file (costs, usage, ...).

    `source` is the variant's folder, whose tables are then held in memory, or a file that
    `scenarios.cost.tables.store` wrote. Use from one thread at a time. Raises OSError or sqlite3.Error
    where the source cannot be read.
    """

    def __init__(self, source: Path) -> None:
        self._base = opened(source)
        self.kinds = columns_of(self._base)
        self.columns: dict[str, list[str]] = {
            table: [column.name for column in found] for table, found in self.kinds.items()
        }
        self._base.execute("PRAGMA query_only = 1")
        self._base.execute("PRAGMA temp_store = MEMORY")
        for limit, most in _LIMITS.items():
            self._base.setlimit(limit, most)
        self._base.set_authorizer(_allowed)

    def close(self) -> None:
        """Give the memory back."""
        self._base.close()

    def sql(self, text: str, limit: int = MOST_ROWS) -> Answer:
        """The answer to one SELECT. Raises BadQuery, also when it takes longer than MOST_SECONDS."""
        if len(text) > LONGEST_SQL:
            raise BadQuery(f"A query has at most {LONGEST_SQL} characters.")
        return self._run(text, (), min(limit, MOST_ROWS))

    def pivot(self, asked: Pivot) -> Answer:
        """The pivot's groups, largest first, or by time where a time is asked for. Raises BadQuery."""
        if asked.table not in self.columns:
            raise BadQuery(
                f"There is no table {asked.table[:60]!r}; there are {', '.join(self.columns)}."
            )
        for column in (*asked.by, *(asked.where or {}), *((asked.time,) if asked.time else ())):
            self._known(asked.table, column)
        if asked.how not in SUMS:
            raise BadQuery(f"A pivot shows one of {', '.join(SUMS)}.")
        if len(asked.by) > MOST_GROUPS:
            raise BadQuery(f"A pivot has at most {MOST_GROUPS} groups.")
        if asked.period and asked.period not in PERIODS:
            raise BadQuery(f"A period is one of {', '.join(PERIODS)}.")
        if (asked.first or asked.last) and not asked.time:
            raise BadQuery("A stretch of time needs a column that says when.")
        if asked.how != "count":
            self._known(asked.table, asked.value)
        return self._run(*_pivot_sql(asked), MOST_ROWS)

    def _known(self, table: str, column: str) -> None:
        if column not in self.columns[table]:
            raise BadQuery(f"The table {table} has no column {column[:60]!r}.")

    def _run(self, text: str, values: Sequence[str], limit: int) -> Answer:
        began = time.monotonic()
        self._base.set_progress_handler(lambda: time.monotonic() - began > MOST_SECONDS, _STEPS)
        try:
            cursor = self._base.execute(text, values)
            rows, cut = _fetched(cursor, limit)
        except sqlite3.Error as error:
            raise BadQuery(_said(error)) from None
        except MemoryError:
            raise BadQuery("The query needs more memory than there is for one.") from None
        except UnicodeEncodeError:
            raise BadQuery("The query has a character that is not Unicode.") from None
        finally:
            self._base.set_progress_handler(None, 0)
        if cursor.description is None:
            raise BadQuery("A query begins with SELECT or WITH.")
        names = [one[0] for one in cursor.description]
        return Answer(names, rows, cut, time.monotonic() - began)


def _fetched(cursor: sqlite3.Cursor, limit: int) -> tuple[list[list[Cell]], bool]:
    """As many rows as may be shown, and whether there are more."""
    rows: list[list[Cell]] = []
    size = 0
    for row in cursor:
        if len(rows) == limit or size > MOST_BYTES:
            return rows, True
        rows.append([_plain(cell) for cell in row])
        size += sum(len(cell) for cell in row if isinstance(cell, (str, bytes)))
    return rows, False


def _plain(cell: object) -> Cell:
    if isinstance(cell, bytes):
        return cell.hex()
    if isinstance(cell, float):
        return round(cell, 6)
    return cell if isinstance(cell, (str, int)) or cell is None else str(cell)


def _pivot_sql(asked: Pivot) -> tuple[str, list[str]]:
    """Every name in it was compared with the table's columns before; values are parameters."""
    heads = [f'"{column}"' for column in asked.by]
    if asked.time and asked.period:
        heads.insert(0, f'substr("{asked.time}", 1, {PERIODS[asked.period]}) AS "{asked.period}"')
    value = "count(*)" if asked.how == "count" else f'{asked.how}("{asked.value}")'
    shown = [*heads, f'{value} AS "{asked.how}"']
    values: list[str] = []
    tests = []
    for column, allowed in (asked.where or {}).items():
        tests.append(f"CAST(ifnull(\"{column}\", '') AS TEXT) IN ({', '.join('?' * len(allowed))})")
        values += [str(one) for one in allowed]
    for bound, sign in ((asked.first, ">="), (asked.last, "<=")):
        if bound:
            tests.append(f'substr("{asked.time}", 1, {len(bound)}) {sign} ?')
            values.append(bound)
    text = f'SELECT {", ".join(shown)} FROM "{asked.table}"'  # noqa: S608  names are the table's own
    if tests:
        text += f" WHERE {' AND '.join(tests)}"
    if heads:
        text += f" GROUP BY {', '.join(str(n + 1) for n in range(len(heads)))}"
        by_time = asked.time and asked.period
        text += " ORDER BY 1" if by_time else f" ORDER BY {len(shown)} DESC"
    return text, values


def _allowed(
    action: int, first: str | None, second: str | None, base: str | None, inner: str | None
) -> int:
    if action in _READS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and str(second).lower() in _FUNCTIONS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _said(error: sqlite3.Error) -> str:
    text = str(error)
    if "interrupted" in text:
        return TOO_LONG
    if "not authorized" in text or "prohibited" in text or "authorization" in text:
        return "Queries only read: one SELECT over the tables, with the usual functions."
    if "one statement" in text:
        return "One query at a time."
    return f"SQLite says: {text[:200].rstrip('.')}."
