"""Ada practises before her clock, asks during it, is answered, and hears of a correction with time for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from headnode.tests.browser.actors import DESKTOP, PHONE, Candidate, Staff
from headnode.tests.browser.hands import press_on
from headnode.tests.browser.kept_demo import set_back
from headnode.tests.browser.site import Site

pytestmark = pytest.mark.nightly  # by day assessments/practice and both enquiries try its parts

LINES = """from headnode_sdk import call

done = False
while not done:
    for name, temperature, state in call("nodes")["rows"]:
        if state == "serving" and temperature > 80.0:
            call("drain", node=name)
        if state == "drained" and temperature < 60.0:
            call("resume", node=name)
    done = call("tick")["done"]
"""


@pytest.fixture
def site(common: Callable[[], Site], demo: Path) -> Site:
    """The demo as it was made: whoever has started practises no more."""
    running = common()
    set_back(running, demo)
    return running


@pytest.mark.by_day("size", [DESKTOP])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_practice_then_a_question_an_answer_and_a_correction(
    site: Site, chrome: Browser, size: tuple[int, int]
) -> None:
    ada = Candidate(chrome, site, size)
    ada.page.goto(site.candidate_link)
    ada.follow("Open the practice room")
    ada.look("practice")
    check_the_system(ada)
    practise(ada)
    begin_for_real(ada, site)
    rhea = Staff(chrome, site, DESKTOP, "rhea")
    ask_and_be_answered(ada, rhea)
    hear_of_a_correction(ada, rhea)


def check_the_system(ada: Candidate) -> None:
    press_on(ada, ada.page.get_by_role("button", name="Check now"))
    expect(ada.page.locator("#check-said")).to_have_text(re.compile("^Done"))
    expect(ada.page.locator("#checks li", has_text="Connection.")).to_contain_text("Good")
    ada.look("practice-checked")


def practise(ada: Candidate) -> None:
    """With the tour by keyboard, and a program that keeps the nodes cool."""
    ada.press("Practise this")
    tour = ada.page.get_by_role("dialog", name=re.compile("1 of 8"))
    expect(tour).to_be_visible()
    ada.look("tour")
    for step in range(2, 5):
        press_on(ada, ada.page.get_by_role("button", name="Next"))
        expect(ada.page.locator("#tour-title")).to_have_text(re.compile(f"^{step} of 8"))
    ada.page.keyboard.press("Escape")
    expect(ada.page.locator(".tour")).to_be_hidden()
    expect(ada.page.get_by_role("button", name="Tour", exact=True)).to_be_focused()
    ada.write_program(LINES)
    ada.page.keyboard.press("Control+Enter")
    ada.show("Run")
    expect(ada.page.get_by_text("too hot for 0 minutes").first).to_be_visible()
    ada.look("practice-run")
    ada.follow("Leave practice")
    ada.sees("This try is still open.")


def begin_for_real(ada: Candidate, site: Site) -> None:
    ada.follow("Back to the overview")
    ada.page.get_by_role("checkbox").first.check()
    ada.press("Start:")
    expect(ada.page.locator("#submit-open")).to_be_enabled()
    expect(ada.page.locator("[data-name=practice]")).to_have_count(0)


def ask_and_be_answered(ada: Candidate, rhea: Staff) -> None:
    press_on(ada, ada.page.locator("#ask-open"))
    ada.fill("Your question", "Is the budget per day?")
    ada.look("ask")
    ada.press("Send")
    ada.sees("Sent. The answer appears")
    ada.press("Close")
    rhea.go("enquiries/")
    rhea.sees("Is the budget per day?")
    expect(rhea.page.get_by_text("Dana")).to_have_count(0)
    rhea.look("enquiries")
    rhea.follow("Answer")
    rhea.fill("What they read", "Per day, yes.")
    rhea.look("enquiry-answer")
    rhea.press("Answer this candidate")
    told = ada.page.locator(".notice", has_text="Per day, yes.")
    expect(told).to_be_visible()
    expect(ada.page.locator("#announce")).to_contain_text("Per day, yes.")
    press_on(ada, told.get_by_role("button", name="Close"))
    expect(told).to_have_count(0)


def hear_of_a_correction(ada: Candidate, rhea: Staff) -> None:
    rhea.go("hiring/opening/")
    rhea.follow("GPU platform engineer")
    rhea.follow("Board")
    rhea.follow("Announce to everybody")
    rhea.fill("What they read", "The limit is 40, not 4.")
    rhea.page.get_by_label("It corrects the exercise").check()
    rhea.fill("Minutes for it", "5")
    rhea.look("announce")
    rhea.press("Announce")
    rhea.sees("5 min were added to")
    ada.sees("The limit is 40, not 4.")
    ada.sees("You have 5 min more time.")
    ada.look("corrected")
    ada.page.reload()
    ada.sees("The limit is 40, not 4.")  # what was not closed stays
    expect(ada.page.get_by_text("Per day, yes.")).to_have_count(0)
