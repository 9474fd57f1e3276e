"""The question bank as CSV or JSON for other programs, and read back with every mistake by its line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from accounts.prose import is_text
from library.bank import ShippedQuestion
from library.models import Question, Seniority
from scenarios.kinds import KINDS

LISTS = (
    "expected_points",
    "follow_ups",
    "follow_up_answers",
    "weak_answers",
    "red_flags",
    "hints",
    "discussion_points",
    "tags",
)
COLUMNS = (
    "topic_id",
    "topic",
    "section",
    "level",
    "optional",
    "question",
    *LISTS,
    "related_exercise",
)
LONGEST = {"topic_id": 20, "topic": 200, "section": 100, "question": 5000}
LONGEST_ITEM, MOST_ITEMS, MOST_ROWS, MOST_BYTES = 1000, 40, 2000, 2_000_000
# A spreadsheet runs a cell that begins so as a formula (OWASP, "CSV injection").
FORMULA = ("=", "+", "-", "@", "\t", "\r")
TRUE, FALSE = ("true", "yes", "1"), ("false", "no", "0", "")


class Unreadable(ValueError):
    """The file as a whole cannot be read; the text is one sentence that says what to do."""


@dataclass
class Row:
    """One question of a file: where it begins, what it says, what is wrong with it."""

    line: int
    values: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def as_question(self) -> Question:
        """An unsaved question; only for rows without problems."""
        values = dict(self.values)
        return Question(text=values.pop("question"), **values)


def from_row(row: Question) -> ShippedQuestion:
    """A question of the database in the form that files have."""
    names = [each.name for each in msgspec.structs.fields(ShippedQuestion)]
    values = {name: getattr(row, name) for name in names if name not in ("question", "key")}
    return ShippedQuestion(question=row.text, key=row.family, **values)


def as_json(questions: Iterable[Question]) -> str:
    """A list of objects, the same as `manage.py export_questions --json` writes."""
    return json.dumps([msgspec.to_builtins(from_row(row)) for row in questions], indent=2) + "\n"


def as_csv(questions: Iterable[Question]) -> str:
    """One line of headings, one row for each question; lists have one entry on each line of a cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in questions:
        values = msgspec.to_builtins(from_row(row))
        writer.writerow([neutral(cell_of(values[name])) for name in COLUMNS])
    return out.getvalue()


def cell_of(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def neutral(cell: str) -> str:
    """The cell with an apostrophe in front where a spreadsheet would take it for a formula.

    An apostrophe before such a cell is doubled, so that reading back gives the same text.
    """
    return f"'{cell}" if cell.lstrip("'").startswith(FORMULA) else cell


def plain(cell: str) -> str:
    """What `neutral` made the cell from."""
    guarded = cell.startswith("'") and cell.lstrip("'").startswith(FORMULA)
    return cell[1:] if guarded else cell


def read(text: str) -> list[Row]:
    """Every question of a JSON or CSV text; raises Unreadable where it is neither."""
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise Unreadable("The file is empty: export the bank once to see the form it needs.")
    if "\x00" in text:
        raise Unreadable("The file is not text: save it as CSV (UTF-8) or JSON.")
    found = _from_json(text) if text.lstrip()[0] in "[{" else _from_csv(text)
    rows = []
    for line, values in found:
        rows.append(checked(line, values))
        if len(rows) > MOST_ROWS:
            raise Unreadable(f"More than {MOST_ROWS:,} questions: split the file.")
    if not rows:
        raise Unreadable("There is no question in the file, only its headings.")
    _mark_repeated(rows)
    return rows


def _from_json(text: str) -> Iterator[tuple[int, Any]]:
    """(line, value) of each entry of the list, so that a mistake has its line."""
    decoder, space = json.JSONDecoder(), " \t\r\n"
    at = len(text) - len(text.lstrip())
    if text[at] != "[":
        raise Unreadable("JSON has to be a list of questions: put it in [ and ].")
    at += 1
    expects_more = False
    while True:
        at += len(text[at:]) - len(text[at:].lstrip(space))
        line = text.count("\n", 0, at) + 1
        if text[at : at + 1] == "]" and not expects_more:
            if text[at + 1 :].strip():
                raise Unreadable(f"Line {line}: there is something after the end of the list.")
            return
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise Unreadable(f"Line {error.lineno}: this is not JSON ({error.msg}).") from error
        except RecursionError as error:
            raise Unreadable(f"Line {line}: this is nested too deeply.") from error
        yield line, value
        at += len(text[at:]) - len(text[at:].lstrip(space))
        expects_more = text[at : at + 1] == ","
        if expects_more:
            at += 1
        elif text[at : at + 1] != "]":
            line = text.count("\n", 0, at) + 1
            raise Unreadable(f"Line {line}: a comma or the end of the list is missing.")


def _from_csv(text: str) -> Iterator[tuple[int, Any]]:
    first = text.split("\n", 1)[0]
    comma = ";" if first.count(";") > first.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=comma, strict=True)
    try:
        names = [name.strip() for name in next(reader)]
        _check_headings(names)
        line = reader.line_num + 1
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line, _of_cells(names, cells)
            line = reader.line_num + 1
    except csv.Error as error:
        raise Unreadable(f"Line {reader.line_num}: this is not CSV ({error}).") from error


