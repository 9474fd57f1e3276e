"""Reads an export row by row with line numbers; what cannot be a row is noted, never guessed at."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

MOST_LINE = 1_000_000
"""Characters in one line; a longer one is no row of any of these exports."""
MOST_KEPT = 200
"""Bad rows that are kept to be shown; the others are counted."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class ImportRefused(ValueError):
    """A file cannot be used as a whole; the message is one sentence that names it and says what to do."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be used. `line` counts from 1, the header included."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.reason}"


@dataclass(slots=True)
class BadRows:
    """The first of them, and how many there are."""

    count: int = 0
    first: list[BadRow] = field(default_factory=list)

    def add(self, file: str, line: int, reason: str) -> None:
        """Note one; `reason` is a sentence."""
        self.count += 1
        if len(self.first) < MOST_KEPT:
            self.first.append(BadRow(file, line, reason))


class RowError(ValueError):
    """This row cannot be used; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Export:
    """One file: what it is called in messages, and its bytes.

    `encoding` is for bytes that say nothing about it themselves; empty for UTF-8.
    """

    name: str
    stream: BinaryIO
    encoding: str = ""

    def text(self) -> io.TextIOWrapper:
        """The file as text, without a byte order mark. Raises ImportRefused for an unknown encoding."""
        start = self.stream.read(4)
        self.stream.seek(0)
        encoding, skip = self.encoding or "utf-8", 0
        for mark, name in _MARKS:
            if start.startswith(mark):
                encoding, skip = name, len(mark)
        self.stream.seek(skip)
        try:
            codecs.lookup(encoding)
            return io.TextIOWrapper(self.stream, encoding, errors="surrogateescape", newline="")
        except (LookupError, ValueError):
            raise ImportRefused(f"There is no encoding called {encoding[:40]!r}.") from None


class Sheet:
    """Rows of one export below a header: `sheet.rows()` gives (line, values), `sheet.at` tells columns.

    `quoted`: whether values may stand in quotes and then hold delimiters and line breaks, as in CSV.
    """

    def __init__(self, export: Export, delimiter: str, bad: BadRows, *, quoted: bool) -> None:
        self.name, self.bad, self.delimiter = export.name, bad, delimiter
        self._line = 0
        self._text = export.text()
        self._rows = self._quoted() if quoted else self._split()
        self.at: dict[str, int] = {}
        self.width = 0
        self._head()

    def _head(self) -> None:
        first = next(self._rows, None)
        if first is None:
            raise ImportRefused(f"{self.name} is empty.")
        names = [name.strip().casefold() for name in first[1]]
        if names and names[-1] == "":  # sacct -p ends each line with the delimiter
            names.pop()
        self.width = len(names)
        for place, name in enumerate(names):
            self.at.setdefault(name, place)

    def require(self, *names: str) -> None:
        """Raise ImportRefused unless the header has all of these columns."""
        missing = [name for name in names if name.casefold() not in self.at]
        if not missing:
            return
        said = f"{self.name} has no column {', '.join(missing)}"
        head = next(iter(self.at), "")
        others = {";": "semicolons", "\t": "tabs", ",": "commas", "|": "the sign |"}
        for sign, word in others.items():
            if sign != self.delimiter and sign in head and len(self.at) == 1:
                raise ImportRefused(
                    f"{said}: its header is separated by {word}; export it with "
                    f"{others[self.delimiter]} between the columns."
                )
        raise ImportRefused(f"{said}: the first line must be the header.")

    def find(self, *names: str) -> int | None:
        """The place of the first of these columns that there is."""
        for name in names:
            if (place := self.at.get(name.casefold())) is not None:
                return place
        return None

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The rows with as many values as the header; others are noted as bad. Empty lines are passed over."""
        for line, values in self._rows:
            if not values or values == [""]:
                continue
            if len(values) == self.width + 1 and values[-1] == "":
                values.pop()
            if len(values) != self.width:
                said = f"It has {len(values)} values, the header {self.width}."
                self.bad.add(self.name, line, said)
                continue
            yield line, values

    def _lines(self) -> Iterator[str]:
        """Lines that are text and of bearable length; the number of the last is in `_line`."""
        while line := self._next():
            self._line += 1
            if len(line) == MOST_LINE and not line.endswith("\n"):
                self._drain()
                self.bad.add(self.name, self._line, f"It is longer than {MOST_LINE:,} characters.")
            elif "\0" in line or not (line.isascii() or _is_text(line)):
                self.bad.add(
                    self.name,
                    self._line,
                    "It is not UTF-8 text: say which encoding the file has, or save it as UTF-8.",
                )
            else:
                yield line

    def _next(self) -> str:
        try:
            return self._text.readline(MOST_LINE)
        except UnicodeError:
            raise ImportRefused(
                f"{self.name} is not text in {self._text.encoding}: save it as UTF-8."
            ) from None

    def _drain(self) -> None:
        while (more := self._next()) and not more.endswith("\n"):
            pass

    def _split(self) -> Iterator[tuple[int, list[str]]]:
        for line in self._lines():
            yield self._line, line.rstrip("\r\n").split(self.delimiter)

    def _quoted(self) -> Iterator[tuple[int, list[str]]]:
        csv.field_size_limit(MOST_LINE)
        reader = csv.reader(self._lines(), delimiter=self.delimiter, strict=True)
        while True:
            begins = self._line + 1
            try:
                values = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                self.bad.add(self.name, begins, f"Its quotes cannot be read: {error}.")
                continue
            yield max(begins, self._line - sum(value.count("\n") for value in values)), values


def _is_text(line: str) -> bool:
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def amount(text: str, what: str, low: float = 0.0, high: float = 1e12) -> float:
    """A number from an export. Raises RowError; `what` names the column."""
    try:
        value = float(text)
    except ValueError:
        raise RowError(f"{what} is {clip(text)}, which is no number.") from None
    if not low <= value <= high:
        raise RowError(f"{what} is {clip(text)}: it must lie between {low:g} and {high:g}.")
    return value


def clip(text: str) -> str:
    """A value as a message shows it: short, on one line, in quotes."""
    short = text if len(text) <= 40 else text[:40] + "…"
    return repr(short) if short.isprintable() else ascii(short)


def label(text: str, what: str) -> str:
    """A name from an export, trimmed. Raises RowError for one that a spreadsheet would take as a formula."""
    if text[:1] in "=+@" and text:
        raise RowError(f"{what} begins with {text[0]}, as a formula does.")
    return " ".join(text.split())
