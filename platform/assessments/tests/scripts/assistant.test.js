// How an answer is cut into prose and code, and what is said to be left.

import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf, leftText } from "/static/assessments/assistant/answer_text.js";

test("fences are code, the rest is prose, markup stays text", () => {
  const text = 'Try this:\n\n```python\ncall("drain")\n\n  indented\n```\nThen <b>look</b>.';
  assert.deepEqual(blocksOf(text), [
    { isCode: false, text: "Try this:" },
    { isCode: true, text: 'call("drain")\n\n  indented' },
    { isCode: false, text: "Then <b>look</b>." },
  ]);
});

test("a fence that is still open is code so far", () => {
  assert.deepEqual(blocksOf("a\n```\nb"), [
    { isCode: false, text: "a" },
    { isCode: true, text: "b" },
  ]);
  assert.deepEqual(blocksOf(""), []);
});

test("nothing is promised that is not there", () => {
  assert.equal(leftText(9999, 10000), "99 % of your share is left");
  assert.equal(leftText(0, 10000), "0 % of your share is left");
});
