"""A process that sets one page as a PDF file: JSON on standard input, the file on standard output.

WeasyPrint is seconds of work that would keep every other thread of the web server waiting. Nothing is fetched:
the fonts that come with the site are handed over by name, and every other address is refused.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

MISSING = 4
"""Exit code where WeasyPrint or a library that it needs is not there."""
BEHIND_THE_SITE = 5
"""Niceness: a report may wait a moment, saving an answer may not."""
MOST_CPU_S, MOST_MEMORY = 60, 2 << 30
FONT = "font:"


def pdf(html: str, *, base: str, sheets: list[str], fonts: Mapping[str, str]) -> bytes:
    """The page as a tagged PDF (PDF/UA-1). `fonts`: name -> path. Raises ImportError or OSError."""
    weasyprint = import_module("weasyprint")
    for name in ("weasyprint", "fontTools"):
        logging.getLogger(name).setLevel(logging.ERROR)
    fetcher = fetcher_of(fonts)
    faces = import_module("weasyprint.text.fonts").FontConfiguration()
    styles = [
        weasyprint.CSS(string=text, url_fetcher=fetcher, font_config=faces) for text in sheets
    ]
    page = weasyprint.HTML(string=html, base_url=base, url_fetcher=fetcher)
    made: bytes = page.write_pdf(
        stylesheets=styles, font_config=faces, pdf_variant="pdf/ua-1", pdf_tags=True
    )
    return made


def fetcher_of(fonts: Mapping[str, str]) -> Any:
    """What WeasyPrint asks for every address in a page."""
    urls = import_module("weasyprint.urls")

    class Refusing(urls.URLFetcher):  # type: ignore[misc,name-defined]
        """Hands over the site's own fonts and refuses everything else."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            name = url.removeprefix(FONT)
            if url.startswith(FONT) and name in fonts:
                return urls.URLFetcherResponse(
                    url, Path(fonts[name]).read_bytes(), {"Content-Type": "font/woff2"}
                )
            raise ValueError(f"Nothing is fetched for a PDF: {url}")

    return Refusing()


def main() -> int:
    os.nice(BEHIND_THE_SITE)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    asked = json.load(sys.stdin)
    try:
        import_module("weasyprint")
    except (ImportError, OSError):  # OSError: Pango is not there
        return MISSING
    sys.stdout.buffer.write(pdf(asked.pop("html"), **asked))
    return 0


if __name__ == "__main__":
    sys.exit(main())
