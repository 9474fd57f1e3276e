"""Evaluators among themselves: calibration by keyboard, the panel, a discussion, voluntary answers."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from headnode.tests.browser.actors import DESKTOP, PHONE, Candidate, Staff
from headnode.tests.browser.site import Site

pytestmark = pytest.mark.nightly  # by day reviews/fairness and reviews/scoring try its parts

SIZES = pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
AT_A_DESK, ON_A_PHONE = (pytest.mark.by_day("size", [size]) for size in (DESKTOP, PHONE))
CROWD = """
import django; django.setup()
from accounts.models import User
from random import Random
from django.utils import timezone
from reviews.models import Decision, SelfDescription
from reviews.tests.crowd import build

now, draw = timezone.now(), Random(3)
crowd = build(96, now=now, exercises=1, evaluators=3)
crowd.opening.hiring_manager = User.objects.get(username="hana")
crowd.opening.save()
for at, attempt in enumerate(crowd.attempts):
    link = attempt.invitation
    said = {"gender": ("woman", "man")[at % 2], "age": draw.choice(["30-39", "40-49"])}
    if at % 4:
        SelfDescription.objects.create(invitation=link, answers=said, given_at=now)
    Decision.objects.create(
        opening=crowd.opening, candidate=link.candidate, decided_by=crowd.hana, reasons="Seeded.",
        outcome="hire" if draw.random() < (0.4, 0.65)[at % 2] else "decline", decided_at=now,
    )
"""


@pytest.fixture(scope="module")
def crowd(site: Site) -> Site:
    """The demo, and an opening beside it with 96 candidates, each scored by three people."""
    site.run(CROWD)
    return site


@SIZES
@ON_A_PHONE
def test_exemplar_is_scored_by_keyboard(site: Site, chrome: Browser, size: tuple[int, int]) -> None:
    name = {DESKTOP: "ines", PHONE: "otto"}[size]
    who = Staff(chrome, site, size, name)
    page = who.page
    who.go("calibration/")
    who.look("calibration")
    who.follow("Exemplar A")
    expect(page.get_by_text("agreed")).to_have_count(1)  # only that the levels are shown later
    expect(page.locator(".criterion.current")).to_have_count(1)  # the script is there
    for level in "345345":
        page.keyboard.press(level)
        page.keyboard.press("j")
    page.keyboard.press("n")
    page.keyboard.type("Alerts without a recipient.")
    page.keyboard.press("Escape")
    expect(page.locator("#rated-count")).to_have_text("6")
    expect(page.locator("#save-state")).to_contain_text(re.compile(r"^saved \d"))
    who.look("calibration-card")
    page.reload()
    expect(page.locator("#rated-count")).to_have_text("6")
    expect(page.get_by_text("Alerts without a recipient.")).to_have_count(1)
    page.keyboard.press("s")
    page.keyboard.press("Enter")
    who.sees("Yours and what was agreed")
    who.sees("Over 6 ratings")
    who.look("calibration-result")
    who.follow("Next exemplar")
    expect(page.get_by_role("heading", level=1).first).to_contain_text("Exemplar B")


@SIZES
@AT_A_DESK
def test_panel_shows_figures_with_intervals(
    crowd: Site, chrome: Browser, size: tuple[int, int]
) -> None:
    hana = Staff(chrome, crowd, size, "hana")
    hana.go("settings/")
    hana.follow("Reliability")
    hana.sees("96 answers scored, 96 of them by two people or more")
    rows = hana.page.locator("table.reliability").first.locator("tbody tr")
    assert rows.count() >= 6
    hana.sees("ICC(2,1)")  # the same three scored everybody
    for text in rows.all_inner_texts():
        assert re.search(r"\d+ to \d+ %", text), text
    hana.look("reliability")
    hana.page.get_by_text("What the figures mean").click()
    hana.look("reliability-meaning")


def test_what_differs_is_discussed_and_recorded(crowd: Site, chrome: Browser) -> None:
    hana = Staff(chrome, crowd, DESKTOP, "hana")
    hana.go("assessments/attempt/")
    hana.look("attempts-differing")
    row = hana.page.locator("#result_list tr", has_text="Differs: discuss").first
    row.get_by_role("link").first.click()
    hana.look("attempt-differing")
    hana.follow("Discuss what differs")
    hana.look("discussion")
    part = hana.page.locator("section.differs").first
    part.get_by_role("radio").nth(3).check()
    part.get_by_label("What in the answer settled it").fill("The log shows each decision.")
    part.get_by_role("button", name="Record").click()
    hana.sees("after discussion.")
    expect(hana.page.locator("section.differs").first).to_contain_text("agreed: 4")
    hana.look("discussion-recorded")
    attempt = re.search(r"attempts/[0-9a-f-]+/", hana.page.url)
    assert attempt
    hana.go(f"{attempt[0]}decision/")
    hana.sees("After a discussion:")
    hana.sees("The log shows each decision.")
    hana.look("decision-agreed")


@SIZES
@ON_A_PHONE
def test_candidate_says_something_and_the_report_counts_it(
    crowd: Site, chrome: Browser, size: tuple[int, int]
) -> None:
    alma = Staff(chrome, crowd, size, "admin")
    alma.go("settings/")
    alma.follow("Adverse impact")
    alma.sees("What this does not show")
    alma.sees("96 candidates decided")
    alma.look("adverse-impact")


@SIZES
@ON_A_PHONE
def test_candidate_reads_that_it_is_voluntary(
    site: Site, chrome: Browser, size: tuple[int, int]
) -> None:
    ada = Candidate(chrome, site, size)
    ada.page.goto(site.candidate_link)
    if ada.page.get_by_role("button", name="Start").count():
        ada.page.get_by_role("checkbox").first.check()
        ada.press("Start")
        ada.page.get_by_role("button", name="Submit").first.click()
        ada.page.get_by_role("dialog").get_by_role("button", name="Submit").click()
    else:
        ada.follow("Receipt")
    ada.sees("A voluntary question")
    ada.follow("say something about yourself")
    ada.look("about-you")
    ada.page.get_by_label("30 to 39").check()
    ada.press("my answers")
    ada.sees("Your answers are kept")
    ada.look("about-you-kept")
    ada.press("Take them back")
    expect(ada.page.get_by_text("Your answers are kept")).to_have_count(0)
