"""A drawing that grows downwards: SVG without script or style, in the colours of the page."""

from __future__ import annotations

import re
from html import escape

WIDTH = 760
"""Units, meant as pixels: a picture is at its best at this width, and still read at 700."""
LEFT = 16
"""Margin at either side."""
SANS = "IBM Plex Sans, system-ui, sans-serif"

TEXT = "var(--text, #18202c)"
TEXT_2 = "var(--text-2, #4c586a)"
LINE = "var(--line, #d6dce6)"
STRONG = "var(--line-strong, #758091)"
SURFACE = "var(--surface, #ffffff)"
SUNKEN = "var(--sunken, #edf0f5)"
INFO = "var(--info, #075d80)"
INFO_FILL = "var(--info-fill, #e1f0f7)"
SERIES = (
    "var(--series-1, #002bcd)",
    "var(--series-2, #ba8a0c)",
    "var(--series-3, #008576)",
    "var(--series-4, #f03ebc)",
    "var(--series-5, #775300)",
    "var(--series-6, #0795ff)",
    "var(--series-7, #471079)",
    "var(--series-8, #621217)",
)
"""Custom properties of the page where the picture is part of it; the light values where it stands alone."""

_UNPRINTABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def number(value: float) -> str:
    """A length or place, to a tenth of a unit."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def figure(value: float) -> str:
    """A figure as people read it: thousands apart, at most one decimal."""
    text = f"{value:,.1f}"
    return text.removesuffix(".0")


def clipped(text: str, letters: int) -> str:
    """At most that many letters; a name that is longer ends in dots."""
    return text if len(text) <= letters else text[: letters - 1].rstrip() + "…"


class Sheet:
    """The picture while it grows; `y` is where the next part begins, in units."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.y = 0.0
        self.parts: list[str] = []

    def text(self, x: float, y: float, text: str, size: float = 12, **more: str) -> None:
        """One line of text; its foot is at `y`. Attributes are written with _ for -."""
        kept = {"fill": TEXT, "font-size": number(size), **more}
        self.parts.append(
            f'<text x="{number(x)}" y="{number(y)}"{_written(kept)}>{_plain(text)}</text>'
        )

    def rect(self, x: float, y: float, width: float, height: float, **more: str) -> None:
        kept = {"fill": "none", **more}
        place = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
        self.parts.append(f"<rect {place}{_written(kept)}/>")

    def path(self, d: str, **more: str) -> None:
        kept = {"fill": "none", "stroke": STRONG, **more}
        self.parts.append(f'<path d="{d}"{_written(kept)}/>')

    def bar(self, x: float, y: float, width: float, height: float, part: float, fill: str) -> None:
        """A bar of which `part` (0 to 1) is filled."""
        self.rect(x, y, width, height, fill=SUNKEN, stroke=LINE)
        if part > 0:
            self.rect(x, y, width * min(1.0, part), height, fill=fill)

    def head(self, name: str, said: str = "") -> None:
        """A line across and the name of a part below it, with what is said of it at the right; y stays."""
        self.path(f"M{LEFT} {self.y:g}h{WIDTH - 2 * LEFT}", stroke=LINE)
        self.text(LEFT, self.y + 24, name, 14, font_weight="600")
        if said:
            self.text(WIDTH - LEFT, self.y + 24, said, fill=TEXT_2, text_anchor="end")

    def whole(self, described: str) -> str:
        """The picture. `described` says in words what is drawn, for those who do not see it."""
        height = number(self.y)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
            f' height="{height}" role="img" aria-labelledby="{self._mark}-title {self._mark}-desc"'
            f' font-family="{SANS}">\n'
            f'<title id="{self._mark}-title">{_plain(self.title)}</title>\n'
            f'<desc id="{self._mark}-desc">{_plain(described)}</desc>\n'
            f'<rect width="{WIDTH}" height="{height}" fill="{SURFACE}"/>\n'
        )
        return head + "\n".join(self.parts) + "\n</svg>\n"

    @property
    def _mark(self) -> str:
        """Ids of one picture differ from those of another on the same page."""
        return re.sub(r"[^a-z]+", "-", self.title.lower()).strip("-")[:40] or "picture"


def _written(more: dict[str, str]) -> str:
    return "".join(
        f" {name.rstrip('_').replace('_', '-')}={_quoted(value)}" for name, value in more.items()
    )


def _plain(text: str) -> str:
    return escape(_UNPRINTABLE.sub("\ufffd", text), quote=False)


def _quoted(value: str) -> str:
    """As an attribute; xml.sax.saxutils has the same and loads urllib and TLS for it."""
    text = escape(value, quote=False).translate({9: "&#9;", 10: "&#10;", 13: "&#13;"})
    if '"' in text and "'" not in text:
        return f"'{text}'"
    return '"' + text.replace('"', "&quot;") + '"'
