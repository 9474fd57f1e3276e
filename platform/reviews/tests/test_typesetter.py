"""The process that sets pages as PDF: kept for the next page, replaced when it is gone, hurt by none."""

from __future__ import annotations

import io
import os
import re
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from pypdf import PdfReader

from reviews import pdf, pdf_process
from reviews.typesetter import Failed, Missing, Typesetter

PAGE = '<html lang="en"><title>{0}</title><h1>{0}</h1></html>'
SHARED: dict[str, Any] = {"sheets": [], "fonts": {}}


@pytest.fixture
def setter() -> Iterator[Typesetter]:
    made = Typesetter()
    yield made
    made.end()


def set_page(setter: Typesetter, word: str, wall_s: float = 60) -> bytes:
    return setter.page(PAGE.format(word), "", shared=SHARED, wall_s=wall_s)


@pytest.mark.nightly
def test_it_is_kept_and_replaced_when_it_is_gone(setter: Typesetter) -> None:
    assert set_page(setter, "One").startswith(b"%PDF")
    first = setter.pid
    assert set_page(setter, "Two").startswith(b"%PDF")
    assert setter.pid == first
    assert first
    os.kill(first, signal.SIGKILL)
    assert set_page(setter, "Three").startswith(b"%PDF")
    assert setter.pid not in (None, first)


def test_what_takes_too_long_is_ended_and_the_next_page_is_set(setter: Typesetter) -> None:
    with pytest.raises(Failed, match="too slow"):
        set_page(setter, "One", wall_s=0.0)
    assert setter.pid is None
    assert set_page(setter, "Two").startswith(b"%PDF")


def test_a_machine_without_the_library_is_said(
    setter: Typesetter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviews.typesetter.MODULE", "reviews.tests.no_typesetter")
    with pytest.raises(Failed, match="it ended with 1"):
        set_page(setter, "One")
    monkeypatch.setattr("reviews.typesetter.MISSING", 1)
    with pytest.raises(Missing):
        set_page(setter, "One")


def test_a_page_that_breaks_hurts_no_other() -> None:
    kind, said = pdf_process.in_a_fork(lambda: bytes(1 // 0))
    assert (kind, b"ZeroDivisionError" in said) == (pdf_process.FAILED, True)

    def die() -> bytes:
        os.kill(os.getpid(), signal.SIGKILL)
        return b""

    assert pdf_process.in_a_fork(die) == (pdf_process.FAILED, b"It ended with -9.")
    assert pdf_process.in_a_fork(lambda: b"fine") == (pdf_process.DONE, b"fine")


def test_a_page_that_cannot_be_set_says_so_to_its_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any, **__: Any) -> bytes:
        raise Failed("SIGXCPU")

    monkeypatch.setattr("reviews.pdf.TYPESETTER.page", failing)
    with pytest.raises(pdf.NoPdf, match="print the page itself"):
        pdf.pdf(PAGE, base="")


@pytest.mark.parametrize("anchor", ["start", "end"])
@pytest.mark.by_day(but=["start"])
def test_words_of_a_chart_are_set_as_words(setter: Typesetter, anchor: str) -> None:
    """Letter by letter they were half of the work of a long report. One that asks for its letters has them."""
    words = f'<text x="90" y="20" text-anchor="{anchor}">AVAVA</text>'
    spread = '<text x="90" y="40" letter-spacing="3">queue</text>'
    chart = '<html lang="en"><title>Chart</title><svg width="200" height="50">{}</svg></html>'
    shown = [
        strings_in(setter.page(chart.format(one), "", shared=SHARED, wall_s=60))
        for one in (words, spread)
    ]
    assert shown == [1, 5]


def strings_in(file: bytes) -> int:
    """How often a PDF file of one page shows a string, in the page itself and in its groups."""
    page = PdfReader(io.BytesIO(file)).pages[0]
    resources: Any = page["/Resources"].get_object()
    groups = resources.get("/XObject", {}).values()
    streams = [page.get_contents(), *(group.get_object() for group in groups)]
    return sum(len(re.findall(rb"\bTJ\b", one.get_data())) for one in streams if one is not None)
