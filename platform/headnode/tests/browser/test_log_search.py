"""The log explorer where searches overtake one another, fail, or take too long (E4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from assessments.troubleshooting.log_bundle import Bundle
from assessments.troubleshooting.log_lines import LogLine
from headnode.tests.browser.actors import DESKTOP, PHONE, Person, browser
from headnode.tests.browser.site import Site
from headnode.tests.browser.troubleshooting_page import MaterialsPage, materials_page, metrics_of

LINES = 2000
LAST = f"request {LINES} was answered"
ENDLESS = r"^(([a-z0-9 ]+)+)+#$"
# Finds its first letter at once, and then tries every way to part the rest of the line.
ENDLESS_TO_MARK = r"x|([a-z]+)+#"
HARD_TO_MARK = "x" + "a" * 40
# A list drawn anew exactly where it stands: nothing scrolls.
RELAYOUT = """async () => {
  const { LineList } = await import("/static/assessments/workplace/line_list.js");
  const fetch = (from, to) => Array.from({ length: to - from }, (_, at) => from + at);
  const list = new LineList({ label: "Numbers", columns: ["Number"], fetch, cells: (row) => [String(row)] });
  list.node.style.height = "300px";
  list.node.style.flex = "none";
  document.getElementById("pane-room").replaceChildren(list.node);
  const drawn = async () => {
    await new Promise((done) => setTimeout(done, 300));
    return list.node.querySelectorAll(".line").length;
  };
  const tops = Uint32Array.from({ length: 1001 }, (_, at) => at);
  list.reset(1000, tops);
  list.scrollTo(500);
  const before = await drawn();
  list.relayout(tops);
  return [before, await drawn(), list.firstInView];
}"""


def lines_of(served_from: int) -> list[LogLine]:
    """Two thousand alike, one a second, and before them one that is hard to mark."""
    lines = [
        LogLine(served_from + at * 1000, f"web{at % 3}", "proxy", 3, f"request {at} was answered")
        for at in range(1, LINES + 1)
    ]
    return [*lines, LogLine(served_from, "web1", "kernel", 1, HARD_TO_MARK)]


@pytest.fixture(scope="module")
def running() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MaterialsPage]:
    board = metrics_of(tmp_path_factory.mktemp("room") / "variant")
    bundle = Bundle()
    bundle.add("logs/proxy.log", "Proxy", lines_of(board.incident["window"]["from_ms"]))
    with materials_page(board, bundle.write()) as found:
        yield found


@pytest.fixture
def ada(running: Browser, served: MaterialsPage, tmp_path: Path) -> Iterator[Person]:
    found = Person(running, Site(tmp_path), DESKTOP)
    found.page.goto(served.url)
    found.page.locator(".room-tabs").get_by_role("tab", name="Logs").click()
    expect(found.page.get_by_role("status")).to_contain_text(f"{LINES + 1:,} of")
    yield found
    found.context.close()


def logs(ada: Person) -> Locator:
    return ada.page.get_by_role("tabpanel", name="Logs")


def search(ada: Person, text: str, *, expression: bool = False) -> None:
    logs(ada).get_by_label("Expression").set_checked(expression)
    logs(ada).get_by_label("Search the logs").fill(text)


def rows(ada: Person) -> Locator:
    return logs(ada).get_by_role("grid", name="Lines found").locator(".line:not([data-waiting])")


def to_the_end(ada: Person) -> None:
    logs(ada).get_by_role("grid", name="Lines found").press("End")


def test_each_filter_finds_as_many_lines_as_stand_beside_it(ada: Person) -> None:
    said = logs(ada).get_by_role("status")
    for title, at in (("Machine", 1), ("Source", 0), ("Severity", 0)):
        logs(ada).get_by_role("button", name=title).click()
        row = logs(ada).get_by_role("group", name=title).locator(".facet-row").nth(at)
        count = row.locator(".figure").inner_text()
        assert count != f"{LINES + 1:,}"
        row.get_by_role("button", name="Only").click()
        expect(said).to_contain_text(re.compile(f"^{count} of"))
        ada.page.keyboard.press("Escape")
        ada.press("Clear filters")
        expect(said).to_contain_text(f"{LINES + 1:,} of")


@pytest.mark.nightly
def test_rows_stay_where_new_heights_move_nothing(ada: Person) -> None:
    before, after, first = ada.page.evaluate(RELAYOUT)
    assert before == after > 0
    assert first == 500


def test_a_phone_shows_the_lines(running: Browser, served: MaterialsPage, tmp_path: Path) -> None:
    ada = Person(running, Site(tmp_path), PHONE)
    ada.page.goto(served.url)
    ada.page.locator(".room-tabs").get_by_role("tab", name="Logs").click()
    expect(rows(ada).first).to_contain_text(HARD_TO_MARK)
    to_the_end(ada)
    expect(rows(ada).last).to_contain_text(LAST)
    ada.context.close()


def test_lines_found_before_an_endless_expression_can_still_be_read(ada: Person) -> None:
    """What is shown belongs to the search before; the rest of its lines is fetched when it is scrolled to."""
    search(ada, "was answered")
    expect(logs(ada).get_by_role("status")).to_contain_text(f"{LINES:,} of")
    search(ada, ENDLESS, expression=True)
    expect(logs(ada).get_by_role("alert")).to_contain_text("two seconds")
    to_the_end(ada)
    expect(rows(ada).last).to_contain_text(LAST)
    expect(rows(ada).last.locator("mark")).to_have_text("was answered")


@pytest.mark.nightly
def test_lines_found_before_a_wrong_expression_keep_their_marks(ada: Person) -> None:
    search(ada, r"answ\w+", expression=True)
    expect(rows(ada).first.locator("mark")).to_have_text("answered")
    search(ada, "(", expression=True)
    expect(logs(ada).get_by_role("alert")).to_contain_text("is not a regular expression")
    to_the_end(ada)
    expect(rows(ada).last.locator("mark")).to_have_text("answered")


@pytest.mark.nightly
def test_an_expression_whose_marks_are_endless_finds_lines_without_marks(ada: Person) -> None:
    search(ada, ENDLESS_TO_MARK, expression=True)
    expect(rows(ada)).to_have_count(1)
    expect(rows(ada)).to_contain_text(HARD_TO_MARK)
    expect(rows(ada).locator("mark")).to_have_count(0)
    expect(logs(ada).get_by_role("alert")).to_have_count(0)
    search(ada, LAST)
    expect(rows(ada).locator("mark")).to_have_text(re.compile(LAST))


@pytest.mark.nightly
def test_only_the_answer_to_the_last_search_is_shown(ada: Person) -> None:
    """Each key is a search; rows asked for meanwhile are those of the list that is in sight."""
    query = logs(ada).get_by_label("Search the logs")
    query.press_sequentially(LAST, delay=190)
    expect(logs(ada).get_by_role("status")).to_contain_text("1 of")
    expect(rows(ada)).to_have_count(1)
    expect(rows(ada).locator("mark")).to_have_text(LAST)


@pytest.mark.parametrize("narrower", [False, True], ids=["as it was", "resized"])
def test_lines_are_there_when_the_range_was_changed_beside_a_list_far_down(
    ada: Person, *, narrower: bool
) -> None:
    """A list out of sight cannot be scrolled, and a browser puts it back where it last was."""
    to_the_end(ada)
    expect(rows(ada).last).to_contain_text(LAST)
    tabs = ada.page.locator(".room-tabs")
    tabs.get_by_role("tab", name="Dashboards").click()
    ada.page.evaluate(
        """() => new Promise((done) => {
          const { from } = room.window;
          document.querySelector("[role=tabpanel] .log-lines").closest("[role=tabpanel]")
            .addEventListener("searched", done, true);
          room.setRange(from, from + 1_500_000, "dashboards");
        })"""
    )
    if narrower:
        ada.page.set_viewport_size({"width": 900, "height": 700})
    tabs.get_by_role("tab", name="Logs").click()
    expect(logs(ada).get_by_role("status")).to_contain_text("1,501 of")
    seen = rows(ada).filter(has_text=HARD_TO_MARK)
    expect(seen).to_be_in_viewport()
    to_the_end(ada)
    expect(rows(ada).last).to_be_in_viewport()
    expect(rows(ada).last).to_contain_text("request 1500 was")
