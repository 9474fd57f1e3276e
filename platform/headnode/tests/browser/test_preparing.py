"""While a candidate's materials are built the page says so, starts nothing, and goes on by itself."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from headnode.tests.browser.actors import DESKTOP, PATIENCE_S, PHONE, Candidate, browser
from headnode.tests.browser.site import Site

PREPARING = "Your cluster is being prepared; your clock has not started."


@contextmanager
def nothing_is_built(data: Path) -> Iterator[None]:
    """The host's only place to build at is taken."""
    (data / "variants").mkdir(exist_ok=True)
    with (data / "variants/place-0.lock").open("w") as place:
        fcntl.flock(place, fcntl.LOCK_EX)
        yield


@pytest.fixture
def site(tmp_path: Path, leaving: list[Site]) -> Iterator[Site]:
    running = Site(tmp_path / "site")
    running.data.mkdir()
    leaving.append(running)
    try:
        yield running
    finally:
        running.leave()


def start_of(page: Page) -> Locator:
    return page.get_by_role("button", name="Start:")


def reading_of(page: Page) -> Locator:
    return page.get_by_role("link", name="Read the brief")


# A site of its own that builds everything anew. By day test_prepared has what the page says, and all tests of
# workspaces wait for their materials at this page.
@pytest.mark.nightly
def test_page_waits_for_the_materials_and_enables_start_by_itself(site: Site) -> None:
    with browser() as running:
        with nothing_is_built(site.data):
            site.start()
            dilan = opens(Candidate(running, site, DESKTOP), "incident")
            esther = opens(Candidate(running, site, PHONE), "cost")
            dilan.page.get_by_role("checkbox").check()
            plain = running.new_context(java_script_enabled=False).new_page()
            plain.goto(f"{site.url}/t/{site.credentials['scaling']}/")
            expect(start_of(plain)).to_be_disabled()
            plain.get_by_role("link", name="Look again").click()
            expect(plain.get_by_text(PREPARING)).to_be_visible()
        for person, key in ((dilan, "incident"), (esther, "cost")):
            person.is_prepared()
            person.sees("Your cluster is ready. Your clock starts when you press Start.")
            person.look(f"prepared-{key}")
        expect(dilan.page.get_by_role("checkbox")).to_be_focused()
        expect(reading_of(esther.page)).to_be_visible()
        dilan.press("Start:")
        dilan.page.wait_for_url("**/attempts/**")
        looks_again(plain)


def opens(person: Candidate, key: str) -> Candidate:
    """Somebody who opens their link while nothing is built yet."""
    person.page.goto(f"{person.site.url}/t/{person.site.credentials[key]}/")
    person.sees(PREPARING)
    expect(start_of(person.page)).to_be_disabled()
    expect(reading_of(person.page)).to_be_hidden()
    person.look(f"preparing-{key}")
    return person


def looks_again(page: Page) -> None:
    """Without scripts the page is asked for until Start can be pressed."""
    until = time.monotonic() + 4 * PATIENCE_S
    while not start_of(page).is_enabled():
        assert time.monotonic() < until, "The materials were never there."
        page.get_by_role("link", name="Look again").click()
        page.wait_for_timeout(500)
