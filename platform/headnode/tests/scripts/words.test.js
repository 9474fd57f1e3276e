// Instants on pages: the reader's zone first, UTC beside it, its day where that is another.

import assert from "node:assert/strict";
import { test } from "node:test";

import { dayAndTime, timeOfDay } from "/static/headnode/words.js";

const LATE = new Date("2026-03-02T23:30:05Z");
const plain = (text) => text.replace(/\s/g, " ");

test("a moment is said in the reader's zone with UTC beside", () => {
  const [local, utc] = plain(dayAndTime(LATE, "America/New_York")).split(" (");
  assert.match(local, /^Mon,? 2 March 2026(,| at) 18:30 GMT-5$/);
  assert.equal(utc, "23:30 UTC)");
});

test("where it is another day there, UTC's day is named", () => {
  assert.match(plain(dayAndTime(LATE, "Asia/Tokyo")), /^Tue,? 3 March 2026(,| at) 08:30 GMT\+9 \(Mon 23:30 UTC\)$/);
});

test("London in winter reads UTC beside its own; who lives by UTC reads it once", () => {
  assert.match(plain(dayAndTime(LATE, "Europe/London")), /23:30 GMT \(23:30 UTC\)$/);
  assert.match(plain(dayAndTime(LATE, "UTC")), /23:30 UTC$/);
});

test("what happened while one works has its second and UTC", () => {
  assert.equal(timeOfDay("2026-03-02T23:30:05Z", "Europe/Berlin"), "00:30:05 (23:30 UTC)");
  assert.equal(timeOfDay("2026-03-02T23:30:05Z", "UTC"), "23:30:05 UTC");
});
