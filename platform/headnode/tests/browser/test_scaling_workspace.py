"""The scaling plan with the keyboard alone: orders, checks, phases, money, risks, what-if, submit (E1, E9)."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Browser, Locator, expect

from headnode.tests.browser.actors import DESKTOP, EVERY_LOOK, PHONE, Candidate
from headnode.tests.browser.hands import has_focus, pick, press_on, tab_to
from headnode.tests.browser.scaling_keys import to_tab, write
from headnode.tests.browser.scaling_scene import invite_to_plan, sent
from headnode.tests.browser.scaling_sheet import compute_a_row
from headnode.tests.browser.second_round import FEEDBACK, in_revision
from headnode.tests.browser.site import Site

PHASE = "Uplinks before nodes"
RISK = "The spine switches come later than promised"
TABS = ["Overview", "Orders", "Timeline", "Money", "Risks", "What-if", "Files"]


@pytest.mark.nightly
def test_from_the_overview_to_the_receipt(site: Site, chrome: Browser) -> None:
    link = invite_to_plan(site)
    selin = Candidate(chrome, site, DESKTOP)
    begin(selin, link)
    read_the_overview(selin)
    order_too_much(selin)
    mend_the_order(selin)
    change_a_policy(selin)
    draw_a_phase(selin)
    compute_a_row(selin)
    note_a_risk(selin)
    play_the_plan(selin)
    compare_and_take_back(selin)
    stop_what_is_played(selin)
    claim_a_figure(selin)
    if EVERY_LOOK:
        in_the_dark(selin)
    nothing_is_lost_by_a_reload(selin)
    find_the_plan_in_the_history(selin)
    if EVERY_LOOK:
        on_a_phone(Candidate(chrome, site, PHONE), link)
    hold_to_the_focus_of_a_revision(Candidate(chrome, site, DESKTOP), link)
    submit(selin)
    the_grader_has_it(site)


def begin(selin: Candidate, link: str) -> None:
    selin.page.goto(link)
    selin.is_prepared()
    press_on(selin, selin.page.get_by_role("checkbox"), "Space")
    press_on(selin, selin.page.get_by_role("button", name="Start").first)
    expect(selin.page.get_by_role("tab", name="Overview")).to_be_visible(timeout=240_000)


def read_the_overview(selin: Candidate) -> None:
    """The cluster as drawn, ninety days as charts that answer to the arrows, and the year expected."""
    panel = to_tab(selin, "Overview")
    expect(panel.get_by_role("img", name=re.compile("Network"))).to_be_visible()
    press_on(selin, panel.get_by_role("button", name="Larger: Network"))
    expect(panel.get_by_text("150 %").first).to_be_visible()
    press_on(selin, panel.get_by_role("button", name="The last 90 days"), back=True)
    chart = panel.get_by_role("application", name=re.compile("^GPUs in use"))
    expect(chart.locator("canvas")).to_be_visible()
    press_on(selin, chart, "ArrowRight")
    values = panel.locator(".plan-chart").first.locator(".value")
    expect(values.first).not_to_be_empty()
    selin.page.keyboard.press("+")
    expect(panel.get_by_role("button", name="All 90 days")).to_be_enabled()
    press_on(selin, panel.get_by_role("button", name="All 90 days"), back=True)
    expect(panel.get_by_role("button", name="All 90 days")).to_be_disabled()
    growth = panel.get_by_role("application", name=re.compile("^Training in GPU-hours"))
    expect(growth.locator("canvas")).to_be_attached()
    expect(panel.get_by_role("row", name=re.compile("^2026-Q1"))).to_be_attached()
    selin.look("plan-overview")


def order_row(panel: Locator, name: str) -> Locator:
    return panel.locator(f".bill-row[data-id={name}]")


def order_too_much(selin: Candidate) -> None:
    """Forty nodes at once: the row says that they cannot all be used, and the list says why."""
    panel = to_tab(selin, "Orders")
    press_on(selin, panel.get_by_role("button", name="Buy"))
    row = order_row(panel, "p1")
    item = row.get_by_label("What, purchase p1")
    expect(item).to_be_focused()
    pick(selin, item, "H100 node")
    write(selin, row.get_by_label("Count, purchase p1"), "40")
    expect(row).to_have_attribute("data-tone", "bad")
    expect(row.locator(".bill-told")).to_contain_text(re.compile("cannot be used|without"))
    expect(row.locator(".bill-arrives")).to_have_text(re.compile(r"^\w{3} \d\d$"))
    expect(panel.get_by_role("status").first).to_contain_text("problem")
    short = selin.page.locator(".plan-short")
    expect(short).to_be_hidden()  # the part stands behind the written answer until it is asked for
    selin.look("plan-orders-bad")


def mend_the_order(selin: Candidate) -> None:
    """One node, in a quarter that has the money, and the uplinks for it: nothing is wrong any more."""
    panel = to_tab(selin, "Orders")
    row = order_row(panel, "p1")
    write(selin, row.get_by_label("Count, purchase p1"), "1")
    month = row.get_by_label("Month, purchase p1")
    pick(selin, month, "Jul 26", back=True)
    selin.page.keyboard.press("Tab")  # only now it goes to its month, with the focus kept
    expect(panel.locator("[data-month='2026-07']").locator("[data-id=p1]")).to_be_visible()
    expect(row.get_by_label("What, purchase p1")).to_be_focused()
    pick(selin, panel.get_by_label("Month of a new row"), "Apr 26", back=True)
    press_on(selin, panel.get_by_role("button", name="Buy"))
    spine = order_row(panel, "p2")
    pick(selin, spine.get_by_label("What, purchase p2"), "Spine")
    write(selin, spine.get_by_label("Count, purchase p2"), "1")
    expect(row).to_have_attribute("data-tone", re.compile("ok|warn"))
    expect(spine).to_have_attribute("data-tone", re.compile("ok|warn"))
    expect(panel.get_by_role("status").first).not_to_contain_text("problem")
    months = panel.get_by_role("region", name="Month by month")
    expect(months.get_by_role("row", name=re.compile("^Spine ports"))).to_be_attached()
    press_on(selin, row.get_by_role("button", name="Delete purchase p1"))
    expect(row).to_have_count(0)
    selin.page.keyboard.press("Enter")  # Undo has the focus
    expect(order_row(panel, "p1")).to_have_count(1)
    selin.look("plan-orders")


def change_a_policy(selin: Candidate) -> None:
    panel = to_tab(selin, "Orders")
    press_on(selin, panel.get_by_role("button", name="Change a policy"))
    row = order_row(panel, "y1")
    pick(selin, row.get_by_label("Policy, policy change y1"), "End idle")
    write(selin, row.get_by_label("Value, policy change y1"), "8")
    expect(row).to_contain_text("Now:")


def draw_a_phase(selin: Candidate) -> None:
    """A bar moves and grows by the arrows; what begins too early is said."""
    panel = to_tab(selin, "Timeline")
    before = panel.locator(".gantt-bar").count()
    press_on(selin, panel.get_by_role("button", name="Add a phase"))
    name = panel.get_by_label("Name", exact=True)
    expect(name).to_be_focused()
    selin.page.keyboard.type(PHASE)
    write(selin, panel.get_by_label("Owner", exact=True), "Data centre")
    pick(selin, panel.get_by_label("First month", exact=True), "Apr 26")
    pick(selin, panel.get_by_label("Last month", exact=True), "May 26")
    bar = panel.get_by_role("button", name=re.compile(f"^{PHASE}, Apr 26"))
    expect(panel.locator(".gantt-bar")).to_have_count(before + 1)
    press_on(selin, bar, "ArrowRight", back=True)
    moved = panel.get_by_role("button", name=re.compile(f"^{PHASE}, May 26 to Jun 26"))
    expect(moved).to_be_focused()
    selin.page.keyboard.press("Shift+ArrowRight")
    longer = panel.get_by_role("button", name=re.compile(f"^{PHASE}, May 26 to Jul 26"))
    expect(longer).to_be_focused()
    expect(panel.get_by_role("list", name="Orders").get_by_role("listitem")).to_have_count(2)
    selin.look("plan-timeline")


def note_a_risk(selin: Candidate) -> None:
    panel = to_tab(selin, "Risks")
    press_on(selin, panel.get_by_role("button", name="Add a risk"))
    row = panel.locator(".risk-row").last
    expect(row.locator("[name=risk]")).to_be_focused()
    selin.page.keyboard.type(RISK)
    pick(selin, row.locator("[name=likelihood]"), "medium")
    pick(selin, row.locator("[name=impact]"), "high")
    write(selin, row.locator("[name=mitigation]"), "Order them two months before the nodes.")
    write(selin, row.locator("[name=owner]"), "Procurement")
    write(selin, row.locator("[name=trigger]"), "The supplier's date moves by more than 3 weeks.")
    mark = panel.get_by_role("table").get_by_role("button", name=re.compile(RISK))
    expect(mark).to_be_visible()
    press_on(selin, mark, back=True)
    expect(row.locator("[name=risk]")).to_be_focused()
    selin.look("plan-risks")


def go_down_to(selin: Candidate, figure: Locator) -> None:
    """By the arrow key; which rows stand above it depends on what the year brought."""
    for _ in range(30):
        if has_focus(figure):
            return
        selin.page.keyboard.press("ArrowDown")
    raise AssertionError(f"The arrow key does not come to {figure}")


def play_the_plan(selin: Candidate) -> None:
    """The stated number goes down by one; figures stand beside the naive plan's and say why."""
    panel = to_tab(selin, "What-if")
    left = panel.locator(".whatif-left")
    expect(left).to_have_text(re.compile(r"^\d+ of \d+ left in this round$"))
    before = int(left.inner_text().split()[0])
    press_on(selin, panel.get_by_role("button", name="Play this plan"))
    expect(panel.get_by_role("region", name="Over the year")).to_be_visible(timeout=240_000)
    expect(left).to_have_text(re.compile(rf"^{before - 1} of "))
    expect(panel.get_by_role("columnheader", name="Naive plan")).to_be_visible()
    expect(panel.get_by_role("alert")).to_be_hidden()
    selin.look("plan-what-if")
    figures = panel.get_by_role("region", name="Every month’s figures")
    september = figures.get_by_role("button", name=re.compile("^p95 wait of Training, Sep 26"))
    tab_to(selin, figures.get_by_role("button").first)
    for _ in range(8):
        selin.page.keyboard.press("ArrowRight")
    go_down_to(selin, september)
    selin.page.keyboard.press("Enter")
    dialog = selin.page.get_by_role("dialog")
    expect(dialog).to_contain_text("Why: p95 wait of Training, Sep 26")
    expect(dialog).to_contain_text("Asked for")
    selin.look("plan-why")
    selin.page.keyboard.press("Escape")
    expect(september).to_be_focused()


