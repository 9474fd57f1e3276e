// The plan as the page keeps it: nothing that was written is lost, and every change can be read back (E1).

import assert from "node:assert/strict";
import { test } from "node:test";

import { PlanModel } from "/static/assessments/scaling/model.js";
import { planSummary, planText } from "/static/assessments/scaling/plan_text.js";
import { clashes, dependable } from "/static/assessments/scaling/timeline_order.js";
import { Names } from "/static/assessments/scaling/words.js";
import { Answer } from "/static/assessments/workspace/answer.js";

const PHASES = [
  { id: "a", name: "First", from: "2026-01", to: "2026-03", depends: [] },
  { id: "b", name: "Second", from: "2026-03", to: "2026-04", depends: ["a"] },
  { id: "c", name: "Third", from: "2026-05", to: "2026-05", depends: ["b"] },
];

/** The model of a plan (an object or the file's text), and the file as it stands. */
function opened(plan, focus = null) {
  const text = typeof plan === "string" ? plan : JSON.stringify(plan);
  const files = [{ path: "plan.json", text, starter: true }];
  const answer = new Answer({ files, sections: [], round: focus ? 2 : 1, feedback: focus ? { focus } : null });
  const kept = () => answer.files.get("plan.json").text;
  return { model: new PlanModel(answer), kept, plan: () => JSON.parse(kept()) };
}

for (const text of ["{", "[]", "3", '"x"', "null"]) {
  test(`${text} cannot be read and is never overwritten`, () => {
    const { model, kept } = opened(text);
    model.add("purchases");
    model.claim("capex_usd", 1);
    model.begin({ phases: [{ id: "a" }] });
    model.addSheetRow("x");
    assert.deepEqual([model.unreadable, model.readOnly, kept()], [true, true, text]);
  });
}

test("what the page does not know stays", () => {
  const { model, plan } = opened({ extra: { a: 1 }, purchases: [{ id: "p7", item: "rack", colour: "red" }] });
  model.set("purchases", "p7", { count: 3 });
  assert.deepEqual(plan().extra, { a: 1 });
  const row = { id: "p7", item: "rack", colour: "red", count: 3, month: "", site: "", note: "" };
  assert.deepEqual({ ...plan().purchases[0], note: "" }, row);
});

test("names of rows are unique, and not used again while undo is offered", () => {
  const { model, plan } = opened({ purchases: [{ id: "p1" }, { id: "p1" }, { item: "rack" }] });
  model.remove("purchases", "p1");
  model.add("purchases");
  model.undo();
  const names = plan().purchases.map(({ id }) => id);
  assert.equal(names.length, 4);
  assert.equal(new Set(names).size, 4);
  assert.equal(names[0], "p1");
});

test("the template fills an empty plan once", () => {
  const empty = opened("{}\n");
  empty.model.begin({ phases: PHASES });
  empty.model.remove("phases", "c");
  empty.model.begin({ phases: PHASES });
  assert.deepEqual(
    empty.plan().phases.map(({ id }) => id),
    ["a", "b"],
  );
  const written = opened({ risks: [{ id: "k1", risk: "x" }] });
  written.model.begin({ phases: PHASES });
  written.model.claim("capex_usd", 1);
  assert.deepEqual(written.plan().phases, []);
});

test("a deleted phase leaves no dependency, and comes back with it", () => {
  const { model, plan } = opened({ phases: PHASES });
  const waits = () => plan().phases.map(({ depends }) => depends);
  model.remove("phases", "b");
  assert.deepEqual(waits(), [[], []]);
  model.undo();
  assert.deepEqual(waits(), [[], ["a"], ["b"]]);
});

test("formulas follow rows of the sheet", () => {
  const row = (text, at) => ({ label: String(at), cells: [text, ...new Array(12).fill("")] });
  const sheet = ["=B11", "=B12", "=B13"].map(row);
  const after = (rows, change) => {
    const { model, plan } = opened({ sheet: rows });
    change(model);
    return plan().sheet.map(({ cells }) => cells[0]);
  };
  assert.deepEqual(
    after(sheet, (model) => model.removeSheetRow(0, 10)),
    ["=B11", "=B12"],
  );
  assert.deepEqual(
    after(sheet, (model) => model.moveSheetRow(0, 1, 10)),
    ["=B11", "=B12", "=B13"],
  );
  assert.equal(after([sheet[0], sheet[0]], (model) => model.removeSheetRow(0, 10))[0], "=#REF!");
});

test("a revision of another part leaves the plan as it is", () => {
  const { model } = opened({ claims: { capex_usd: 5 } }, "risks");
  assert.deepEqual(
    [model.readOnly, model.mayRevise, model.take("{}"), model.plan.claims.capex_usd],
    [true, false, false, 5],
  );
});

test("phases that begin too early are named", () => {
  const months = Array.from({ length: 12 }, (_, at) => ({ name: `2026-${String(at + 1).padStart(2, "0")}` }));
  const found = clashes(PHASES, new Names({ months }), (id) => id);
  assert.deepEqual(
    found.map(({ id }) => id),
    ["b"],
  );
  assert.match(found[0].text, /Mar 26/);
});

test("no phase can wait for itself in a circle", () => {
  const found = ["a", "b", "c"].map((id) => dependable(PHASES, id).map((row) => row.id));
  assert.deepEqual(found, [[], ["a"], ["a", "b"]]);
});

test("the plan can be read as text", () => {
  const plan = JSON.stringify({
    purchases: [{ id: "p1", month: "2026-02", item: "spine", count: 2, site: "A" }],
    phases: PHASES,
    claims: { capex_usd: 76_000 },
  });
  const text = planText(plan);
  for (const part of ["p1  Feb 26: 2 × spine at A", "after a", "capex_usd: 76,000"])
    assert.ok(text.includes(part), part);
  assert.equal(planSummary(plan), "1 row, 3 phases, 0 risks");
  assert.ok(planText("{").startsWith("The plan cannot be read."));
});
