"""A replay as one picture that needs nothing else: SVG without script or style, the same bytes each time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from reviews.evidence.replay_shape import (
    MARKS,
    PLAIN_UNITS,
    Group,
    Row,
    Shape,
    capital,
    round_top,
    shape,
    thinned,
)

WIDTH, LEFT, RIGHT = 1000, 112, 24
CHART, LANE = 92, 16
MACHINES, NAMED = 420, 8.5
MOST_POINTS = 900
LINE_LETTERS = 150
SANS = "IBM Plex Sans, system-ui, sans-serif"
MONO = "IBM Plex Mono, ui-monospace, monospace"
TEXT, TEXT_2, LINE, GRID, SURFACE = "#18202c", "#4c586a", "#d6dce6", "#e6eaf0", "#ffffff"
SERIES = (
    "#002bcd",
    "#ba8a0c",
    "#008576",
    "#f03ebc",
    "#775300",
    "#0795ff",
    "#471079",
    "#621217",
)
DASHES = ("", "6 3", "2 3", "9 3 2 3")
TONES = {"fault": "#a8201a", "spot": "#7d5000", "rule": "#a8201a", "alert": "#075d80"}
TONES |= {"action": "#2452c7", "log": TEXT_2}
UNPRINTABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no place for."""


def drawn(replay: dict[str, Any], heading: str, detail: str = "", width: int = WIDTH) -> str:
    """The picture of a replay (`Timeline.replay`) in light colours: marks, charts, machines.

    `heading` is its title, `detail` a sentence or two below. `width` in units of which letters take 11:
    a picture that is to be printed has fewer, so that its words can be read. A text alternative says the span,
    how each series ended and how many marks of each kind there are.
    """
    return _laid_out(replay, heading, detail, width).whole(heading)


def pieces(replay: dict[str, Any], heading: str, detail: str, width: int) -> list[str]:
    """The same picture cut before each chart but the first and before the machines: a page may end there."""
    return _laid_out(replay, heading, detail, width).cut_up(heading)


def _laid_out(replay: dict[str, Any], heading: str, detail: str, width: int) -> Sheet:
    sheet = Sheet(shape(replay), width)
    sheet.head(heading, detail)
    for kind, times in sheet.shape.marks.items():
        sheet.lane(kind, times)
    if sheet.shape.marks:
        sheet.y += 10
    for at, group in enumerate(sheet.shape.groups):
        if at:
            sheet.may_end_here()
        sheet.chart(group)
    if sheet.shape.rows:
        sheet.may_end_here()
        sheet.machines()
    return sheet


def number(value: float) -> str:
    """A length or place in the picture, to a tenth of a unit."""
    text = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text


def figure(value: float | None) -> str:
    """A figure as people read it: four significant digits, thousands apart."""
    if value is None:
        return "–"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def plain(text: str) -> str:
    """Text for the inside of an element."""
    return escape(UNPRINTABLE.sub("\ufffd", text))


