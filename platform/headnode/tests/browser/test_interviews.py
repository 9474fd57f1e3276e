"""From a job description to the record of an interview: by keyboard, by two, live and through a lost line."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, Page, expect

from headnode.tests.browser.actors import DESKTOP, PHONE, Candidate, Staff
from headnode.tests.browser.hands import has_focus, tab_to
from headnode.tests.browser.site import Site

pytestmark = pytest.mark.nightly  # by day reviews/interviews tries its parts

JOB = """Platform engineer for our Slurm cluster: 64 DGX nodes on InfiniBand, fair-share between six
research teams, Prometheus and Grafana, Terraform. You cut queue times and raise GPU utilisation."""


@pytest.mark.by_day("size", [DESKTOP])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_from_a_job_description_to_a_record(
    site: Site, chrome: Browser, size: tuple[int, int]
) -> None:
    title = f"Operations {size[0]}"
    hana = Staff(chrome, site, size, "hana")
    build_set(hana, title)
    plan_interview(hana, title)
    ask_by_keyboard(hana)
    otto = Staff(chrome, site, size, "otto")
    write_together(hana, otto, title)
    ada = Candidate(chrome, site, size)
    show_the_candidate(hana, otto, ada)
    survive_a_lost_connection(hana)
    hand_in(hana)
    print_everything(hana, title)


def build_set(hana: Staff, title: str) -> None:
    hana.go("library/question/")
    hana.look("bank")
    hana.follow("Question sets")
    hana.look("question-sets")
    hana.follow("Build a set")
    hana.fill("Job description", JOB)
    hana.choose("Seniority", "Senior")
    hana.page.get_by_label("Thinks of what it costs").check()
    hana.look("set-wish")
    hana.press("Propose questions")
    hana.sees("Which words led to which topics")
    hana.page.locator("details.words summary").click()
    hana.sees("infiniband")
    hana.look("set-proposed")
    hana.page.get_by_label("Title").fill(title)
    hana.press("Save the set")
    hana.sees("Built the set")
    hana.look("set-saved")


def plan_interview(hana: Staff, title: str) -> None:
    hana.follow("Plan interviews")
    hana.choose("Opening", "GPU platform engineer")
    ada = hana.page.get_by_label("Candidate").locator("option", has_text="Ada Fontaine")
    hana.page.get_by_label("Candidate").select_option(ada.get_attribute("value"))
    hana.choose("Question set", title)
    hana.page.get_by_label(re.compile("Hana")).check()
    hana.page.get_by_label(re.compile("Otto")).check()
    begins_at = datetime.now(UTC) + timedelta(days=2)
    hana.fill("Begins at", begins_at.strftime("%Y-%m-%dT%H:%M"))
    hana.fill("Time zone of that time", "Europe/Berlin")
    hana.look("plan-interview")
    hana.press("Plan")
    hana.sees("Questions, in this order")
    hana.look("talk-plan")
    hana.go("interviews/")
    hana.look("interviews")
    hana.page.get_by_role("link", name=title).first.click()
    hana.look("interview-start")
    hana.press("Begin the interview")


def saved(page: Page) -> None:
    expect(page.locator("#save-state")).to_contain_text(re.compile("^saved \\d"))


def ask_by_keyboard(hana: Staff) -> None:
    page = hana.page
    hana.look("interview")
    for key in ("a", "p", "1", "p", "3", "h", "1", "f", "2", "4", "n"):
        page.keyboard.press(key)
    page.keyboard.type("Knew backfill windows from practice.")
    page.keyboard.press("Escape")
    saved(page)
    shown = page.locator(".question:visible")
    assert [box.is_checked() for box in shown.locator("[name^=points-]").all()[:3]] == [1, 0, 1]
    assert shown.locator("[name^=hints-]").first.is_checked()
    assert shown.locator("[name^=score-][value='4']").is_checked()
    expect(page.locator("#scored-count")).to_have_text("1")
    hana.look("interview-scored")
    pause_and_skip(page)


def pause_and_skip(page: Page) -> None:
    """t stops the time and lets it go on; x skips, which takes the score, and takes that back."""
    shown = page.locator(".question:visible")
    for words in ("Let the time run", "Pause the time"):
        page.keyboard.press("t")
        expect(shown.locator("[data-pause]")).to_have_text(words)
    page.keyboard.press("x")
    expect(shown.locator("[name^=skipped-]")).to_be_checked()
    expect(shown.locator("[name^=score-]:checked")).to_have_count(0)
    page.keyboard.press("x")
    page.keyboard.press("4")
    expect(shown.locator("[name^=score-][value='4']")).to_be_checked()


def write_together(hana: Staff, otto: Staff, title: str) -> None:
    """Two browsers type into the notes at once; what each wrote reaches the other."""
    otto.go("interviews/")
    otto.page.get_by_role("link", name=title).first.click()
    otto.press("Begin the interview")
    notes = {one: one.page.locator("#talk-notes") for one in (hana, otto)}
    for area in notes.values():
        expect(area).to_be_enabled()
    hana.page.keyboard.press("m")
    hana.page.keyboard.type("Hana: began with backfill.\n")
    notes[otto].focus()
    otto.page.keyboard.type("Otto: sound on quotas.\n")
    for area in notes.values():
        expect(area).to_have_value(re.compile("began with backfill"))
        expect(area).to_have_value(re.compile("sound on quotas"))
    otto.context.set_offline(True)
    otto.page.keyboard.type("Otto: and on priorities.\n")
    expect(otto.page.locator("#notes-state")).to_contain_text("No connection")
    otto.context.set_offline(False)
    otto.complaints.clear()  # the requests that could not be sent
    otto.page.reload()
    expect(notes[hana]).to_have_value(re.compile("and on priorities"))
    hana.page.keyboard.press("Escape")


def show_the_candidate(hana: Staff, otto: Staff, ada: Candidate) -> None:
    """The question and the pad reach the candidate while they are open, and not a moment longer."""
    ada.page.goto(ada.site.candidate_link)
    ada.follow("Open the interview’s page")
    ada.sees("Nothing is open at the moment")
    ada.look("sitting-closed")
    asked = hana.page.locator(".question:visible .question-text").inner_text()
    hana.page.keyboard.press("v")
    ada.sees(asked)
    ada.page.get_by_label("Shared pad").fill("24 free, 3 on each node")
    for one in (hana, otto):
        expect(one.page.locator("#talk-pad")).to_have_value("24 free, 3 on each node")
    hana.page.locator("#talk-pad").press("End")
    hana.page.keyboard.type("\nand two whole nodes?")
    expect(ada.page.get_by_label("Shared pad")).to_have_value(re.compile("two whole nodes"))
    hana.look("interview-live")
    ada.look("sitting-open")
    assert "backfill" not in ada.page.content().replace(asked, "")
    hana.press("Close the candidate’s page")
    ada.sees("Nothing is open at the moment")
    expect(ada.page.get_by_text(asked)).to_have_count(0)
    hana.page.keyboard.press("Escape")


def survive_a_lost_connection(hana: Staff) -> None:
    """What is written offline is kept through a reload and arrives when the network is back."""
    page = hana.page
    page.keyboard.press("j")
    hana.context.set_offline(True)
    for key in ("a", "p", "2", "3"):
        page.keyboard.press(key)
    hana.sees("kept in this browser and sent when")
    hana.context.set_offline(False)
    page.evaluate("window.dispatchEvent(new Event('online'))")
    saved(page)
    hana.complaints.clear()  # the requests that could not be sent
    page.reload()
    expect(page.locator("#scored-count")).to_have_text("2")
    page.keyboard.press("k")
    expect(page.locator(".question:visible [name^=score-][value='3']")).to_be_checked()


def hand_in(hana: Staff) -> None:
    """s goes to the button from wherever nothing is typed; Enter presses it."""
    page = hana.page
    tab_to(hana, page.get_by_label("Summary").first)
    page.keyboard.type("Sound on operations, less so on networks.")
    for key in ("Escape", "s"):
        page.keyboard.press(key)
    assert has_focus(page.locator("#submit-interview"))
    page.keyboard.press("Enter")
    hana.sees("Your record is in")
    hana.sees("Mean score 3.5 of 5")
    hana.look("interview-record")
    left = hana.page.evaluate(
        "Object.keys(localStorage).filter((name) => name.startsWith('headnode:interview'))"
    )
    assert left == []


def print_everything(hana: Staff, title: str) -> None:
    hana.follow("Print")
    hana.look("print-record")
    hana.go("question-sets/")
    hana.follow(title)
    hana.follow("Print")
    hana.look("print-set")
    hana.go("hiring/opening/")
    hana.page.locator("#result_list tbody th a").first.click()
    hana.follow("Interview guide")
    hana.sees("Timetable of the sitting")
    hana.look("opening-guide")
    pdf = hana.page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    assert len(pdf) > 20_000
