"""A process that sets pages as PDF files, one after the other: see `typesetter`, which starts it.

WeasyPrint is seconds of work that would keep every other thread of the web server waiting, and half of them
go into loading it, its fonts and the style sheets. That is done once; each page is then set by a fork, so
that what one page takes of time and memory, or breaks, is gone with it. Nothing is fetched: the fonts that
come with the site are handed over by name, and every other address is refused.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import resource
import select
import struct
import sys
import traceback
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from assessments.processes import stand_behind
from reviews.pdf_words import set_words

MISSING = 4
"""Exit code where WeasyPrint or a library that it needs is not there."""
BEHIND_THE_SITE = 5
"""Niceness: a report may wait a moment, saving an answer may not."""
MOST_CPU_S, MOST_MEMORY = 60, 2 << 30
"""For one page."""
IDLE_S = 900
FONT = "font:"
LENGTH = struct.Struct(">I")
HEAD = struct.Struct(">cI")
"""Of an answer: DONE or FAILED, and the length of what follows."""
DONE, FAILED = b"d", b"f"
SPECIMEN = (
    '<html lang="en"><title>Specimen</title><h1>Specimen <em>of</em> <code>type</code></h1>'
    "<table><thead><tr><th>a<th>b</thead><tr><td>1<td>ł</table><ul><li><strong>c</strong></ul></html>"
)
"""Set once and thrown away: what the first page of every kind has to look up is then known to all forks."""
Page = Callable[[str, str], bytes]


def ready(sheets: list[str], fonts: Mapping[str, str]) -> Page:
    """What sets a page, (html, base), as a tagged PDF (PDF/UA-1). `fonts`: name -> path.

    Raises ImportError or OSError where the library or Pango is not there.
    """
    weasyprint = import_module("weasyprint")
    for name in ("weasyprint", "fontTools"):
        logging.getLogger(name).setLevel(logging.ERROR)
    set_words()
    fetcher = fetcher_of(fonts)
    faces = import_module("weasyprint.text.fonts").FontConfiguration()
    styles = [
        weasyprint.CSS(string=text, url_fetcher=fetcher, font_config=faces) for text in sheets
    ]

    def page(html: str, base: str) -> bytes:
        source = weasyprint.HTML(string=html, base_url=base, url_fetcher=fetcher)
        made: bytes = source.write_pdf(
            stylesheets=styles, font_config=faces, pdf_variant="pdf/ua-1", pdf_tags=True
        )
        return made

    return page


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


def in_a_fork(work: Callable[[], bytes]) -> tuple[bytes, bytes]:
    """(DONE, what it made), or (FAILED, what went wrong)."""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        os.close(out)
        os._exit(_worked(work, into))
    os.close(into)
    with os.fdopen(out, "rb") as pipe:
        body = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return (FAILED, body or f"It ended with {code}.".encode()) if code else (DONE, body)


def _worked(work: Callable[[], bytes], into: int) -> int:
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        made, code = work(), 0
    except Exception:
        made, code = traceback.format_exc().encode(), 1
    with os.fdopen(into, "wb") as pipe:
        pipe.write(made)
    return code


def serve(asked: int, made: int, page: Page) -> None:
    """Until nobody is there to ask, or has asked for IDLE_S."""
    warm = _warmed(asked, page)
    while select.select([asked], [], [], IDLE_S)[0]:
        told = frame(asked)
        if told is None:
            return
        one = json.loads(told)
        kind, body = in_a_fork(lambda one=one: page(one["html"], one["base"]))  # type: ignore[misc]
        _write(made, HEAD.pack(kind, len(body)) + body)
        warm = warm or _warmed(asked, page)


def _warmed(asked: int, page: Page) -> bool:
    """Whether the specimen is set now: whoever waits for the first page does not wait for that one too."""
    if select.select([asked], [], [], 0)[0]:
        return False
    page(SPECIMEN, "")
    gc.freeze()
    return True


def frame(pipe: int) -> bytes | None:
    """The next message; None where nobody is there any more."""
    head = _exactly(pipe, LENGTH.size)
    return None if head is None else _exactly(pipe, LENGTH.unpack(head)[0])


def _exactly(pipe: int, size: int) -> bytes | None:
    found = bytearray()
    while len(found) < size:
        part = os.read(pipe, size - len(found))
        if not part:
            return None
        found += part
    return bytes(found)


def _write(pipe: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(pipe, left) :]


def main(asked: int = 0, made: int = 1) -> int:
    stand_behind(BEHIND_THE_SITE)
    gc.disable()  # modules stay, and a page's own objects live as long as its process
    given = frame(asked)
    if given is None:
        return 0
    try:
        page = ready(**json.loads(given))
    except (ImportError, OSError):  # OSError: Pango is not there
        return MISSING
    gc.freeze()
    serve(asked, made, page)
    return 0


if __name__ == "__main__":
    answers = os.dup(1)
    os.dup2(2, 1)  # whatever a library prints must not stand among the answers
    sys.exit(main(0, answers))
