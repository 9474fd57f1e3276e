"""Compare the candidates of an opening, read a report and take it as a PDF, enter an interview, decide."""

from __future__ import annotations

import csv
import io
import re

import pytest
from playwright.sync_api import Browser, expect
from pypdf import PdfReader

from headnode.tests.browser.actors import DESKTOP, PHONE, Staff
from headnode.tests.browser.site import Site
from headnode.tests.browser.test_story import rate_all

pytestmark = pytest.mark.nightly  # by day test_story decides, and reviews/decisions tries the rest

BEING_MADE, MADE_WITHIN_S = 202, 200


@pytest.fixture(scope="module")
def scored(site: Site, chrome: Browser) -> None:
    """Both evaluators of the demo have sent their scorecards of the first answer."""
    for name, level in (("ines", "4"), ("otto", "3")):
        person = Staff(chrome, site, DESKTOP, name)
        person.go("assessments/attempt/")
        person.page.locator("#result_list tbody th a").first.click()
        person.follow("Score round 1")
        rate_all(person, level)
        person.press("Submit scorecard")
        person.sees("Your scorecard is in")


@pytest.mark.by_day("size", [PHONE])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_from_the_comparison_to_a_decision(
    site: Site, chrome: Browser, scored: None, size: tuple[int, int]
) -> None:
    hana = Staff(chrome, site, size, "hana")
    compare(hana)
    read_the_report(hana)
    enter_an_interview(hana)
    decide(hana, f"Sound under faults, and explains it ({size[0]}).")


def compare(hana: Staff) -> None:
    hana.go("hiring/opening/")
    hana.page.locator("#result_list tbody th a").first.click()
    hana.follow("Compare candidates")
    hana.sees("Nobody is turned down by it")
    hana.look("comparison")
    hana.page.get_by_role("link", name=re.compile("^1. Automated")).first.click()
    hana.page.get_by_role("columnheader", name=re.compile("^Rating")).get_by_role("link").click()
    head = hana.page.get_by_role("columnheader", name=re.compile("^Rating"))
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(hana.page.locator("svg.lanes")).to_have_count(1)
    hana.look("comparison-exercise")
    address = hana.page.get_by_role("link", name="CSV of ratings").get_attribute("href")
    answer = hana.page.request.get(f"{hana.site.url}{address}")
    rows = list(csv.DictReader(io.StringIO(answer.body().decode("utf-8-sig"))))
    assert {row["evaluator"] for row in rows} == {"Ines Moreau", "Otto Brandt"}


def read_the_report(hana: Staff) -> None:
    hana.follow("Chiara Lombardi")
    hana.sees("How the ratings come about")
    hana.look("report")
    reader = PdfReader(io.BytesIO(file_of(hana, f"{hana.page.url}?pdf")))
    assert reader.root_object["/MarkInfo"]["/Marked"]  # type: ignore[index]
    text = "".join(page.extract_text() for page in reader.pages)
    assert "Chiara Lombardi" in text
    assert "Ratings, round 1" in text


def file_of(hana: Staff, url: str) -> bytes:
    """The page's file, once a worker has made it."""
    for _ in range(MADE_WITHIN_S):
        answer = hana.page.request.get(url)
        if answer.status != BEING_MADE:
            return answer.body()
        hana.page.wait_for_timeout(1000)
    raise AssertionError("No worker made the file.")


def enter_an_interview(hana: Staff) -> None:
    hana.follow("Enter an interview score")
    hana.look("interview-score")
    hana.press("Enter the score")
    hana.page.get_by_text("This field is required").first.wait_for()
    hana.complaints.clear()  # the refused form is a 400
    hana.page.get_by_role("radio", name="Work in a team").check()
    hana.page.get_by_role("radio", name=re.compile("^4")).check()
    hana.fill("Reasons", "Let others finish, and said what was not known.")
    hana.press("Enter the score")
    hana.sees("The score is in.")
    hana.sees("Work in a team")
    expect(hana.page.locator("tfoot").first).to_contain_text("Combined")
    hana.look("report-with-interview")


def decide(hana: Staff, reasons: str) -> None:
    hana.follow("Decide")
    hana.sees("Who saw what")
    hana.page.get_by_role("radio", name="Go on to the next stage").check()
    hana.fill("Reasons", reasons)
    hana.look("decision-overall")
    hana.press("Record the decision")
    hana.sees(reasons)
    hana.follow("The whole report")
    hana.sees(reasons)
    hana.sees("Who saw what before the decision")
    hana.look("report-decided")
