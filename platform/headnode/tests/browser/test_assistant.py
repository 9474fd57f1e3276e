"""Ada asks the assistant that the company provides; it answers, misbehaves, and staff read all of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from assessments.assistant.tests.model_server import Model, speaking
from headnode.tests.browser.actors import DESKTOP, PHONE, Candidate, Staff
from headnode.tests.browser.hands import press_on
from headnode.tests.browser.kept_demo import lend
from headnode.tests.browser.site import Site

pytestmark = pytest.mark.nightly  # by day assessments/assistant tries its parts

PROVIDE = """
import django
django.setup()
from hiring.models import Exercise
from hiring.policies import ASSISTANTS_BY_RULE
Exercise.objects.update(assistants="provided", assistants_policy=ASSISTANTS_BY_RULE["provided"])
"""


class Reader(Candidate):
    """A candidate in whose pane nothing is tolerated."""

    grave = frozenset({"minor", "moderate", "serious", "critical", None})


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    with speaking() as running:
        yield running


@pytest.fixture
def site(
    tmp_path: Path,
    leaving: list[Site],
    demo: Path,
    model: Model,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Site]:
    """A site whose operator has set an assistant up."""
    for name, value in {"URL": model.url, "MODEL": "small-1", "TOKENS": "2000"}.items():
        monkeypatch.setenv(f"ASSISTANT_{name}", value)
    own = Site(tmp_path / "site")
    leaving.append(own)
    lend(own.data, demo)
    try:
        own.start()
        yield own
    finally:
        own.leave()


@pytest.mark.by_day("size", [DESKTOP])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_ask_be_answered_stop_and_go_on_without(
    site: Site, chrome: Browser, model: Model, size: tuple[int, int]
) -> None:
    site.run(PROVIDE)
    ada = Reader(chrome, site, size)
    ada.page.emulate_media(color_scheme="light" if size == DESKTOP else "dark")
    ada.page.goto(site.candidate_link)
    ada.sees("The assistant in the workspace")
    ada.page.get_by_role("checkbox").first.check()
    ada.is_prepared()
    ada.press("Start:")
    expect(ada.page.locator("#submit-open")).to_be_enabled()
    asks_and_is_answered(ada, model)
    saves_while_it_waits(ada, model)
    meets_a_dead_one(ada, model)
    staff_read_it(chrome, site, size)


def asks_and_is_answered(ada: Candidate, model: Model) -> None:
    model.go.clear()
    model.way = "waits"
    press_on(ada, ada.page.locator("#assistant-open"))
    field = ada.page.get_by_label("Your question")
    expect(field).to_be_focused()
    ada.look("assistant-empty")
    clock = ada.page.locator("#clock-text").bounding_box()
    assert clock is not None
    assert clock["x"] >= 0, "the time left is cut off"
    ada.page.keyboard.type("How do I drain a node?")
    ada.page.keyboard.press("Control+Enter")
    answer = ada.page.locator(".assistant-answer").last
    expect(answer).to_have_text("Drain the node")  # the beginning, while the rest is still to come
    expect(ada.page.get_by_text("Answering…")).to_be_visible()
    model.go.set()
    expect(answer).to_contain_text("<b>then</b> look.")
    expect(ada.page.locator("#announce")).to_contain_text("The assistant answered: Drain")
    expect(ada.page.get_by_text("% of your share is left")).to_be_visible()
    assert model.paths[-1] == "/v1/chat/completions"
    ada.look("assistant-answered")


def saves_while_it_waits(ada: Candidate, model: Model) -> None:
    """A model that says nothing is in nobody's way; then it is stopped."""
    model.go.clear()
    model.way = "waits"
    ada.fill("Your question", "And then?")
    press_on(ada, ada.page.get_by_role("button", name="Ask the assistant"))
    expect(ada.page.locator(".assistant-answer").last).to_have_text("Drain the node")
    ada.page.keyboard.press("Escape")
    expect(ada.page.locator("#assistant-open")).to_be_focused()
    ada.write_program("# waits for nobody\n")
    ada.is_saved()
    ada.page.locator("#assistant-open").click()  # in the editor the Tab key indents
    press_on(ada, ada.page.get_by_role("button", name="Stop", exact=True).last)
    ada.sees("You stopped the answer here.")
    model.go.set()


def meets_a_dead_one(ada: Candidate, model: Model) -> None:
    model.way = "refuses"
    left = ada.page.locator("#clock-text").inner_text()
    assert re.search(r"\d", left)
    ada.fill("Your question", "Still there?")
    press_on(ada, ada.page.get_by_role("button", name="Ask the assistant"))
    ada.sees("The assistant did not take the question.")
    ada.page.reload()
    expect(ada.page.locator("#submit-open")).to_be_enabled()
    press_on(ada, ada.page.locator("#assistant-open"))
    expect(ada.page.locator(".asked")).to_have_count(3)  # what was said is kept
    ada.look("assistant-refused")


def staff_read_it(chrome: Browser, site: Site, size: tuple[int, int]) -> None:
    hana = Staff(chrome, site, size, "hana")
    number = site.run(
        "import django; django.setup(); from assessments.models import AssistantTurn as T; "
        "print(T.objects.last().attempt_id)"
    )
    hana.go(f"attempts/{number}/#assistant")
    hana.sees("How do I drain a node?")
    hana.sees("Stopped by the candidate")
    hana.look("assistant-staff")
