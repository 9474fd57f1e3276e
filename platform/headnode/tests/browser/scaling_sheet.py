"""The money table as a candidate without a pointer works in it: formulas, filling, copying, errors."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from headnode.tests.browser.actors import Candidate
from headnode.tests.browser.hands import press_on, tab_to
from headnode.tests.browser.scaling_keys import to_tab


def cell(panel: Locator, row: int, column: int) -> Locator:
    return panel.locator(f"[data-row='{row}'][data-column='{column}']")


def compute_a_row(selin: Candidate) -> None:
    """A row of one's own: a formula over the plan's rows, filled to the right, a total, and errors."""
    panel = to_tab(selin, "Money")
    keys = selin.page.keyboard
    own = panel.locator("tr.given").count()
    running = own - 1
    press_on(selin, panel.get_by_role("button", name="Add a row"))
    expect(panel.locator(".sheet-box")).to_be_focused()
    keys.type("Running cost and 5 %")
    keys.press("Tab")
    expect(cell(panel, own, 1)).to_be_focused()
    keys.type(f"=B{running}*1.05")
    keys.press("Enter")
    expect(cell(panel, own, 1)).to_have_text(re.compile(r"^[\d,]{6,}$"))
    keys.press("Shift+End")
    keys.press("Shift+ArrowLeft")
    keys.press("Control+r")
    expect(cell(panel, own, 12)).to_have_text(re.compile(r"^[\d,]{6,}$"))
    keys.press("End")
    keys.type(f"=SUM(B{own + 1}:M{own + 1})")
    keys.press("Enter")
    expect(cell(panel, own, 13)).to_have_text(re.compile(r"^[\d,]{6,}$"))
    total = int(cell(panel, own, 13).inner_text().replace(",", ""))
    parts = [int(cell(panel, own, at).inner_text().replace(",", "")) for at in range(1, 13)]
    assert total == pytest.approx(sum(parts), abs=12)
    copy_a_block(selin, panel, own)
    see_the_errors(selin, panel, own)


def see_the_errors(selin: Candidate, panel: Locator, own: int) -> None:
    """What cannot be computed says so; rows of the plan cannot be written over; a row can go."""
    keys = selin.page.keyboard
    press_on(selin, panel.get_by_role("button", name="Add a row"), back=True)
    keys.type("Try")
    keys.press("Tab")
    for text, shown in (("=1/0", "#DIV/0!"), (f"=C{own + 2}", "#CYCLE!"), ("=Q99", "#REF!")):
        at = int(selin.page.evaluate("document.activeElement.dataset.column"))
        keys.type(text)
        keys.press("Tab")
        expect(cell(panel, own + 1, at)).to_have_text(shown)
    selin.look("plan-money")
    keys.press("Home")
    cell_in_given = cell(panel, own - 1, 0)
    keys.press("ArrowUp")
    keys.press("ArrowUp")
    expect(cell_in_given).to_be_focused()
    keys.press("Enter")
    expect(panel.locator(".sheet-box")).to_have_count(0)
    press_on(selin, panel.get_by_role("button", name=f"Delete row {own + 2}"))
    expect(panel.locator("tr.own")).to_have_count(1)


def copy_a_block(selin: Candidate, panel: Locator, own: int) -> None:
    """Formulas are copied as formulas that follow their place, and taken back again."""
    keys = selin.page.keyboard
    tab_to(selin, cell(panel, own, 13))
    keys.press("Home")
    keys.press("ArrowRight")
    keys.press("Shift+ArrowRight")
    keys.press("Control+c")
    for _ in range(3):
        keys.press("ArrowRight")
    keys.press("F2")
    expect(panel.locator(".sheet-box")).to_have_value(re.compile("^=F"))
    keys.press("Escape")
    keys.press("Delete")
    expect(cell(panel, own, 5)).to_have_text("")
    keys.press("Control+v")
    expect(cell(panel, own, 5)).to_have_text(re.compile(r"^[\d,]{6,}$"))
    keys.press("F2")
    expect(panel.locator(".sheet-box")).to_have_value(re.compile("^=G|^=F"))
    keys.press("Escape")
