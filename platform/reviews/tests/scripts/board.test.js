// What a board says aloud when it has changed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { changesIn, spoken } from "/static/reviews/board_changes.js";

test("who says something else is news, and who is new; who left is not", () => {
  const before = new Map([
    ["a", "Ada: working"],
    ["b", "Bela: opened"],
    ["c", "Cleo: invited"],
  ]);
  const after = new Map([
    ["a", "Ada: handed in"],
    ["b", "Bela: opened"],
    ["d", "Dana: invited"],
  ]);
  assert.deepEqual(
    changesIn(before, after).map(({ key }) => key),
    ["a", "d"],
  );
});

test("a few are named, many are counted", () => {
  const some = ["Ada: working", "Bela: opened"].map((says) => ({ key: says, says }));
  assert.equal(spoken(some), "Ada: working. Bela: opened.");
  assert.equal(spoken([...some, ...some]), "4 candidates have moved on.");
});
