"""What goes wrong while somebody types, in a browser: no word is lost, and the page says how it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect

from headnode.tests.browser.actors import DESKTOP, Candidate
from headnode.tests.browser.kinds_scene import invited
from headnode.tests.browser.site import Site

pytestmark = pytest.mark.nightly
OWN_SITE = True  # its web server is killed
SHORTEN = """
import django
django.setup()
from datetime import timedelta
from django.utils import timezone
from assessments.models import Attempt
attempt = Attempt.objects.get(pk="{attempt}")
until = timezone.now() + timedelta(seconds={seconds})
attempt.time_events.update(after=until)
Attempt.objects.filter(pk=attempt.pk).update(deadline_at=until)
"""
HANDED_IN = """
import django
django.setup()
from assessments.models import Attempt
print(Attempt.objects.get(pk="{attempt}").submissions.get().body["files"]["controller.py"].splitlines()[-1])
"""
THREE_HOURS_FAST = """
const real = Date.now;
Date.now = () => real() + 3 * 3600 * 1000;
"""


@dataclass
class Dana:
    """Somebody at an exercise of her own, and her link."""

    candidate: Candidate
    link: str

    @property
    def page(self) -> Page:
        return self.candidate.page

    @property
    def attempt(self) -> str:
        found = re.search(r"/attempts/([0-9a-f-]+)/", self.page.url)
        assert found is not None, self.page.url
        return found[1]

    def adds(self, text: str) -> None:
        """A line at the end of the program, typed key by key."""
        self.page.locator(".cm-content").first.click()
        self.page.keyboard.press("Control+End")
        self.page.keyboard.press("Enter")
        self.page.keyboard.type(text)

    def has(self, text: str) -> None:
        expect(self.page.locator(".cm-content").first).to_contain_text(text)


@pytest.fixture
def dana(site: Site, chrome: Browser, request: pytest.FixtureRequest) -> Dana:
    """At work, with a first line saved."""
    link = f"{site.url}/t/{invited(site, 'automation', request.node.name[5:25])}/"
    found = Dana(Candidate(chrome, site, DESKTOP), link)
    found.page.goto(link)
    found.page.get_by_role("checkbox").first.check()
    found.candidate.is_prepared()
    found.candidate.press("Start:")
    expect(found.page.locator("#submit-open")).to_be_enabled()
    found.adds("# first line")
    found.candidate.is_saved()
    return found


def test_offline_stays_said_while_one_types_and_all_arrives(dana: Dana) -> None:
    before = dana.candidate.is_saved()
    dana.candidate.context.set_offline(True)
    for word in ("# while ", "offline ", "one types"):
        dana.page.keyboard.type(word, delay=40)
        expect(dana.page.locator("#saved")).to_have_text(re.compile("^Offline[.]"))
    dana.candidate.context.set_offline(False)
    dana.candidate.is_saved(after=before)
    dana.page.reload()
    dana.has("# while offline one types")


def test_a_killed_web_server_costs_no_word(dana: Dana, site: Site) -> None:
    before = dana.candidate.is_saved()
    site.kill("web")
    dana.adds("# typed while nobody listened")
    site.wait_healthy()
    dana.candidate.is_saved(after=before)
    dana.page.reload()
    dana.has("# typed while nobody listened")


def test_another_laptop_goes_on_where_the_first_one_was(
    dana: Dana, site: Site, chrome: Browser
) -> None:
    before = dana.candidate.is_saved()
    second = Candidate(chrome, site, DESKTOP)
    other = Dana(second, dana.link)
    second.page.goto(dana.link)
    second.follow("Continue")
    expect(second.page.locator("#submit-open")).to_be_enabled()
    other.has("# first line")
    other.adds("# on the other laptop")
    second.is_saved(after=before)
    dana.adds("# and on the first again")
    dialog = dana.page.get_by_role("alertdialog")
    expect(dialog).to_contain_text("also changed somewhere else")
    dialog.get_by_role("button", name="Load the newer version").click()
    dana.has("# on the other laptop")


def test_two_tabs_show_what_they_differ_in(dana: Dana) -> None:
    before = dana.candidate.is_saved()
    second = dana.candidate.context.new_page()
    second.goto(dana.page.url)
    expect(second.locator("#submit-open")).to_be_enabled()
    second.locator(".cm-content").first.click()
    second.keyboard.press("Control+End")
    second.keyboard.type("# in the second tab")
    expect(second.locator("#saved")).to_have_text(re.compile(rf"^Saved.*#{before + 1}$"))
    dana.page.bring_to_front()
    dana.adds("# in the first tab")
    dialog = dana.page.get_by_role("alertdialog")
    expect(dialog).to_contain_text("# in the second tab")
    expect(dialog).to_contain_text("# in the first tab")
    dialog.get_by_role("button", name="Keep this version").click()
    dana.has("# in the first tab")
    expect(dana.page.locator("#saved")).to_have_text(re.compile("^Saved"))


def test_a_lost_session_is_said_and_the_link_brings_all_back(dana: Dana) -> None:
    before = dana.candidate.is_saved()
    dana.candidate.context.clear_cookies()
    dana.adds("# typed without a session")
    expect(dana.page.locator("[data-name=signed-out]")).to_be_visible()
    again = dana.candidate.context.new_page()
    again.goto(dana.link)
    again.close()
    dana.adds("# and once more")
    dana.candidate.is_saved(after=before)
    expect(dana.page.locator("[data-name=signed-out]")).to_have_count(0)
    dana.page.reload()
    dana.has("# typed without a session")


def test_a_clock_that_is_wrong_changes_nothing(dana: Dana) -> None:
    right = dana.page.locator("#clock-text").inner_text()
    dana.page.add_init_script(THREE_HOURS_FAST)
    dana.page.reload()
    expect(dana.page.locator("#submit-open")).to_be_enabled()
    minutes = [int(re.findall(r"\d+", text)[0]) for text in (right, left(dana))]
    assert 0 <= minutes[0] - minutes[1] <= 2


def left(dana: Dana) -> str:
    return dana.page.locator("#clock-text").inner_text()


def test_what_is_typed_in_the_last_second_is_handed_in(dana: Dana, site: Site) -> None:
    site.run(SHORTEN.format(attempt=dana.attempt, seconds=20))
    dana.page.reload()
    expect(dana.page.locator("#submit-open")).to_be_enabled()
    attempt, typed = dana.attempt, 0
    dana.adds("# ")
    while not dana.page.get_by_text("Your time is over").is_visible() and typed < 2000:
        dana.page.keyboard.type("x", delay=20)
        typed += 1
    dana.page.wait_for_url(re.compile("/receipt/$"), timeout=90_000)
    handed_in = site.run(HANDED_IN.format(attempt=attempt))
    assert typed - 10 <= handed_in.count("x") <= typed
