"""A recruiter's whole day and the hiring manager's part of it, from forty names to a decision."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from headnode.tests.browser.actors import DESKTOP, Staff
from headnode.tests.browser.hands import has_focus, press_on, tab_to
from headnode.tests.browser.site import Site
from headnode.tests.browser.test_recruiter import (
    ANSWERS,
    extend,
    invite,
    open_first_opening,
    paste_and_correct,
    remind,
)

pytestmark = pytest.mark.nightly
SCORED = """
import django; django.setup()
from django.utils import timezone
from reviews.models import Assignment
from reviews.tests.scene import score_all

for asked in Assignment.objects.filter(attempt__invitation__opening={opening}):
    score_all(asked.attempt, asked.evaluator, level=3, now=timezone.now())
"""


def test_from_forty_names_to_a_decision(site: Site, chrome: Browser) -> None:
    rhea = Staff(chrome, site, DESKTOP, "rhea")
    title = open_first_opening(rhea)
    paste_and_correct(rhea)
    invite(rhea, title)
    remind(rhea)
    extend(rhea)
    opening = site.run(ANSWERS)
    assign(rhea, opening)
    site.run(SCORED.format(opening=opening))
    hana = Staff(chrome, site, DESKTOP, "hana")
    decide(hana, opening)
    row = rhea.page.locator("[data-person]", has_text="Person 0002")
    rhea.go(f"openings/{opening}/board/")
    expect(row).to_contain_text("Decided")


def assign(rhea: Staff, opening: str) -> None:
    """By keyboard: two evaluators, what is proposed, and the button."""
    page = rhea.page
    rhea.go(f"openings/{opening}/evaluators/")
    for name in ("Ines Moreau", "Otto Brandt"):
        tab_to(rhea, page.get_by_role("checkbox", name=name))
        page.keyboard.press("Space")
    press_on(rhea, page.get_by_role("button", name="Propose"))
    rhea.sees("4 answers without enough evaluators")
    press_on(rhea, page.get_by_role("button", name="Ask those who are ticked"))
    rhea.sees("Asked for 8 scorecards.")


def decide(hana: Staff, opening: str) -> None:
    """By keyboard: / to the name, an arrow to the row, its link, the decision's page."""
    page = hana.page
    hana.go(f"openings/{opening}/board/")
    found = page.locator("[data-person]", has_text="Person 0002")
    page.keyboard.press("/")
    page.keyboard.type("0002")
    expect(page.locator("[data-person]")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    assert has_focus(page.locator("[data-row]").first)
    press_on(hana, found.get_by_role("link", name="Person 0002"))
    press_on(hana, page.get_by_role("link", name="Decide", exact=True).first)
    offer = page.get_by_role("radio", name="Make an offer")
    tab_to(hana, page.get_by_role("radio").first)
    page.keyboard.press("Space")
    for _ in range(page.get_by_role("radio").count()):
        if not offer.is_checked():
            page.keyboard.press("ArrowDown")
    expect(offer).to_be_checked()
    tab_to(hana, page.get_by_label("Reasons"))
    page.keyboard.type("Holds under faults, and says why.")
    press_on(hana, page.get_by_role("button", name="Record the decision"))
    hana.sees("Holds under faults")
    hana.look("decided-by-keyboard")
