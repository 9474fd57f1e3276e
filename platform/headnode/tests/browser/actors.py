"""Staff and candidates at a real browser, by the roles and labels that people see."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Error, Playwright, expect, sync_playwright

from headnode.tests.browser.site import Site, chromium

DESKTOP, PHONE = (1440, 900), (390, 844)
# How long a busy machine may take for what takes an idle one a moment.
PATIENCE_S = 60.0
expect.set_options(timeout=PATIENCE_S * 1000)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SHOTS = os.environ.get("HEADNODE_SHOTS")
EVERY_LOOK = bool(os.environ.get("HEADNODE_NIGHTLY"))
"""Whether a workspace is also walked in the dark and on a phone; by day test_candidate_pages opens each so."""
# What the inspection itself does to a page, and what is recorded by its address instead.
KNOWN_OTHERWISE = ("Applying inline style violates", "Failed to load resource")


class Shared:
    """The one browser of this process, from the first that asks until `end`: each start costs seconds."""

    running: ClassVar[tuple[Playwright, Browser] | None] = None

    @classmethod
    def start(cls) -> Browser:
        if cls.running is None:
            path = chromium()
            playwright = sync_playwright().start()
            cls.running = playwright, playwright.chromium.launch(executable_path=path, args=FLAGS)
        return cls.running[1]

    @classmethod
    def end(cls) -> None:
        if cls.running is not None:
            playwright, running = cls.running
            cls.running = None
            running.close()
            playwright.stop()


@contextmanager
def browser() -> Iterator[Browser]:
    """This process's browser; the windows opened in it meanwhile are closed at the end."""
    running = Shared.start()
    before = set(running.contexts)
    yield running
    for window in set(running.contexts) - before:
        window.close()


def inspection(name: str, coloured: set[str], *, by_day: bool = True) -> dict[str, Any]:
    """What axe is asked of a page of that name. Nobody reads the selectors that it would make up.

    Contrast takes three quarters of the time, and colours are the same at every width: by day it is looked at
    where the page is met first, or where `by_day` says so not at all. `coloured` are the names so far.
    """
    asked: dict[str, Any] = {"resultTypes": ["violations"], "selectors": False}
    if (name in coloured or not by_day) and not os.environ.get("HEADNODE_NIGHTLY"):
        asked["rules"] = {"color-contrast": {"enabled": False}}
    coloured.add(name)
    return asked


class Person:
    """Somebody with a browser window; complaints of the browser's console are remembered."""

    grave: ClassVar[frozenset[str | None]] = frozenset({"serious", "critical"})
    """Impacts of what axe finds that no page may have."""
    coloured: ClassVar[set[str]] = set()
    """Names of the pages whose colours this process has looked at."""
    colours_by_day: ClassVar[bool] = True

    def __init__(self, running: Browser, site: Site, size: tuple[int, int]) -> None:
        self.site = site
        self.context = running.new_context(
            viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce"
        )
        self.context.set_default_timeout(PATIENCE_S * 1000)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda line: self._heard(line.type, line.text))
        self.page.on("response", lambda answer: self._answered(answer.status, answer.url))
        self.narrow = size == PHONE

    def _heard(self, kind: str, text: str) -> None:
        if kind == "error" and not text.startswith(KNOWN_OTHERWISE):
            self.complaints.append(text)

    def _answered(self, status: int, url: str) -> None:
        if status >= 400:
            self.complaints.append(f"{status} for {url}")

    def look(self, name: str) -> None:
        """The page is accessible, fits its width, and the browser had nothing to complain about."""
        self.page.wait_for_load_state()  # before it, styles and scripts may still be missing
        if SHOTS:
            width = "390" if self.narrow else "1440"
            Path(SHOTS).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=f"{SHOTS}/{name}-{width}.png", full_page=True)
        assert self.complaints == [], f"{name}: {self.complaints}"
        found = self._inspected(inspection(name, self.coloured, by_day=self.colours_by_day))
        grave = [
            f"{item['id']}: {item['nodes'][0]['html'][:160]}"
            for item in found
            if item["impact"] in self.grave
        ]
        assert grave == [], f"{name}: {grave}"
        wide, room = self.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide <= room + 1, f"{name} is {wide} px wide in a window of {room} px"
        self.complaints.clear()  # what the inspection did to the page is not the page's fault

    def _inspected(self, asked: dict[str, Any]) -> list[dict[str, Any]]:
        """What axe finds; a part that the page renews under its hands is looked at once more."""
        try:
            response = Axe().run(self.page, options=asked).response
        except Error:
            self.page.wait_for_load_state("networkidle")
            response = Axe().run(self.page, options=asked).response
        violations: list[dict[str, Any]] = response["violations"]
        return violations

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name).first.click()
        self.page.wait_for_load_state()  # of the page it may have led to: its scripts are bound

    def follow(self, name: str) -> None:
        self.page.get_by_role("link", name=name).first.click()
        self.page.wait_for_load_state()

    def fill(self, label: str, text: str) -> None:
        self.page.get_by_label(label, exact=False).first.fill(text)

    def choose(self, label: str, option: str) -> None:
        self.page.get_by_label(label, exact=False).first.select_option(label=option)

    def sees(self, text: str, within: float = PATIENCE_S) -> None:
        expect(self.page.get_by_text(text).first).to_be_visible(timeout=within * 1000)


