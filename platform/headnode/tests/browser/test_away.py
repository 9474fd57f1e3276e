"""A database that is away while somebody works: the page says what is saved, and hands in when it is back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Route, expect

from headnode.database_away import NOT_SAVED
from headnode.tests.browser.actors import DESKTOP, PHONE, Candidate
from headnode.tests.browser.site import Site
from headnode.tests.browser.wire import IDLE

pytestmark = (
    pytest.mark.nightly
)  # by day test_database_away, test_outages and drafts.test.js try its parts

SENT = "**/api/attempts/*/*"


class Patient(Candidate):
    """Somebody whose browser may be told that the server is away: that is what is looked at."""

    def _answered(self, status: int, url: str) -> None:
        if status != 503:
            super()._answered(status, url)


def away(route: Route) -> None:
    """What the site answers while its database is away."""
    if route.request.method != "POST":
        route.continue_()
        return
    answer = {"detail": NOT_SAVED, "code": "database_away"}
    route.fulfill(status=503, headers={"Retry-After": "1"}, json=answer)


def test_page_keeps_saves_and_hands_in_when_the_database_is_back(
    site: Site, chrome: Browser
) -> None:
    dana = Patient(chrome, site, DESKTOP)
    dana.page.goto(site.candidate_link)
    dana.page.get_by_role("checkbox").check()
    dana.press("Start")
    dana.write_program(IDLE)
    expect(dana.page.locator("#saved")).to_contain_text("Saved")
    dana.page.route(SENT, away)
    dana.write_program("# typed while it was away\n" + IDLE)
    expect(dana.page.locator("#saved")).to_have_text(NOT_SAVED)
    look(dana, "away-saving")
    warned_before_leaving(dana)
    leaves_all_the_same(dana)

    dana.page.route(SENT, away)
    submit(dana)
    look(dana, "away-submitting")
    dana.press("Stop, and go on working")
    dana.sees("Your answer was not submitted")
    dana.press("Close")
    dana.write_program("# the last words\n" + IDLE)
    submit(dana)
    dana.page.unroute(SENT)
    dana.page.wait_for_url("**/receipt/")
    said = site.run(
        "import django; django.setup()\n"
        "from assessments.models import Submission\n"
        "last = Submission.objects.latest('pk')\n"
        "print(last.source, last.body['files']['controller.py'].splitlines()[0])"
    )
    assert said == "candidate # the last words"


def warned_before_leaving(dana: Patient) -> None:
    """What was not sent is named on the page for shared computers, and is sent once the work is open again."""
    working = dana.page.url
    dana.page.goto(f"{dana.site.url}/leave/")
    dana.sees("text of yours that it has not been able to send")
    look(dana, "away-leaving")
    dana.page.unroute(SENT)
    dana.page.goto(working)
    expect(dana.page.locator("#saved")).to_contain_text("Saved")
    expect(dana.page.locator(".cm-content").first).to_contain_text("typed while it was away")


def leaves_all_the_same(dana: Patient) -> None:
    """The browser then holds nothing of it; the link leads back to what was saved."""
    working = dana.page.url
    dana.page.route(SENT, away)
    dana.write_program("# never sent\n" + IDLE)
    expect(dana.page.locator("#saved")).to_have_text(NOT_SAVED)
    dana.page.goto(f"{dana.site.url}/leave/")
    dana.press("Leave, and lose what was not sent")
    dana.sees("You have left")
    dana.page.unroute(SENT)
    dana.page.goto(dana.site.candidate_link)
    dana.page.goto(working)
    editor = dana.page.locator(".cm-content").first
    expect(editor).to_contain_text("typed while it was away")
    expect(editor).not_to_contain_text("never sent")


def submit(dana: Patient) -> None:
    dana.press("Submit")
    dana.press("Submit now")
    dana.sees("Your answer is not submitted yet")
    dana.sees(NOT_SAVED)


def look(dana: Patient, name: str) -> None:
    """At both widths."""
    for size in (PHONE, DESKTOP):
        dana.page.set_viewport_size({"width": size[0], "height": size[1]})
        dana.narrow = size == PHONE
        dana.look(name)
