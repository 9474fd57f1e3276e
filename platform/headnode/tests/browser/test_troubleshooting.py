"""The room as a candidate works in it, at a desk and on a phone: look, search, pin, try, write (E2, E9)."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from headnode.tests.browser.actors import DESKTOP, EVERY_LOOK, PATIENCE_S, PHONE, Candidate
from headnode.tests.browser.second_round import FEEDBACK, in_revision
from headnode.tests.browser.site import Site

PLACE = "gpu-n003"
CLAIM = "The nodes' clocks fall every few minutes"
REASON = "Their log says so, and the ranks beside them wait."
NARROW_TABS = ["Logs", "Configuration", "Files", "Terminal"]  # charts have tests of their own


@pytest.mark.nightly
def test_from_the_first_look_to_the_receipt(site: Site, chrome: Browser) -> None:
    dilan = Candidate(chrome, site, DESKTOP)
    begin(dilan)
    zoom_a_chart(dilan)
    search_the_logs(dilan)
    pin_two_lines(dilan)
    stop_an_endless_expression(dilan)
    follow_a_link_to_a_line(dilan)
    pin_a_setting(dilan)
    sort_a_table(dilan)
    run_three_commands(dilan)
    fill_the_board(dilan)
    undo_a_deletion(dilan)
    write_offline(dilan)
    nothing_is_lost_by_a_reload(dilan)
    find_the_board_in_the_history(dilan)
    if EVERY_LOOK:
        on_a_phone(Candidate(chrome, site, PHONE))
    hold_to_the_focus_of_a_revision(Candidate(chrome, site, DESKTOP))
    submit(dilan)


def begin(dilan: Candidate) -> None:
    dilan.page.goto(f"{dilan.site.url}/t/{dilan.site.credentials['incident']}/")
    dilan.page.get_by_role("checkbox").check()
    dilan.is_prepared()
    dilan.press("Start")
    expect(dilan.page.get_by_role("tab", name="Logs")).to_be_visible()


def to_tab(dilan: Candidate, name: str) -> Locator:
    """Bring a tab of the room forward; its panel, once it has something to show."""
    dilan.show("Room")
    dilan.page.locator(".room-tabs").get_by_role("tab", name=name).click()
    panel = dilan.page.get_by_role("tabpanel", name=name)
    expect(panel.locator(".room-wait")).to_have_count(0)
    expect(panel.locator(".room-trouble")).to_have_count(0)
    return panel


def to_part(dilan: Candidate, name: str) -> None:
    """The written answer or the board."""
    dilan.show("Answer")
    dilan.page.locator("#pane-answer").get_by_role("tab", name=name).click()


def lines_of(panel: Locator, name: str) -> Locator:
    return panel.get_by_role("grid", name=name).locator(".line:not([data-waiting])")


def zoom_a_chart(dilan: Candidate) -> None:
    """Dragging over a chart narrows the time for every tab."""
    panel = to_tab(dilan, "Dashboards")
    plot = panel.locator(".u-over").first
    expect(plot).to_be_visible()
    dilan.look("room-dashboards")
    drag(dilan.page, plot)
    logs = to_tab(dilan, "Logs")
    expect(logs.get_by_role("status")).to_contain_text("outside the range")
    logs.get_by_role("button", name=re.compile("–")).click()
    logs.get_by_role("button", name="Everything recorded").click()
    expect(logs.get_by_role("status")).not_to_contain_text("outside")


def drag(page: Page, over: Locator) -> None:
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.4, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, middle, steps=4)
    page.mouse.up()


def found(panel: Locator) -> int:
    """How many lines the search says it found."""
    said = re.match(r"([\d,]+) of", panel.get_by_role("status").inner_text())
    assert said is not None
    return int(said[1].replace(",", ""))


def search_the_logs(dilan: Candidate) -> None:
    """Words, expressions, a machine and a stretch of time each leave fewer lines; the bars set the time."""
    panel = to_tab(dilan, "Logs")
    every = found(panel)
    dilan.look("room-logs")
    panel.get_by_label("Search the logs").fill("slurmd")
    expect(panel.locator("mark").first).to_have_text("slurmd")
    words = found(panel)
    assert 0 < words < every
    panel.get_by_label("Expression").check()
    panel.get_by_label("Search the logs").fill(r"launch task StepId=\d+\.0")
    expect(panel.locator("mark").first).to_have_text(re.compile(r"launch task StepId=\d+\.0"))
    assert 0 < found(panel) < words
    panel.get_by_label("Search the logs").fill("(")
    expect(panel.get_by_role("alert")).to_contain_text("is not a regular expression")
    panel.get_by_label("Expression").uncheck()
    panel.get_by_label("Search the logs").fill("slurmd")
    expect(panel.get_by_role("status")).to_contain_text(f"{words:,} of")
    panel.get_by_role("button", name="Machine").click()
    panel.get_by_role("group", name="Machine").get_by_role("button", name="None").click()
    # Every search is seen to its end: what it says stands above the bars that are dragged over.
    expect(panel.get_by_text("No line is like this")).to_be_visible()
    # Compute nodes are counted in three digits in every variant; a login machine has no slurmd to log.
    a_node = panel.get_by_role("group", name="Machine").get_by_role(
        "checkbox", name=re.compile(r"\d{3}")
    )
    a_node.first.check()
    expect(panel.get_by_text("No line is like this")).to_be_hidden()
    dilan.page.keyboard.press("Escape")
    drag(dilan.page, panel.locator(".log-plot"))
    expect(panel.get_by_role("status")).to_contain_text("outside the range")
    dilan.press("Clear filters")
    expect(panel.get_by_role("status")).to_contain_text(f"{every:,} of")


def pin_two_lines(dilan: Candidate) -> None:
    """By the keyboard alone: from the search to two lines of the list, to the board."""
    panel = to_tab(dilan, "Logs")
    panel.get_by_label("Search the logs").fill("slurmd")
    expect(panel.locator("mark").first).to_have_text("slurmd")
    for key in ("ArrowDown", "j", "Shift+ArrowDown", "p"):
        dilan.page.keyboard.press(key)
    dialog = dilan.page.get_by_role("dialog")
    expect(dialog).to_contain_text("Pin 2 lines")
    dialog.get_by_label("What it claims").fill(CLAIM)
    dialog.get_by_label("What it shows").fill("once a minute")
    dilan.look("room-pin")
    dilan.page.keyboard.press("Enter")
    expect(panel.locator(".line.pinned")).to_have_count(2)
    dilan.page.keyboard.press("Enter")
    around = lines_of(panel, "The file around the line")
    expect(around.first).to_be_visible()
    dilan.look("room-around")
    dilan.page.keyboard.press("Escape")
    expect(panel.get_by_role("region", name="Around the line")).to_be_hidden()


def stop_an_endless_expression(dilan: Candidate) -> None:
    """An expression that would run for ever is stopped, said so, and the next search works."""
    panel = to_tab(dilan, "Logs")
    panel.get_by_label("Expression").check()
    panel.get_by_label("Search the logs").fill(r"^(([a-z0-9:\-+ T.]+)+)+#$")
    expect(panel.get_by_role("alert")).to_contain_text("two seconds")
    panel.get_by_label("Expression").uncheck()
    panel.get_by_label("Search the logs").fill("kernel")
    expect(panel.locator("mark").first).to_have_text(re.compile("kernel", re.I))
    expect(panel.get_by_role("alert")).to_have_count(0)


def follow_a_link_to_a_line(dilan: Candidate) -> None:
    dilan.page.evaluate("location.hash = '#logs?path=runs/slow/train.log&line=2'")
    panel = dilan.page.get_by_role("tabpanel", name="Logs")
    expect(panel.get_by_role("heading", name="runs/slow/train.log:2")).to_be_visible()
    current = panel.get_by_role("region", name="Around the line").locator(".line.current")
    expect(current.locator(".line-number")).to_have_text("2")
    dilan.page.evaluate("history.replaceState(null, '', location.pathname)")


def pin_a_setting(dilan: Candidate) -> None:
    """Changed files stand first and show what changed; a changed line goes to the board."""
    panel = to_tab(dilan, "Configuration")
    expect(panel.get_by_role("navigation").get_by_role("heading").first).to_contain_text("Changed")
    expect(panel.locator(".new-line, .gone-line").first).to_be_visible()
    panel.get_by_role("button", name="Next change").click()
    dilan.look("room-configuration")
    panel.get_by_label("How to show it").select_option(label="Side by side")
    expect(panel.locator(".line.differs").first).to_be_visible()
    panel.get_by_role("button", name="Next change").click()
    panel.get_by_role("button", name="Pin").click()
    dilan.page.get_by_role("dialog").get_by_role("button", name="Pin").click()
    expect(dilan.page.get_by_role("dialog")).to_have_count(0)


def sort_a_table(dilan: Candidate) -> None:
    panel = to_tab(dilan, "Files")
    panel.get_by_label("Find a file by name").fill("sacct")
    panel.get_by_role("navigation").get_by_role("button", name="sacct").click()
    head = panel.get_by_role("columnheader", name="Elapsed")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    longest = lines_of(panel, "slurm/sacct.txt").first.locator("[role=gridcell]").nth(8)
    expect(longest).to_have_text(re.compile(r"^(\d-)?\d\d:\d\d:\d\d"))
    panel.get_by_label("Find in this table").fill("moe")
    expect(panel.locator(".find-count")).to_contain_text(re.compile("[1-9]"))
    dilan.look("room-files")


def run_three_commands(dilan: Candidate) -> None:
    panel = to_tab(dilan, "Terminal")
    dilan.look("room-terminal")
    panel.get_by_role("button", name=re.compile("^Start ")).click()
    screen = panel.locator(".xterm-rows")
    expect(screen).to_contain_text("$")
    panel.locator(".xterm-helper-textarea").focus()
    for command, shows in (
        ("sinfo -h -o %P", "train"),
        ("ls incident | head -3", "config"),
        ("echo $((6*7))", "42"),
    ):
        dilan.page.keyboard.type(f"{command}\n")
        expect(screen).to_contain_text(shows)
    panel.get_by_role("button", name="Pin this output").click()
    dialog = dilan.page.get_by_role("dialog")
    expect(dialog).to_contain_text("echo $((6*7))")
    dialog.get_by_role("button", name="Pin").click()


def fill_the_board(dilan: Candidate) -> None:
    """Hours and seconds per step say the same; the order of cards is their priority once it is chosen."""
    to_part(dilan, "Board")
    cards = dilan.page.get_by_role("list", name="Hypotheses").locator(".card")
    expect(cards).to_have_count(1)
    expect(cards.first.get_by_label("What is wrong")).to_have_value(CLAIM)
    cards.first.get_by_label("What is wrong").press("Tab")
    expect(cards.first.get_by_label("Where: host, job, person or device")).to_be_focused()
    dilan.page.keyboard.type(PLACE)
    expect(cards.first.locator(".card-pin")).to_have_count(4)
    cards.first.get_by_label("Hours it cost").fill("2,5")
    expect(cards.first.get_by_label("Seconds per step")).to_have_value("0.75")
    cards.first.get_by_label("Hours it cost").fill("plenty")
    expect(cards.first.get_by_role("alert")).to_contain_text("Write a number")
    cards.first.get_by_label("Seconds per step").fill("0.9")
    expect(cards.first.get_by_label("Hours it cost")).to_have_value("3")
    cards.first.get_by_label("Status").select_option("supported")
    expect(dilan.page.locator(".board-sum")).to_contain_text("Supported 3.0 h")
    cards.first.get_by_label("Why you think so").fill(REASON)
    dilan.press("Add a hypothesis")
    dilan.page.keyboard.type("The storage answers late")
    dilan.page.keyboard.press("Alt+ArrowUp")
    expect(cards.first.get_by_label("What is wrong")).to_have_value("The storage answers late")
    expect(cards.first.get_by_label("What is wrong")).to_be_focused()
    expect(cards.first.get_by_role("heading", name="Priority 1")).to_be_visible()
    dilan.page.get_by_text("The board as text").click()
    expect(dilan.page.locator(".board-words pre")).to_contain_text("Cost: 3 h (0.9 s per step)")
    dilan.look("room-board")
    cards.nth(1).locator(".pin-jump").first.click()
    expect(dilan.page.get_by_role("region", name="Around the line")).to_be_visible()
    to_part(dilan, "Written answer")
    dilan.write_section("What you read first", "The job's own timers, to divide the lost time.")
    dilan.is_saved()


def undo_a_deletion(dilan: Candidate) -> None:
    to_part(dilan, "Board")
    cards = dilan.page.get_by_role("list", name="Hypotheses").locator(".card")
    cards.nth(1).get_by_role("button", name="Delete this hypothesis").click()
    expect(cards).to_have_count(1)
    undo = dilan.page.get_by_role("button", name="Undo")
    expect(undo).to_be_focused()
    undo.click()
    expect(cards).to_have_count(2)
    expect(cards.nth(1).locator(".card-pin")).to_have_count(4)


def board_of(dilan: Candidate) -> list[dict[str, Any]]:
    """The hypotheses that the server has."""
    uuid = dilan.page.url.rstrip("/").split("/")[-1]
    api = f"{dilan.site.url}/api/attempts/{uuid}/drafts"
    head = dilan.page.request.get(api).json()["drafts"][0]["number"]
    draft = dilan.page.request.get(f"{api}/{head}").json()
    rows: list[dict[str, Any]] = json.loads(draft["body"]["files"]["board.json"])["hypotheses"]
    return rows


def write_offline(dilan: Candidate) -> None:
    """What is put on the board without a network arrives when there is one again."""
    dilan.is_saved()
    dilan.context.set_offline(True)
    cards = dilan.page.get_by_role("list", name="Hypotheses").locator(".card")
    cards.first.get_by_label("What to do now").fill("Spread the files over all targets")
    expect(dilan.page.locator("#saved")).to_contain_text(re.compile("offline", re.I))
    dilan.context.set_offline(False)
    dilan.complaints.clear()
    until = time.monotonic() + PATIENCE_S  # what was done before it may be saved first
    while board_of(dilan)[0]["mitigation"] != "Spread the files over all targets":
        assert time.monotonic() < until, board_of(dilan)[0]
        dilan.page.wait_for_timeout(200)
    dilan.is_saved()


def nothing_is_lost_by_a_reload(dilan: Candidate) -> None:
    before = board_of(dilan)
    decided = {row["claim"]: (row["status"], row["hours"], row["priority"]) for row in before}
    assert [row["place"] for row in before if row["claim"] == CLAIM] == [PLACE]
    assert decided[CLAIM] == ("supported", 3, 2)
    assert before[1]["opened_min"] <= before[1]["decided_min"] < 45
    kinds = [pin["kind"] for pin in before[1]["pins"]]
    assert kinds == ["log", "log", "config", "command"]
    dilan.page.reload()
    to_part(dilan, "Board")
    cards = dilan.page.get_by_role("list", name="Hypotheses").locator(".card")
    expect(cards.nth(1).get_by_label("Why you think so")).to_have_value(REASON)
    expect(cards.nth(1).locator(".pin-note").first).to_have_value("once a minute")
    to_part(dilan, "Written answer")
    expect(dilan.page.get_by_role("textbox", name="What you read first")).to_have_value(
        re.compile("own timers")
    )
    expect(dilan.page.locator(".room-tabs [aria-selected=true]")).to_have_text("Logs")


def find_the_board_in_the_history(dilan: Candidate) -> None:
    """An earlier draft shows the board in words, not as a file."""
    dilan.press("History")
    dialog = dilan.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Look at draft 1", exact=True).click()
    part = dialog.get_by_role("heading", name=re.compile("^Board"))
    expect(part).to_be_visible()
    expect(dialog).to_contain_text("Status: supported")
    expect(dialog).not_to_contain_text('"hypotheses"')
    dialog.get_by_role("button", name="Back to the list").click()
    dialog.get_by_role("button", name="Close").click()


def on_a_phone(dilan: Candidate) -> None:
    """The brief first and then the room's tabs on a narrow window, of the attempt that is under way."""
    dilan.page.goto(f"{dilan.site.url}/t/{dilan.site.credentials['incident']}/")
    dilan.page.get_by_role("link", name=re.compile("Continue|Go on|Open")).first.click()
    expect(dilan.page.get_by_role("tabpanel", name="Brief")).to_be_visible()
    dilan.page.get_by_role("tab", name="Room").click()
    expect(dilan.page.locator(".room-tabs")).to_be_visible()
    for name in NARROW_TABS:
        to_tab(dilan, name)
        if name == "Logs":
            expect(lines_of(dilan.page.locator("#room-logs"), "Lines found").first).to_be_visible()
        dilan.look(f"room-{name.lower()}")
    to_part(dilan, "Board")
    dilan.look("room-board")
    dilan.context.close()