def look_in_light(person: Person, name: str) -> None:
    """At a desk and on a phone."""
    for size in (DESKTOP, PHONE):
        person.page.set_viewport_size({"width": size[0], "height": size[1]})
        person.narrow = size == PHONE
        person.look(name)
    person.page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    person.narrow = False


def look_at_both(person: Person, name: str) -> None:
    """At a desk and on a phone, light and dark."""
    look_in_light(person, name)
    person.page.emulate_media(color_scheme="dark")
    look_in_light(person, f"{name}-dark")
    person.page.emulate_media(color_scheme="light")


class Staff(Person):
    """A member of staff of the demo. What colours the staff's pages have is looked at by night."""

    colours_by_day = False
    signed_in: ClassVar[set[bool]] = set()

    def __init__(self, running: Browser, site: Site, size: tuple[int, int], name: str) -> None:
        super().__init__(running, site, size)
        self.go("")
        if self.narrow not in self.signed_in:  # once for each width: everybody comes by here
            self.look("sign-in")
            self.signed_in.add(self.narrow)
        self.fill("Username", name)
        self.fill("Password", site.credentials["password"])
        self.press("Sign in")
        expect(self.page.get_by_role("button", name="Sign out")).to_be_attached()

    def go(self, path: str) -> None:
        self.page.goto(f"{self.site.url}/admin/{path}")

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name).first.click()


class Candidate(Person):
    """Somebody who was sent a link."""

    def is_prepared(self) -> None:
        """Wait on the overview until the materials have been built."""
        start = self.page.get_by_role("button", name="Start:").first
        expect(start).to_be_enabled(timeout=4 * PATIENCE_S * 1000)

    def show(self, pane: str) -> None:
        """Bring a pane to the front where the window shows one at a time."""
        # Where parts of the page are fetched, it is set up only after it was loaded.
        expect(self.page.locator("#submit-open")).to_be_enabled()
        tab = self.page.locator("#pane-tabs").get_by_role("tab", name=pane)
        if tab.count() and tab.is_visible():
            tab.click()

    def write_program(self, text: str) -> None:
        """Replace controller.py, as somebody does who pastes their own."""
        self.show("Code")
        self.page.locator(".cm-content").first.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)

    def write_section(self, title: str, text: str) -> None:
        self.show("Answer")
        self.page.get_by_role("textbox", name=title).fill(text)

    def is_saved(self, after: int = 0) -> int:
        """Wait until the bar tells of a draft, one later than that number; its number."""
        bar = self.page.locator("#saved")
        until = time.monotonic() + PATIENCE_S
        while True:
            found = re.search(r"Saved.*#(\d+)", bar.inner_text())
            if found and int(found[1]) > after:
                return int(found[1])
            assert time.monotonic() < until, f"Nothing after #{after}: {bar.inner_text()}"
            self.page.wait_for_timeout(100)