def _check_headings(names: list[str]) -> None:
    needed = ("topic_id", "topic", "section", "level", "question", "expected_points")
    missing = [name for name in needed if name not in names]
    if missing:
        raise Unreadable(f"Line 1: headings are missing: {', '.join(missing)}.")
    if len(set(names)) < len(names):
        raise Unreadable("Line 1: a heading is there twice.")


def _of_cells(names: list[str], cells: list[str]) -> Any:
    if len(cells) != len(names):
        return f"{len(cells)} cells where the headings name {len(names)}."
    values: dict[str, Any] = dict(zip(names, map(plain, cells), strict=True))
    for name in set(LISTS) & set(values):
        values[name] = [line.strip() for line in values[name].splitlines() if line.strip()]
    if "optional" in values:
        word = values["optional"].strip().lower()
        values["optional"] = word in TRUE if word in (*TRUE, *FALSE) else word
    return values


def checked(line: int, values: Any) -> Row:
    """The row with every problem of it as one sentence."""
    if not isinstance(values, dict):
        text = values if isinstance(values, str) else "This is not an object with a question in it."
        return Row(line, {}, [text])
    row = Row(line, {"optional": False, "related_exercise": "", **{name: [] for name in LISTS}})
    # The key of an exported question is its site's own: an import makes a question of this site's.
    if unknown := sorted(str(name) for name in values if name not in (*COLUMNS, "key")):
        row.problems.append(f"Unknown: {', '.join(unknown)[:200]}. Known: {', '.join(COLUMNS)}.")
    row.values |= {name: values[name] for name in COLUMNS if name in values}
    for name, longest in LONGEST.items():
        _check_text(row, name, longest)
    for name in LISTS:
        _check_list(row, name)
    _check_choice(row, "level", Seniority.values)
    _check_choice(row, "related_exercise", ["", *(kind.key for kind in KINDS)])
    if not isinstance(row.values["optional"], bool):
        row.problems.append("optional is true or false.")
    if not row.problems and not row.values["expected_points"]:
        row.problems.append("expected_points needs one point at least.")
    if len(row.values["follow_up_answers"]) not in (0, len(row.values["follow_ups"])):
        row.problems.append("follow_up_answers has one entry for each of follow_ups, or none.")
    return row


def _check_text(row: Row, name: str, longest: int) -> None:
    value = row.values.get(name)
    if not isinstance(value, str) or not value.strip():
        row.problems.append(f"{name} needs a text.")
        row.values[name] = ""
    elif len(value.strip()) > longest:
        row.problems.append(f"{name} is longer than {longest:,} characters.")
    elif not is_text(value):
        row.problems.append(f"{name} has characters in it that cannot be kept.")
    else:
        row.values[name] = value.strip().replace("\r\n", "\n")


def _check_list(row: Row, name: str) -> None:
    value = row.values[name]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        row.problems.append(f"{name} is a list of texts.")
        return
    value = [item.strip() for item in value if item.strip()]
    if any("\n" in item or len(item) > LONGEST_ITEM or not is_text(item) for item in value):
        row.problems.append(
            f"{name}: every entry is one line of at most {LONGEST_ITEM:,} characters."
        )
    elif len(value) > MOST_ITEMS:
        row.problems.append(f"{name} has more than {MOST_ITEMS} entries.")
    row.values[name] = value


def _check_choice(row: Row, name: str, choices: list[str]) -> None:
    value = row.values.get(name)
    if not isinstance(value, str) or value not in choices:
        known = ", ".join(choice for choice in choices if choice)
        row.problems.append(f"{name} is one of: {known}.")


def _mark_repeated(rows: list[Row]) -> None:
    seen: dict[str, int] = {}
    for row in rows:
        text = row.values.get("question")
        if not text:
            continue
        if text in seen:
            row.problems.append(f"The same question is in line {seen[text]}.")
        else:
            seen[text] = row.line
