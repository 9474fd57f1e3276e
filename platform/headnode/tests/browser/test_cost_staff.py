"""Cost and scaling exercises around the workspace: read ahead, answer, key, evidence, challenge (E8, E13)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from headnode.tests.browser.actors import DESKTOP, Candidate, Staff, look_at_both
from headnode.tests.browser.site import Site

HANDED_IN = """
import json
from datetime import timedelta
import django
django.setup()
from django.utils import timezone
from accounts.models import User
from assessments import answers, attempts
from assessments.models import GradingRun
from assessments.tests.stage import POLICIES, hand_in
from graders.kinds import grade
from graders.cost.makers import write_golden
from hiring.models import Exercise
from reviews.scoring import evaluations
from scenarios.packs import load_pack

exercise = Exercise.objects.get(kind="cost")
link = exercise.invitations.get()
now = timezone.now()
row = attempts.start(invitation=link, exercise=exercise, policies=POLICIES, now=now)
pack = load_pack(exercise.pack_name)
golden = json.loads(write_golden(pack, row.level, "over_claimer", row.seed)["answer.json"])
body = answers.starting_body(row)
body["files"] = {"opportunities.json": json.dumps({"opportunities": golden["opportunities"]})}
body["sections"] |= golden["sections"]
now = now + timedelta(seconds=1)
hand_in(row, body, at=now)
run = GradingRun.objects.get(submission__attempt=row)
report = grade(exercise.pack_name, row.level, row.seed, answers.program(row, body)).to_dict()
GradingRun.objects.filter(pk=run.pk).update(finished_at=now, result="done", report=report)
people = {user.username: user for user in User.objects.all()}
evaluations.assign(attempt=row, evaluator=people["ines"], by=people["rhea"], now=now)
print(row.pk)
"""


PLANNED = """
import json
from datetime import timedelta
import django
django.setup()
from django.utils import timezone
from accounts.models import User
from assessments import answers, attempts
from assessments.models import GradingRun
from assessments.materials import rebuilding, variants
from assessments.tests.stage import POLICIES, hand_in
from graders.kinds import grade
from graders.scaling.makers import write_golden
from hiring.models import Exercise
from reviews.scoring import evaluations
from scenarios.packs import load_pack

