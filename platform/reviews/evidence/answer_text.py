"""An answer as staff read it: numbered lines, the two rounds side by side, nothing invisible."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterator
from typing import Any, NamedTuple

from assessments import spoken
from assessments.answers import in_order
from assessments.models import Attempt
from library.packs import pack_of
from reviews.evidence.kinds import kept_file
from reviews.evidence.ordinary_minutes import EVEN, OrdinaryTime
from reviews.evidence.structured import Table

# Characters that change how the line reads without being seen: controls and directional marks.
HIDDEN_CATEGORIES = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
CONTEXT = 4
# Texts that differ over more lines than these are shown as one block replaced by another: matching
# them line by line takes longer than anybody waits, and shows nothing that a reader could follow.
MATCHED_LINES = 2500


class Line(NamedTuple):
    number: int | None
    text: str


class Pair(NamedTuple):
    """One row of a comparison. kind: same, changed, added, removed or gap (lines left out)."""

    kind: str
    left: Line
    right: Line


class Part(NamedTuple):
    """A file or a section of one answer; `tables` where its lines are also better read as such."""

    key: str
    title: str
    is_code: bool
    lines: list[Line]
    tables: list[Table] = []


class Comparison(NamedTuple):
    key: str
    title: str
    pairs: list[Pair]


def section_titles(attempt: Attempt) -> dict[str, str]:
    """What the candidate saw above each section, and what notes of a spoken revision are called."""
    pack = pack_of(attempt.pack_version.name)
    titles = {item.key: item.title for item in pack.sections(attempt.level)}
    return titles | {spoken.NOTES: spoken.TITLE}


def visible(text: str) -> str:
    """The text with control and directional characters spelt out, as [U+202E]."""
    return "".join(
        f"[U+{ord(char):04X}]"
        if char != "\t" and unicodedata.category(char) in HIDDEN_CATEGORIES
        else char
        for char in text
    )


def numbered(text: str) -> list[Line]:
    """The text's lines from 1 on; none where nothing was written."""
    rows = text.split("\n") if text.strip() else []
    return [Line(number, visible(line)) for number, line in enumerate(rows, start=1)]


def parts(
    body: dict[str, Any], titles: dict[str, str], ordinary_time: OrdinaryTime = EVEN
) -> list[Part]:
    """Files in their order, then sections under the titles the candidate saw; times in ordinary minutes."""
    named = in_order(body["files"], ()).items()
    files = [_file(path, text, ordinary_time) for path, text in named]
    sections = [
        Part(key, titles.get(key, key), False, numbered(text))
        for key, text in in_order(body["sections"], titles).items()
    ]
    return files + sections


def _file(path: str, text: str, ordinary_time: OrdinaryTime) -> Part:
    """A file as it is; what a workspace keeps as JSON in words and tables."""
    said, kept = as_read(path, text, ordinary_time), kept_file(path)
    tables = kept.tables(text) if kept else []
    return Part(path, title_of(path, {}), said is text, numbered(said), _shown(tables))


def _shown(tables: list[Table]) -> list[Table]:
    """With what cannot be seen spelt out in every cell."""
    return [
        table._replace(
            head=[visible(cell) for cell in table.head],
            rows=[[_visible_cell(cell) for cell in row] for row in table.rows],
        )
        for table in tables
    ]


def _visible_cell(cell: str) -> str:
    return "\n".join(visible(line) for line in cell.split("\n"))


def as_read(path: str, text: str, ordinary_time: OrdinaryTime = EVEN) -> str:
    """A file's text as staff read it: a board, table or plan in words, or the very text where it is none."""
    kept = kept_file(path)
    said = kept.text(text, ordinary_time) if kept else None
    return text if said is None else said


def title_of(key: str, titles: dict[str, str]) -> str:
    """What a file or a section is called above its text."""
    kept = kept_file(key)
    return kept.title if kept else titles.get(key, key)


def comparisons(
    first: dict[str, Any],
    second: dict[str, Any],
    titles: dict[str, str],
    ordinary_time: OrdinaryTime = EVEN,
) -> list[Comparison]:
    """Every file and section that differs between two answers."""
    found = []
    for kind in ("files", "sections"):
        for key in in_order({**first[kind], **second[kind]}, titles):
            before, after = (
                as_read(key, body[kind].get(key, ""), ordinary_time) for body in (first, second)
            )
            if before != after:
                title = title_of(key, titles)
                found.append(Comparison(key, title, side_by_side(before, after)))
    return found


def side_by_side(before: str, after: str) -> list[Pair]:
    """Rows of both texts aligned; long stretches that are the same become a gap."""
    left, right = before.split("\n"), after.split("\n")
    rows: list[Pair] = []
    for tag, a, b, c, d in _blocks(left, right):
        block = [_pair(tag, left, right, a + n, c + n, b, d) for n in range(max(b - a, d - c))]
        rows += _shorten(block, last=b == len(left)) if tag == "equal" else block
    return rows


def _blocks(left: list[str], right: list[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """What is the same and what differs, as difflib's opcodes, in a time that anybody waits."""
    head = _same(left, right)
    tail = _same(left[head:][::-1], right[head:][::-1])
    a, b = left[head : len(left) - tail], right[head : len(right) - tail]
    if head:
        yield "equal", 0, head, 0, head
    found = [("replace", 0, len(a), 0, len(b))]
    if max(len(a), len(b)) <= MATCHED_LINES:
        found = list(difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes())
    for tag, i, j, k, m in found:
        yield tag, head + i, head + j, head + k, head + m
    if tail:
        yield "equal", len(left) - tail, len(left), len(right) - tail, len(right)


def _same(left: list[str], right: list[str]) -> int:
    """How many lines both begin with."""
    differing = (at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b)
    return next(differing, min(len(left), len(right)))


def _pair(
    tag: str, left: list[str], right: list[str], at: int, to: int, end: int, stop: int
) -> Pair:
    old = Line(at + 1, visible(left[at])) if at < end else Line(None, "")
    new = Line(to + 1, visible(right[to])) if to < stop else Line(None, "")
    if tag == "equal":
        return Pair("same", old, new)
    if old.number is None:
        return Pair("added", old, new)
    return Pair("removed" if new.number is None else "changed", old, new)


def _shorten(block: list[Pair], *, last: bool) -> list[Pair]:
    if len(block) <= 2 * CONTEXT + 1:
        return block
    first = block[0].left.number == 1
    head = [] if first else block[:CONTEXT]
    tail = [] if last else block[-CONTEXT:]
    hidden = len(block) - len(head) - len(tail)
    note = Line(None, f"{hidden} lines are the same")
    return [*head, Pair("gap", note, note), *tail]
