"""Pages as PDF: the same templates on paper, typeset by a process of its own; see `typesetter`."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders

from reviews.pdf_process import FONT
from reviews.typesetter import TYPESETTER, Failed, Missing

logger = logging.getLogger(__name__)
HOW = (
    "To make PDF files, install the reports extra (pip install 'headnode[reports]') and Pango: on "
    "Debian or Ubuntu, sudo apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0. "
    "Then restart the site. Until then the page itself prints well from the browser."
)
SHEETS = ("print.css", "print_report.css")
FACES = [
    ("IBM Plex Sans", "sans-latin", 400, "normal"),
    ("IBM Plex Sans", "sans-latin", 400, "italic"),
    ("IBM Plex Sans", "sans-latin", 600, "normal"),
    ("IBM Plex Sans Extended", "sans-latin-ext", 400, "normal"),
    ("IBM Plex Sans Extended", "sans-latin-ext", 400, "italic"),
    ("IBM Plex Sans Extended", "sans-latin-ext", 600, "normal"),
    ("IBM Plex Mono", "mono-latin", 400, "normal"),
    ("IBM Plex Mono", "mono-latin", 600, "normal"),
]
WALL_S = 300
"""A worker waits, no reader's request: what is bounded is processor time, `pdf_process.MOST_CPU_S`."""
FAILED = (
    "This page could not be made a PDF file just now: the server is very busy, or the page is very long. Try "
    "again in a minute, or print the page itself from the browser."
)


class NoPdf(Exception):
    """No PDF was made; the message says why and what to do."""


def pdf(html: str, *, base: str) -> bytes:
    """The page as a tagged PDF (PDF/UA-1). `base` makes its links whole; nothing is loaded from it.

    Raises NoPdf where WeasyPrint or the libraries that it needs are missing, or the time is not enough.
    """
    fonts = {name: str(path) for name, path in own_fonts().items()}
    shared = {"sheets": styles(), "fonts": fonts}
    try:
        return TYPESETTER.page(html, base, shared=shared, wall_s=WALL_S)
    except Missing as error:
        raise NoPdf(HOW) from error
    except Failed as error:
        logger.error("No PDF was made: %s", error)
        raise NoPdf(FAILED) from error


@cache
def own_fonts() -> dict[str, Path]:
    """File name -> path of the fonts that come with the site."""
    names = [f"ibm-plex-{part}-{weight}-{style}.woff2" for _, part, weight, style in FACES]
    return {name: _static(f"vendor/fonts/{name}") for name in names}


def _static(name: str) -> Path:
    found = finders.find(f"headnode/{name}")
    if not found:
        raise NoPdf(f"The file {name} is missing from the site's own folder.")
    return Path(str(found))


@cache
def styles() -> tuple[str, ...]:
    """Style sheets of the paper: its faces, and the page."""
    # not the tokens: what is left of them on paper is written out, as each variable is copied to every box
    faces = "".join(
        f'@font-face {{ font-family: "{family}"; font-weight: {weight}; font-style: {style}; '
        f'src: url("{FONT}ibm-plex-{part}-{weight}-{style}.woff2"); }}\n'
        for family, part, weight, style in FACES
    )
    texts = [_static(name).read_text() for name in SHEETS]
    return (faces, *texts)