exercise = Exercise.objects.get(kind="scaling-plan")
link = exercise.invitations.get()
now = timezone.now()
link.variants.all().delete()
row = attempts.start(invitation=link, exercise=exercise, policies=POLICIES, now=now, seed=7)
variants.folder_of(*rebuilding.of_attempt(row))
pack = load_pack(exercise.pack_name)
golden = json.loads(write_golden(pack, row.level, "over_claimer", row.seed)["answer.json"])
body = answers.starting_body(row)
body["files"] = {"plan.json": json.dumps(golden["plan"])}
body["sections"] |= golden["sections"]
now = now + timedelta(seconds=1)
hand_in(row, body, at=now)
run = GradingRun.objects.get(submission__attempt=row)
files = answers.program(row, body)
report = grade(exercise.pack_name, row.level, row.seed, files, hidden=2).to_dict()
GradingRun.objects.filter(pk=run.pk).update(finished_at=now, result="done", report=report)
people = {user.username: user for user in User.objects.all()}
evaluations.assign(attempt=row, evaluator=people["ines"], by=people["rhea"], now=now)
print(row.pk)
"""


@pytest.mark.nightly  # by day test_cost_workspace, test_bill_pages and test_challenge try its parts
def test_from_reading_ahead_to_the_challenge(site: Site, chrome: Browser) -> None:
    esther = Candidate(chrome, site, DESKTOP)
    read_ahead(esther)
    attempt = site.run(HANDED_IN)
    ines = Staff(chrome, site, DESKTOP, "ines")
    read_the_table(ines, attempt)
    read_the_key(ines, attempt)
    rate(ines, attempt)
    read_the_evidence(ines)
    question = challenge(ines, attempt)
    meet_the_challenge(esther, question)


def read_ahead(esther: Candidate) -> None:
    page = esther.page
    page.goto(f"{esther.site.url}/t/{esther.site.credentials['cost']}/")
    esther.is_prepared()
    esther.sees("You can read this one before you start")
    look_at_both(esther, "lobby-ahead")
    esther.follow("Read the brief and the materials")
    expect(page.get_by_role("heading", name="Tables and files")).to_be_visible()
    look_at_both(esther, "ahead")
    with page.expect_download() as taken:
        esther.follow("costs/focus.csv")
    assert taken.value.suggested_filename == "focus.csv"
    esther.follow("Back to the overview")
    esther.sees("You opened them first on")


def read_the_table(ines: Staff, attempt: str) -> None:
    page = ines.page
    ines.go(f"attempts/{attempt}/score/1/")
    expect(page.locator(".answer-table").first).to_be_visible()
    ines.sees("first opened")  # the fact stands beside the score
    look_at_both(ines, "bill-answer")
    page.get_by_text("The same, line by line, for remarks").first.click()
    expect(page.get_by_text(re.compile(r"^Opportunity 1 \(id 1\)"))).to_be_visible()
    ines.tab("Evidence")
    ines.sees("Where each row points")
    expect(page.get_by_text("Over-claim")).to_have_count(0)
    look_at_both(ines, "bill-pointed")


def read_the_key(ines: Staff, attempt: str) -> None:
    page = ines.page
    ines.go(f"attempts/{attempt}/key/")
    expect(page.locator("article.key-subject").first).to_be_visible()
    look_at_both(ines, "bill-key")
    place = page.locator("article.key-subject a.mono").first
    path = place.inner_text()
    place.click()
    expect(page.get_by_role("tablist", name="The room")).to_be_visible()
    expect(page.get_by_role("tab", name="Terminal")).to_have_count(0)
    expect(page.locator("#room-files").get_by_text(path).first).to_be_visible()
    look_at_both(ines, "bill-materials")
    ines.tab("Explore")
    expect(page.locator("#room-explore table").first).to_be_visible()
    expect(page.get_by_role("button", name="Use as where")).to_be_hidden()
    ines.look("bill-explore")
    ines.tab("SQL")
    page.get_by_role("button", name=re.compile("^Run")).first.click()
    expect(page.locator("#room-sql table").first).to_be_visible()


def rate(ines: Staff, attempt: str) -> None:
    page = ines.page
    ines.go(f"attempts/{attempt}/score/1/")
    page.get_by_role("heading", name="Your scorecard").click()
    criteria = page.locator("fieldset.criterion").count()
    for _ in range(criteria):
        page.keyboard.press("2")
        page.keyboard.press("j")
    expect(page.get_by_text(f"{criteria} of {criteria} rated")).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.keyboard.press("s")
    page.keyboard.press("Enter")
    ines.sees("Your scorecard is in")


def read_the_evidence(ines: Staff) -> None:
    page = ines.page
    ines.tab("Evidence")
    expect(page.get_by_text("Really there of it, together")).to_be_visible()
    row = page.locator("details.incident-subject", has_text="Over-claim").first
    row.locator("summary").first.click()
    ines.sees("The data support")
    page.get_by_text("The rows that show it").first.click()
    expect(page.locator(".cost-table:visible").first).to_be_visible()
    look_at_both(ines, "bill-evidence")


def challenge(ines: Staff, attempt: str) -> str:
    """By keyboard: the second suggestion is taken over, the praise named, the feedback released."""
    page = ines.page
    ines.go(f"attempts/{attempt}/defence/")
    page.get_by_text("There is no such talk").click()
    page.get_by_label("Why the candidate is not asked").fill("She could not come that day.")
    ines.press("Leave it out with this reason")
    ines.sees("Recorded. It stays with the attempt as it is.")
    ines.go(f"attempts/{attempt}/feedback/")
    buttons = page.get_by_role("button", name=re.compile("^Challenge this one"))
    expect(buttons.nth(1)).to_be_visible()
    buttons.nth(1).focus()
    page.keyboard.press("Enter")
    expect(buttons.nth(1)).to_have_attribute("aria-pressed", "true")
    question = page.get_by_label("The challenge").input_value()
    assert question.endswith("?")
    page.get_by_label("One strength").fill("It names the lines, the months and who has to agree.")
    page.get_by_label("The recommendation that is particularly valuable").select_option(index=1)
    look_at_both(ines, "bill-feedback")
    page.get_by_role("button", name="Release and open the revision").click()
    ines.sees("The feedback is released")
    ines.sees("Suggested as number 2 of")
    look_at_both(ines, "bill-released")
    return question


def meet_the_challenge(esther: Candidate, question: str) -> None:
    page = esther.page
    page.goto(f"{esther.site.url}/t/{esther.site.credentials['cost']}/")
    page.get_by_role("button", name=re.compile("^Start the revision")).click()
    expect(page.get_by_text(question).first).to_be_visible()
    esther.look("bill-revision")


def read_a_plan_ahead(farid: Candidate) -> None:
    """Drawings are shown in the page, and alone."""
    page = farid.page
    page.goto(f"{farid.site.url}/t/{farid.site.credentials['scaling']}/")
    farid.is_prepared()
    farid.follow("Read the brief and the materials")
    drawing = page.locator(".ahead-picture img").first
    drawing.scroll_into_view_if_needed()
    expect(drawing).to_have_js_property("complete", True)
    expect(drawing).not_to_have_js_property("naturalWidth", 0)
    look_at_both(farid, "ahead-plan")


@pytest.mark.nightly  # by day reviews/evidence/tests/test_scaling_pages tries its parts
def test_a_plan_from_its_tables_to_a_single_month(site: Site, chrome: Browser) -> None:
    read_a_plan_ahead(Candidate(chrome, site, DESKTOP))
    attempt = site.run(PLANNED)
    ines = Staff(chrome, site, DESKTOP, "ines")
    page = ines.page
    ines.go(f"attempts/{attempt}/score/1/")
    expect(page.get_by_text("Orders, rented capacity and policies by month")).to_be_visible()
    look_at_both(ines, "plan-answer")
    ines.tab("Evidence")
    ines.sees("When each order arrives")
    expect(page.locator("#evidence").get_by_text("Reference plan")).to_have_count(0)
    look_at_both(ines, "plan-arrivals")
    ines.go(f"attempts/{attempt}/key/")
    expect(page.locator("article.key-subject").first).to_be_visible()
    look_at_both(ines, "plan-key")
    page.locator("article.key-subject a.mono").first.click()
    expect(page.get_by_role("tablist", name="The room")).to_be_visible()
    look_at_both(ines, "plan-materials")
    rate(ines, attempt)
    ines.tab("Evidence")
    ines.sees("The hidden years")
    look_at_both(ines, "plan-evidence")
    page.get_by_role("button", name="This does not hold").first.click()
    ines.sees("is set aside")
    ines.tab("Evidence")
    page.get_by_role("link", name="Year 2").first.click()
    expect(page.get_by_role("heading", name=re.compile("^Hidden year 2"))).to_be_visible()
    page.locator("#why ~ details summary").first.click()
    look_at_both(ines, "plan-year")
