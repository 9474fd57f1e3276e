"""The interviewer's side of troubleshooting: key, materials, a remark at a line, quotes, corrections."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from headnode.tests.browser.actors import DESKTOP, PHONE, Staff
from headnode.tests.browser.site import Site

REMARK = "This is where it begins."
AT_A_CHART = "Slower from here on."
HANDED_IN = """
from datetime import timedelta
import django
django.setup()
from django.utils import timezone
from accounts.models import User
from assessments import attempts
from assessments.models import GradingRun
from assessments.tests.stage import POLICIES, hand_in
from hiring.models import Exercise
from graders.kinds import grade
from assessments import answers
from reviews.scoring import evaluations
from reviews.tests.troubleshooting_scene import answer

now = timezone.now()
exercise = Exercise.objects.get(kind="troubleshooting")
exercise.limit_minutes, exercise.level = 35, "junior"
exercise.save()
link = exercise.invitations.get()
began = now - timedelta(minutes=30)
link.variants.all().delete()
row = attempts.start(invitation=link, exercise=exercise, policies=POLICIES, now=began, seed=3)
body = answer(row)
hand_in(row, body, at=now)
run = GradingRun.objects.get(submission__attempt=row)
report = grade(exercise.pack_name, row.level, row.seed, answers.program(row, body)).to_dict()
GradingRun.objects.filter(pk=run.pk).update(finished_at=now, result="done", report=report)
people = {user.username: user for user in User.objects.all()}
evaluations.assign(attempt=row, evaluator=people["ines"], by=people["rhea"], now=now)
print(row.pk)
"""


@pytest.fixture(scope="module")
def attempt(site: Site) -> str:
    """Dilan handed in a troubleshooting answer, which was graded; Ines is to score it."""
    return site.run(HANDED_IN)


@pytest.mark.nightly  # by day test_room, test_staff_room and test_corrections try its parts
def test_from_the_key_to_a_corrected_match(site: Site, chrome: Browser, attempt: str) -> None:
    ines = Staff(chrome, site, DESKTOP, "ines")
    read_the_key(ines, attempt)
    follow_it_to_a_line(ines)
    remark_at_a_line(ines)
    look_at_a_chart(ines, attempt)
    read_quotes_and_rate(ines, attempt)
    correct_a_match(ines)


def look_at_both(ines: Staff, name: str) -> None:
    """At a desk and on a phone."""
    ines.look(name)
    ines.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    ines.narrow = True
    ines.look(name)
    ines.page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    ines.narrow = False


def read_the_key(ines: Staff, attempt: str) -> None:
    page = ines.page
    ines.go(f"attempts/{attempt}/key/")
    expect(page.locator("article.key-subject").first).to_be_visible()
    look_at_both(ines, "key")
    page.get_by_label("Worth", exact=True).select_option("misleading")
    expect(page.locator("#material-count")).to_have_text(re.compile(r"^\d+ of \d+$"))
    expect(page.locator("#material-rows tbody tr:visible").first).to_contain_text("misleading")
    page.get_by_label("Find in paths").fill("no such file")
    expect(page.locator("#material-count")).to_have_text(re.compile(r"^0 of"))


def follow_it_to_a_line(ines: Staff) -> None:
    """The first line of evidence of the first cause that shows in a log or a configuration file."""
    page = ines.page
    first = page.locator("article.key-subject").first
    places = first.locator(".key-evidence li", has_text=re.compile("^(logs|config)/"))
    line = (places.first.locator(".key-line").text_content() or "").strip()
    places.first.locator("a").first.click()
    expect(page.get_by_role("tablist", name="The room")).to_be_visible()
    expect(page.get_by_role("tab", name="Terminal")).to_have_count(0)
    expect(page.locator("#pane-room").get_by_text(line[:40]).first).to_be_visible()


def remark_at_a_line(ines: Staff) -> None:
    """Files, the change tickets: a line is pinned; it is a remark beside the room, also after a reload."""
    page = ines.page
    page.goto(re.sub("#.*", "", page.url) + "#at?path=people%2Fchanges.txt&line=2")
    page.reload()
    expect(page.locator("#room-files").get_by_text("people/changes.txt").first).to_be_visible()
    page.locator("#room-files").get_by_role("button", name=re.compile("^Pin")).first.click()
    page.keyboard.type(REMARK)
    box = page.get_by_role("group", name=re.compile("changes.txt, line"))
    expect(box).to_contain_text(re.compile(r"kept \d"))
    page.keyboard.press("Escape")
    expect(page.locator("#pin-list")).to_contain_text(REMARK)
    look_at_both(ines, "staff-room")
    page.reload()
    expect(page.locator("#pin-list")).to_contain_text(REMARK)
    page.get_by_role("button", name=re.compile("Change the remark")).click()
    page.get_by_role("textbox", name=re.compile("Remark on")).fill(f"{REMARK} Mind the hour.")
    expect(box).to_contain_text(re.compile(r"kept \d"))
    page.keyboard.press("Escape")
    expect(page.locator("#pin-list")).to_contain_text("Mind the hour.")


def look_at_a_chart(ines: Staff, attempt: str) -> None:
    page = ines.page
    ines.go(f"attempts/{attempt}/key/")
    page.locator(".key-evidence a[href*='#chart']").first.click()
    expect(page.get_by_role("tab", name="Dashboards")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#room-dashboards canvas").first).to_be_visible()
    ines.look("staff-dashboards")
    page.locator("#room-dashboards .mgrid:visible").get_by_role("button", name="Pin").first.click()
    page.keyboard.type(AT_A_CHART)
    box = page.locator("#pin-writing").get_by_role("group")
    expect(box).to_contain_text(re.compile(r"kept \d"))
    page.keyboard.press("Escape")
    entry = page.locator("#pin-list li", has_text=AT_A_CHART)
    expect(entry.locator(".pin-quote")).to_contain_text(
        re.compile(r"lowest \S+ s\s+mean \S+ s\s+highest ")
    )
    look_at_both(ines, "staff-remark-at-chart")
    page.get_by_role("tab", name="Logs").click()
    entry.get_by_role("link").click()
    expect(page.get_by_role("tab", name="Dashboards")).to_have_attribute("aria-selected", "true")


def read_quotes_and_rate(ines: Staff, attempt: str) -> None:
    page = ines.page
    ines.go(f"attempts/{attempt}/score/1/")
    expect(page.get_by_text("Hypothesis 1: supported")).to_be_visible()
    look_at_both(ines, "score-board")
    ines.tab("Evidence")
    ines.sees("What the machine picked out of the answer")
    expect(page.get_by_text("not mentioned")).to_have_count(0)
    look_at_both(ines, "score-quotes")
    ines.tab("Pins")
    expect(page.locator("#pin-list")).to_contain_text(REMARK)
    expect(page.locator("#pin-list")).to_contain_text(AT_A_CHART)
    page.get_by_role("heading", name="Your scorecard").click()
    criteria = page.locator("fieldset.criterion").count()
    for _ in range(criteria):
        page.keyboard.press("3")
        page.keyboard.press("j")
    expect(page.get_by_text(f"{criteria} of {criteria} rated")).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.keyboard.press("s")
    page.keyboard.press("Enter")
    ines.sees("Your scorecard is in")


def correct_a_match(ines: Staff) -> None:
    page = ines.page
    ines.tab("Evidence")
    found = page.locator(
        "details.incident-subject", has=page.get_by_text("found", exact=True)
    ).first
    expect(found).to_be_visible()
    look_at_both(ines, "score-evidence")
    found.get_by_role("button", name="This says something else").first.click()
    ines.sees("does not speak of")
    ines.tab("Evidence")
    expect(page.get_by_text("with the corrected matches")).to_be_visible()
    look_at_both(ines, "score-corrected")
    page.get_by_role(
        "link", name=re.compile("^(Say what it speaks of|Another cause)")
    ).first.click()
    expect(page.get_by_role("heading", name="As you read it")).to_be_visible()
    look_at_both(ines, "match")
    page.go_back()
    ines.tab("Evidence")
    page.get_by_role("button", name="Take the correction back").first.click()
    ines.tab("Evidence")
    expect(page.get_by_text("with the corrected matches")).to_have_count(0)
