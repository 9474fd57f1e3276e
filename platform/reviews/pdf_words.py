"""Words of charts, set as words: WeasyPrint sets and draws each letter of an SVG text by itself.

A chart's labels stand where they begin and no letter has a place of its own; set letter by letter they are half
of all that Pango is asked for a long report, and lose their kerning.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

BY_LETTER = {"letter-spacing", "textLength", "rotate"}
"""Attributes that ask for each letter: such a text is left as it is."""


class Word(str):
    """A text of one letter to whoever goes through it."""

    __slots__ = ()

    def __iter__(self) -> Iterator[str]:
        yield str(self)


def set_words() -> None:
    """From now on in this process. Raises ImportError where the library is not there."""
    svg: Any = import_module("weasyprint.svg")
    by_letter = svg.text
    if by_letter.__module__ == __name__:
        return

    def text(picture: Any, node: Any, font_size: float) -> None:
        if node.text and not BY_LETTER & node.attrib.keys() and " " not in node.get("x", ""):
            node._etree_node.text = Word(node.text)
        by_letter(picture, node, font_size)

    svg.TAGS.update({tag: text for tag, drawn in svg.TAGS.items() if drawn is by_letter})
    svg.text = text  # what the tags are compared with, to place a text by its anchor
