// The bill's pivot and the table of opportunities, without their pages.

import assert from "node:assert/strict";
import { test } from "node:test";

import { figure, measureOf, short, timeOf } from "/static/assessments/cost/bill_data.js";
import { FILE, MOST, OpportunityModel, readOpportunities } from "/static/assessments/cost/opportunity_model.js";
import { opportunitySummary, opportunityText, opportunityTitle } from "/static/assessments/cost/opportunity_text.js";
import { csv, matrixOf, seriesOf, sorted } from "/static/assessments/cost/pivot_data.js";
import { Answer } from "/static/assessments/workspace/answer.js";

const BY_MONTH = { how: "sum", period: "month", time: "day" };
const ROWS = [
  ["2026-01", "Compute", 60],
  ["2026-01", "Storage", 20],
  ["2026-02", "Compute", 90],
  ["2026-02", null, 30],
];

function matrix(pivot = BY_MONTH) {
  return matrixOf({ rows: ROWS, total: 200, cut: false }, pivot);
}

test("groups stand below one another, periods beside, with sums and shares", () => {
  const { periods, rows, totals } = matrix();
  assert.deepEqual(periods, ["2026-01", "2026-02"]);
  assert.deepEqual(
    rows.map(({ name, values, total, share }) => [name, values, total, share]),
    [
      ["Compute", [60, 90], 150, 0.75],
      ["Storage", [20, null], 20, 0.1],
      ["(none)", [null, 30], 30, 0.15],
    ],
  );
  assert.deepEqual(totals, [80, 120]);
});

test("a mean of means is none, and only sums and counts have shares", () => {
  const { rows, totals, isWhole } = matrix({ ...BY_MONTH, how: "avg" });
  assert.deepEqual([rows[0].total, rows[0].share, totals[0], isWhole], [null, null, null, false]);
  assert.equal(matrix({ ...BY_MONTH, how: "max" }).rows[0].total, 90);
});

test("without a time each group has one figure", () => {
  const answer = {
    rows: [
      ["a", 1],
      ["b", 3],
    ],
    total: 4,
    cut: true,
  };
  const found = matrixOf(answer, { how: "sum", period: "", time: "" });
  assert.deepEqual(
    found.rows.map(({ name, total, share }) => [name, total, share]),
    [
      ["a", 1, 0.25],
      ["b", 3, 0.75],
    ],
  );
  assert.ok(found.cut);
});

test("rows are sorted by figure or by name, with numbers in names counted", () => {
  const { rows } = matrix();
  assert.deepEqual(
    sorted(rows, { by: "total", way: -1 }).map(({ total }) => total),
    [150, 30, 20],
  );
  assert.deepEqual(
    sorted(rows, { by: "period", at: 0, way: 1 }).map(({ name }) => name),
    ["(none)", "Storage", "Compute"],
  );
  const nodes = ["n10", "n9"].map((name) => ({ name, cells: [name] }));
  assert.deepEqual(
    sorted(nodes, { by: "cell", at: 0, way: 1 }).map(({ name }) => name),
    ["n9", "n10"],
  );
});

test("a chart's series are the largest groups and one for the rest", () => {
  const series = seriesOf(matrix(), 2);
  assert.deepEqual(
    series.map(({ name, values, isRest }) => [name, values, isRest]),
    [
      ["Compute", [60, 90], false],
      ["2 others", [20, 30], true],
    ],
  );
  assert.equal(seriesOf(matrix({ ...BY_MONTH, how: "max" }), 2).length, 1);
});

test("cells with commas, quotes and breaks are quoted in CSV", () => {
  assert.equal(
    csv(
      ["a", "b"],
      [
        ["x,y", 'say "z"'],
        [null, "1\n2"],
      ],
    ),
    'a,b\n"x,y","say ""z"""\n,"1\n2"\n',
  );
});

test("a table is summed by its cost and dated by its day", () => {
  const columns = [
    { name: "id", kind: "number" },
    { name: "BilledCost", kind: "number" },
    { name: "made", kind: "time" },
    { name: "ChargePeriodStart", kind: "time" },
  ];
  assert.equal(measureOf({ columns }), "BilledCost");
  assert.equal(timeOf({ columns }), "ChargePeriodStart");
  assert.equal(measureOf({ columns: [] }), "");
});

