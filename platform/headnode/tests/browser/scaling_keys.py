"""A candidate who has no pointer: what cannot be reached with the Tab key and the arrows fails."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from headnode.tests.browser.actors import Candidate
from headnode.tests.browser.hands import tab_to


def write(who: Candidate, target: Locator, text: str, *, back: bool = False) -> None:
    """Write into a box in place of what it holds."""
    tab_to(who, target, back=back)
    who.page.keyboard.press("Control+a")
    who.page.keyboard.type(text)


def to_tab(who: Candidate, name: str) -> Locator:
    """A tab of the room by the arrows; its panel, once it has something to show."""
    chosen = who.page.locator(".room-tabs").get_by_role("tab", selected=True)
    tab_to(who, chosen, back=True)
    for _ in range(8):
        if chosen.inner_text().strip() == name:
            break
        who.page.keyboard.press("ArrowRight")
    panel = who.page.get_by_role("tabpanel", name=name, exact=True)
    expect(panel.locator(".room-wait")).to_have_count(0)
    expect(panel.locator(".room-trouble")).to_have_count(0)
    return panel
