"""The interviewer's tools by keyboard: pins, the course of the work, explain and defend, release (E14, E16)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from headnode.tests.browser.actors import DESKTOP, Staff, look_in_light
from headnode.tests.browser.site import Site

REMARK = "A call that timed out may have worked."


@pytest.mark.nightly
def test_from_the_next_answer_to_a_released_feedback(site: Site, chrome: Browser) -> None:
    ines = Staff(chrome, site, DESKTOP, "ines")
    open_next_to_score(ines)
    pin_by_keyboard(ines)
    pin_a_stretch_of_a_replay(ines)
    replay_the_work(ines)
    score_by_keyboard(ines)
    explain_and_defend(ines)
    release(ines, Staff(chrome, site, DESKTOP, "hana"))
    write_down_what_was_said(ines)


def open_next_to_score(ines: Staff) -> None:
    ines.go("")
    ines.page.get_by_role("link", name=re.compile("Automated resource management")).first.click()
    ines.follow("All candidates of this exercise")
    look_in_light(ines, "score-order")
    ines.follow("Next to score")
    ines.sees("stay hidden until yours are in")


def text_of(page: Page, title: str) -> str:
    return f"[data-pin-part='{title}'][data-pin-round='1']"


def pin_by_keyboard(ines: Staff) -> None:
    """Line 3 to 5 of the program by arrow keys; what is typed is kept without a button."""
    page = ines.page
    code = page.locator(text_of(page, "controller.py"))
    code.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown", "p"):
        page.keyboard.press(key)
    expect(code.locator("li.marked")).to_have_count(3)
    page.keyboard.type(REMARK)
    expect(page.get_by_role("group", name="Pin at lines 3 to 5")).to_contain_text(
        re.compile(r"kept \d")
    )
    page.keyboard.press("Escape")
    expect(code).to_be_focused()
    look_in_light(ines, "score-pin")
    page.reload()
    expect(page.get_by_role("group", name="Pin at lines 3 to 5")).to_contain_text(REMARK)
    ines.tab("Pins")
    expect(page.locator("#pin-list")).to_contain_text("controller.py, lines 3 to 5")
    ines.look("score-pins")
    ines.page.get_by_role("link", name="controller.py, lines 3 to 5").click()
    expect(page.get_by_role("group", name="Pin at lines 3 to 5")).to_be_visible()


def pin_a_stretch_of_a_replay(ines: Staff) -> None:
    """Zoomed to half a day, p pins that half; it is a mark of the replay from then on. Withdrawn again."""
    page = ines.page
    ines.tab("Evidence")
    workload = page.locator("details.workload").first
    workload.locator("summary").click(timeout=240_000)  # once the demo's answer is graded
    slider = workload.get_by_role("slider", name="Time of the run")
    for key in ("PageUp", "PageUp", "+", "p"):
        slider.press(key)
    page.keyboard.type("The queue grows while nodes stand idle.")
    pin = workload.get_by_role("group", name="Pin at 02:24 to 14:24")
    expect(pin).to_contain_text(re.compile(r"kept \d"))
    page.keyboard.press("Escape")
    expect(slider).to_be_focused()  # the writing is left once all of it is kept
    page.reload()
    ines.tab("Evidence")
    workload.locator("summary").click()
    pin = workload.get_by_role("group", name=re.compile("02:24 to 14:24"))
    expect(pin).to_contain_text("nodes stand idle")
    expect(workload.get_by_role("slider", name="Pin, one step for each")).to_be_visible()
    look_in_light(ines, "score-stretch")
    pin.get_by_role("button", name="Change").click()
    pin.get_by_role("button", name="Withdraw").click()
    expect(pin).to_have_count(0)
    ines.tab("Answer")


def replay_the_work(ines: Staff) -> None:
    """The slider goes through the drafts; without script the same steps are links."""
    page, back = ines.page, ines.page.url
    ines.follow("Course of the work")
    slider = page.get_by_role("slider", name="Step")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("Round 1 handed in"))
    slider.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("Draft 2"))
    expect(page.locator("#course-step-view")).to_contain_text("controller.py")
    look_in_light(ines, "course")
    slider.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("Step 1 of"))
    page.get_by_role("heading", level=1).first.click()
    page.keyboard.press(".")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("handed in"))
    plain = ines.context.browser.new_context(  # type: ignore[union-attr]
        java_script_enabled=False, storage_state=ines.context.storage_state()
    )
    quiet = plain.new_page()
    quiet.goto(page.url)
    quiet.get_by_role("link", name="Previous").click()
    expect(quiet.get_by_role("heading", name=re.compile("Draft 2"))).to_be_visible()
    plain.close()
    page.goto(back)


def score_by_keyboard(ines: Staff) -> None:
    page = ines.page
    expect(page.locator(".criterion.current")).to_have_count(1)  # the script is there
    criteria = page.locator("fieldset.criterion").count()
    page.get_by_role("heading", name="Your scorecard").click()
    for _ in range(criteria):
        page.keyboard.press("4")
        page.keyboard.press("j")
    expect(page.get_by_text(f"{criteria} of {criteria} rated")).to_be_visible()
    page.keyboard.press("s")
    page.keyboard.press("Enter")
    ines.sees("Your scorecard is in")


def explain_and_defend(ines: Staff) -> None:
    ines.page.locator(".score-card").get_by_role("link", name="Feedback and revision").click()
    ines.sees("without it the feedback cannot be released")
    ines.follow("Record explain and defend")
    look_in_light(ines, "defence")
    page = ines.page
    page.locator("details.put summary").first.click()
    page.get_by_label("What was answered").first.fill("By the queue's own pace.")
    ines.fill("Your own question", "What happens when the API answers late?")
    page.reload()  # nothing was sent, and nothing is lost
    expect(page.get_by_label("Your own question").first).to_have_value(re.compile("answers late"))
    page.get_by_role("radio", name=re.compile("Ties reasons to facts")).check()
    ines.press("Record the talk")
    ines.sees("Recorded. It stays with the attempt")
    ines.sees("By the queue's own pace.")
    look_in_light(ines, "defence-recorded")
    ines.follow("Go on to the feedback")


def release(ines: Staff, hana: Staff) -> None:
    """Otto owes his scorecard, so that two people say why it goes out before."""
    ines.fill("One strength", "The plan is a pure function.")
    ines.fill("One improvement", "Read before you repeat a call.")
    ines.press("Release and open the revision")
    ines.sees("choose for each where it shows")
    ines.complaints.clear()  # the refusal itself
    place = ines.page.get_by_label("Where the improvement belongs")
    pinned = place.locator("option", has_text="controller.py, lines 3 to 5").get_attribute("value")
    place.select_option(pinned)
    ines.choose("Where the strength shows", "Architecture as a whole")
    ines.choose("What the revision is about", "controller.py")
    look_in_light(ines, "feedback-placed")
    ines.press("Release and open the revision")
    ines.sees("Otto Brandt owes a scorecard of the first answer")
    ines.complaints.clear()  # the refusal itself
    ines.fill("Why it cannot wait", "The candidate is here until five.")
    ines.press("Ask for an early release")
    ines.sees("Somebody else has to agree")
    look_in_light(ines, "feedback-early-asked")
    hana.page.goto(ines.page.url)
    hana.press("I agree to the early release")
    ines.page.reload()
    ines.sees("Hana Okafor agreed")
    ines.press("Release and open the revision")
    ines.sees("Released early, as Ines Moreau asked and Hana Okafor agreed")
    look_in_light(ines, "feedback-released-placed")


def write_down_what_was_said(ines: Staff) -> None:
    ines.follow("Write down a spoken revision")
    look_in_light(ines, "spoken")
    ines.fill("What the candidate says", "She would read the pool's size before she asks again.")
    ines.press("Hand the notes in")
    ines.sees("The notes are the answer of round 2 now")
    ines.follow("Score round 2")
    ines.sees("Notes of the spoken revision")
    ines.sees("Not blind.")
    ines.look("score-spoken")
