// The order in which drafts leave a page, where keeping or sending one takes its time.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { DraftQueue } from "/static/assessments/workspace/draft_queue.js";

const FILE = "controller.py";
let arrived = [];
let seqs = [];
let refusals = 0;
/** ms until the browser says that it has kept a draft; null: it never says anything. */
let keepsAfter = 0;

function request(result) {
  const asked = { result, onsuccess: null };
  if (keepsAfter !== null) setTimeout(() => asked.onsuccess?.(), keepsAfter);
  return asked;
}

/** As much of IndexedDB as the store asks for. */
const drafts = {
  rows: new Map(),
  put(entry) {
    this.rows.set(entry.key, structuredClone(entry));
    return request(entry.key);
  },
  delete(key) {
    this.rows.delete(key);
    return request();
  },
  getAll() {
    return request([...this.rows.values()]);
  },
};
const database = { transaction: () => ({ objectStore: () => drafts }) };

async function server(url, options) {
  const draft = JSON.parse(options.body);
  seqs.push(draft.seq);
  if (refusals) {
    refusals -= 1;
    const away = { detail: "The database is away.", code: "database_away" };
    return Response.json(away, { status: 503, headers: { "Retry-After": "1" } });
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  const number = arrived.push([url, draft.body.files[FILE]]);
  return Response.json({ number, head: number, received_at: "2026-03-02T09:00:00Z" });
}

class Typed {
  text = "";

  body() {
    return { files: { [FILE]: this.text }, sections: {} };
  }
}

beforeEach(() => {
  [arrived, seqs, refusals, keepsAfter] = [[], [], 0, 0];
  drafts.rows.clear();
  mock.method(globalThis, "fetch", server);
  globalThis.indexedDB = { open: () => Object.assign(request(database)) };
  globalThis.document = { cookie: "csrftoken=x" };
});
afterEach(() => {
  mock.restoreAll();
  delete globalThis.indexedDB;
  delete globalThis.document;
});

async function begun() {
  const answer = new Typed();
  const queue = new DraftQueue({ attempt: "ada", draftsUrl: "/drafts", answer, head: 0 });
  await queue.recover();
  return { answer, queue };
}

/** A run is asked for while the draft before it is still being kept. */
async function overtaken() {
  const { answer, queue } = await begun();
  answer.text = "one";
  const saving = queue.save();
  answer.text = "two";
  await queue.post("/runs");
  await saving;
  await queue.flush();
}

/** What came of handing in where somebody gives up after so many asks, and how often they were asked. */
async function handedIn(givesUpAt) {
  const { answer, queue } = await begun();
  answer.text = "last words";
  let asked = 0;
  const insists = () => (asked += 1) !== givesUpAt;
  const found = await queue.post("/submit", {}, insists).catch((error) => error.message);
  await queue.flush();
  return [found.number ?? found, asked];
}

test("a run does not overtake the draft before it", async () => {
  keepsAfter = 200;
  await overtaken();
  assert.deepEqual(arrived[0], ["/drafts", "one"]);
  assert.deepEqual(arrived.at(-1), ["/runs", "two"]);
});

test("storage that never answers holds nothing up", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  keepsAfter = null;
  let over = false;
  const done = overtaken().finally(() => (over = true));
  while (!over) {
    mock.timers.tick(500);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await done;
  mock.timers.reset();
  assert.deepEqual(arrived[0], ["/drafts", "one"]);
  assert.deepEqual(arrived.at(-1), ["/runs", "two"]);
});

test("submit is sent again under its number until it is acknowledged", async () => {
  refusals = 2;
  assert.deepEqual(await handedIn(99), [1, 4]); // asked before and after each pause
  assert.deepEqual(seqs, [1, 1, 1]);
  assert.deepEqual(arrived, [["/submit", "last words"]]);
});

test("who stops submitting keeps the text as a draft", async () => {
  refusals = 2;
  assert.deepEqual(await handedIn(2), ["The database is away.", 2]);
  assert.deepEqual(arrived, [["/drafts", "last words"]]);
  assert.equal(seqs[0], 1);
  assert.deepEqual(new Set(seqs.slice(1)), new Set([2]));
});

test("what an earlier page could not send is sent, and replaces nothing", async () => {
  const body = { files: { [FILE]: "left behind" }, sections: {} };
  const sender = { attempt: "ada", client: "before", seq: 1, made: 1, base: 0 };
  drafts.rows.set("ada:before:1", { key: "ada:before:1", ...sender, resolve: false, refused: false, body });
  const answer = new Typed();
  const queue = new DraftQueue({ attempt: "ada", draftsUrl: "/drafts", answer, head: 0 });
  answer.text = "typed since";
  await queue.save();
  assert.equal(await queue.recover(), null);
  await queue.flush();
  assert.equal(queue.unsent, 0);
  assert.deepEqual(arrived.toSorted(), [
    ["/drafts", "left behind"],
    ["/drafts", "typed since"],
  ]);
});
