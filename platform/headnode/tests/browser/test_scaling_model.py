"""The plan as the page keeps it: nothing that was written is lost, and every change can be read back (E1)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from headnode.tests.browser.scaling_modules import module_page

SCRIPT = """
import { Answer } from "/static/assessments/workspace/answer.js";
import { PlanModel } from "/static/assessments/scaling/model.js";
import { planSummary, planText } from "/static/assessments/scaling/plan_text.js";
import { clashes, dependable } from "/static/assessments/scaling/timeline_order.js";
import { Names } from "/static/assessments/scaling/words.js";
window.open_ = (text, focus = null) => {
  const files = [{ path: "plan.json", text, starter: true }];
  const feedback = focus ? { focus } : null;
  window.answer = new Answer({ files, sections: [], round: focus ? 2 : 1, feedback });
  window.model = new PlanModel(answer);
  return model;
};
window.kept = () => JSON.parse(answer.files.get("plan.json").text);
Object.assign(window, { clashes, dependable, Names, planSummary, planText });
"""
PHASES = [
    {"id": "a", "name": "First", "from": "2026-01", "to": "2026-03", "depends": []},
    {"id": "b", "name": "Second", "from": "2026-03", "to": "2026-04", "depends": ["a"]},
    {"id": "c", "name": "Third", "from": "2026-05", "to": "2026-05", "depends": ["b"]},
]


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with module_page(SCRIPT) as shown:
        yield shown


def run(page: Page, plan: Any, script: str) -> Any:
    """What a script leaves of a plan in plan.json."""
    text = plan if isinstance(plan, str) else json.dumps(plan)
    return page.evaluate(f"(text) => {{ open_(text); {script}; return kept(); }}", text)


@pytest.mark.parametrize("text", ["{", "[]", "3", '"x"', "null"])
def test_what_cannot_be_read_is_never_overwritten(page: Page, text: str) -> None:
    script = """(text) => {
        const model = open_(text);
        model.add("purchases");
        model.claim("capex_usd", 1);
        model.begin({ phases: [{ id: "a" }] });
        model.addSheetRow("x");
        return [model.unreadable, model.readOnly, answer.files.get("plan.json").text];
    }"""
    assert page.evaluate(script, text) == [True, True, text]


def test_what_the_page_does_not_know_stays(page: Page) -> None:
    plan = {"extra": {"a": 1}, "purchases": [{"id": "p7", "item": "rack", "colour": "red"}]}
    kept = run(page, plan, 'model.set("purchases", "p7", { count: 3 })')
    assert kept["extra"] == {"a": 1}
    assert kept["purchases"][0] | {"note": ""} == {
        "id": "p7",
        "item": "rack",
        "colour": "red",
        "count": 3,
        "month": "",
        "site": "",
        "note": "",
    }


def test_names_of_rows_are_unique_and_not_used_again_while_undo_is_offered(page: Page) -> None:
    plan = {"purchases": [{"id": "p1"}, {"id": "p1"}, {"item": "rack"}]}
    script = (
        'model.remove("purchases", "p1"); window.made = model.add("purchases").id; model.undo()'
    )
    kept = run(page, plan, script)
    names = [row["id"] for row in kept["purchases"]]
    assert len(names) == len(set(names)) == 4
    assert names[0] == "p1"


def test_the_template_fills_an_empty_plan_once(page: Page) -> None:
    start = {"phases": PHASES}
    script = f"model.begin({json.dumps(start)}); model.remove('phases', 'c'); model.begin({json.dumps(start)})"
    assert [row["id"] for row in run(page, "{}\n", script)["phases"]] == ["a", "b"]
    script = f"model.begin({json.dumps(start)})"
    written = run(
        page, {"risks": [{"id": "k1", "risk": "x"}]}, script + '; model.claim("capex_usd", 1)'
    )
    assert written["phases"] == []


def test_a_deleted_phase_leaves_no_dependency_and_comes_back_with_it(page: Page) -> None:
    gone = run(page, {"phases": PHASES}, 'model.remove("phases", "b")')
    assert [row["depends"] for row in gone["phases"]] == [[], []]
    back = run(page, {"phases": PHASES}, 'model.remove("phases", "b"); model.undo()')
    assert [row["depends"] for row in back["phases"]] == [[], ["a"], ["b"]]


def test_formulas_follow_rows_of_the_sheet(page: Page) -> None:
    cells = ["=B11", "=B12", "=B13"]
    sheet = [{"label": str(at), "cells": [text] + [""] * 12} for at, text in enumerate(cells)]
    kept = run(page, {"sheet": sheet}, "model.removeSheetRow(0, 10)")
    assert [row["cells"][0] for row in kept["sheet"]] == ["=B11", "=B12"]
    kept = run(page, {"sheet": sheet}, "model.moveSheetRow(0, 1, 10)")
    assert [row["cells"][0] for row in kept["sheet"]] == ["=B11", "=B12", "=B13"]
    kept = run(page, {"sheet": [sheet[0], sheet[0]]}, "model.removeSheetRow(0, 10)")
    assert kept["sheet"][0]["cells"][0] == "=#REF!"


def test_a_revision_of_another_part_leaves_the_plan_as_it_is(page: Page) -> None:
    script = """() => {
        const model = open_('{"claims": {"capex_usd": 5}}', "risks");
        return [model.readOnly, model.mayRevise, model.take("{}"), model.plan.claims.capex_usd];
    }"""
    assert page.evaluate(script) == [True, False, False, 5]


def test_phases_that_begin_too_early_are_named(page: Page) -> None:
    months = [{"name": f"2026-{at:02}"} for at in range(1, 13)]
    script = """([rows, months]) =>
        clashes(rows, new Names({ months }), (id) => id).map(({ id, text }) => [id, text])"""
    found = page.evaluate(script, [PHASES, months])
    assert [name for name, _ in found] == ["b"]
    assert "Mar 26" in found[0][1]


def test_no_phase_can_wait_for_itself_in_a_circle(page: Page) -> None:
    script = "(rows) => ['a', 'b', 'c'].map((id) => dependable(rows, id).map((row) => row.id))"
    assert page.evaluate(script, PHASES) == [[], ["a"], ["a", "b"]]


def test_the_plan_can_be_read_as_text(page: Page) -> None:
    plan = {
        "purchases": [{"id": "p1", "month": "2026-02", "item": "spine", "count": 2, "site": "A"}],
        "phases": PHASES,
        "claims": {"capex_usd": 76_000},
    }
    text = page.evaluate("(text) => planText(text)", json.dumps(plan))
    assert "p1  Feb 26: 2 × spine at A" in text
    assert "after a" in text
    assert "capex_usd: 76,000" in text
    assert (
        page.evaluate("(text) => planSummary(text)", json.dumps(plan)) == "1 row, 3 phases, 0 risks"
    )
    assert page.evaluate("planText('{')").startswith("The plan cannot be read.")