def compare_and_take_back(selin: Candidate) -> None:
    """A second what-if stands beside the first, whose plan can be had again."""
    panel = to_tab(selin, "Orders")
    count = order_row(panel, "p1").get_by_label("Count, purchase p1")
    write(selin, count, "2")
    panel = to_tab(selin, "What-if")
    left = panel.locator(".whatif-left")
    before = int(left.inner_text().split()[0])
    press_on(selin, panel.get_by_role("button", name="Play this plan"))
    summary = panel.get_by_role("region", name="Over the year")
    expect(summary.get_by_role("columnheader", name="What-if 2")).to_be_visible(timeout=240_000)
    expect(left).to_have_text(re.compile(rf"^{before - 1} of "))  # with it the list is made anew
    press_on(selin, panel.get_by_role("button", name="Compare with: What-if 1"), back=True)
    expect(summary.get_by_role("columnheader", name="What-if 1")).to_be_visible()
    selin.look("plan-compare")
    press_on(selin, panel.get_by_role("button", name="Take the plan back of: What-if 1"))
    press_on(selin, selin.page.get_by_role("button", name="Take it back"))
    panel = to_tab(selin, "Orders")
    expect(count).to_have_value("1")


def stop_what_is_played(selin: Candidate) -> None:
    """One that is stopped counts as none. It waits here, as on a busy host, so that it cannot end first."""
    panel = to_tab(selin, "What-if")
    left = panel.locator(".whatif-left").inner_text()
    play = panel.get_by_role("button", name="Play this plan")
    with selin.site.workers_halted():
        press_on(selin, play)
        stop = panel.get_by_role("button", name="Stop", exact=True)
        expect(stop).to_be_enabled()  # once the site has taken it
        press_on(selin, stop)
        expect(play).to_be_visible()
    expect(panel.locator(".whatif-left")).to_have_text(left)
    expect(panel.get_by_role("row", name=re.compile("^What-if 3"))).to_have_count(0)
    selin.look("plan-stopped")