test("amounts have cents only where they are few", () => {
  assert.deepEqual(
    [figure(1234.5), figure(12.345), figure(0.00012), figure(7), figure(null)],
    ["1,235", "12.35", "0.0001", "7", ""],
  );
  assert.deepEqual([short(1_234_000), short(340_000), short(12), short(-2e9)], ["1.23 M", "340 k", "12", "-2 bn"]);
});

function opened(rows, feedback = null) {
  const files = [{ path: FILE, text: JSON.stringify({ opportunities: rows }), starter: true }];
  const answer = new Answer({ files, sections: [], round: feedback ? 2 : 1, feedback });
  return { model: new OpportunityModel(answer), kept: () => JSON.parse(answer.files.get(FILE).text).opportunities };
}

test("opportunities are kept by priority, whatever the file had", () => {
  const rows = readOpportunities('{"opportunities": [{"what": 3}, {"id": "x", "what": "Idle", "priority": 1}]}');
  assert.deepEqual(
    rows.map(({ id, what }) => [id, what]),
    [
      ["x", "Idle"],
      ["o1", ""],
    ],
  );
  assert.equal(readOpportunities("{"), null);
  assert.deepEqual(readOpportunities(" "), []);
});

test("what is no amount is kept as it was typed and counts as none", () => {
  const { model, kept } = opened([{ id: "o1", what: "Idle volumes" }]);
  model.setSaving("o1", { value: null, typed: "a lot" });
  assert.deepEqual(kept()[0].saving, { kind: "money", value: null, of: "", typed: "a lot" });
  model.setSaving("o1", { kind: "percent", value: 120 });
  assert.equal(kept()[0].saving.value, null);
  model.setSaving("o1", { kind: "percent", value: 20, of: "total" });
  assert.deepEqual(kept()[0].saving, { kind: "percent", value: 20, of: "total" });
});

test("a move makes the order the priority, and what was deleted comes back", () => {
  const { model, kept } = opened([
    { id: "o1", what: "a" },
    { id: "o2", what: "b" },
  ]);
  assert.ok(model.move("o2", -1));
  assert.deepEqual(
    kept().map(({ id, priority }) => [id, priority]),
    [
      ["o2", 1],
      ["o1", 2],
    ],
  );
  model.remove("o2");
  assert.deepEqual(
    kept().map(({ id }) => id),
    ["o1"],
  );
  assert.equal(model.undo().id, "o2");
  assert.equal(model.add().id, "o3");
  assert.deepEqual(
    kept().map(({ priority }) => priority),
    [1, 2, 3],
  );
});

test("a revision about one row leaves the others as they are", () => {
  const { model, kept } = opened(
    [
      { id: "o1", what: "a" },
      { id: "o2", what: "b" },
    ],
    { focus: FILE, subject: "o2" },
  );
  model.set("o1", { what: "changed" });
  model.set("o2", { what: "changed" });
  assert.deepEqual(
    kept().map(({ what }) => what),
    ["a", "changed"],
  );
  assert.deepEqual([model.canAdd, model.remove("o1"), model.add()], [false, false, null]);
});

test("filters keep what can be asked for, once each", () => {
  const { model, kept } = opened([{ id: "o1" }]);
  model.setWhere("o1", { team: [" ml ", "ml", ""], colour: ["red"], tag: ["env=dev", "env"] });
  assert.deepEqual(kept()[0].where, { team: ["ml"], tag: ["env=dev"] });
  model.set("o1", { what: "x".repeat(MOST.field + 1) });
  assert.equal(kept()[0].what.length, MOST.field);
});

test("the table can be read as text", () => {
  const row = {
    id: "o1",
    what: "Delete idle volumes",
    where: { service: ["Disks", "Volumes"] },
    saving: { kind: "percent", value: 20, of: "total" },
  };
  const text = JSON.stringify({ opportunities: [row, { id: "o2" }] });
  const read = opportunityText(text);
  for (const part of [
    "1. Delete idle volumes",
    "Where: service Disks or Volumes",
    "20 % of the whole bill",
    "2. (nothing said yet)",
  ]) {
    assert.ok(read.includes(part), part);
  }
  assert.equal(opportunitySummary(text), "2 opportunities, 1 with a figure");
  assert.equal(opportunityTitle(text, "o1"), "“Delete idle volumes”");
  assert.equal(opportunityTitle(text, "o9"), null);
  assert.equal(opportunityText("{"), "{");
});
