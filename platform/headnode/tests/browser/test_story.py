"""The product's main job as people do it, at a desk and on a phone (E4, E14, T1-T4, T6, S1-S3)."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from headnode.tests.browser.actors import DESKTOP, PHONE, Candidate, Staff
from headnode.tests.browser.site import Site

pytestmark = pytest.mark.database
# By day the second pass starts it from nothing, on its servers.
FROM_NOTHING = bool(os.environ.get("HEADNODE_NIGHTLY"))
GOLDENS = (
    Path(__file__).resolve().parents[4] / "scenarios/packs/automation/queue-autoscaler/goldens"
)


# By day the staff sit at a desk and the candidate holds a phone, by night also the other way round.
@pytest.mark.by_day("size,held", [(DESKTOP, PHONE)])
@pytest.mark.parametrize(
    ("size", "held"),
    [(DESKTOP, PHONE), (PHONE, DESKTOP)],
    ids=["candidate-phone", "candidate-desktop"],
)
def test_from_an_opening_to_a_decision(
    site: Site, chrome: Browser, size: tuple[int, int], held: tuple[int, int]
) -> None:
    rhea = Staff(chrome, site, size, "rhea")
    link = open_and_invite(rhea, f"Cluster engineer {size[0]}")
    dana = Candidate(chrome, site, held)
    take_the_exercise(dana, link, rhea)
    assign(rhea, "Ines Moreau", f"Dana {size[0]}")
    ines = Staff(chrome, site, size, "ines")
    score_first_answer(ines, size)
    give_feedback(ines)
    revise(dana, link)
    score_revision(ines)
    decide(Staff(chrome, site, size, "hana"), f"Dana {size[0]}")


def open_and_invite(rhea: Staff, title: str) -> str:
    """A recruiter makes an opening with one exercise and invites somebody; the link she copies."""
    rhea.look("home-recruiter")
    rhea.go("hiring/opening/add/")
    rhea.fill("Title", title)
    rhea.choose("Seniority", "Mid")
    rhea.choose("Hiring manager", "Hana Okafor")
    rhea.fill("Description", "Keep sixteen nodes of GPUs busy and their users content.")
    cards = rhea.page.get_by_role("radiogroup", name="Exercises").first
    cards.get_by_text("Scale GPU nodes by queue depth and priority").click()
    levels = rhea.page.get_by_label(re.compile("^Level:?$"))
    levels.first.select_option(label="Mid")
    rhea.look("opening-add")
    rhea.press("Save")
    rhea.sees(title)
    rhea.page.goto(f"{rhea.site.url}/admin/hiring/opening/")
    rhea.look("openings")
    rhea.follow(title)
    rhea.look("opening")
    rhea.follow("Invite a candidate")
    rhea.fill("Name of a new candidate", f"Dana {title.split()[-1]}")
    rhea.fill("E-mail of a new candidate", f"dana.{title.split()[-1]}@example.com")
    rhea.look("invite")
    rhea.press("Make the link")
    rhea.look("link")
    return rhea.page.get_by_role("textbox", name="link").input_value()


def take_the_exercise(dana: Candidate, link: str, rhea: Staff) -> None:
    dana.page.goto(link)
    dana.look("lobby")
    dana.page.get_by_role("checkbox").check()
    dana.press("Start")
    dana.look("workspace")
    dana.write_program((GOLDENS / "competent.py").read_text())
    number = dana.is_saved()
    dana.write_section("Architecture", "One loop; observe, plan and act can be read apart.")
    expect(dana.page.locator("#saved")).to_contain_text(f"#{number + 1}")
    run_on_a_public_day(dana)
    get_more_time(dana, rhea)
    dana.page.reload()
    dana.show("Answer")
    expect(dana.page.get_by_role("textbox", name="Architecture")).to_have_value(
        re.compile("read apart")
    )
    dana.press("Submit")
    dana.look("submit-dialog")
    dana.page.get_by_role("dialog").get_by_role("button", name="Submit").click()
    expect(dana.page).to_have_url(re.compile("/receipt/$"))
    dana.sees("Your answer was received")
    dana.look("receipt")


def run_on_a_public_day(dana: Candidate) -> None:
    dana.show("Run")
    dana.press("Run")
    dana.sees("The controller saw the whole day", within=120)
    dana.look("run-output")
    dana.page.get_by_role("tab", name="Measures").click()
    dana.sees("Wait of high-priority jobs")
    dana.look("run-measures")
    dana.page.get_by_role("tab", name="Timeline").click()
    dana.sees("Jobs waiting")
    dana.look("run-timeline")


def get_more_time(dana: Candidate, rhea: Staff) -> None:
    """The recruiter gives ten minutes; the open page shows them within ten seconds (T2)."""
    rhea.go("assessments/attempt/")
    rhea.look("attempts")
    rhea.page.get_by_role("row", name=re.compile("Dana.*Working")).get_by_role("link").first.click()
    rhea.look("attempt-running")
    rhea.follow("Extend time")
    rhea.fill("Minutes", "10")
    rhea.fill("Reason", "Her connection failed in the first minutes.")
    rhea.look("extend")
    rhea.press("Extend")
    dana.sees("You have 10 min more time.", within=10)
    expect(dana.page.locator("#announce")).to_contain_text("You have 10 min more time.")


def assign(rhea: Staff, evaluator: str, candidate: str) -> None:
    rhea.go("assessments/attempt/")
    rhea.page.get_by_role("row", name=re.compile(candidate)).get_by_role("link").first.click()
    rhea.follow("Assign evaluator")
    rhea.choose("Evaluator", evaluator)
    rhea.press("Assign")
    rhea.sees(evaluator)


def score_first_answer(ines: Staff, size: tuple[int, int]) -> None:
    """She knows a pseudonym, sees no score of the machine, and rates by the keyboard."""
    ines.go("")
    ines.look("home-interviewer")
    ines.page.get_by_role("link", name=re.compile(f"Cluster engineer {size[0]}")).first.click()
    expect(ines.page.get_by_text("Dana")).to_have_count(0)
    ines.sees("stay hidden until yours are in")
    rate_all(ines, "4")
    ines.look("score")
    ines.press("Submit scorecard")
    ines.sees("Your scorecard is in")
    ines.look("score-submitted")


def rate_all(ines: Staff, level: str) -> None:
    criteria = ines.page.locator("fieldset.criterion")
    expect(ines.page.locator(".criterion.current")).to_have_count(1)  # the script is there
    for index in range(criteria.count()):
        criteria.nth(index).get_by_role("radio").nth(int(level) - 1).check()
    total = criteria.count()
    expect(ines.page.get_by_text(f"{total} of {total} rated")).to_be_visible()


def give_feedback(ines: Staff) -> None:
    ines.page.goto(re.sub("score/1/.*", "defence/", ines.page.url))
    ines.page.get_by_text("There is no such talk").click()
    ines.fill("Why the candidate is not asked", "Take-home: she asked for feedback in writing.")
    ines.press("Leave it out with this reason")
    ines.follow("Go on to the feedback")
    ines.fill("Strength", "The plan is a pure function, so it can be tested without a cluster.")
    ines.fill("Improvement", "A call that timed out may have worked: read before repeating it.")
    ines.choose("Where the strength shows", "Architecture as a whole")
    ines.choose("Where the improvement belongs", "controller.py as a whole")
    ines.choose("What the revision is about", "controller.py")
    ines.look("feedback")
    ines.press("Release and open the revision")
    ines.sees("Released")
    ines.look("feedback-released")


def revise(dana: Candidate, link: str) -> None:
    dana.page.goto(link)
    dana.look("lobby-revision")
    dana.press("Start the revision")
    dana.sees("read before repeating it")
    dana.look("workspace-revision")
    dana.write_program((GOLDENS / "expert.py").read_text())
    dana.is_saved()
    dana.press("Submit")
    dana.page.get_by_role("dialog").get_by_role("button", name="Submit").click()
    expect(dana.page).to_have_url(re.compile("/receipt/$"))
    dana.sees("Revised answer")
    dana.look("receipt-revised")


def score_revision(ines: Staff) -> None:
    ines.page.reload()
    ines.follow("Score round 2")
    ines.look("score-revision")
    rate_all(ines, "5")
    ines.press("Submit scorecard")
    ines.sees("Your scorecard is in")


def both_are_graded(hana: Staff) -> None:
    """The page shows by itself when the revision has its evidence beside the first answer's."""
    expect(hana.page.locator("[data-grading]")).to_have_count(2)
    expect(hana.page.locator("[data-grading][data-pending]")).to_have_count(0, timeout=240_000)


