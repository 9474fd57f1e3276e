// Figures and times of charts, and what the query box can offer where the cursor stands.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ordered } from "/static/assessments/troubleshooting/metrics_lines.js";
import { ticks, tickText } from "/static/assessments/troubleshooting/metrics_time.js";
import { amount, between } from "/static/assessments/troubleshooting/metrics_units.js";
import { offers, placeIn } from "/static/assessments/troubleshooting/query_editor.js";
import { AGGREGATIONS, FUNCTIONS, WORDS } from "/static/assessments/troubleshooting/query_words.js";
import { plainTime, readMoment, readTime, shortTime, timeText } from "/static/assessments/workplace/site_time.js";

const HOUR = 3600e3;
const WEST_MIN = -420;
const NOON = Date.UTC(2026, 9, 5, 19, 0);

test("figures are as short as a chart needs them", () => {
  assert.equal(amount(0.0123, "s"), "12.3 ms");
  assert.equal(amount(1.98e9, "B/s"), "1.98 GB/s");
  assert.equal(amount(1980, "MHz"), "1,980 MHz");
  assert.equal(amount(Number.NaN, "s"), "–");
  assert.equal(amount(12345, "W"), "12.3 kW");
  assert.equal(between(1800, 1980, "MHz"), "1,800 – 1,980 MHz");
  assert.equal(between(0.5, 2, "s"), "500 ms – 2 s");
});

test("ticks stand at round times of the site's clock", () => {
  const { at, step } = ticks(NOON, NOON + 24 * HOUR, 6, WEST_MIN);
  const texts = at.map((ms) => tickText(ms, step, WEST_MIN));
  assert.deepEqual(texts, ["12:00", "16:00", "20:00", "6 Oct", "04:00", "08:00", "12:00"]);
});

test("times are written and read on the site's clock", () => {
  assert.equal(timeText(NOON, WEST_MIN), "5 Oct 12:00:00");
  assert.equal(timeText(NOON, WEST_MIN, { seconds: false, year: true }), "5 Oct 2026 12:00");
  assert.equal(shortTime(NOON, WEST_MIN, 2026), "10-05 12:00:00");
  assert.equal(shortTime(NOON, WEST_MIN, 2025), "2026-10-05 12:00");
  assert.equal(readTime(plainTime(NOON, WEST_MIN), WEST_MIN, 2026), NOON);
  assert.equal(readTime("10-05 12:00", WEST_MIN, 2026), NOON);
  assert.equal(readTime("noon", WEST_MIN, 2026), null);
});

const BESIDE = {
  offsetMin: WEST_MIN,
  year: 2026,
  anchors: { now: NOON, run: NOON - 10 * HOUR, "run end": NOON - 2 * HOUR },
};
const MOMENTS = [
  ["now", NOON],
  ["now-6h", NOON - 6 * HOUR],
  ["-90m", NOON - 1.5 * HOUR],
  ["Run + 1.5h", NOON - 8.5 * HOUR],
  ["run end - 1h 30m", NOON - 3.5 * HOUR],
  ["now−1d+2h", NOON - 22 * HOUR],
  ["10-05 12:00", NOON],
  ["yesterday", null],
  ["now-6", null],
  ["", null],
];
for (const [typed, ms] of MOMENTS)
  test(`a moment typed as “${typed}” is ${ms === null ? "refused" : "read"}`, () =>
    assert.equal(readMoment(typed, BESIDE), ms));

test("a legend stands in the order of what its lines are in the range that is shown", () => {
  const line = (...low) => ({ name: "", low: Float64Array.from(low), high: null });
  const data = { start: 0, step: 1, count: 3, lines: [line(1, 2, 9), line(NaN, NaN, NaN), line(5, 4, 0)] };
  assert.deepEqual(ordered(data, "recorded", 0, 2), [0, 1, 2]);
  assert.deepEqual(ordered(data, "highest", 0, 2), [0, 2, 1]);
  assert.deepEqual(ordered(data, "highest", 0, 0), [2, 0, 1]);
  assert.deepEqual(ordered(data, "lowest", 0, 2), [2, 0, 1]);
});

const PLACES = [
  ['a{b="', "value"],
  ["a{", "label"],
  ["sum by (", "label"],
  ["rat", "name"],
  ['a{b="c"} + ', "name"],
];
for (const [before, kind] of PLACES) {
  test(`after ${before} stands a ${kind}`, () => assert.equal(placeIn(before)?.kind, kind));
}

const CATALOGUE = {
  metrics: [
    { name: "power", kind: "gauge", about: "Watts", labels: { node: ["n10", "n2"], gpu: ["0"] } },
    { name: "steps", kind: "counter", about: "Steps", labels: { job: ["train"] } },
  ],
};

function offered(before) {
  return offers(CATALOGUE, placeIn(before)).map(({ label }) => label);
}

test("within braces only the metric's own labels and values are offered", () => {
  assert.deepEqual(offered("power{"), ["gpu", "node"]);
  assert.deepEqual(offered('power{node="'), ["n2", "n10"]);
  assert.deepEqual(offered("sum by ("), ["gpu", "job", "node"]);
});

test("anywhere else metrics come first, then every word of the language", () => {
  const names = offered("");
  assert.deepEqual(names.slice(0, 2), ["power", "steps"]);
  assert.deepEqual(names.slice(2), [...Object.keys(AGGREGATIONS), ...Object.keys(FUNCTIONS), ...WORDS]);
  assert.equal(new Set(names).size, names.length);
});
