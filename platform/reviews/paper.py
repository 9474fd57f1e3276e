"""Pages as PDF: the same templates on paper, typeset by WeasyPrint where it and Pango are installed.

Nothing is fetched: the fonts that come with the site are handed over by name, and every other address
that a page might name is refused.
"""

from __future__ import annotations

import logging
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders

HOW = (
    "To make PDF files, install the reports extra (pip install 'headnode[reports]') and Pango: on "
    "Debian or Ubuntu, sudo apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0. "
    "Then restart the site. Until then the page itself prints well from the browser."
)
SHEETS = ("tokens.css", "paper.css")
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
FONT = "font:"


class NoPaper(Exception):
    """No PDF can be made here; the message says what to install."""


def pdf(html: str, *, base: str) -> bytes:
    """The page as a tagged PDF (PDF/UA-1). `base` makes its links whole; nothing is loaded from it.

    Raises NoPaper where WeasyPrint or the libraries that it needs are missing.
    """
    weasyprint = _weasyprint()
    fetcher = _fetcher(weasyprint)
    fonts = import_module("weasyprint.text.fonts").FontConfiguration()
    sheets = [
        weasyprint.CSS(string=text, url_fetcher=fetcher, font_config=fonts) for text in styles()
    ]
    page = weasyprint.HTML(string=html, base_url=base, url_fetcher=fetcher)
    made: bytes = page.write_pdf(
        stylesheets=sheets, font_config=fonts, pdf_variant="pdf/ua-1", pdf_tags=True
    )
    return made


def _weasyprint() -> Any:
    """WeasyPrint, imported on first use: it costs a site that prints nothing no memory."""
    try:
        module = import_module("weasyprint")
    except (ImportError, OSError) as error:  # OSError: Pango is not there
        raise NoPaper(HOW) from error
    for name in ("weasyprint", "fontTools"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return module


def _fetcher(weasyprint: Any) -> Any:
    urls = import_module("weasyprint.urls")

    class Refusing(urls.URLFetcher):  # type: ignore[misc,name-defined]
        """Hands over the site's own fonts and refuses everything else."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            name = url.removeprefix(FONT)
            if url.startswith(FONT) and name in own_fonts():
                return urls.URLFetcherResponse(
                    url, own_fonts()[name].read_bytes(), {"Content-Type": "font/woff2"}
                )
            raise ValueError(f"Nothing is fetched for a PDF: {url}")

    return Refusing()


@cache
def own_fonts() -> dict[str, Path]:
    """File name -> path of the fonts that come with the site."""
    names = [f"ibm-plex-{part}-{weight}-{style}.woff2" for _, part, weight, style in FACES]
    return {name: _static(f"vendor/fonts/{name}") for name in names}


def _static(name: str) -> Path:
    found = finders.find(f"headnode/{name}")
    if not found:
        raise NoPaper(f"The file {name} is missing from the site's own folder.")
    return Path(str(found))


@cache
def styles() -> tuple[str, ...]:
    """Style sheets of the paper: faces, the light colours of the tokens, the page."""
    faces = "".join(
        f'@font-face {{ font-family: "{family}"; font-weight: {weight}; font-style: {style}; '
        f'src: url("{FONT}ibm-plex-{part}-{weight}-{style}.woff2"); }}\n'
        for family, part, weight, style in FACES
    )
    texts = [_static(name).read_text() for name in SHEETS]
    return (faces, *texts)
