// Elements are built from lists within lists, and text stays text; values' names are listed in the page's language.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { el } from "/static/headnode/dom.js";
import { listed, t } from "/static/headnode/words.js";

beforeEach(() => {
  globalThis.document = {
    createElement: (tag) => ({
      tag,
      children: [],
      append(...nodes) {
        this.children.push(...nodes);
      },
    }),
  };
});
afterEach(() => {
  delete globalThis.document;
});

test("lists within lists become children, and nothing becomes nothing", () => {
  const [first, second] = [el("p", {}, "one"), el("p", {}, "two")];
  const dialog = el("div", {}, [first, [[second, null], false]], undefined, "<b>", 0);
  assert.deepEqual(dialog.children, [first, second, "<b>", 0]);
});

test("names are listed as people list them", () => {
  assert.equal(listed(["a"]), "a");
  assert.equal(listed([1, 2, 3]), "1, 2 and 3");
  assert.equal(listed(["a", "b"], { or: true }), "a or b");
});

test("a value stands where its sentence wants it", () => {
  assert.equal(t`Saved ${"#3"} at ${"10:02"}`, "Saved #3 at 10:02");
});
