"""A run is stopped with the keyboard alone: by its button, by its key, and after a reload."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, expect

from headnode.tests.browser.actors import DESKTOP, Candidate
from headnode.tests.browser.hands import press_on, tab_to
from headnode.tests.browser.site import Site

pytestmark = pytest.mark.nightly  # by day assessments/tests/test_stops tries its parts

ENDLESS = 'print("begun", flush=True)\nwhile True:\n    pass\n'
AT_ONCE_MS = 8_000  # the endless program would take a minute


def test_run_is_stopped_by_button_by_key_and_after_a_reload(site: Site, chrome: Browser) -> None:
    dana = Candidate(chrome, site, DESKTOP)
    dana.page.goto(site.candidate_link)
    press_on(dana, dana.page.get_by_role("checkbox"), "Space")
    press_on(dana, dana.page.get_by_role("button", name="Start").first)
    expect(dana.page.locator(".hint", has_text="stops")).to_be_visible(timeout=240_000)
    tab_to(dana, dana.page.locator(".cm-content").first)
    dana.page.keyboard.press("Control+a")
    dana.page.keyboard.insert_text(ENDLESS)
    by_its_button(dana)
    by_its_key(dana)
    after_a_reload(dana)


def stop_button(dana: Candidate) -> Locator:
    return dana.page.get_by_role("button", name="Stop", exact=True)


def is_going(dana: Candidate) -> None:
    expect(dana.page.locator(".run-state")).to_have_text(re.compile("^Running"), timeout=60_000)
    expect(stop_button(dana)).to_be_enabled()


def has_stopped(dana: Candidate) -> None:
    """In words; and it can be run again."""
    state = dana.page.locator(".run-state")
    expect(state).to_have_text(re.compile("^Stopped"), timeout=AT_ONCE_MS)
    panel = dana.page.get_by_role("tabpanel", name="output")
    expect(panel).to_contain_text("You stopped this run.")
    expect(dana.page.get_by_role("button", name="Run ▸")).to_be_enabled()


def by_its_button(dana: Candidate) -> None:
    dana.page.keyboard.press("Control+Enter")
    is_going(dana)
    # A program whose run has begun still has to be started: it needs a moment until it prints.
    going_for_long = re.compile(r"^Running · (\d\d|[6-9]) s")
    expect(dana.page.locator(".run-state")).to_have_text(going_for_long, timeout=60_000)
    expect(dana.page.locator("#announce")).to_contain_text("The run has begun")
    dana.look("run-going")
    dana.page.keyboard.press("Escape")  # with it the Tab key leaves the editor
    press_on(dana, stop_button(dana))
    has_stopped(dana)
    expect(dana.page.get_by_role("tabpanel", name="output")).to_contain_text("begun")
    expect(dana.page.get_by_role("button", name="Run ▸")).to_be_focused()
    dana.look("run-stopped")


def by_its_key(dana: Candidate) -> None:
    dana.page.keyboard.press("Enter")
    is_going(dana)
    dana.page.keyboard.press("Control+.")
    has_stopped(dana)


def after_a_reload(dana: Candidate) -> None:
    dana.page.keyboard.press("Control+Enter")
    is_going(dana)
    dana.page.reload()
    is_going(dana)
    dana.page.keyboard.press("Control+.")
    has_stopped(dana)
    dana.page.reload()
    panel = dana.page.get_by_role("tabpanel", name="output")
    expect(panel).to_contain_text("You stopped this run.")
    expect(stop_button(dana)).to_have_count(0)
