"""An interviewer's day from the mail to the feedback, by keyboard; and a board that is kept open."""

from __future__ import annotations

import re
import time
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from playwright.sync_api import Browser, Locator, expect

from headnode.tests.browser.actors import DESKTOP, PATIENCE_S, Person, Staff
from headnode.tests.browser.hands import has_focus, press_on, tab_to
from headnode.tests.browser.site import Site

pytestmark = pytest.mark.nightly
BETWEEN_MAILS = b"\n" + b"-" * 79 + b"\n"
TITLE = "Two of a mind"
CROWD = f"""
import django; django.setup()
from accounts.models import User
from django.utils import timezone
from reviews.models import Rating
from reviews.tests.crowd import build

crowd = build(4, now=timezone.now(), exercises=1, evaluators=2)
Rating.objects.filter(evaluation__submission__attempt__in=crowd.attempts).update(level=3)
apart = Rating.objects.filter(evaluation__submission__attempt=crowd.attempts[0])
apart.filter(evaluation__evaluator=crowd.panel[0]).update(level=2)
apart.filter(evaluation__evaluator=crowd.panel[1]).update(level=5)
crowd.opening.title = "{TITLE}"
crowd.opening.hiring_manager = User.objects.get(username="hana")
crowd.opening.save()
print(crowd.opening.pk)
"""
INES = "ines@example.com"


@pytest.fixture(scope="module")
def opening(site: Site) -> str:
    """The key of one with four candidates, each scored by two people who differ about the first alone."""
    return site.run(CROWD)


def person(who: Person, number: int) -> Locator:
    """Somebody's rows on the board."""
    return who.page.locator("[data-person]", has_text=f"Person {number:04d}")


def mail_to(site: Site, address: str, subject: str) -> EmailMessage:
    """The one mail with these words in its subject about the opening, once a worker has sent it."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        parts = [
            part
            for file in (site.data / "mail").glob("*")
            for part in file.read_bytes().split(BETWEEN_MAILS)
        ]
        mails = [message_from_bytes(part, policy=policy.default) for part in parts if part.strip()]
        found = [
            mail
            for mail in mails
            if address in str(mail["To"])
            and subject in str(mail["Subject"])
            and TITLE in text_of(mail)
        ]
        if found:
            assert len(found) == 1, f"{subject} went out {len(found)} times"
            return found[0]
        time.sleep(0.5)
    raise AssertionError(f"Nobody wrote to {address} of {subject}")


def link_in(mail: EmailMessage) -> str:
    """The address that the mail's text gives."""
    found = re.search(r"https?://\S+", text_of(mail))
    assert found, text_of(mail)
    return found[0]


def text_of(mail: EmailMessage) -> str:
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def type_into(who: Person, target: Locator, text: str) -> None:
    tab_to(who, target)
    who.page.keyboard.type(text)


def sign_in(who: Person, name: str) -> None:
    """On the page that a link from a mail leads to, where nobody is signed in."""
    page = who.page
    type_into(who, page.get_by_label("Username"), name)
    type_into(who, page.get_by_label("Password"), who.site.credentials["password"])
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_attached()


def test_from_a_mail_to_the_feedback(site: Site, chrome: Browser, opening: str) -> None:
    hana = Staff(chrome, site, DESKTOP, "hana")
    ask_for_a_third(hana, opening)
    ines = Person(chrome, site, DESKTOP)
    ines.page.goto(link_in(mail_to(site, INES, "asked to score")))
    sign_in(ines, "ines")
    score(ines)
    discuss(ines, link_in(mail_to(site, INES, "To discuss")))
    give_feedback(ines)
    hana.go(f"openings/{opening}/board/")
    expect(person(hana, 0)).to_contain_text("Feedback given")


def ask_for_a_third(hana: Staff, opening: str) -> None:
    """Two scorecards are far apart: the board says whose turn it is."""
    hana.go(f"openings/{opening}/board/")
    row = person(hana, 0)
    expect(row).to_contain_text("Disputed")
    hana.look("board-disputed")
    row.get_by_role("link", name="You to").click()
    hana.choose("Evaluator", "Ines Moreau")
    hana.press("Assign")
    hana.sees("Ines Moreau")


def score(ines: Person) -> None:
    """The mail's link led to the scorecard itself; every level and the hand-in are keys."""
    page = ines.page
    expect(page).to_have_url(re.compile("/score/1/$"))
    ines.sees("stay hidden until yours are in")
    expect(page.get_by_text("Person 0000")).to_have_count(0)
    expect(page.locator(".criterion.current")).to_have_count(1)  # the script is there
    criteria = page.locator("fieldset.criterion").count()
    for _ in range(criteria):
        page.keyboard.press("3")
        page.keyboard.press("j")
    page.keyboard.press("k")  # from the last to the one before it
    assert "current" in (
        page.locator("fieldset.criterion").nth(criteria - 2).get_attribute("class") or ""
    )
    page.keyboard.press("n")
    page.keyboard.type("Names what it would watch first.")
    page.keyboard.press("Escape")
    expect(page.get_by_text(f"{criteria} of {criteria} rated")).to_be_visible()
    page.keyboard.press("s")
    assert has_focus(page.locator("#submit-card"))
    page.keyboard.press("Enter")
    ines.sees("Your scorecard is in")
    ines.look("interviewer-scored")


