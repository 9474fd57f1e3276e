"""Reports as files: set once by a worker, never stale, one page first, gone with the person (S5)."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from pypdf import PageObject, PdfReader

from accounts.tests.reading import words_of
from assessments.models import Attempt
from assessments.tests.stage import Stage, member
from reviews import pdf_files
from reviews.decisions import report_links
from reviews.decisions.tests.report_scene import LONG_NAME, long_story, unscored
from reviews.decisions.tests.test_report import browser, on_paper, page
from reviews.models import PdfFile, ReportLink
from reviews.privacy.erasure import erase
from reviews.scoring import evaluations
from reviews.tests.scene import LATER
from reviews.tests.story import NEXT_DAY, whole


@pytest.fixture
def told(stage: Stage, handed_in: Attempt) -> Attempt:
    return whole(stage, handed_in)


@pytest.mark.nightly
def test_a_file_is_set_once_and_never_stale(stage: Stage, told: Attempt) -> None:
    made = on_paper(stage.hana, told).content
    assert made.startswith(b"%PDF")
    row = PdfFile.objects.get()
    assert (row.html, row.candidate) == ("", stage.ada)
    again = browser(stage.hana).get(reverse("admin:report", args=[told.pk]) + "?pdf")
    assert (again.status_code, again.content) == (200, made)
    stage.ada.name = "Ada Lovelace"
    stage.ada.save()
    fresh = on_paper(stage.hana, told).content
    assert "Ada Lovelace" in "".join(
        one.extract_text() for one in PdfReader(io.BytesIO(fresh)).pages
    )
    assert PdfFile.objects.count() == 2


@pytest.mark.nightly
def test_one_readers_file_is_no_other_readers(stage: Stage, told: Attempt) -> None:
    on_paper(stage.hana, told)
    other = browser(stage.rhea).get(reverse("admin:report", args=[told.pk]) + "?pdf")
    assert other.status_code == 202


@pytest.mark.parametrize("mode", ["erase", "pseudonymise"])
@pytest.mark.by_day(but=["pseudonymise"])
def test_files_and_links_go_with_the_person(stage: Stage, told: Attempt, mode: str) -> None:
    on_paper(stage.hana, told)
    report_links.make(told, reader="Dr Voss", days=3, by=stage.hana, now=LATER)
    stone = erase(stage.ada, mode=mode, by=None, now=NEXT_DAY)
    assert stone.mode == mode
    assert not PdfFile.objects.exists()
    assert not ReportLink.objects.exists()


def test_what_nobody_asks_for_any_more_goes(stage: Stage, told: Attempt) -> None:
    on_paper(stage.hana, told)
    now = timezone.now()
    pdf_files.look_after(now)
    assert PdfFile.objects.exists()
    pdf_files.look_after(now + pdf_files.UNASKED + timedelta(minutes=1))
    assert not PdfFile.objects.exists()


@pytest.mark.nightly
def test_a_long_report_begins_with_one_page(stage: Stage, published: list[Any]) -> None:
    """Four exercises with a revision each: everything that matters is on the first page, the rest after it."""
    told = long_story(stage)
    reader = PdfReader(io.BytesIO(on_paper(stage.hana, told).content))
    first, second = (reader.pages[at].extract_text() for at in (0, 1))
    for word in ("Ada Fontaine", "Combined", "Decision", "Make an offer"):
        assert word in first, word
    assert [first.count(word) for word in ("Strength", "Improvement", "Revision")] == [4, 4, 4]
    assert "Scored by" not in first
    assert "Scored by" in second
    whole = " ".join("".join(one.extract_text() for one in reader.pages).split())
    assert "kapitänsmützenabzeichen" in whole.replace(" ", "")  # a label is broken, never cut
    assert "The other 3 measures came out as in round 1." in whole
    assert [number for number, page in enumerate(reader.pages[:-1], 1) if foot(page) > HALF] == []


HALF, FOOTER = 0.5, 0.1
"""Shares of a page's height, from its foot."""


def foot(page: PageObject) -> float:
    """How high the lowest words of a page stand, footer apart, as a share of its height."""
    heights: list[float] = []

    def note(text: str, page_is: list[float], words_are: list[float], *_: object) -> None:
        if text.strip() and page_is[3] < 0:  # words of a chart are told in the chart's own heights
            heights.append(page_is[5] + page_is[3] * words_are[5])

    page.extract_text(visitor_text=note)
    tall = float(page.mediabox.height)
    return min((at / tall for at in heights if at > FOOTER * tall), default=1.0)


def test_names_of_all_lengths_and_nothing_scored_is_one_page(
    stage: Stage, published: list[Any]
) -> None:
    told = unscored(stage, LONG_NAME, "m@example.com")
    reader = PdfReader(io.BytesIO(on_paper(stage.hana, told).content))
    assert len(reader.pages) == 1
    text = " ".join(reader.pages[0].extract_text().split())
    assert LONG_NAME.split()[-1] in text
    assert "not rated yet" in text
    assert "Nobody has decided yet" in text


@pytest.mark.nightly
def test_who_reads_fewer_scorecards_is_told_that_numbers_differ(
    stage: Stage, told: Attempt
) -> None:
    assert "not open to you" not in words_of(page(stage.hana, told))
    assert "Ratings of answers are not open to your role" in words_of(page(stage.rhea, told))
    card = told.submissions.get(round=1).evaluations.first()
    assert card is not None
    sofia = member("sofia", "Interviewer")
    evaluations.assign(attempt=told, evaluator=sofia, by=stage.rhea, now=LATER)
    text = words_of(page(sofia, told))
    assert "4 scorecards and 2 interview scores that are in are not open to you" in text