class Sheet:
    """The picture while it grows downwards; `y` is where the next part begins."""

    def __init__(self, shown: Shape, width: int) -> None:
        self.shape, self.width = shown, width
        self.scale = width / WIDTH
        self.room = width - LEFT - RIGHT
        self.high = round(CHART * self.scale)
        self.y = 0.0
        self.parts: list[str] = []
        self.cuts: list[tuple[float, int]] = []

    def may_end_here(self) -> None:
        self.cuts.append((self.y, len(self.parts)))

    def x(self, at: float) -> float:
        return LEFT + (at - self.shape.start) / (self.shape.end - self.shape.start) * self.room

    def text(self, x: float, y: float, text: str, size: int = 11, **more: str) -> None:
        kept = {"fill": TEXT_2, "font-size": str(size), **more}
        written = " ".join(f"{name.replace('_', '-')}={quoteattr(v)}" for name, v in kept.items())
        self.parts.append(f'<text x="{number(x)}" y="{number(y)}" {written}>{plain(text)}</text>')

    def path(self, d: str, **more: str) -> None:
        written = " ".join(f"{name.replace('_', '-')}={quoteattr(v)}" for name, v in more.items())
        self.parts.append(f'<path d="{d}" {written}/>')

    def head(self, heading: str, detail: str) -> None:
        self.text(16, 28, heading, 16, fill=TEXT, font_weight="600")
        self.y = 46.0
        for line in _lines(detail, round(LINE_LETTERS * self.scale)):
            self.text(16, self.y, line, 12)
            self.y += 16
        if self.shape.groups:
            self.text(16, self.y, "The figure beside each name is the value at the end.")
            self.y += 16
        self.y += 6

    def lane(self, kind: str, times: Sequence[int]) -> None:
        """One row of signs; the shape tells the kind as the colour does."""
        middle = self.y + LANE / 2
        self.text(16, middle + 4, f"{MARKS.get(kind, capital(kind))} {len(times)}")
        self.path(f"M{LEFT} {number(self.y + LANE - 0.5)}h{self.room}", stroke=GRID)
        places = dict.fromkeys(number(self.x(at)) for at in times)
        d = "".join(_sign(kind, x, number(middle - 4)) for x in places)
        tone = TONES.get(kind, TEXT_2)
        if kind in ("action", "rule", "log"):
            self.path(d, stroke=tone, stroke_width="1.5", fill="none")
        else:
            self.path(d, fill=tone)
        self.y += LANE

    def chart(self, group: Group) -> None:
        unit = "" if group.unit in PLAIN_UNITS else f" ({group.unit})"
        self._legend(
            group.title + unit,
            [
                (_line_key(at), _named(one, group), figure(_last(one["values"])))
                for at, one in enumerate(group.series)
            ],
        )
        known = [value for one in group.series for value in one["values"] if value is not None]
        low = min(0.0, *known, 0.0) if known else 0.0
        bottom = -round_top(-low) if low < 0 else 0.0
        top = round_top(max(known, default=1.0))
        self._frame(bottom, top)
        for at, one in enumerate(group.series):
            self._line(one["values"], at, group.is_stepped, bottom, top)
        self.y += self.high + 34

    def _legend(self, title: str, keys: Sequence[tuple[str, str, str]]) -> None:
        """A title and its keys on as many lines as they need; a figure follows each."""
        self.text(16, self.y + 12, title, 12, fill=TEXT, font_weight="600")
        x = 16 + 7.2 * len(title) + 20
        for key, label, last in keys:
            wide = 26 + 6.1 * (len(label) + len(last) + 1) + 14
            if x + wide > self.width - RIGHT and x > 16:
                self.y += 16
                x = 16
            self.parts.append(key.format(x=number(x), y=number(self.y + 8)))
            self.text(x + 22, self.y + 12, f"{label} {last}".strip())
            x += wide
        self.y += 22

    def _frame(self, bottom: float, top: float) -> None:
        for share in (0.0, 0.5, 1.0):
            y = self.y + self.high * (1 - share)
            self.path(f"M{LEFT} {number(y)}h{self.room}", stroke=GRID)
            value = figure(bottom + share * (top - bottom))
            self.text(LEFT - 8, y + 4, value, text_anchor="end")
        self._ticks(self.y, self.high)

    def _ticks(self, top: float, height: float) -> None:
        for at in self.shape.ticks(round(14 * self.scale)):
            x = self.x(at)
            self.path(f"M{number(x)} {number(top)}v{number(height)}", stroke=GRID)
            self.text(x, top + height + 14, self.shape.tick(at), text_anchor="middle")

    def _line(
        self, values: Sequence[Any], at: int, is_stepped: bool, bottom: float, top: float
    ) -> None:
        points = [
            (self.x(when), self.y + self.high * (1 - (value - bottom) / (top - bottom)))
            for when, value in thinned(self.shape.t, values, MOST_POINTS)
        ]
        if not points:
            return
        colour, dash = SERIES[at % len(SERIES)], DASHES[at % len(DASHES)]
        if len(points) == 1:
            x, y = points[0]
            self.parts.append(
                f'<circle cx="{number(x)}" cy="{number(y)}" r="3.5" fill="{colour}"/>'
            )
            return
        more = {"stroke_dasharray": dash} if dash else {}
        self.path(
            _through(points, is_stepped), stroke=colour, fill="none", stroke_width="1.5", **more
        )

    def machines(self) -> None:
        """Bars of all rows; a row is as high as 300 units allow, with its name where that fits."""
        rows, colours = self.shape.rows, self.shape.colours
        keys = [(_block_key(at), kind, "") for kind, at in colours.items()]
        self._legend("Machines", keys)
        height = max(1.0, min(14.0, MACHINES * self.scale / len(rows)))
        top = self.y
        drawn: dict[str, list[str]] = {kind: [] for kind in colours}
        for row in rows:
            self._row(row, height, drawn)
        self._ticks(top, self.y - top)
        for kind, pieces in drawn.items():
            self.path("".join(pieces), fill=SERIES[colours[kind]])
        self.y += 30
        if "bars" in self.shape.cut:
            since = self.shape.moment(self.shape.cut["bars"])
            self.text(16, self.y, f"More bars than are kept: none that began after {since}.")
            self.y += 16

    def _row(self, row: Row, height: float, drawn: dict[str, list[str]]) -> None:
        if height >= NAMED:
            name, middle = _short(row.name), self.y + height / 2 + 2.5
            self.text(LEFT - 8, middle, name, 9, text_anchor="end", font_family=MONO)
        lane = (height - (1.5 if height > 4 else 0)) / row.lanes
        gap = 0.5 if lane > 3 else 0.0
        for at, begin, end, kind in row.bars:
            left, right = self.x(begin), self.x(end)
            wide = number(max(0.6, right - left - (0.4 if right - left > 2 else 0)))
            high = number(lane - gap)
            y = number(self.y + at * lane)
            drawn[kind].append(f"M{number(left)} {y}h{wide}v{high}h-{wide}z")
        self.y += height

    def whole(self, heading: str) -> str:
        return self._picture(heading, alternative(self.shape), self.parts, 0, self.y + 12)

    def cut_up(self, heading: str) -> list[str]:
        found: list[str] = []
        top, first = 0.0, 0
        for end, parts in [*self.cuts, (self.y + 12, len(self.parts))]:
            title = f"{heading}, continued" if found else heading
            said = "As described above." if found else alternative(self.shape)
            found.append(self._picture(title, said, self.parts[first:parts], top, end))
            top, first = end, parts
        return found

    def _picture(self, title: str, said: str, parts: list[str], top: float, end: float) -> str:
        """What stands between two heights as a picture of its own."""
        place = f' y="{number(top)}"' if top else ""
        size = f'width="{self.width}" height="{number(end - top)}"'
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" '
                f'viewBox="0 {number(top)} {self.width} {number(end - top)}" '
                f'{size} role="img" aria-labelledby="t d" font-family="{SANS}">',
                f'<title id="t">{plain(title)}</title>',
                f'<desc id="d">{plain(said)}</desc>',
                f'<rect{place} {size} fill="{SURFACE}"/>',
                *parts,
                "</svg>",
                "",
            ]
        )


