"""Hands at a keyboard and a mouse: what cannot be reached with the Tab key fails."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from headnode.tests.browser.actors import Person

MOST_TABS = 220
MOST_TYPED, FORGOTTEN_MS = 5, 1_500


FOCUS = "node => node.isConnected ? node === document.activeElement : null"


def has_focus(target: Locator) -> bool:
    return bool(target.evaluate(FOCUS))


def tab_to(who: Person, target: Locator, *, back: bool = False) -> None:
    """Press Tab until it has the focus: what cannot be reached so fails."""
    expect(target).to_be_visible()
    # By its role and name it is looked for in the whole page: once, and again where the page drew it anew.
    node = target.element_handle()
    for _ in range(MOST_TABS):
        there = node.evaluate(FOCUS)
        if there is None:
            node = target.element_handle()
            there = node.evaluate(FOCUS)
        if there:
            return
        who.page.keyboard.press("Shift+Tab" if back else "Tab")
    raise AssertionError(f"The Tab key does not come to {target}")


def press_on(who: Person, target: Locator, key: str = "Enter", *, back: bool = False) -> None:
    tab_to(who, target, back=back)
    who.page.keyboard.press(key)


def pick(who: Person, target: Locator, text: str, *, back: bool = False) -> None:
    """Choose an option by typing how it begins, as people do."""
    tab_to(who, target, back=back)
    chosen = target.locator("option:checked")
    for _ in range(MOST_TYPED):
        who.page.keyboard.type(text)
        if (chosen.text_content() or "").strip().startswith(text):
            break
        # Of letters that come a second apart a list takes each for a beginning: type them once more.
        who.page.wait_for_timeout(FORGOTTEN_MS)
    expect(chosen).to_have_text(re.compile(f"^{re.escape(text)}"))


def drag(who: Person, over: Locator, start: float, end: float) -> None:
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    who.page.mouse.move(box["x"] + box["width"] * start, middle)
    who.page.mouse.down()
    who.page.mouse.move(box["x"] + box["width"] * end, middle, steps=4)
    who.page.mouse.up()