def discuss(ines: Person, link: str) -> None:
    page = ines.page
    page.goto(link)
    expect(page).to_have_url(re.compile("/discussion/1/$"))
    ines.look("interviewer-discussion")
    still_open = page.locator("section.differs", has=page.locator("h2 .tag.warn"))
    for left in range(still_open.count(), 0, -1):
        expect(still_open).to_have_count(left)
        part = still_open.first
        tab_to(ines, part.get_by_role("radio").first)
        for key in ("Space", "ArrowDown", "ArrowDown"):
            page.keyboard.press(key)
        expect(part.get_by_role("radio").nth(2)).to_be_checked()
        type_into(ines, part.get_by_label("What in the answer settled it"), "The log shows each.")
        press_on(ines, part.get_by_role("button", name="Record"))
    expect(still_open).to_have_count(0)
    ines.sees("agreed: 3")


def give_feedback(ines: Person) -> None:
    """Her first page names what she owes now."""
    page = ines.page
    page.goto(f"{ines.site.url}/admin/")
    ines.look("interviewer-home")
    owed = page.get_by_role("region", name="Feedback owed")
    press_on(ines, owed.get_by_role("link", name=re.compile(TITLE)))
    press_on(ines, page.get_by_role("link", name="Record explain and defend"))
    press_on(ines, page.get_by_text("There is no such talk"))
    type_into(ines, page.get_by_label("Why the candidate is not asked"), "Feedback in writing.")
    press_on(ines, page.get_by_role("button", name="Leave it out with this reason"))
    press_on(ines, page.get_by_role("link", name="Go on to the feedback"))
    type_into(ines, page.get_by_label("One strength"), "Says what it would watch.")
    type_into(ines, page.get_by_label("One improvement"), "Read before you repeat a call.")
    for label in ("Where the strength shows", "Where the improvement belongs"):
        page.get_by_label(label).select_option(index=1)
    page.get_by_label("What the revision is about").select_option(label="controller.py")
    press_on(ines, page.get_by_role("button", name="Release and open the revision"))
    ines.sees("Released")
    ines.look("interviewer-feedback")


def test_a_board_keeps_itself_up_to_date_and_is_filtered(
    site: Site, chrome: Browser, opening: str
) -> None:
    rhea = Staff(chrome, site, DESKTOP, "rhea")
    rhea.go(f"openings/{opening}/board/")
    page = rhea.page
    page.evaluate("window.stays = true")  # a new page would forget it
    expect(page.locator("[data-person]")).to_have_count(4)
    rhea.look("board")
    filter_by_keyboard(rhea)
    decide(Staff(chrome, site, DESKTOP, "hana"), opening)
    expect(person(rhea, 2)).to_contain_text("Decided")
    expect(page.locator("#announce")).to_contain_text("Person 0002")
    rhea.sees("It keeps itself up to date.")
    assert page.evaluate("window.stays")
    rhea.look("board-live")
    page.get_by_role("navigation", name="State").get_by_role("link", name="Decided").click()
    expect(page.locator("[data-person]")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"\?state=decided$"))
    page.reload()
    expect(page.locator("[data-person]")).to_have_count(1)
    rhea.context.set_offline(True)
    page.get_by_role("navigation", name="State").get_by_role("link", name="All").click()
    rhea.sees("The site cannot be reached: what is shown may be out of date.")
    rhea.context.set_offline(False)


def filter_by_keyboard(rhea: Staff) -> None:
    """/ leads to the search, arrows from there through the rows; nothing is loaded anew."""
    page = rhea.page
    page.keyboard.press("/")
    page.keyboard.type("0003")
    expect(page.locator("[data-person]")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"\?q=0003$"))
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(page.locator("[data-person]")).to_have_count(4)
    rows = page.locator("[data-row]")
    for at in (0, 1, 2):
        page.keyboard.press("ArrowDown")
        assert has_focus(rows.nth(at))
    page.keyboard.press("ArrowUp")
    assert has_focus(rows.nth(1))
    page.get_by_label("Overdue only").check()
    rhea.sees("Nobody is like this at the moment.")
    page.get_by_label("Overdue only").uncheck()
    expect(page.locator("[data-person]")).to_have_count(4)
    assert page.evaluate("window.stays")


def decide(hana: Staff, opening: str) -> None:
    hana.go(f"openings/{opening}/board/")
    person(hana, 2).get_by_role("link", name="Person 0002").click()
    hana.follow("Decide")
    hana.page.get_by_role("radio", name="Make an offer").check()
    hana.fill("Reasons", "Holds under faults, and says why.")
    hana.press("Record the decision")
    hana.sees("Holds under faults")
