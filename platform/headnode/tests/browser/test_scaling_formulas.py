"""The money table's formulas, computed by the page's own modules in a browser, without the rest of the site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from headnode.tests.browser.scaling_modules import module_page

SCRIPT = """
import { Sheet } from "/static/assessments/scaling/formula/sheet.js";
import { cellOf, moved, rowsMoved } from "/static/assessments/scaling/formula/refs.js";
import { cellsOf, textOf } from "/static/assessments/scaling/money_paste.js";
import { readNumber } from "/static/assessments/scaling/words.js";
window.value = (cells, name) => {
  const sheet = new Sheet((column, row) => {
    if (row > 29 || column > 13) return undefined;
    return cells[`${String.fromCharCode(65 + column)}${row + 1}`] ?? null;
  });
  const { column, row } = cellOf(name);
  const found = sheet.value(column, row);
  return found?.code ?? found;
};
Object.assign(window, { moved, cellsOf, textOf, readNumber });
window.deleted = (formula, gone) =>
  rowsMoved(formula, (row) => (row === gone ? null : row > gone ? row - 1 : row));
"""


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with module_page(SCRIPT) as shown:
        yield shown


def value(page: Page, formula: str, **cells: str) -> Any:
    """What a formula in A1 comes to, beside other cells."""
    return page.evaluate("([cells]) => window.value(cells, 'A1')", [{"A1": formula, **cells}])


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("=1+2*3^2", 19),
        ("=-2^2", 4),  # as spreadsheets do: the sign binds before the power
        ("=2^-1", 0.5),
        ("=10-4-3", 3),
        ("=12%*100", 12),
        ("=(1+2)*3", 9),
        ('="a"&1', "a1"),
        ("=2>1", True),
        ("=1<>1", False),
        ("=ROUND(1.005,2)", 1.01),
        ("=ROUND(-2.5,0)", -3),
        ("=ROUNDUP(2.1,0)", 3),
        ("=ROUNDDOWN(-2.9,0)", -2),
        ("=IF(1>2,1/0,5)", 5),
        ("=IF(0,1)", False),
        ('=IFERROR(1/0,"none")', "none"),
        ("=NOT(AND(1,0))", True),
        ("=sum(1;2;3)", 6),
        ("1,200", 1200),
        ("8 %", 0.08),
        ("words", "words"),
    ],
)
def test_formulas_compute_as_a_spreadsheet_does(page: Page, formula: str, expected: Any) -> None:
    assert value(page, formula) == (
        pytest.approx(expected) if isinstance(expected, float) else expected
    )


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        # figures from the documentation of the functions in LibreOffice and from the annuity formula
        ("=NPV(10%,100,100)", 100 / 1.1 + 100 / 1.21),
        ("=PMT(5%/12,60,10000)", -188.7123364401),
        ("=PMT(0,4,100)", -25.0),
        ("=IRR(B1:B3)", 0.1306623863),
        ("=IRR(C1:C2)", -0.5),
        ("=NPV(IRR(B1:B3),B2:B3)", 100.0),
    ],
)
def test_functions_of_finance(page: Page, formula: str, expected: float) -> None:
    cells = {"B1": "-100", "B2": "60", "B3": "60", "C1": "-100", "C2": "50"}
    assert value(page, formula, **cells) == pytest.approx(expected, rel=1e-9)


def test_ranges_pass_over_texts_and_empty_cells(page: Page) -> None:
    cells = {"B1": "4", "B2": "words", "B4": "=B1*2"}
    assert value(page, "=SUM(B1:B5)", **cells) == 12
    assert value(page, "=AVERAGE(B1:B5)", **cells) == 6
    assert value(page, "=COUNT(B1:B5)", **cells) == 2
    assert value(page, "=MIN(B1:B5)", **cells) == 4
    assert value(page, "=MAX(B5:B1)", **cells) == 8
    assert value(page, "=B3+1", **cells) == 1


@pytest.mark.parametrize(
    ("formula", "code"),
    [
        ("=1/0", "#DIV/0!"),
        ("=1/B9", "#DIV/0!"),
        ("=AVERAGE(B1:B2)", "#DIV/0!"),
        ("=A1", "#CYCLE!"),
        ("=B1", "#CYCLE!"),
        ("=SUM(A1:A9)", "#CYCLE!"),
        ("=Z1", "#REF!"),
        ("=B99", "#REF!"),
        ("=#REF!+1", "#REF!"),
        ("=C1+1", "#VALUE!"),
        ("=B1:B2", "#VALUE!"),
        ("=NOSUCH(1)", "#NAME?"),
        ("=constructor(1)", "#NAME?"),
        ("=total", "#NAME?"),
        ("=IRR(1,2)", "#NUM!"),
        ("=10^400", "#NUM!"),
        ("=1+", "#ERROR!"),
        ("=(1", "#ERROR!"),
        ("=", "#ERROR!"),
        ("=1 2", "#ERROR!"),
        ("=" + "-" * 500 + "1", "#ERROR!"),
        ("=" + "(" * 500 + "1", "#ERROR!"),
    ],
)
def test_what_cannot_be_computed_says_why(page: Page, formula: str, code: str) -> None:
    cells = {"C1": "words"} | ({"B1": "=A1"} if formula == "=B1" else {})
    assert value(page, formula, **cells) == code


def test_errors_travel_to_what_follows_from_them(page: Page) -> None:
    assert value(page, "=SUM(B1:B3)*2", B2="=1/0") == "#DIV/0!"
    assert value(page, "=B1", B1="=C1", C1="=B1") == "#CYCLE!"


def test_filled_formulas_point_to_their_own_neighbours(page: Page) -> None:
    assert page.evaluate("moved('=SUM(B1:$C$2)+B$3', 1, 1)") == "=SUM(C2:$C$2)+C$3"
    assert page.evaluate("moved('=A1', -1, 0)") == "=#REF!"
    assert page.evaluate("moved('A1 is a text', 1, 0)") == "A1 is a text"
    assert page.evaluate("moved('=\"B1\"&B1', 1, 0)") == '="B1"&C1'


def test_formulas_follow_their_rows(page: Page) -> None:
    assert page.evaluate("deleted('=B1+B2+B3', 1)") == "=B1+#REF!+B2"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1\t2\n3\t4\n", [["1", "2"], ["3", "4"]]),
        ("1\r\n2", [["1"], ["2"]]),
        ('"a\tb"\t"say ""x"""', [["a b", 'say "x"']]),
        ("\t5", [["", "5"]]),
        ("", [[""]]),
    ],
)
def test_blocks_of_cells_are_read(page: Page, text: str, rows: list[list[str]]) -> None:
    assert page.evaluate("(text) => cellsOf(text)", text) == (rows)


def test_blocks_of_cells_come_back_as_they_went(page: Page) -> None:
    rows = [["a", 'with "quotes"'], ["", "3"]]
    assert page.evaluate("(rows) => cellsOf(textOf(rows))", rows) == rows


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1,200", 1200), ("12 k", 12000), ("1.5M", 1.5e6), ("\u22123", -3), ("", None), (" 7 ", 7)],
)
def test_numbers_are_read_as_people_type_them(page: Page, text: str, expected: Any) -> None:
    assert page.evaluate("(text) => readNumber(text)", text) == expected


@pytest.mark.parametrize("text", ["abc", "1.2.3", "k", "--1"])
def test_what_is_no_number_is_refused(page: Page, text: str) -> None:
    assert page.evaluate("(text) => readNumber(text) === undefined", text)