def claim_a_figure(selin: Candidate) -> None:
    press_on(selin, selin.page.get_by_role("tab", name="Written answer"), "ArrowRight")
    part = selin.page.get_by_role("tabpanel", name="Plan", exact=True)
    expect(part).to_be_visible()
    write(selin, part.get_by_label(re.compile("^Capital in the year")), "358,500")
    selin.look("plan-part")
    selin.is_saved()


def in_the_dark(selin: Candidate) -> None:
    selin.page.emulate_media(color_scheme="dark")
    for name in TABS:
        to_tab(selin, name)
        selin.look(f"plan-dark-{name.lower()}")
    selin.page.emulate_media(color_scheme="light")


def nothing_is_lost_by_a_reload(selin: Candidate) -> None:
    selin.page.reload()
    panel = to_tab(selin, "Orders")
    expect(order_row(panel, "p1").get_by_label("Count, purchase p1")).to_have_value("1")
    expect(order_row(panel, "y1").get_by_label("Value, policy change y1")).to_have_value("8")
    panel = to_tab(selin, "What-if")
    expect(panel.get_by_role("row", name=re.compile("^What-if 1"))).to_be_visible()
    panel = to_tab(selin, "Timeline")
    expect(panel.get_by_role("button", name=re.compile(f"^{PHASE}, May"))).to_be_visible()


