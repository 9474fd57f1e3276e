"""One chart for scores: a lane for each row with marks, an interval or an arrow, as SVG for page and paper.

Colours stand in attributes, for paper; classes let a page's style sheet follow its theme.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, count
from textwrap import wrap
from typing import Any
from xml.sax.saxutils import escape

from reviews.evidence.replay_svg import GRID, SANS, TEXT, TEXT_2, UNPRINTABLE

WIDTH, LABELS, NOTES = 720, 252, 128
ROOM = WIDTH - LABELS - NOTES
LANE, HEAD, TAIL = 26, 8, 26
ACCENT, GOOD, WARN, STRONG = "#2452c7", "#17693f", "#7d5000", "#758091"
LETTERS_IN_LABEL, LETTERS_IN_NOTE = 38, 19
ROW = 14
"""Height of each further row of a label that does not fit on one."""
APART = 13.0  # units between marks that stand at the same value


@dataclass(frozen=True)
class Mark:
    """One value. `letter` names whose it is; without one it is a mean (filled) or one of several."""

    value: float
    letter: str = ""
    filled: bool = True


@dataclass(frozen=True)
class Lane:
    """One row: its name, its marks, and what is said at its end."""

    label: str
    marks: Sequence[Mark] = ()
    note: str = ""
    between: tuple[float, float] | None = None
    arrow: tuple[float, float] | None = None


@dataclass(frozen=True)
class Axis:
    """The scale: its ends, its ticks with their words."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]] = field(default_factory=list)


LEVELS = Axis(1, 5, [(at, str(at)) for at in range(1, 6)])
ANCHORS = Axis(0, 1, [(0, "naive"), (0.5, ""), (1, "reference")])


def drawn(title: str, lanes: Sequence[Lane], axis: Axis = LEVELS) -> str:
    """The chart; its title element says all of it in words, for whoever cannot see it."""
    tops = list(accumulate(map(_height, lanes), initial=HEAD))
    height = tops[-1] + TAIL
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="lanes" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" font-family="{SANS}">',
        f"<title>{plain(said(title, lanes))}</title>",
    ]
    bottom = tops[-1]
    for at, word in axis.ticks:
        x = place(at, axis)
        parts.append(_line("grid", x, HEAD, x, bottom, GRID))
        if word:
            parts.append(_text(x, bottom + 16, word, anchor="middle"))
    for lane, top in zip(lanes, tops, strict=False):
        parts += _lane(lane, top, axis)
    return "".join([*parts, "</svg>"])


def plain(text: str) -> str:
    return escape(UNPRINTABLE.sub("\ufffd", text))


def said(title: str, lanes: Sequence[Lane]) -> str:
    """The chart in words: every lane's values and its note."""
    rows = []
    for lane in lanes:
        values = ", ".join(f"{mark.letter} {mark.value:.2f}".strip() for mark in lane.marks)
        rows.append(f"{lane.label}: {'; '.join(part for part in (values, lane.note) if part)}")
    return f"{title}. {'. '.join(rows)}."


def place(value: float, axis: Axis) -> float:
    """Where a value stands; beyond an end of the scale it stands at the end."""
    share = (value - axis.low) / (axis.high - axis.low)
    return LABELS + 12 + min(1.0, max(0.0, share)) * (ROOM - 24)


def _height(lane: Lane) -> int:
    """As high as its label or its note: neither is ever cut."""
    rows = max(len(_rows(lane.label, LETTERS_IN_LABEL)), len(_rows(lane.note, LETTERS_IN_NOTE)))
    return LANE + ROW * (rows - 1)


def _rows(text: str, most: int) -> list[str]:
    return wrap(text, most) or [""]


def _said(x: float, y: float, rows: Sequence[str], **kind: Any) -> list[str]:
    """Lines of text around the height `y`."""
    first = y + 4 - ROW * (len(rows) - 1) / 2
    return [_text(x, first + ROW * at, row, **kind) for at, row in enumerate(rows)]


def _lane(lane: Lane, top: float, axis: Axis) -> list[str]:
    y, end = top + _height(lane) / 2, top + _height(lane)
    parts = [
        _line("rule", 0, end, WIDTH, end, GRID),
        *_said(0, y, _rows(lane.label, LETTERS_IN_LABEL), colour=TEXT, kind="name"),
        *_said(WIDTH - NOTES + 8, y, _rows(lane.note, LETTERS_IN_NOTE)),
    ]
    if lane.between:
        low, high = (place(value, axis) for value in lane.between)
        parts.append(_line("between", low, y, high, y, STRONG, 3))
    if lane.arrow:
        before, after = (place(value, axis) for value in lane.arrow)
        parts.append(_arrow(before, after, y))
    same = Counter(round(mark.value, 3) for mark in lane.marks if mark.letter)
    seen = {value: count() for value in same}
    for mark in lane.marks:
        value, shift = round(mark.value, 3), 0.0
        if mark.letter:
            shift = (next(seen[value]) - (same[value] - 1) / 2) * APART
        parts.append(_mark(mark, place(mark.value, axis) + shift, y))
    return parts


def _mark(mark: Mark, x: float, y: float) -> str:
    if mark.letter:
        ring = (
            f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="7" fill="#fff" stroke="{TEXT_2}"/>'
        )
        return ring + _text(x, y + 3.5, mark.letter, anchor="middle", size=9, colour=TEXT)
    if mark.filled:
        d = f"M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z"
        return f'<path class="mean" d="{d}" fill="{ACCENT}"/>'
    return (
        f'<circle class="first" cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="#fff" '
        f'stroke="{ACCENT}" stroke-width="1.5"/>'
    )


def _arrow(start: float, end: float, y: float) -> str:
    kind, colour = ("up", GOOD) if end > start else ("down", WARN)
    return _line(kind, start, y, end, y, colour, 2)


def _line(
    kind: str, x1: float, y1: float, x2: float, y2: float, colour: str, wide: float = 1
) -> str:
    return (
        f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{colour}" stroke-width="{wide:g}"/>'
    )


def _text(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    size: int = 12,
    colour: str = TEXT_2,
    kind: str = "word",
) -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" '
        f'text-anchor="{anchor}">{plain(text)}</text>'
    )