def hold_to_the_focus_of_a_revision(dilan: Candidate) -> None:
    """Where another part is to be revised the board can be read but not changed, and the other way round."""
    dilan.page.goto(f"{dilan.site.url}/t/{dilan.site.credentials['incident']}/")
    url = dilan.page.get_by_role(
        "link", name=re.compile("Continue|Go on|Open")
    ).first.get_attribute("href")
    for focus, board_is_open in (("issues", False), ("board.json", True)):
        dilan.page.route("**/attempts/*/", in_revision(FEEDBACK | {"focus": focus}))
        dilan.page.goto(f"{dilan.site.url}{url}")
        to_part(dilan, "Board")
        claim = dilan.page.locator(".card").first.get_by_label("What is wrong")
        section = dilan.page.locator("#section-issues")
        assert claim.evaluate("box => box.readOnly") is not board_is_open
        assert section.evaluate("box => box.readOnly") is board_is_open
        expect(dilan.page.get_by_role("button", name="Add a hypothesis")).to_be_visible(
            visible=board_is_open
        )
        dilan.page.unroute("**/attempts/*/")
    dilan.context.close()


def submit(dilan: Candidate) -> None:
    dilan.press("Submit")
    dialog = dilan.page.get_by_role("dialog")
    expect(dialog).to_contain_text("2 hypotheses, 4 pins")
    dialog.get_by_role("button", name="Submit now").click()
    expect(dilan.page).to_have_url(re.compile("/receipt/$"))
    dilan.sees("Your answer was received")
    dilan.look("room-receipt")