def watch_both_answers(hana: Staff) -> None:
    """A hidden day of the first answer is watched, then beside the reference: the revision had other days."""
    address = hana.page.url
    hana.page.locator("details.workload summary").first.click()
    expect(hana.page.get_by_role("slider", name="Time of the run")).to_be_visible()
    hana.look("attempt-replay")
    hana.follow("Compare with another replay")
    expect(hana.page.get_by_label("B, drawn dashed")).to_have_value(re.compile("^reference-"))
    hana.choose("B, drawn dashed", "The reference on Hidden day 1")
    hana.sees("B The reference on Hidden day 1", within=120)
    expect(hana.page.get_by_role("region", name="Differences")).to_be_visible()
    hana.look("compare")
    hana.page.goto(address)


def decide(hana: Staff, candidate: str) -> None:
    hana.go("")
    hana.look("home-manager")
    hana.go("assessments/attempt/")
    hana.page.get_by_role("row", name=re.compile(candidate)).get_by_role("link").first.click()
    both_are_graded(hana)
    hana.tab("Evidence")
    hana.look("attempt-evidence")
    watch_both_answers(hana)
    hana.follow("Decide")
    hana.page.get_by_role("radio", name="Make an offer").check()
    hana.fill(
        "Reasons", "Took the feedback up within the time, and both answers hold under faults."
    )
    hana.look("decision")
    hana.press("Record the decision")
    hana.sees("Took the feedback up within the time")
    hana.look("decision-recorded")
