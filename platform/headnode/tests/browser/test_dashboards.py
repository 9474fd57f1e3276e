"""Dashboards, heat map and query box of the room in a real browser (E4, E9)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from headnode.tests.browser.actors import DESKTOP, PHONE, Person, browser
from headnode.tests.browser.site import Site
from headnode.tests.browser.troubleshooting_page import MaterialsPage, materials_page, metrics_of

HOUR = 3_600_000


@pytest.fixture(scope="module")
def running() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MaterialsPage]:
    with materials_page(metrics_of(tmp_path_factory.mktemp("room") / "variant")) as found:
        yield found


def person(
    running: Browser, served: MaterialsPage, tmp_path: Path, size: tuple[int, int]
) -> Person:
    found = Person(running, Site(tmp_path), size)
    found.page.goto(served.url)
    expect(chart(found.page, "Step time").locator("canvas")).to_be_visible()
    return found


@pytest.fixture(scope="module")
def at_work(
    running: Browser, served: MaterialsPage, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Person]:
    found = person(running, served, tmp_path_factory.mktemp("ada"), DESKTOP)
    yield found
    found.context.close()


@pytest.fixture
def ada(at_work: Person) -> Person:
    """Ada before her dashboards, with the whole recording in sight; the page stays open between tests."""
    at_work.complaints.clear()
    at_work.page.evaluate("room.show('dashboards'); room.resetRange()")
    open_panels(at_work.page)
    at_work.page.get_by_label("Find", exact=True).fill("")
    at_work.page.get_by_label("Row", exact=True).select_option("heat")
    at_work.page.get_by_label("Row", exact=True).select_option("overview")
    return at_work


def chart(page: Page, title: str) -> Locator:
    return page.locator("figure.mchart").filter(
        has=page.get_by_role("heading", name=title, exact=True)
    )


def the_range(page: Page) -> str:
    return page.locator(".mboard .mbar-range").inner_text()


def pins(page: Page) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.evaluate("window.pins || []")
    return found


def open_panels(page: Page) -> None:
    """The small panel in which charts are found and added."""
    button = page.locator(".mboard").get_by_role("button", name="Panels")
    if button.get_attribute("aria-expanded") == "false":
        button.click()


def open_range(page: Page) -> Locator:
    page.locator(".mboard").get_by_role("button", name="Range of time").click()
    return page.locator(".mboard .mbar-time .facet-panel")


def to_run(page: Page) -> None:
    page.evaluate("room.setRange(room.incident.run.from_ms, room.incident.run.to_ms)")
    expect(page.locator(".mboard .mbar-range")).to_contain_text(re.compile(r"\(1\d(\.\d)? h\)"))


def drag(page: Page, plot: Locator, start: float, end: float) -> None:
    box = plot.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * start, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * end, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()


def test_one_time_for_all_charts(ada: Person) -> None:
    page = ada.page
    whole = the_range(page)
    plot = chart(page, "Step time").locator(".u-over")
    drag(page, plot, 0.3, 0.6)
    expect(page.locator(".mboard .mbar-range")).not_to_have_text(whole)
    assert 13 < float(re.findall(r"\(([\d.]+) h\)", the_range(page))[0]) < 16
    plot.hover()
    # Hovering one chart reads all of them at that instant, also where finer data comes later.
    beside = chart(page, "Parts of a step, mean of ranks")
    expect(beside.locator(".value").first).to_have_text(re.compile(r"\d"))
    beside.locator("canvas").evaluate("canvas => { canvas.dataset.coarse = ''; }")
    page.get_by_role("button", name="Zoom in").focus()
    page.keyboard.press("Enter")
    expect(beside.locator("canvas[data-coarse]")).to_have_count(0)
    expect(beside.locator(".value").first).to_have_text(re.compile(r"\d"))
    expect(page.locator(".mboard .mbar-cursor")).to_have_text(re.compile(r"at \d+ \w+ \d\d:"))
    plot.dblclick()
    expect(page.locator(".mboard .mbar-range")).to_have_text(whole)


@pytest.mark.nightly
def test_a_time_is_typed_and_its_link_leads_back(ada: Person) -> None:
    """Relative to the recording, by keyboard; what cannot be read is said and changes nothing."""
    page = ada.page
    whole = the_range(page)
    panel = open_range(page)
    panel.get_by_label("From").fill("noon")
    page.keyboard.press("Enter")
    expect(panel.get_by_role("alert")).to_contain_text("now-6h")
    expect(page.locator(".mboard .mbar-range")).to_have_text(whole)
    panel.get_by_role("button", name="The slow run").click()
    expect(page.locator(".mboard .mbar-range")).to_contain_text(re.compile(r"\(1\d(\.\d)? h\)"))
    panel = open_range(page)
    panel.get_by_label("From").fill("run+1h")
    panel.get_by_label("To").fill("run + 4h")
    page.keyboard.press("Enter")
    expect(page.locator(".mboard .mbar-range")).to_contain_text("(3 h)")
    typed = the_range(page)
    ada.look("time-picker")
    page.evaluate(
        """() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }"""
    )
    open_range(page).get_by_role("button", name="Copy link to this time").click()
    page.keyboard.press("Escape")
    page.locator(".mboard").get_by_role("button", name="Show the whole recording").click()
    expect(page.locator(".mboard .mbar-range")).to_have_text(whole)
    page.evaluate("() => { location.hash = window.copied.split('#')[1]; }")
    expect(page.locator(".mboard .mbar-range")).to_have_text(typed)


@pytest.mark.nightly
def test_two_parts_stand_beside_each_other(ada: Person) -> None:
    page = ada.page
    page.get_by_label("Show a second part beside this one").select_option("query")
    expect(page.get_by_role("textbox", name=re.compile("PromQL"))).to_be_visible()
    expect(chart(page, "Step time")).to_be_visible()
    ada.look("beside")
    page.get_by_label("Show a second part beside this one").select_option("")
    expect(page.get_by_role("textbox", name=re.compile("PromQL"))).to_be_hidden()


@pytest.mark.nightly
def test_keys_isolate_tables_tell_and_pins_say_what(ada: Person) -> None:
    page = ada.page
    to_run(page)
    parts = chart(page, "Parts of a step, mean of ranks")
    parts.get_by_role("button", name="communication").click()
    expect(parts.get_by_role("button", name="compute")).to_have_attribute("aria-pressed", "false")
    parts.get_by_role("button", name=re.compile("Pin")).click()
    assert pins(page)[-1]["metric"] == "train_comm_seconds"
    assert pins(page)[-1]["to_ms"] - pins(page)[-1]["from_ms"] > 13 * HOUR
    parts.get_by_role("button", name=re.compile("Show the figures")).click()
    table = parts.get_by_role("table")
    expect(table.get_by_role("columnheader")).to_have_text(
        ["Time", "compute", "communication", "wait for data"]
    )
    assert table.get_by_role("row").count() > 50
    said = chart(page, "Step time").locator(".mplot").get_attribute("aria-label") or ""
    assert re.search(r"slowest rank: .* s to .* s, last", said)
    ada.look("dashboards-table")


@pytest.mark.nightly
def test_run_before_and_node_by_keyboard(ada: Person) -> None:
    page = ada.page
    to_run(page)
    page.get_by_label("Compare with the run before").press("Space")
    chart(page, "Step number").scroll_into_view_if_needed()
    expect(chart(page, "Step number").get_by_text("run before: its 8 nodes")).to_be_visible()
    page.get_by_label("Node", exact=True).select_option("gpu-n003")
    page.get_by_label("Row", exact=True).select_option("node")
    expect(page.get_by_role("heading", name="One node: gpu-n003")).to_be_visible()
    clock = chart(page, "SM clock")
    expect(clock.locator("canvas")).to_be_visible()
    clock.locator(".mplot").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#announce")).to_contain_text(re.compile(r"GPU 0 [\d,]+ MHz"))
    page.keyboard.press("+")
    expect(page.locator(".mboard .mbar-range")).to_contain_text(re.compile(r"\([78](\.\d)? h\)"))
    clock.get_by_role("button", name="GPU 4").click()
    clock.get_by_role("button", name=re.compile("Pin")).click()
    assert pins(page)[-1]["labels"] == {"node": "gpu-n003", "gpu": "4"}
    ada.look("dashboards-node")


SLOW = """() => {
const plain = window.fetch;
const refusal = () => new DOMException("Stopped.", "AbortError");
window.fetch = (url, settings) => new Promise((resolve, reject) => {
  settings?.signal?.addEventListener("abort", () => setTimeout(() => reject(refusal()), 60));
  setTimeout(() => plain(url).then(resolve, reject), 600);
});
}"""


@pytest.mark.nightly
def test_a_change_that_overtakes_another_is_drawn(
    running: Browser, served: MaterialsPage, tmp_path: Path
) -> None:
    """A range and then the comparison, quicker than the network and its refusals."""
    ada = person(running, served, tmp_path, DESKTOP)
    ada.page.evaluate(SLOW)
    # Well before the pause after which a range is asked for (180 ms).
    ada.page.evaluate("""() => {
      room.setRange(room.range.from + 3600000, room.range.to, 'test');
      setTimeout(() => document.querySelector('.mbar-row > .check input').click(), 20);
    }""")
    expect(chart(ada.page, "Step time").get_by_text("run before: its 8 nodes")).to_be_visible()
    ada.context.close()


@pytest.mark.nightly
def test_heat_map_is_read_and_leads_to_the_node(ada: Person) -> None:
    page = ada.page
    page.get_by_label("Row", exact=True).select_option("heat")
    field = page.get_by_role("application", name=re.compile("Heat map of SM clock: 160 rows"))
    expect(field).to_be_visible()
    field.focus()
    for key in ("ArrowDown", "Shift+ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.locator("#announce")).to_contain_text(
        re.compile(r"gpu-n002 GPU 0 at .*: [\d,]+ MHz")
    )
    ada.look("heat-map")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="One node: gpu-n002")).to_be_focused()


@pytest.mark.nightly
def test_any_metric_can_be_charted_and_found(ada: Person) -> None:
    page = ada.page
    open_panels(page)
    page.get_by_label("Chart a metric").fill("DCGM_FI_DEV_ENC_UTIL")
    page.keyboard.press("Enter")
    own = chart(page, "DCGM_FI_DEV_ENC_UTIL")
    expect(own.locator("canvas")).to_be_visible()
    open_panels(page)
    page.get_by_label("Find", exact=True).fill("await pool")
    expect(page.get_by_role("heading", name="Time of a read, each pool")).to_be_visible()
    expect(page.get_by_role("heading", name="Step time", exact=True)).to_be_hidden()


def test_what_is_drawn_stays_when_the_server_is_away(ada: Person, served: MaterialsPage) -> None:
    page = ada.page
    served.down = True
    try:
        to_run(page)
        trouble = page.locator(".mbar-trouble")
        expect(trouble).to_contain_text("The server is being restarted. What is drawn stays.")
        expect(chart(page, "Step time").locator("canvas")).to_be_visible()
    finally:
        served.down = False
    trouble.get_by_role("button", name="Try again").click()
    expect(trouble).to_be_hidden()
    ada.complaints.clear()


def test_a_query_is_written_answered_and_kept(ada: Person) -> None:
    page = ada.page
    chart(page, "SM clock of all GPUs").get_by_role("button", name=re.compile("PromQL")).click()
    said = page.locator(".mquery-said")
    expect(said).to_contain_text("1 series, a value every")
    editor = page.get_by_role("textbox", name=re.compile("Query in PromQL"))
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("sum by (po")
    option = page.get_by_role("option", name="pool")
    expect(option).to_be_visible()
    # The editor takes no Enter for a choice in the first 75 ms of a list nobody can have read yet.
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    page.keyboard.press("End")
    page.keyboard.type(" (lustre_ost_read_await_seconds))")
    page.keyboard.press("Enter")
    expect(said).to_have_attribute("data-tone", "bad")
    expect(said).to_contain_text("character")
    page.keyboard.press("End")
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    expect(said).to_contain_text("2 series")
    page.get_by_label("Step between values").select_option("5 min")
    expect(said).to_contain_text("2 series, a value every 300 s")
    page.get_by_label("Step between values").select_option("Step: automatic")
    expect(said).not_to_contain_text("every 300 s")
    table = page.get_by_role("region", name="Answer as a table")
    expect(table.get_by_role("row")).to_have_count(3)
    page.locator(".mquery-tools").get_by_role("button", name="Pin").click()
    assert pins(page)[-1]["metric"] == "lustre_ost_read_await_seconds"
    page.get_by_label("Over the range or at one instant").select_option("instant")
    expect(said).to_contain_text("2 series at")
    page.get_by_text("Your queries").click()
    assert page.locator(".mquery-past li").first.is_visible()
    page.get_by_text("What can be asked").click()
    ada.complaints = [one for one in ada.complaints if not one.startswith("400")]
    ada.look("query")


@pytest.mark.nightly
def test_a_query_is_stopped_and_the_next_one_answered(
    running: Browser, served: MaterialsPage, tmp_path: Path
) -> None:
    """That the server ends it as well and frees its place, test_threads shows with a real one."""
    ada = person(running, served, tmp_path, DESKTOP)
    page = ada.page
    page.get_by_role("tab", name="Query").click()
    page.evaluate(SLOW)
    tools, said = page.locator(".mquery-tools"), page.locator(".mquery-said")
    tools.get_by_role("button", name="Run").click()
    tools.get_by_role("button", name="Stop").click()
    expect(said).to_have_text("Stopped: nothing is being worked out.")
    expect(tools.get_by_role("button", name="Stop")).to_be_hidden()
    expect(tools.get_by_role("button", name="Run")).to_be_focused()
    tools.get_by_role("button", name="Run").click()
    expect(said).to_contain_text("series, a value every")
    tools.get_by_role("button", name="Run").click()
    tools.get_by_role("button", name="Stop").click()
    expect(said).to_contain_text("The answer before it stays below.")
    expect(page.locator(".mquery").get_by_role("table").first).to_be_visible()
    ada.context.close()


@pytest.mark.nightly
def test_a_question_without_a_place_is_asked_again_by_the_page(
    ada: Person, served: MaterialsPage
) -> None:
    """Nobody presses anything again, and whoever waits reads what for."""
    page = ada.page
    before = served.asked.count("/room/query")
    served.full["/room/query"] = 2
    page.get_by_role("tab", name="Query").click()
    said = page.locator(".mquery-said")
    page.locator(".mquery-tools").get_by_role("button", name="Run").click()
    expect(said).to_contain_text("Waiting for a free place. Every place is taken.")
    expect(said).to_contain_text("series")
    assert served.asked.count("/room/query") >= before + 3
    served.full["/room/metrics/series"] = 2
    page.get_by_role("tab", name="Dashboards").click()
    open_panels(page)
    page.get_by_label("Find", exact=True).fill("clock")
    page.get_by_role("button", name="Zoom in").first.click()
    waiting = page.locator(".mbar-trouble")
    expect(waiting).to_have_text("Waiting for a free place. Every place is taken. ")
    expect(waiting).to_be_hidden()
    assert served.full.total() == 0
    ada.complaints = [one for one in ada.complaints if not one.startswith("429")]


def test_on_a_telephone(running: Browser, served: MaterialsPage, tmp_path: Path) -> None:
    ada = person(running, served, tmp_path, PHONE)
    ada.page.get_by_role("button", name="Zoom in").first.click()
    expect(ada.page.locator(".mboard .mbar-range")).to_contain_text("(24 h)")
    ada.look("dashboards")
    ada.page.get_by_role("tab", name="Query").click()
    expect(ada.page.get_by_role("textbox", name=re.compile("PromQL"))).to_be_visible()
    ada.look("query")
    ada.context.close()
