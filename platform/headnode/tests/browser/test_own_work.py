"""The round about one's own answer in a browser: by keyboard, through a lost line, to its evaluators."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Route, expect

from headnode.tests.browser.actors import DESKTOP, PHONE, Candidate, Staff
from headnode.tests.browser.site import Site

READY = """
import uuid, django; django.setup()
from django.utils import timezone
from assessments import answers, attempts, building, pages
from assessments.jobs import Result
from assessments.models import OwnWorkRound
from assessments.own_work import finding, rounds
from hiring.invitations import find
from library.packs import pack_of
now = timezone.now()
invitation = find({token!r})
opening = invitation.opening
opening.own_work = "after"; opening.save()
exercise = invitation.exercises.get()
building.prepare_now(invitation, now=now)
attempt = invitation.attempts.first() or attempts.start(
    invitation=invitation, exercise=exercise, policies=pages.policies(exercise), now=now)
body, pack = answers.starting_body(attempt), pack_of(exercise.pack_name)
body["files"][pack.entry] = pack.golden(exercise.level, "competent")
attempts.submit(attempt.pk, client=uuid.uuid4(), seq=1, base=None, body=body, now=now)
row = rounds.round_of(attempt)
finding.find_questions(row.pk)
row.refresh_from_db()
print(attempt.pk, len(rounds.questions_in(row)), row.trouble)
"""


@pytest.mark.nightly
def test_a_round_from_the_receipt_to_the_evaluator(site: Site, chrome: Browser) -> None:
    ada, held = Candidate(chrome, site, DESKTOP), Candidate(chrome, site, PHONE)
    for one in (ada, held):
        one.page.goto(site.candidate_link)
    told = site.run(READY.format(token=site.credentials["token"])).split()
    assert int(told[1]) == 4, told
    both(ada, held, f"{site.url}/attempts/{told[0]}/receipt/", "own-work-receipt")
    both(ada, held, f"{site.url}/attempts/{told[0]}/questions/", "own-work-ready")
    ada.press("Begin")
    ada.sees("left")
    first = ada.page.locator("fieldset").first
    first.get_by_role("radio").first.focus()
    ada.page.keyboard.press("Space")
    ada.page.keyboard.press("ArrowDown")
    expect(first.get_by_role("radio").nth(1)).to_be_checked()
    expect(ada.page.locator("#own-saved")).to_have_text("Saved")
    both(ada, held, "", "own-work-running")
    ada.context.set_offline(True)
    first.get_by_label("Why, in one sentence").fill("It has nothing to wait for.")
    expect(ada.page.locator("#own-saved")).to_contain_text("No connection")
    ada.context.set_offline(False)
    expect(ada.page.locator("#own-saved")).to_have_text("Saved")
    ada.complaints.clear()
    ada.page.reload()
    expect(first.get_by_label("Why, in one sentence")).to_have_value("It has nothing to wait for.")
    hears_of_the_last_minute(ada)
    ada.press("Hand in these answers")
    ada.sees("You handed these answers in")
    expect(held.page.locator("#own-work")).to_have_attribute("data-stage", "done")
    both(ada, held, "", "own-work-done")
    for size in (DESKTOP, PHONE):
        hana = Staff(chrome, site, size, "hana")
        hana.go(f"attempts/{told[0]}/defence/")
        hana.sees("Questions about the own answer")
        hana.sees("It has nothing to wait for.")
        hana.look("own-work-staff")


def hears_of_the_last_minute(ada: Candidate) -> None:
    """At once, whatever the screen reader is saying."""

    def state(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json=answer.json() | {"left_s": 50})

    ada.page.route("**/questions/state", state)
    ada.page.evaluate("dispatchEvent(new Event('focus'))")
    expect(ada.page.locator("#announce-now")).to_contain_text("One minute left.")
    ada.page.unroute("**/questions/state")


def both(ada: Candidate, held: Candidate, address: str, name: str) -> None:
    """What she sees at a desk and on a phone; at her present page where no address is given."""
    for one in (ada, held):
        if address or one is held:
            one.page.goto(address or ada.page.url)
        one.look(name)
