// Small truths of the workspace: what is said of saving, of the end, of a failed run, and what is proposed.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { fitting } from "/static/assessments/workspace/completion.js";
import { hintOn, whereItFailed } from "/static/assessments/workspace/run_output.js";
import { SavedLine } from "/static/assessments/workspace/saved_line.js";
import { whatArrived } from "/static/assessments/workspace/time_over.js";
import { verdictParts, verdictText } from "/static/assessments/workspace/verdict_words.js";

const FILES = ["controller.py", "plan/rules.py"];
const TRACEBACK = `noise
Traceback (most recent call last):
  File "/work/controller.py", line 12, in <module>
    main()
  File "/work/plan/rules.py", line 3, in choose
    return pools["spot"]
  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode
    raise KeyError(name)
KeyError: 'spot'
`;

let line;
let queue;
let listeners;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  listeners = {};
  line = { textContent: "", dataset: {} };
  globalThis.document = { getElementById: () => line };
  globalThis.addEventListener = (name, act) => (listeners[name] = act);
  queue = Object.assign(new EventTarget(), { unsent: 0, dirty: false });
  new SavedLine(queue).begin(3);
});
afterEach(() => {
  mock.timers.reset();
  delete globalThis.document;
  delete globalThis.addEventListener;
});

function tell(detail) {
  queue.dispatchEvent(new CustomEvent("status", { detail }));
  mock.timers.tick(5000);
}

test("offline stays offline while one types", () => {
  tell({ kind: "offline" });
  for (const kind of ["edited", "sending"]) {
    tell({ kind });
    assert.match(line.textContent, /^Offline\./);
  }
  tell({ kind: "saved", number: 4, at: "2026-03-02T09:00:00Z" });
  assert.match(line.textContent, /^Saved .*#4$/);
});

test("offline is said at once, and taken back where nothing was waiting", () => {
  listeners.offline();
  assert.match(line.textContent, /^Offline\./);
  listeners.online();
  assert.equal(line.textContent, "Saved · #3");
});

test("a slow save is called so", () => {
  tell({ kind: "sending" });
  assert.equal(line.textContent, "Saving…");
});

test("the end tells what has arrived from what only this page knows", () => {
  const saved = { number: 7, at: "2026-03-02T09:00:00Z" };
  assert.match(whatArrived("all", saved), /^All that you wrote has arrived: draft #7 is your answer/);
  assert.match(
    whatArrived("held", saved),
    /^Draft #7, saved .*, has arrived and is submitted\. .*only in this browser/,
  );
  assert.match(whatArrived("late", saved), /^Draft #7, saved .*, has arrived and is submitted\. .*came too late/);
  assert.match(whatArrived("held", { number: 0, at: "" }), /^Nothing that you wrote has arrived in time/);
});

test("a failure is shown in the candidate's own file, the deepest of them", () => {
  assert.deepEqual(whereItFailed(TRACEBACK, FILES), { path: "plan/rules.py", line: 3, text: "KeyError: 'spot'" });
  assert.equal(whereItFailed("Killed\n", FILES), null);
  assert.equal(whereItFailed(TRACEBACK, ["other.py"]), null);
});

test("a program that cannot be read has its line too", () => {
  const text = "  File \"/work/controller.py\", line 2\n    if x\n        ^\nSyntaxError: expected ':'\n";
  assert.deepEqual(whereItFailed(text, FILES), {
    path: "controller.py",
    line: 2,
    text: "SyntaxError: expected ':'",
  });
});

test("a program that asks for the network is told that there is none", () => {
  const stderr = "urllib.error.URLError: <urlopen error [Errno -2] Name or service not known>\n";
  assert.match(hintOn({ status: "candidate_error", stderr }), /asked for the network, which is off in every run/);
  assert.equal(hintOn({ status: "candidate_error", stderr: TRACEBACK }), null);
  assert.equal(hintOn({ status: "ok", stderr }), null);
});

test("after a full stop members are proposed, elsewhere classes", () => {
  const all = [
    { label: "jobs", kind: "method" },
    { label: "gpus", kind: "property" },
    { label: "Job", kind: "class" },
  ];
  const labels = (before) => fitting(all, before).map(({ label }) => label);
  assert.deepEqual(labels("cluster.j"), ["jobs", "gpus"]);
  assert.deepEqual(labels("cluster."), ["jobs", "gpus"]);
  assert.deepEqual(labels("Jo"), ["Job"]);
});

test("how a run ended is cut into the page's own words and what was said elsewhere", () => {
  const own = "Your program stopped with ZeroDivisionError: division by zero (controller.py, line 7).";
  const at = "That was at 03:20 on day 2 of the simulated stretch of days; the rest ran without a controller.";
  assert.deepEqual(verdictParts(`${own} ${at}`), [
    [own, true],
    [" ", false],
    [at, true],
  ]);
  const without = "Your program stopped with KeyError: 'jobs. all'.";
  assert.deepEqual(verdictParts(`${without} ${at}`), [
    [`${without} `, false],
    [at, true],
  ]);
  for (const known of [
    "Your program was stopped at the limit of 45 s processor time.",
    "Your program needed more than its 512 MiB of memory.",
    "Your program ended with exit code 3.",
    "Your program stopped with ValueError: f(x) is odd. Or even (stage/plan.py, line 12).",
    "The sandbox lost sight of the program; not your fault.",
  ])
    assert.deepEqual(verdictParts(known), [[known, true]]);
  assert.equal(verdictText("The controller saw the whole day: 12 jobs."), "The controller saw the whole day: 12 jobs.");
});
