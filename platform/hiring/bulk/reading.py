"""Read people out of a file or of pasted lines: whatever its encoding, separator and headings.

What comes out is text, a record for each row, of which nothing is checked yet: hiring.bulk.people does.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from email.utils import parseaddr
from typing import NamedTuple

MOST_ROWS, MOST_BYTES = 1000, 1_000_000
LONGEST_CELL = 400
SEPARATORS = "\t;,"
LOOKED_AT = 30  # rows from which the separator is told

FIRST, LAST = "first name", "last name"
HEADINGS = {
    "name": "name fullname candidate candidatename person vollständigername bewerber bewerberin "
    "kandidat kandidatin namedeskandidaten",
    "email": "email mail emailaddress mailaddress address adresse emailadresse mailadresse",
    "time_zone": "timezone tz zone zeitzone",
    "extra_time": "extratime accommodation timefactor factor multiplier zeitzuschlag zusatzzeit "
    "zeitverlängerung verlängerung nachteilsausgleich mehrzeit faktor",
    FIRST: "firstname givenname forename vorname rufname",
    LAST: "lastname surname familyname nachname familienname zuname",
}
KNOWN = {word: key for key, words in HEADINGS.items() for word in words.split()}


class Unreadable(ValueError):
    """The whole of it cannot be read; the text is one sentence that says what to do."""


class Record(NamedTuple):
    """One row as it was written; `number` counts rows with something in them, headings left out."""

    number: int
    name: str = ""
    email: str = ""
    time_zone: str = ""
    extra_time: str = ""


class Found(NamedTuple):
    records: list[Record]
    unused: list[str]
    """Headings of columns that say nothing we ask for."""


def decoded(raw: bytes) -> str:
    """The text of a file in UTF-8 (with or without a mark), UTF-16, or the code page of Windows."""
    if len(raw) > MOST_BYTES:
        raise Unreadable("The file is larger than 1 MB: split it.")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _as(raw, "utf-16")
    if raw[1:2] == b"\0" or raw[:1] == b"\0":  # UTF-16 without its mark
        return _as(raw, "utf-16-le" if raw[1:2] == b"\0" else "utf-16-be")
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")


def _as(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        raise Unreadable("The file breaks off: save it once more as “CSV UTF-8”.") from None


def read(text: str) -> Found:
    """Every row of the text; raises Unreadable where it holds none, too many, or is no text."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        raise Unreadable("This is not text: save the list as CSV and choose it again.")
    if out_of_mail := _as_in_mail(text):
        return Found(out_of_mail, [])
    rows = [row for row in _split(text) if any(cell.strip() for cell in row)]
    if not rows:
        raise Unreadable("There is nobody in it: paste a line for each person, or choose a file.")
    headings = _headings(rows[0])
    body = rows[1:] if headings else rows
    if not body:
        raise Unreadable("There is nobody in it, only headings: add a line for each person.")
    _check_number(len(body))
    if any(len(cell) > LONGEST_CELL for row in body for cell in row):
        raise Unreadable(
            f"A cell holds more than {LONGEST_CELL} characters: check the quotation marks."
        )
    numbered = enumerate(body, 1)
    if not headings:
        return Found([_by_looks(number, row) for number, row in numbered], [])
    unused = [cell.strip() for cell, key in zip(rows[0], headings, strict=True) if not key]
    records = [_by_headings(number, row, headings) for number, row in numbered]
    return Found(records, [word for word in unused if word])


def _check_number(count: int) -> None:
    if count > MOST_ROWS:
        raise Unreadable(f"{count:,} rows are too many: {MOST_ROWS:,} at once, so split it.")


def _as_in_mail(text: str) -> list[Record]:
    """Of “Ada Fontaine <ada@example.com>; …”, on one line or several; none where it is a table."""
    lines = re.sub(r">[ \t]*[;,]", ">\n", text).split("\n")
    lines = [line.strip() for line in lines if line.strip()]
    if not all(line.endswith(">") and len(line) <= LONGEST_CELL for line in lines):
        return []
    found = [parseaddr(line) for line in lines]
    if not all("@" in email for _, email in found):
        return []
    _check_number(len(found))
    return [Record(number, name.strip(), email) for number, (name, email) in enumerate(found, 1)]


