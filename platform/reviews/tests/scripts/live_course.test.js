// What the slider under a live cluster's chart says of a moment.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lastUpTo, told } from "/static/reviews/live_course.js";

const row = (x, ...cells) => ({ dataset: { x: String(x) }, children: cells.map((textContent) => ({ textContent })) });

test("the last row up to a moment is found, and none before the first", () => {
  const rows = [row(30), row(40.5), row(90)];
  assert.equal(lastUpTo(rows, 29), null);
  assert.equal(lastUpTo(rows, 40.5), rows[1]);
  assert.equal(lastUpTo(rows, 400), rows[2]);
});

test("a moment is said in words", () => {
  const look = row(30, "4", "6", "9", "15", "5");
  assert.equal(told(look, null), "Minute 4: 6 run, 9 wait, 15 GPUs in use, 5 nodes take jobs.");
  const step = row(31, "5", " scontrol reconfigure ", "0", "waiting 9 → 2");
  assert.match(told(look, step), /Last command, minute 5: scontrol reconfigure\. Then waiting 9 → 2\.$/);
  assert.equal(told(null, null), "Nothing had been seen yet.");
});