def find_the_plan_in_the_history(selin: Candidate) -> None:
    press_on(selin, selin.page.get_by_role("button", name="History"), back=True)
    dialog = selin.page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    selin.page.keyboard.press("Escape")


def on_a_phone(phone: Candidate, link: str) -> None:
    """Every tab stands within 390 px and can be read and used."""
    phone.page.goto(link)
    phone.follow("Continue")
    for name in TABS:
        phone.show("Room")
        phone.page.locator(".room-tabs").get_by_role("tab", name=name).click()
        panel = phone.page.get_by_role("tabpanel", name=name, exact=True)
        expect(panel.locator(".room-wait")).to_have_count(0)
        if name == "What-if":
            expect(panel.get_by_role("region", name="Over the year")).to_be_visible()
        phone.look(f"plan-{name.lower()}")
    phone.show("Answer")
    phone.page.locator("#pane-answer").get_by_role("tab", name="Plan").click()
    phone.look("plan-part")
    phone.context.close()


def hold_to_the_focus_of_a_revision(other: Candidate, link: str) -> None:
    """Where the prose is to be revised the plan can be read but not changed, and the other way round."""
    other.page.goto(link)
    url = other.page.get_by_role("link", name="Continue").first.get_attribute("href")
    for focus, is_open in (("risks", False), ("plan.json", True)):
        other.page.route("**/attempts/*/", in_revision(FEEDBACK | {"focus": focus}))
        other.page.goto(f"{other.site.url}{url}")
        panel = to_tab(other, "Orders")
        count = order_row(panel, "p1").get_by_label("Count, purchase p1")
        assert count.evaluate("box => box.readOnly") is not is_open
        expect(panel.get_by_role("button", name="Buy")).to_be_enabled(enabled=is_open)
        panel = to_tab(other, "Money")
        expect(panel.get_by_role("button", name="Add a row")).to_be_enabled(enabled=is_open)
        other.page.unroute("**/attempts/*/")
    other.context.close()


def submit(selin: Candidate) -> None:
    press_on(selin, selin.page.get_by_role("button", name="Submit"), back=True)
    dialog = selin.page.get_by_role("dialog")
    expect(dialog).to_contain_text("3 rows, ")
    press_on(selin, dialog.get_by_role("button", name="Submit now"))
    expect(selin.page).to_have_url(re.compile("/receipt/$"))
    selin.sees("Your answer was received")
    selin.follow("Read it")
    plan = selin.page.locator("p.as-written", has_text="Purchases")
    expect(plan).to_contain_text("H100 node")
    expect(plan).to_contain_text(PHASE)
    selin.look("plan-answer")


def the_grader_has_it(site: Site) -> None:
    found = sent(site)
    plan = found["answer"]["plan"]
    assert sorted(found["runs"]) == ["done", "done", "stopped"]
    assert [(row["item"], row["count"]) for row in plan["purchases"]] == [
        ("node:H100 node", 1),
        ("spine", 1),
    ]
    assert plan["policies"][0]["value"] == 8
    assert PHASE in [row["name"] for row in plan["phases"]]
    assert plan["risks"][-1]["risk"] == RISK
    assert plan["claims"] == {"capex_usd": 358_500}
    row = plan["sheet"][0]
    assert row["cells"][0].startswith("=B")
    assert row["values"][12] == pytest.approx(sum(row["values"][:12]))
    assert "sections" in json.dumps(found["answer"])
