"""A company's cluster (E11): imported from exports, mended in the form, chosen for an opening, by keyboard."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from headnode.tests.browser.actors import DESKTOP, PHONE, Staff
from headnode.tests.browser.site import Site

pytestmark = pytest.mark.nightly  # by day library/tests/test_company tries its parts

HEAD = (
    "kind,name,count,gpu_model,gpus,power_kw,rack_units,price_usd,purchased,site,region,racks,rack_kw,"
    "total_kw,pue\n"
)
GOOD = (
    HEAD
    + "node,h100-a,12,H100,8,10.2,8,290000,2024-05,Bergen,,,,,\n"
    + "site,Bergen,,,,,42,,,,Bergen,14,25,260,1.2\n"
)
BAD = GOOD + "node,h100-b,many,H100,8,10.2,8,290000,2024-05,Bergen,,,,,\n"
BAD_LINE = "4"


def look_at_both(rhea: Staff, name: str) -> None:
    """At a desk and on a phone."""
    for size in (DESKTOP, PHONE):
        rhea.page.set_viewport_size({"width": size[0], "height": size[1]})
        rhea.narrow = size == PHONE
        rhea.look(name)
    rhea.page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    rhea.narrow = False


def press(rhea: Staff, role: str, name: str | re.Pattern[str], key: str = "Enter") -> None:
    """Bring a button or link into focus and use it by the keyboard; the page it leads to is there."""
    rhea.page.get_by_role(role, name=name).first.press(key)  # type: ignore[arg-type]
    rhea.page.wait_for_load_state()


def test_from_a_bad_row_to_an_opening(site: Site, chrome: Browser, tmp_path: Path) -> None:
    rhea = Staff(chrome, site, DESKTOP, "rhea")
    import_exports(rhea, tmp_path)
    mend_the_form(rhea)
    choose_for_an_opening(rhea)


def import_exports(rhea: Staff, folder: Path) -> None:
    page, file = rhea.page, folder / "inventory.csv"
    rhea.go("library/companyprofile/add/")
    look_at_both(rhea, "company-start")
    file.write_text(BAD)
    page.get_by_label("Name of the cluster").fill("fjord")
    page.get_by_label("Inventory").set_input_files(file)
    press(rhea, "button", "Read the exports")
    rhea.sees("1 bad row: nothing was imported")
    row = page.get_by_role("row", name=re.compile("inventory.csv"))
    expect(row.get_by_role("cell").nth(1)).to_have_text(BAD_LINE)
    rhea.complaints.clear()  # the answer's status says what the page says
    look_at_both(rhea, "company-bad-row")
    file.write_text(GOOD)
    page.get_by_label("Inventory").set_input_files(file)
    press(rhea, "button", "Read the exports")
    rhea.sees("Read, and not yet kept")
    look_at_both(rhea, "company-read")
    press(rhea, "button", "Save")
    rhea.sees("Saved as version 1.")
    expect(page.get_by_role("heading", level=1)).to_contain_text("fjord")


def mend_the_form(rhea: Staff) -> None:
    """What is wrong is listed with a way to the field; Enter in a field saves."""
    page = rhea.page
    press(rhea, "link", "Change")
    count = page.locator("[name='node_types-0-count'], [name='nodes-0-count']").first
    count.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("twelve")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Not saved.")
    rhea.complaints.clear()
    look_at_both(rhea, "company-wrong")
    page.locator("#wrong a").first.focus()
    page.keyboard.press("Enter")
    field = page.locator("[aria-invalid='true']").first
    expect(field).to_be_in_viewport()
    assert field.input_value() == "twelve"  # what was typed stays
    field.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("14")
    page.keyboard.press("Enter")
    rhea.sees("Saved as version 2.")
    look_at_both(rhea, "company")


def choose_for_an_opening(rhea: Staff) -> None:
    page = rhea.page
    rhea.go("hiring/opening/")
    press(rhea, "link", "GPU platform engineer")
    field = page.get_by_label("Company profile")
    field.focus()
    page.keyboard.type("fjord")
    expect(field).to_have_value(re.compile(r"\d+"))
    press(rhea, "button", re.compile("^Save$"))
    rhea.sees("was changed successfully")
    rhea.go("library/companyprofile/")
    press(rhea, "link", re.compile("^fjord"))
    expect(page.get_by_role("link", name="GPU platform engineer")).to_be_visible()
    press(rhea, "link", "What candidates read")
    expect(page.get_by_role("heading", name="What candidates read: fjord")).to_be_visible()
    look_at_both(rhea, "company-preview")
