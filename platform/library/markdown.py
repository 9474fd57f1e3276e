"""Markdown of packs and people as HTML that is safe to put into a page."""

from __future__ import annotations

import nh3
from markdown_it import MarkdownIt

MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def rendered(markdown: str) -> str:
    """The HTML, without anything that could run or load."""
    return nh3.clean(MARKDOWN.render(markdown))