def alternative(shown: Shape) -> str:
    """The picture in words."""
    said = [f"From {shown.moment(shown.start)} to {shown.moment(shown.end)}."]
    for group in shown.groups:
        ends = [f"{one['label']} {figure(_last(one['values']))}" for one in group.series]
        said.append(
            f"{group.title}{f' ({group.unit})' if group.unit else ''} at the end: "
            f"{', '.join(ends)}."
        )
    if shown.marks:
        counts = [
            f"{MARKS.get(kind, capital(kind)).lower()} {len(times)}"
            for kind, times in shown.marks.items()
        ]
        said.append(f"Marks: {', '.join(counts)}.")
    if shown.rows:
        bars = sum(len(row.bars) for row in shown.rows)
        said.append(f"{len(shown.rows)} machines with {bars} bars.")
    return " ".join(said)


def _last(values: Sequence[Any]) -> float | None:
    return next((value for value in reversed(values) if value is not None), None)


def _named(one: dict[str, Any], group: Group) -> str:
    units = {str(other.get("unit") or "") for other in group.series}
    return f"{one['label']} ({one['unit']})" if len(units) > 1 else str(one["label"])


def _line_key(at: int) -> str:
    dash = DASHES[at % len(DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    colour = SERIES[at % len(SERIES)]
    return f'<path d="M{{x}} {{y}}h17" stroke="{colour}" stroke-width="2"{dashed}/>'


def _block_key(at: int) -> str:
    return f'<path d="M{{x}} {{y}}m0 -5h12v10h-12z" fill="{SERIES[at]}"/>'


def _sign(kind: str, x: str, top: str) -> str:
    """A mark eight units high, as part of a path."""
    here = f"M{x} {top}"
    shapes = {
        "fault": f"{here}m-4 0h8l-4 8z",
        "spot": f"{here}l4 4l-4 4l-4 -4z",
        "rule": f"{here}m-3.5 0.5l7 7m0 -7l-7 7",
        "action": f"{here}v8",
        "log": f"{here}m0 2v4",
    }
    return shapes.get(kind, f"{here}a3.5 3.5 0 1 0 0.1 0z")


def _through(points: Sequence[tuple[float, float]], is_stepped: bool) -> str:
    x, y = points[0]
    d = [f"M{number(x)} {number(y)}"]
    for x, y in points[1:]:
        d.append(f"H{number(x)}V{number(y)}" if is_stepped else f"L{number(x)} {number(y)}")
    return "".join(d)


def _short(name: str) -> str:
    return name if len(name) <= 18 else f"…{name[-17:]}"


def _lines(text: str, letters: int) -> list[str]:
    """The text in lines of at most so many letters, broken between words where there are any."""
    lines: list[str] = []
    for word in " ".join(text.split()).split(" "):
        if lines and len(lines[-1]) + 1 + len(word) <= letters:
            lines[-1] += f" {word}"
        elif word:
            lines += [word[at : at + letters] for at in range(0, len(word), letters)]
    return lines[:6]
