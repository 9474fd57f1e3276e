// What the page of a live cluster makes of nodes, jobs and looks, without a page.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  changes,
  inOneSentence,
  inOrder,
  nodeSentence,
  nodeTone,
  steps,
} from "../../static/assessments/live_slurm/states.js";

test("a node's state in Slurm's words has the tone of what it means for jobs", () => {
  const found = Object.fromEntries(
    ["IDLE", "MIXED", "ALLOCATED", "IDLE+DRAIN", "MIXED+DRAIN", "DOWN", "IDLE*", "DOWN+DRAIN", "IDLE+MAINT"].map(
      (state) => [state, nodeTone(state)],
    ),
  );
  assert.deepEqual(found, {
    IDLE: "idle",
    MIXED: "busy",
    ALLOCATED: "busy",
    "IDLE+DRAIN": "warn",
    "MIXED+DRAIN": "warn",
    DOWN: "bad",
    "IDLE*": "bad",
    "DOWN+DRAIN": "bad",
    "IDLE+MAINT": "warn",
  });
});

test("who cannot see the squares is told of the node in a sentence", () => {
  const node = { name: "gpu-n002", state: "IDLE+DRAIN", gpus: 8, used: 0, reason: "scratch full" };
  assert.equal(nodeSentence(node), "gpu-n002: idle+drain, 0 of 8 GPUs in use, scratch full.");
});

test("jobs that run come before those that wait, each in the order they came", () => {
  const jobs = [
    { id: "11", state: "PENDING" },
    { id: "9", state: "PENDING" },
    { id: "10", state: "RUNNING" },
    { id: "2", state: "RUNNING" },
  ];
  assert.deepEqual(
    inOrder(jobs).map(({ id }) => id),
    ["2", "10", "9", "11"],
  );
  assert.equal(jobs[0].id, "11");
});

test("the newest look is one sentence", () => {
  const nodes = [{ gpus: 8 }, { gpus: 8 }];
  assert.equal(
    inOneSentence([0, 1, 2, 5, 1], nodes),
    "1 job runs, 2 wait; 5 of 16 GPUs are in use, 1 of 2 nodes take jobs.",
  );
  assert.equal(inOneSentence(undefined, []), "Nothing was seen of the cluster yet.");
});

test("the table has the looks at which something changed, the newest first", () => {
  const looks = [
    [1, 4, 9, 17, 6],
    [2, 4, 9, 17, 6],
    [3, 5, 8, 18, 6],
    [4, 5, 8, 18, 6],
  ];
  assert.deepEqual(
    changes(looks).map(([at]) => at),
    [3, 1],
  );
});

test("a line holds each value until the next", () => {
  assert.equal(
    steps([
      [0, 5],
      [4, 2],
      [9, 2],
    ]),
    "M0 5H4V2H9V2",
  );
});
