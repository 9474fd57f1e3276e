"""An answer as staff read it: numbered lines, the two rounds side by side, nothing invisible."""

from __future__ import annotations

import difflib
import unicodedata
from typing import Any, NamedTuple

from assessments.answers import in_order

# Characters that change how the line reads without being seen: controls and directional marks.
HIDDEN_CATEGORIES = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
CONTEXT = 4


class Line(NamedTuple):
    number: int | None
    text: str


class Pair(NamedTuple):
    """One row of a comparison. kind: same, changed, added, removed or gap (lines left out)."""

    kind: str
    left: Line
    right: Line


class Part(NamedTuple):
    """A file or a section of one answer."""

    key: str
    title: str
    is_code: bool
    lines: list[Line]


class Comparison(NamedTuple):
    key: str
    title: str
    pairs: list[Pair]


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


def parts(body: dict[str, Any], titles: dict[str, str]) -> list[Part]:
    """Files in their order, then sections under the titles the candidate saw."""
    named = in_order(body["files"], ()).items()
    files = [Part(path, path, True, numbered(text)) for path, text in named]
    sections = [
        Part(key, titles.get(key, key), False, numbered(text))
        for key, text in in_order(body["sections"], titles).items()
    ]
    return files + sections


def comparisons(
    first: dict[str, Any], second: dict[str, Any], titles: dict[str, str]
) -> list[Comparison]:
    """Every file and section that differs between two answers."""
    found = []
    for kind in ("files", "sections"):
        for key in in_order({**first[kind], **second[kind]}, titles):
            before, after = first[kind].get(key, ""), second[kind].get(key, "")
            if before != after:
                found.append(Comparison(key, titles.get(key, key), side_by_side(before, after)))
    return found


def side_by_side(before: str, after: str) -> list[Pair]:
    """Rows of both texts aligned; long stretches that are the same become a gap."""
    left, right = before.split("\n"), after.split("\n")
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    rows: list[Pair] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        block = [_pair(tag, left, right, a + n, c + n, b, d) for n in range(max(b - a, d - c))]
        rows += _shorten(block, last=b == len(left)) if tag == "equal" else block
    return rows


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
