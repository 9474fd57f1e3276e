// The check of the reader's system says what was measured in words, and the tour has the page's own steps.

import assert from "node:assert/strict";
import { test } from "node:test";
import { middle, ofClock, ofConnection, ofLatency } from "/static/assessments/practice/check.js";
import { stepsOf } from "/static/assessments/practice/tour.js";

test("a connection that loses requests is said, one that loses all is trouble", () => {
  assert.equal(ofConnection([20, 30, 25])[0], "good");
  assert.deepEqual(ofConnection([20, null, 25])[0], "warn");
  assert.match(ofConnection([20, null, 25])[1], /1 of 3/);
  assert.equal(ofConnection([null, null])[0], "bad");
});

test("speed goes by the middle trip, so that one slow trip says nothing", () => {
  assert.equal(middle([9, 1, 5]), 5);
  assert.match(ofLatency([20, 900, 30])[1], /30 ms/);
  assert.equal(ofLatency([1200, 900, 950])[0], "warn");
  assert.equal(ofLatency([null, null])[0], "bad");
});

test("a wrong clock is said with its direction", () => {
  assert.equal(ofClock(900)[0], "good");
  assert.match(ofClock(5 * 60_000)[1], /5 minutes fast/);
  assert.match(ofClock(-61_000)[1], /a minute slow/);
});

test("a program's page has eight steps, a room's seven", () => {
  const all = ["pane-read", "pane-code", "pane-run", "pane-answer", "saved", "clock", "ask-open", "submit-open"];
  assert.equal(stepsOf((id) => all.includes(id)).length, 8);
  const room = all.filter((id) => !["pane-code", "pane-run"].includes(id)).concat("pane-room");
  assert.equal(stepsOf((id) => room.includes(id)).length, 7);
});
