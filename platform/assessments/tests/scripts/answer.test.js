// The answer that every editor writes to, and the clock's words.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Answer, fingerprint } from "/static/assessments/workspace/answer.js";
import { fetchWords, partName, readable, summary } from "/static/assessments/workspace/answer_parts.js";
import { timeText } from "/static/assessments/workspace/clock.js";

const FILES = [
  { path: "controller.py", text: "pass" },
  { path: "README.md", text: "read me", read_only: true },
];
const SECTIONS = [{ key: "why", title: "Why", prompt: "?", text: "" }];

function begun(more = {}) {
  return new Answer({ files: FILES, sections: SECTIONS, round: 1, feedback: null, ...more });
}

test("nothing can be typed while the answer is locked", () => {
  const answer = begun();
  answer.locked = true;
  answer.setFile("controller.py", "x");
  answer.setSection("why", "x");
  assert.deepEqual(answer.body(), begun().body());
  answer.locked = false;
  answer.setFile("controller.py", "x");
  answer.setFile("README.md", "x");
  assert.deepEqual(answer.body().files, { "controller.py": "x", "README.md": "read me" });
});

test("another draft's text is taken over, with its own files and without those that it lacks", () => {
  const answer = begun();
  answer.createFile("old.py");
  answer.replace({
    files: { "controller.py": "new", "README.md": "forged", "own.py": "mine" },
    sections: { why: "because" },
  });
  assert.deepEqual(answer.body(), {
    files: { "controller.py": "new", "README.md": "read me", "own.py": "mine" },
    sections: { why: "because" },
  });
});

test("a revision changes what it is about and nothing else", () => {
  const answer = begun({ round: 2, feedback: { focus: "why" } });
  answer.setFile("controller.py", "x");
  answer.setSection("why", "better");
  assert.deepEqual(
    [answer.body().files["controller.py"], answer.body().sections.why, answer.canAddFiles],
    ["pass", "better", false],
  );
  const also = begun({ round: 2, feedback: { focus: "why", also: ["controller.py"] } });
  also.setFile("controller.py", "x");
  assert.equal(also.body().files["controller.py"], "x");
});

test("names of files are plain, and free", () => {
  const answer = begun();
  assert.equal(answer.problemWithName("lib/queue.py"), null);
  for (const name of ["../x", "/etc/x", "a b", "", "controller.py"])
    assert.notEqual(answer.problemWithName(name), null, name);
});

test("the same text has the same fingerprint, whatever the order of its parts", () => {
  const one = { files: { a: "1", b: "2" }, sections: {} };
  const other = { files: { b: "2", a: "1" }, sections: {} };
  assert.equal(fingerprint(one), fingerprint(other));
  assert.notEqual(fingerprint(one), fingerprint({ files: { a: "2", b: "1" }, sections: {} }));
});

test("time left is said in minutes, never more than there are, until fifteen are left, then to the second", () => {
  const told = [7200, 7199, 2970, 901, 900, 61, 59.2, 0, -5].map(timeText);
  const words = ["2 h 00 min", "119 min", "49 min", "15 min", "15:00", "1:01", "1:00", "0:00", "0:00"];
  assert.deepEqual(told, words);
});

test("a program's own plan.json is a file like any other; only the room that keeps it puts it into words", async () => {
  const [path, text] = ["plan.json", '{"nodes": 3}'];
  assert.deepEqual([partName(path), summary(path, text)], [null, null]);
  assert.deepEqual(readable(path, text), { name: path, text });
  await fetchWords("");
  assert.equal(partName(path), null);
  await fetchWords("scaling");
  assert.equal(partName(path), "Plan");
  assert.match(readable(path, text).text, /cannot be read|empty/);
  assert.equal(partName("notes.json"), null);
});
