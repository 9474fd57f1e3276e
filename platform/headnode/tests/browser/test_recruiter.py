"""A recruiter by keyboard: forty lines pasted, two put right, invited, reminded, extended; evaluators asked."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from headnode.tests.browser.actors import DESKTOP, PHONE, Staff
from headnode.tests.browser.hands import press_on, tab_to
from headnode.tests.browser.site import Site

pytestmark = pytest.mark.nightly  # by day hiring/bulk and reviews/bulk try its parts

PEOPLE = [
    f"Candidate Number {number:02d};number{number:02d}@example.com" for number in range(1, 39)
]
WRONG = ["Candidate Number 39;number39@nowhere", ";number40@example.com"]
ANSWERS = """
import django; django.setup()
from accounts.models import User
from django.utils import timezone
from reviews.tests.crowd import build

crowd = build(4, now=timezone.now(), exercises=1, evaluators=0)
crowd.opening.title = "Answers to score"
crowd.opening.hiring_manager = User.objects.get(username="hana")
crowd.opening.save()
print(crowd.opening.pk)
"""


def test_forty_people_from_a_list_to_their_windows(site: Site, chrome: Browser) -> None:
    rhea = Staff(chrome, site, DESKTOP, "rhea")
    title = open_first_opening(rhea)
    paste_and_correct(rhea)
    invite(rhea, title)
    remind(rhea)
    extend(rhea)
    read_elsewhere(rhea)
    phone = Staff(chrome, site, PHONE, "rhea")
    phone.go("candidates/add/")
    phone.fill("Paste the list", "\n".join([*PEOPLE[:3], *WRONG]))
    phone.press("Look at the rows")
    phone.look("add-candidates")


def read_elsewhere(rhea: Staff) -> None:
    """Her own time beside UTC, on another day even, pushes no column out of sight."""
    there = rhea.context.new_cdp_session(rhea.page)
    there.send("Emulation.setTimezoneOverride", {"timezoneId": "Pacific/Auckland"})
    rhea.go("hiring/invitation/")
    expect(rhea.page.locator("#result_list time").first).to_contain_text("here)")
    wide, room = rhea.page.locator(".scroll").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert wide <= room
    rhea.look("invitations-elsewhere")
    there.send("Emulation.setTimezoneOverride", {"timezoneId": ""})


def open_first_opening(rhea: Staff) -> str:
    page = rhea.page
    rhea.go("hiring/opening/")
    link = page.locator("#result_list tbody th a").first
    title = link.inner_text()
    press_on(rhea, link)
    press_on(rhea, page.get_by_role("link", name="Add and invite many").first)
    return title


def paste_and_correct(rhea: Staff) -> None:
    """By keyboard alone: the two wrong rows stand first, with the cursor's way through them in order."""
    page = rhea.page
    tab_to(rhea, page.get_by_label("Paste the list"))
    page.keyboard.insert_text("Name;E-Mail\n" + "\n".join([*PEOPLE, *WRONG]))
    press_on(rhea, page.get_by_role("button", name="Look at the rows"))
    rhea.sees("40 rows: 38 new")
    rhea.sees("Row 39: “number39@nowhere” is no e-mail address.")
    rhea.sees("Row 40: The name is missing.")
    rhea.look("add-candidates-wrong")
    first, second = (
        page.get_by_role("group", name="Row 39"),
        page.get_by_role("group", name="Row 40"),
    )
    tab_to(rhea, first.get_by_label("E-mail"))
    page.keyboard.press("Control+a")
    page.keyboard.type("number39@example.com")
    tab_to(rhea, second.get_by_label("Name"))
    page.keyboard.type("Candidate Number 40")
    press_on(rhea, page.get_by_role("button", name="Look again"))
    rhea.sees("40 rows: 40 new. Nothing is added yet.")
    press_on(rhea, page.get_by_role("button", name="Add 40 and go on to the invitation"))
    rhea.sees("Added 40 candidates.")


def invite(rhea: Staff, title: str) -> None:
    page = rhea.page
    expect(page.get_by_role("checkbox", name="Automated resource management")).to_be_checked()
    tab_to(rhea, page.get_by_label("Subject"))
    page.keyboard.press("Control+a")
    page.keyboard.type("{{ name }}, your work sample")
    press_on(rhea, page.get_by_role("button", name="Look").first)
    rhea.sees("Candidate Number 01, your work sample")
    rhea.look("invite-many")
    press_on(rhea, page.get_by_role("button", name="Invite 40"))
    rhea.sees(f"Invited 40 candidates to {title}. Their messages are on their way.")


def chosen(rhea: Staff, action: str) -> None:
    """Tick all rows of the list's page with one key, then go back to a button above them."""
    page = rhea.page
    press_on(rhea, page.get_by_label("Select all objects on this page for an action"), "Space")
    expect(page.locator(".action-counter")).to_contain_text("of")
    press_on(rhea, page.get_by_role("button", name=action).first, back=True)


def remind(rhea: Staff) -> None:
    chosen(rhea, "Remind")
    rhea.sees("is reminded of Automated resource management")
    rhea.look("bulk-remind")
    press_on(rhea, rhea.page.get_by_role("button", name="Remind 4"))
    rhea.sees("Remind the candidate: done for 4")


def extend(rhea: Staff) -> None:
    page = rhea.page
    chosen(rhea, "Extend the window")
    closes = page.get_by_label("Closes (UTC)").first
    tab_to(rhea, closes)
    page.keyboard.type("01052036")
    page.keyboard.press("ArrowRight")
    page.keyboard.type("1000AM")
    expect(closes).to_have_value("2036-01-05T10:00")
    tab_to(rhea, page.get_by_label("Reason").first)
    page.keyboard.type("Half of them are on holiday.")
    press_on(rhea, page.get_by_role("button", name="Look again"))
    rhea.sees("can start until 5 Jan 2036, 10:00 UTC instead of")
    rhea.look("bulk-extend")
    press_on(rhea, page.get_by_role("button", name="Extend 4"))
    rhea.sees("Extend the window: done for 4")
    press_on(rhea, page.get_by_role("link", name="Candidate Number 40").first)
    rhea.sees("5 Jan 2036")


def test_evaluators_are_asked_for_all_answers(site: Site, chrome: Browser) -> None:
    opening = site.run(ANSWERS)
    rhea = Staff(chrome, site, DESKTOP, "rhea")
    rhea.go(f"openings/{opening}/evaluators/")
    for name in ("Ines Moreau", "Otto Brandt"):
        rhea.page.get_by_role("checkbox", name=name).check()
    rhea.press("Propose")
    rhea.sees("4 answers without enough evaluators")
    expect(rhea.page.get_by_role("checkbox", name="Ines Moreau scores")).to_have_count(4)
    rhea.look("assign-many")
    rhea.press("Ask those who are ticked")
    rhea.sees("Asked for 8 scorecards.")
