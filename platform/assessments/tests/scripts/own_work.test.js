// What is typed in the round about one's own answer: kept first, sent until it has arrived, never dropped.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

const kept = new Map();
globalThis.localStorage = {
  getItem: (name) => kept.get(name) ?? null,
  setItem: (name, text) => kept.set(name, text),
  removeItem: (name) => kept.delete(name),
};
globalThis.window = globalThis;
globalThis.addEventListener ??= () => {};
globalThis.document ??= { cookie: "", querySelector: () => null };

const { Entries } = await import("/static/assessments/own_work/entries.js");

const NAME = "headnode:own-work:7";
let sent = [];
let fails = 0;
let late = false;

async function server(_url, options) {
  if (fails) {
    fails -= 1;
    throw new TypeError("offline");
  }
  sent.push(JSON.parse(options.body));
  return Response.json({ saved: sent.length, late });
}

beforeEach(() => {
  [sent, fails, late] = [[], 0, false];
  kept.clear();
  mock.method(globalThis, "fetch", server);
});

test("each entry is sent once, and several fields of a question together", async () => {
  const entries = new Entries("/save", "7");
  entries.set("1", "given", "2");
  entries.set("1", "why", "It grows.");
  assert.ok(kept.has(NAME));
  await entries.flush();
  assert.deepEqual(
    sent.map((one) => one.answers),
    [{ 1: { given: "2", why: "It grows." } }],
  );
  assert.equal(kept.has(NAME), false);
  await entries.flush();
  assert.equal(sent.length, 1);
});

test("without a connection it stays here, and a later page sends it", async () => {
  fails = 1;
  mock.timers.enable({ apis: ["setTimeout"] }); // the next try is not waited for
  const entries = new Entries("/save", "7");
  const said = [];
  for (const type of ["saved", "waiting"]) entries.addEventListener(type, () => said.push(type));
  entries.set("2", "why", "No network.");
  await entries.flush();
  assert.deepEqual(said, ["waiting"]);
  const later = new Entries("/save", "7");
  assert.deepEqual(later.restore(), { 2: { why: "No network." } });
  await later.flush();
  assert.deepEqual(sent[0].answers, { 2: { why: "No network." } });
  mock.timers.reset();
});

test("what comes after the end is said to be kept aside", async () => {
  late = true;
  const entries = new Entries("/save", "7");
  let told = false;
  entries.addEventListener("late", () => {
    told = true;
  });
  entries.set("1", "given", "3");
  await entries.flush();
  assert.ok(told);
});

test("numbers of saves rise, so that no two are taken for one", async () => {
  const entries = new Entries("/save", "7");
  for (const text of ["1", "2", "3"]) {
    entries.set("1", "given", text);
    await entries.flush();
  }
  assert.deepEqual(
    sent.map((one) => one.seq),
    [1, 2, 3],
  );
});
