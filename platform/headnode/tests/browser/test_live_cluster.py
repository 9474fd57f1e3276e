"""A candidate on a cluster of their own: it comes up, map and queue beside the shell, a check, Submit."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from headnode.tests.browser.actors import DESKTOP, PHONE, Candidate, Staff, look_at_both
from headnode.tests.browser.site import Site

BEGIN = """
from datetime import timedelta
import django
django.setup()
from django.utils import timezone
from accounts.models import User
from hiring.invitations import invite
from hiring.models import Candidate, Exercise, Opening

now = timezone.now()
hana, rhea = (User.objects.get(username=name) for name in ("hana", "rhea"))
opening = Opening.objects.create(
    title="Cluster operator on call", level="mid", hiring_manager=hana, created_at=now
)
exercise = Exercise.objects.create(
    opening=opening, pack_name="troubleshooting/jobs-do-not-start", kind="live-slurm", level="mid",
    limit_minutes=45, revision_minutes=10,
)
noor = Candidate.objects.create(name="Noor Haddad", email="noor@example.com", created_at=now)
_, token = invite(
    opening=opening, candidate=noor, exercises=[exercise], by=rhea, now=now,
    opens_at=now - timedelta(days=1), closes_at=now + timedelta(days=7),
)
print(token)
"""
GRADED = """
import time
import django
django.setup()
from assessments.models import GradingRun

for _ in range(400):
    run = GradingRun.objects.filter(
        submission__attempt__exercise__opening__title="Cluster operator on call"
    ).first()
    if run and run.finished_at:
        break
    time.sleep(0.5)
kinds = [row["kind"] for row in run.report["evidence"]]
print(run.submission.attempt_id, run.result, len(run.report["measures"]), kinds)
"""
SOON_MS = 90_000


@pytest.mark.nightly
def test_from_the_first_prompt_to_a_grade(site: Site, chrome: Browser) -> None:
    noor = Candidate(chrome, site, DESKTOP)
    link = f"{site.url}/t/{site.run(BEGIN)}/"
    begin(noor, link)
    work_in_the_shell(noor)
    check(noor)
    on_a_phone(Candidate(chrome, site, PHONE), link)
    noor.write_section("What was wrong", "A limit of the partition train, in slurm.conf.")
    noor.press("Submit")
    noor.page.get_by_role("dialog").get_by_role("button", name="Submit").click()
    noor.page.wait_for_url("**/receipt/", timeout=SOON_MS)
    attempt, _, told = site.run(GRADED).partition(" ")
    assert told.startswith("done 6 ['fault', ")
    staff_looks(Staff(chrome, site, DESKTOP, "hana"), attempt)


def begin(noor: Candidate, link: str) -> None:
    noor.page.goto(link)
    noor.page.get_by_role("checkbox").check()
    noor.is_prepared()
    noor.press("Start")
    expect(noor.page.locator(".terminal-status")).to_have_text("The cluster runs.", timeout=SOON_MS)


def work_in_the_shell(noor: Candidate) -> None:
    """What is typed is answered by the daemons, and the map beside it tells the same."""
    expect(noor.page.locator(".cluster-node")).to_have_count(6, timeout=SOON_MS)
    noor.page.locator(".terminal-screen").click()
    noor.page.keyboard.type("squeue\n")
    expect(noor.page.locator(".xterm-rows")).to_contain_text("emil")
    expect(noor.page.locator(".cluster-map")).to_contain_text("gpu-n006")
    queue = noor.page.get_by_role("region", name="Queue").get_by_role("table")
    expect(queue).to_contain_text("fold-prod")
    noor.page.get_by_text("The chart as a table").click()
    expect(
        noor.page.get_by_role("region", name="History").get_by_role("row").nth(1)
    ).to_be_visible()
    look_at_both(noor, "live-cluster")
    tall = noor.page.evaluate("document.documentElement.scrollHeight")
    assert tall <= DESKTOP[1]
    noor.page.get_by_text("The chart as a table").click()


def check(noor: Candidate) -> None:
    noor.page.get_by_role("tab", name="Check").click()
    noor.page.get_by_role("button", name="Check", exact=True).click()
    expect(noor.page.locator(".check-list li").first).to_contain_text(
        "waiting jobs would start.", timeout=2 * SOON_MS
    )
    noor.look("live-cluster-check")
    noor.page.get_by_role("tab", name="Written answer").click()


def on_a_phone(noor: Candidate, link: str) -> None:
    noor.page.goto(link)
    noor.page.get_by_role("link", name="Continue").first.click()
    noor.show("Room")
    noor.page.locator(".room-tabs").get_by_role("tab", name="Cluster").click()
    expect(noor.page.locator(".cluster-node")).to_have_count(6, timeout=SOON_MS)
    noor.look("live-cluster-narrow")
    noor.page.locator(".room-tabs").get_by_role("tab", name="Terminal").click()
    expect(noor.page.locator(".xterm-rows")).to_contain_text("emil", timeout=SOON_MS)
    noor.look("live-cluster-shell-narrow")


def staff_looks(hana: Staff, attempt: str) -> None:
    """The key, and the course of the work with its slider."""
    hana.go(f"attempts/{attempt}/key/")
    expect(hana.page.get_by_role("heading", name="Faults")).to_be_visible()
    look_at_both(hana, "live-cluster-key")
    hana.go(f"attempts/{attempt}/")
    hana.tab("Evidence")
    slider = hana.page.get_by_role("slider", name="Go through the work").first
    expect(slider).to_be_visible()
    slider.press("End")
    expect(hana.page.locator(".live-now").first).not_to_be_empty()
    expect(hana.page.locator(".live-whole").first).to_contain_text("squeue")
    look_at_both(hana, "live-cluster-course")
