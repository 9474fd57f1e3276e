// What is said to a screen reader stands long enough to be read, and old words do not pile up.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { announce } from "/static/headnode/announce.js";

let regions;

function node() {
  const made = { children: [], words: "" };
  made.setAttribute = (name, value) => (made[name] = value);
  made.getAttribute = (name) => made[name];
  made.append = (...added) => {
    for (const one of added) {
      if (typeof one === "string") made.words += one;
      else
        made.children.push(Object.assign(one, { remove: () => made.children.splice(made.children.indexOf(one), 1) }));
    }
  };
  return made;
}

const told = (name = "announce") => regions[name].children.map(({ words }) => words.trim());

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => clock);
  regions = { announce: node(), "announce-now": node() };
  globalThis.document = { createElement: node, getElementById: (name) => regions[name] };
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
  delete globalThis.document;
});

let clock = 1000;
function later(ms) {
  clock += ms;
  mock.timers.tick(ms);
}

test("two pieces of news that come together are both left to be read", () => {
  announce("You have 5 min more time.", { news: true });
  later(30);
  announce("A correction of the exercise: the limit is 40.", { news: true });
  later(100);
  assert.deepEqual(told(), ["You have 5 min more time.", "A correction of the exercise: the limit is 40."]);
});

test("what answers a key takes away the answer before it, and no news", () => {
  announce("15 minutes left.", { news: true });
  for (const words of ["Priority 1 of 3.", "Priority 2 of 3.", "Priority 3 of 3."]) {
    announce(words);
    later(100);
  }
  assert.deepEqual(told(), ["15 minutes left.", "Priority 3 of 3."]);
  later(3000);
  announce("Taken back.");
  later(100);
  assert.deepEqual(told(), ["Taken back."]);
});

test("of two keys in quick succession the newest is answered", () => {
  announce("Row 1.");
  later(10);
  announce("Row 2.");
  later(100);
  assert.deepEqual(told(), ["Row 2."]);
});

test("what cannot wait is said apart", () => {
  announce("One minute left.", { now: true, news: true });
  announce("Row copied.");
  later(100);
  assert.deepEqual([told("announce-now"), told()], [["One minute left."], ["Row copied."]]);
});
