"""The cost exercise with the keyboard alone: pivot, filter, opportunity, order, SQL, submit (E3, E9)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from headnode.tests.browser.actors import DESKTOP, EVERY_LOOK, PHONE, Candidate
from headnode.tests.browser.cost_scene import amount, graded, invite_to_cost
from headnode.tests.browser.hands import drag, pick, press_on, tab_to
from headnode.tests.browser.second_round import in_revision
from headnode.tests.browser.site import Site

FIRST = "Buy the burst that runs all year as a commitment of twelve months"
SECOND = "Delete the volumes that nobody has attached for a year"
RISK = "The commitment is paid for even when the teams burst less"


@pytest.mark.nightly
def test_from_the_pivot_to_the_graded_answer(site: Site, chrome: Browser) -> None:
    link = invite_to_cost(site)
    emre = Candidate(chrome, site, DESKTOP)
    begin(emre, link)
    read_the_pivot(emre)
    keep_one_account(emre)
    use_it_as_where(emre)
    fill_the_first_card(emre)
    add_a_second_by_hand(emre)
    bring_it_to_the_front(emre)
    ask_in_sql(emre)
    read_a_contract(emre)
    if EVERY_LOOK:
        in_the_dark(emre)
    nothing_is_lost_by_a_reload(emre)
    find_the_table_in_the_history(emre)
    with_a_pointer(emre)
    if EVERY_LOOK:
        on_a_phone(Candidate(chrome, site, PHONE), link)
    hold_to_one_row_in_a_revision(Candidate(chrome, site, DESKTOP), link)
    submit(emre)
    the_grader_has_it(site)


def begin(emre: Candidate, link: str) -> None:
    emre.page.goto(link)
    emre.is_prepared()
    press_on(emre, emre.page.get_by_role("checkbox"), "Space")
    press_on(emre, emre.page.get_by_role("button", name="Start").first)
    expect(emre.page.get_by_role("tab", name="Explore")).to_be_visible(timeout=240_000)
    expect(explored(emre).get_by_role("table")).to_be_visible()


def explored(emre: Candidate) -> Locator:
    return emre.page.get_by_role("tabpanel", name="Explore")


def said(emre: Candidate) -> Locator:
    return explored(emre).get_by_role("status")


def read_the_pivot(emre: Candidate) -> None:
    """The first look is the bill by service and month; the sums close; any column sorts."""
    panel = explored(emre)
    expect(said(emre)).to_contain_text("USD in all")
    expect(panel.get_by_role("columnheader", name="2025-12")).to_be_visible()
    shares = panel.locator("tbody td.share").all_inner_texts()
    assert sum(float(text.split()[0]) for text in shares) == pytest.approx(100, abs=1)
    emre.look("cost-explore")
    press_on(emre, panel.get_by_role("button", name="ServiceName", exact=True))
    first = panel.get_by_role("columnheader", name="ServiceName")
    expect(first).to_have_attribute("aria-sort", "ascending")
    names = panel.locator("tbody th").all_inner_texts()
    assert names == sorted(names)
    pick(emre, panel.get_by_label("Period", exact=True), "year")
    expect(panel.get_by_role("columnheader", name="2025-12")).to_have_count(0)
    press_on(emre, panel.get_by_label("Period", exact=True), "ArrowDown")
    expect(panel.get_by_role("columnheader", name="2025-12")).to_be_visible()
    press_on(emre, panel.get_by_role("button", name="Lines"))
    expect(panel.locator(".line-of")).to_have_count(8)
    chart = panel.locator(".pivot-plot")
    press_on(emre, chart, "ArrowRight")
    expect(panel.locator(".pivot-readout")).to_contain_text("2025-01")
    emre.look("cost-lines")
    press_on(emre, panel.get_by_role("button", name="Bars"), back=True)


def keep_one_account(emre: Candidate) -> None:
    panel = explored(emre)
    before = amount(said(emre).inner_text())
    pick(emre, panel.get_by_label("Column to group by"), "SubAccountName")
    press_on(emre, panel.get_by_role("button", name="Group by this column too"))
    expect(panel.get_by_role("columnheader", name="SubAccountName")).to_be_visible()
    pick(emre, panel.get_by_label("Column to filter by"), "SubAccountName")
    press_on(emre, panel.get_by_role("button", name="Choose values of this column"))
    dialog = emre.page.get_by_role("dialog")
    expect(dialog.get_by_label("Find a value")).to_be_focused()
    emre.look("cost-filter")
    emre.page.keyboard.type("cluster")
    press_on(emre, dialog.get_by_role("checkbox", name="cluster-burst"), "Space")
    press_on(emre, dialog.get_by_role("button", name="Keep only these"))
    expect(panel.locator("tbody tr")).to_have_count(1)
    assert 0 < amount(said(emre).inner_text()) < before


def opportunities(emre: Candidate) -> Locator:
    return emre.page.get_by_role("list", name="Opportunities, in the order of priority")


def cards(emre: Candidate) -> Locator:
    return opportunities(emre).locator(".card")


def said_first(emre: Candidate) -> Locator:
    return cards(emre).first.get_by_label("What is done, to what")


def use_it_as_where(emre: Candidate) -> None:
    press_on(emre, explored(emre).get_by_role("button", name="Use as where"), back=True)
    dialog = emre.page.get_by_role("dialog")
    expect(dialog).to_contain_text("account cluster-burst")
    press_on(emre, dialog.get_by_role("button", name="Use it"))
    expect(cards(emre)).to_have_count(1)
    expect(said_first(emre)).to_be_focused()


def fill_the_first_card(emre: Candidate) -> None:
    card, keyboard = cards(emre).first, emre.page.keyboard
    keyboard.type(FIRST)
    expect(card.get_by_role("list", name="Filter")).to_have_text(
        re.compile("account.*cluster-burst")
    )
    expect(card.locator(".card-rows summary")).to_contain_text("USD")
    tab_to(emre, card.get_by_role("textbox", name="Saving", exact=True))
    keyboard.type("130")
    pick(emre, card.get_by_label("Unit of the saving"), "% of")
    expect(card.get_by_role("alert").filter(has_text="at most 100")).to_be_visible()
    tab_to(emre, card.get_by_role("textbox", name="Saving", exact=True), back=True)
    keyboard.press("Control+a")
    keyboard.type("22,5")
    expect(card.get_by_role("alert").filter(has_text="at most 100")).to_have_count(0)
    expect(card.locator(".card-claim")).to_contain_text("a year, of")
    pick(emre, card.get_by_label("Complexity"), "medium")
    tab_to(emre, card.get_by_label("Until the first saving"))
    keyboard.type("6 weeks")
    tab_to(emre, card.get_by_label("What could become worse"))
    keyboard.type(RISK)
    expect(emre.page.get_by_role("list", name="Hints")).to_contain_text("4 more")


def add_a_second_by_hand(emre: Candidate) -> None:
    keyboard = emre.page.keyboard
    press_on(emre, emre.page.get_by_role("button", name="Add an opportunity"))
    card = cards(emre).nth(1)
    expect(card.get_by_label("What is done, to what")).to_be_focused()
    keyboard.type(SECOND)
    expect(emre.page.get_by_role("list", name="Hints")).to_contain_text("Without a figure: 2")
    for key, value in (("service", "Block Volumes"), ("resource", "old-*")):
        pick(emre, card.get_by_label("Key of the filter"), key)
        tab_to(emre, card.get_by_label("Value of the filter"))
        keyboard.type(value)
        keyboard.press("Enter")
    tab_to(emre, card.get_by_role("textbox", name="Saving", exact=True))
    keyboard.type("12,000")
    expect(card.locator(".card-rows summary")).to_contain_text("rows of the bill")
    press_on(emre, card.get_by_role("button", name="Take out resource old-*"), back=True)
    expect(card.get_by_role("list", name="Filter")).not_to_contain_text("old-*")


def bring_it_to_the_front(emre: Candidate) -> None:
    """Alt and an arrow move a card; the rows that act on the same lines are named."""
    keyboard = emre.page.keyboard
    tab_to(emre, cards(emre).nth(1).get_by_label("What is done, to what"), back=True)
    keyboard.press("Alt+ArrowUp")
    expect(said_first(emre)).to_have_value(SECOND)
    expect(said_first(emre)).to_be_focused()
    card = cards(emre).first
    pick(emre, card.get_by_label("Key of the filter"), "account")
    press_on(emre, card.get_by_role("button", name="Take out service Block Volumes"), back=True)
    pick(emre, card.get_by_label("Key of the filter"), "account")
    tab_to(emre, card.get_by_label("Value of the filter"))
    keyboard.type("cluster-burst")
    keyboard.press("Enter")
    hints = emre.page.get_by_role("list", name="Hints")
    expect(hints).to_contain_text("1 and 2 act on the same")
    emre.look("cost-opportunities")
    press_on(emre, card.get_by_role("button", name="Take out account cluster-burst"), back=True)
    pick(emre, card.get_by_label("Key of the filter"), "service")
    tab_to(emre, card.get_by_label("Value of the filter"))
    keyboard.type("Block Volumes")
    keyboard.press("Enter")
    expect(hints).not_to_contain_text("act on the same")


def ask_in_sql(emre: Candidate) -> None:
    keyboard = emre.page.keyboard
    tab_to(emre, emre.page.locator(".room-tabs [aria-selected=true]"), back=True)
    keyboard.press("ArrowRight")
    panel = emre.page.get_by_role("tabpanel", name="SQL")
    editor = panel.get_by_role("textbox", name=re.compile("Query in SQL"))
    tab_to(emre, editor)
    keyboard.press("Control+a")
    keyboard.insert_text("SELECT Team, sum(Eff")
    keyboard.press("Control+Space")
    expect(panel.locator(".cm-tooltip-autocomplete")).to_contain_text("EffectiveCost")
    keyboard.press("Escape")
    keyboard.press("Control+a")
    keyboard.insert_text("DELETE FROM costs")
    keyboard.press("Control+Enter")
    expect(panel.get_by_role("status")).to_contain_text("Queries only read")
    emre.complaints.clear()  # the refusal itself
    keyboard.press("Control+a")
    keyboard.insert_text(
        "SELECT Team, count(*) AS n, round(sum(EffectiveCost)) AS usd "
        "FROM costs GROUP BY Team ORDER BY usd DESC"
    )
    keyboard.press("Control+Enter")
    expect(panel.get_by_role("table")).to_be_visible()
    expect(panel.get_by_role("status")).to_contain_text("rows in")
    emre.look("cost-sql")


def read_a_contract(emre: Candidate) -> None:
    tab_to(emre, emre.page.locator(".room-tabs [aria-selected=true]"), back=True)
    emre.page.keyboard.press("ArrowRight")
    panel = emre.page.get_by_role("tabpanel", name="Files")
    press_on(emre, panel.get_by_role("button", name=re.compile("cloud.md")))
    expect(panel.locator(".prose")).to_contain_text("commit")
    press_on(emre, panel.get_by_role("button", name=re.compile("assets.csv")), back=True)
    expect(panel.get_by_role("grid")).to_contain_text("H100")
    emre.look("cost-files")
    press_on(emre, emre.page.locator(".room-tabs [aria-selected=true]"), "Home", back=True)


def in_the_dark(emre: Candidate) -> None:
    emre.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    emre.look("cost-explore-dark")
    press_on(emre, emre.page.get_by_role("button", name="Show only “Room”"))
    emre.look("cost-explore-wide-dark")
    emre.page.keyboard.press("Enter")
    emre.page.emulate_media(color_scheme="light", reduced_motion="reduce")


def nothing_is_lost_by_a_reload(emre: Candidate) -> None:
    """Not even what was typed where an amount is expected."""
    to_part(emre, "Opportunities")
    before = emre.is_saved()
    other = cards(emre).nth(0).get_by_role("textbox", name="Saving", exact=True)
    figure = other.input_value()
    other.fill("about a third")
    expect(cards(emre).nth(0).get_by_role("alert")).to_contain_text("Write a number")
    emre.is_saved(after=before)
    emre.page.reload()
    expect(explored(emre).locator("tbody tr")).to_have_count(1)
    to_part(emre, "Opportunities")
    expect(cards(emre)).to_have_count(2)
    expect(cards(emre).nth(1).get_by_label("What is done, to what")).to_have_value(FIRST)
    expect(cards(emre).nth(1).get_by_role("textbox", name="Saving", exact=True)).to_have_value(
        "22.5"
    )
    expect(cards(emre).nth(1).get_by_label("What could become worse")).to_have_value(RISK)
    expect(other).to_have_value("about a third")
    expect(cards(emre).nth(0).get_by_role("alert")).to_contain_text("Write a number")
    other.fill(figure)
    expect(cards(emre).nth(0).get_by_role("alert")).to_have_count(0)


def to_part(who: Candidate, name: str) -> None:
    """The written answer or the table."""
    who.show("Answer")
    who.page.locator("#pane-answer").get_by_role("tab", name=name).click()


def with_a_pointer(emre: Candidate) -> None:
    """Cards are dragged, a stretch of the chart narrows the time, a deletion is taken back, a table copied."""
    page, panel = emre.page, explored(emre)
    emre.context.grant_permissions(["clipboard-read", "clipboard-write"])
    drag(emre, panel.locator(".pivot-plot"), 0.3, 0.5)
    expect(panel.get_by_label("From", exact=True)).not_to_have_value("")
    expect(panel.get_by_role("columnheader", name="2025-12")).to_have_count(0)
    panel.get_by_role("button", name="Copy as CSV").click()
    expect(page.locator("#announce")).to_contain_text("Copied:")
    copied = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert copied[0].startswith("ServiceName,SubAccountName,Total,2025-")
    assert copied[1].startswith("GPU Compute,cluster-burst,")
    panel.get_by_role("button", name="Begin anew").click()
    expect(panel.get_by_role("columnheader", name="2025-12")).to_be_visible()
    # What the server says of each filter moves what stands below it.
    expect(cards(emre).locator(".card-rows summary")).to_contain_text(["USD", "USD"])
    handle, first = cards(emre).nth(1).locator(".card-handle"), cards(emre).first
    handle.scroll_into_view_if_needed()
    from_, to = handle.bounding_box(), first.bounding_box()
    assert from_ is not None
    assert to is not None
    page.mouse.move(from_["x"] + 4, from_["y"] + 4)
    page.mouse.down()
    page.mouse.move(from_["x"] + 4, to["y"] + 8, steps=6)
    page.mouse.up()
    expect(said_first(emre)).to_have_value(FIRST)
    cards(emre).first.get_by_role("button", name="Lower priority").click()
    cards(emre).first.get_by_role("button", name="Delete this opportunity").click()
    expect(cards(emre)).to_have_count(1)
    page.keyboard.press("Enter")  # the keyboard is on Undo
    expect(said_first(emre)).to_have_value(SECOND)
    expect(cards(emre)).to_have_count(2)


def find_the_table_in_the_history(emre: Candidate) -> None:
    """An earlier draft shows the table in words, not as a file."""
    emre.press("History")
    dialog = emre.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Look at draft 1", exact=True).click()
    expect(dialog.get_by_role("heading", name=re.compile("^Opportunities"))).to_be_visible()
    expect(dialog).to_contain_text("Where: service Block Volumes")
    expect(dialog).not_to_contain_text('"opportunities"')
    dialog.get_by_role("button", name="Back to the list").click()
    dialog.get_by_role("button", name="Close").click()


def on_a_phone(emre: Candidate, link: str) -> None:
    """Every part on a narrow window, light and dark."""
    emre.page.goto(link)
    emre.page.get_by_role("link", name=re.compile("Continue|Go on|Open")).first.click()
    for name in ("Explore", "SQL", "Files"):
        emre.show("Room")
        emre.page.locator(".room-tabs").get_by_role("tab", name=name).click()
        panel = emre.page.get_by_role("tabpanel", name=name)
        expect(panel.locator(".room-wait")).to_have_count(0)
        if name == "Explore":
            expect(panel.get_by_role("table")).to_be_visible()
        if name == "Files":
            panel.get_by_role("button", name=re.compile("Contract")).first.click()
            expect(panel.locator(".prose")).to_be_visible()
        emre.look(f"cost-{name.lower()}")
    to_part(emre, "Opportunities")
    expect(cards(emre).first.locator(".card-rows summary")).to_contain_text("USD")
    emre.look("cost-opportunities")
    emre.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    emre.look("cost-opportunities-dark")
    emre.context.close()


def hold_to_one_row_in_a_revision(emre: Candidate, link: str) -> None:
    """Where one recommendation is to be revised, it and the prose named with it can change, and no other."""
    emre.page.goto(link)
    url = emre.page.get_by_role("link", name=re.compile("Continue|Go on|Open")).first
    href = url.get_attribute("href")
    told: dict[str, Any] = {
        "strength": "Clear.",
        "improvement": "Weigh the term.",
        "focus": "opportunities.json",
    }
    told |= {"subject": "o1", "also": ["technical"]}
    emre.page.route("**/attempts/*/", in_revision(told))
    emre.page.goto(f"{emre.site.url}{href}")
    other, own = (cards(emre).nth(n).get_by_label("What is done, to what") for n in (0, 1))
    expect(own).to_have_value(FIRST)
    expect(own).to_be_editable()
    expect(other).not_to_be_editable()
    expect(emre.page.get_by_label("Feedback")).to_contain_text(f"Opportunities: “{FIRST}”")
    expect(emre.page.get_by_role("button", name="Add an opportunity")).to_be_hidden()
    assert not emre.page.locator("#section-technical").evaluate("box => box.readOnly")
    assert emre.page.locator("#section-reading").evaluate("box => box.readOnly")
    emre.look("cost-revision")
    emre.context.close()


def submit(emre: Candidate) -> None:
    to_part(emre, "Written answer")
    emre.write_section("Where the money goes", "The own nodes are the largest part.")
    emre.page.get_by_role("button", name="Submit").focus()
    emre.page.keyboard.press("Enter")
    dialog = emre.page.get_by_role("dialog")
    expect(dialog).to_contain_text("2 opportunities, 2 with a figure")
    press_on(emre, dialog.get_by_role("button", name="Submit now"))
    expect(emre.page).to_have_url(re.compile("/receipt/$"))
    emre.sees("Your answer was received")
    emre.look("cost-receipt")


def the_grader_has_it(site: Site) -> None:
    """The answer.json that is graded holds both rows as they were on the page."""
    found = graded(site)
    rows = found["answer"]["opportunities"]
    assert [(row["what"], row["priority"]) for row in rows] == [(SECOND, 1), (FIRST, 2)]
    assert rows[1]["where"] == {"account": ["cluster-burst"]}
    assert rows[1]["saving"] == {"kind": "percent", "value": 22.5, "of": ""}
    assert (rows[1]["complexity"], rows[1]["timeline"]) == ("medium", "6 weeks")
    assert rows[0]["saving"] == {"kind": "money", "value": 12000, "of": ""}
    assert found["answer"]["sections"]["reading"].startswith("The own nodes")
    assert found["result"] == "done", found