def _split(text: str) -> list[list[str]]:
    """By the separator that leaves the most rows with an address in a cell of its own."""
    head = "\n".join(text.split("\n")[:LOOKED_AT])

    def fits(separator: str) -> tuple[int, int]:
        rows = list(csv.reader(io.StringIO(head), delimiter=separator))
        alone = sum(any(_is_address(cell) for cell in row) for row in rows)
        return alone, sum(len(row) > 1 for row in rows)

    separator = max(SEPARATORS, key=fits)
    reader = csv.reader(io.StringIO(text), delimiter=separator, strict=True, skipinitialspace=True)
    try:
        return list(reader)
    except csv.Error:
        line = reader.line_num
        raise Unreadable(
            f"A quotation mark that begins at line {line} or before does not end where a cell does: "
            "put the whole cell in quotation marks, or none."
        ) from None


def _is_address(cell: str) -> bool:
    return re.fullmatch(r"\s*[^\s@,;<>]+@[^\s@,;<>]+\s*", cell) is not None


def _headings(row: list[str]) -> list[str] | None:
    """What each column is for, "" where unknown; None where the first row is somebody already."""
    if any("@" in cell for cell in row):
        return None
    keys = [KNOWN.get(re.sub(r"[\W_]", "", cell.casefold()), "") for cell in row]
    if not any(keys):
        return None
    if "email" not in keys:
        raise Unreadable("No column is headed “E-mail”: name the one with the addresses so.")
    twice = [key for key in set(keys) - {""} if keys.count(key) > 1]
    if twice:
        word = {"email": "E-mail", "time_zone": "Time zone", "extra_time": "Extra time"}
        raise Unreadable(
            f"Two columns are headed “{word.get(twice[0], twice[0].capitalize())}”: keep one of them."
        )
    return keys


def _by_headings(number: int, row: list[str], headings: list[str]) -> Record:
    cells = dict(zip(headings, map(str.strip, row), strict=False))  # rows may be short or long
    parts = [cells.get(FIRST, ""), cells.get(LAST, "")]
    name = cells.get("name") or " ".join(part for part in parts if part)
    wanted = {key: cells.get(key, "") for key in ("email", "time_zone", "extra_time")}
    return Record(number, name, **wanted)


def _by_looks(number: int, row: list[str]) -> Record:
    """Of a row without headings: what has an @ is the address, what has a slash a zone."""
    cells = [cell.strip() for cell in row if cell.strip()]
    if len(cells) == 1 and "@" in cells[0]:
        return _one_cell(number, cells[0])
    email = next((cell for cell in cells if "@" in cell), "")
    cells = [cell for cell in cells if cell != email]
    zone = next((cell for cell in cells if re.fullmatch(r"UTC|\w+(/[\w+-]+)+", cell)), "")
    extra = next((cell for cell in cells if re.fullmatch(r"[+x×]?\s*[\d.,]+\s*%?", cell)), "")
    name = " ".join(cell for cell in cells if cell not in (zone, extra))
    return Record(number, name, _bare(email), zone, extra)


def _one_cell(number: int, cell: str) -> Record:
    """Of a name and an address with nothing between them but a blank."""
    words = cell.split()
    at = next(place for place, word in enumerate(words) if "@" in word)
    return Record(number, " ".join(words[:at] + words[at + 1 :]), _bare(words[at]))


def _bare(email: str) -> str:
    """An address without the brackets that mail programs put around it."""
    return email.strip("<> ").removeprefix("mailto:")


def as_text(records: Iterable[Record]) -> str:
    """The records as a table for the clipboard: tabs between the columns, headings above."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    writer.writerow(["Name", "E-mail", "Time zone", "Extra time"])
    writer.writerows(record[1:] for record in records)
    return out.getvalue()


def kept(records: Iterable[Record]) -> str:
    """The records as a page carries them to the next."""
    return json.dumps([list(record[1:]) for record in records], ensure_ascii=False)


def carried(text: str) -> list[Record]:
    """What `kept` wrote; raises Unreadable where somebody else wrote it."""
    try:
        rows = json.loads(text)
        sound = isinstance(rows, list) and 0 < len(rows) <= MOST_ROWS
        cells = [[_cell(cell) for cell in row] for row in rows] if sound else []
    except (ValueError, TypeError, RecursionError):
        cells = []
    if not cells or any(len(row) != len(Record._fields) - 1 for row in cells):
        raise Unreadable("The page does not hold the rows any more: paste or choose them again.")
    return [Record(number, *row) for number, row in enumerate(cells, 1)]


def _cell(cell: object) -> str:
    if not isinstance(cell, str) or len(cell) > LONGEST_CELL:
        raise TypeError("a cell is text of a length that the first page takes")
    return cell
