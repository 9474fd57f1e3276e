// The board of hypotheses and the comparison of configurations, without their pages.

import assert from "node:assert/strict";
import { test } from "node:test";

import { BoardModel, FILE, readBoard } from "/static/assessments/troubleshooting/board_model.js";
import { boardSummary, boardText, pinText } from "/static/assessments/troubleshooting/board_text.js";
import { beside, differingLines } from "/static/assessments/troubleshooting/line_diff.js";
import { Answer } from "/static/assessments/workspace/answer.js";

function opened(hypotheses, minutes = 5) {
  const files = [{ path: FILE, text: JSON.stringify({ hypotheses }), starter: true }];
  const answer = new Answer({ files, sections: [], round: 1, feedback: null });
  const model = new BoardModel(answer, { elapsed: () => minutes * 60, steps: 12_000 });
  return { model, kept: () => JSON.parse(answer.files.get(FILE).text).hypotheses };
}

test("a decision notes its minute, and one that is taken back has none", () => {
  const { model, kept } = opened([]);
  const { id } = model.add("The fabric");
  assert.equal(kept()[0].opened_min, 5);
  model.set(id, { status: "refuted" });
  assert.equal(kept()[0].decided_min, 5);
  model.set(id, { status: "open" });
  assert.equal(kept()[0].decided_min, null);
});

test("hours and seconds per step say the same", () => {
  const { model, kept } = opened([{ id: "h1" }]);
  model.setCost("h1", 10, "hours");
  assert.equal(kept()[0].seconds_per_step, 3);
  model.setCost("h1", 6, "seconds");
  assert.equal(kept()[0].hours, 20);
  assert.deepEqual(model.hours, { open: 20, supported: 0, refuted: 0 });
});

test("a place is pinned once, whatever was noted at it", () => {
  const { model, kept } = opened([{ id: "h1" }]);
  const pin = { kind: "log", path: "a.log", line: 3 };
  assert.equal(model.addPins("h1", [pin, { ...pin, line: 4 }]), 2);
  model.setNote("h1", 0, "first");
  assert.equal(model.addPins("h1", [{ ...pin, text: "again" }]), 0);
  assert.deepEqual(
    kept()[0].pins.map(({ line, note }) => [line, note]),
    [
      [3, "first"],
      [4, undefined],
    ],
  );
});

test("rows keep an order once one is asked for", () => {
  const { model, kept } = opened([{ id: "h1" }, { id: "h2" }]);
  model.number();
  model.move("h2", -1);
  assert.deepEqual(
    kept().map(({ id, priority }) => [id, priority]),
    [
      ["h2", 1],
      ["h1", 2],
    ],
  );
  model.unrank();
  assert.ok(kept().every(({ priority }) => priority === null));
});

test("what is no board is left as it is", () => {
  assert.equal(readBoard("{"), null);
  assert.equal(readBoard('{"hypotheses": [1]}'), null);
  assert.deepEqual(readBoard(""), []);
  assert.equal(boardText("{"), "{");
  assert.equal(boardSummary("{"), "cannot be read");
});

test("a card from before there was a field for its place keeps what it has", () => {
  const { model, kept } = opened([{ id: "h1", claim: "n1 is slow" }]);
  assert.equal(model.rows[0].place, "");
  assert.ok(!boardText(JSON.stringify({ hypotheses: model.rows })).includes("Where"));
  model.set("h1", { place: "n1" });
  assert.deepEqual(
    kept().map(({ claim, place }) => [claim, place]),
    [["n1 is slow", "n1"]],
  );
});

test("the board can be read as text", () => {
  const pins = [
    { kind: "chart", metric: "power", labels: { gpu: "0" }, from_ms: 0, to_ms: 60_000 },
    { kind: "command", host: "n1", command: "nvidia-smi", note: "slow", text: "first\nsecond" },
  ];
  const row = {
    claim: "Clocks are low",
    place: "n1, GPU 0",
    status: "supported",
    priority: 1,
    hours: 2,
    seconds_per_step: 0.6,
    opened_min: 1,
    decided_min: 3,
    reason: "heat",
    pins,
  };
  const text = JSON.stringify({ hypotheses: [row, {}] });
  const read = boardText(text);
  for (const part of [
    "1. Clocks are low\n   Where: n1, GPU 0",
    "Status: supported (opened in minute 1, decided in minute 3)",
    "Cost: 2 h (0.6 s per step)",
    "Evidence: power {gpu=0}, 1970-01-01 00:00:00 to 1970-01-01 00:01:00",
    "Evidence: n1$ nvidia-smi\n     first\n     Note: slow",
    "2. (nothing claimed yet)",
  ]) {
    assert.ok(read.includes(part), part);
  }
  assert.equal(boardSummary(text), "2 hypotheses, 2 pins");
  assert.equal(pinText({ kind: "log", path: "a.log", line: 3 }), "a.log:3");
});

function differing(before, after) {
  return differingLines(before.split(""), after.split("")).map(
    ({ kind, text }) => ({ same: " ", gone: "-", new: "+" })[kind] + text,
  );
}

test("the longest common part of two texts stays", () => {
  assert.deepEqual(differing("abcd", "abxd"), [" a", " b", "-c", "+x", " d"]);
  assert.deepEqual(differing("ab", "xaby"), ["+x", " a", " b", "+y"]);
  assert.deepEqual(differing("abcabba", "cbabac").filter((line) => line.startsWith(" ")).length, 4);
  assert.deepEqual(differing("", "a"), ["+a"]);
});

test("every line of both texts is shown, under its number", () => {
  const [before, after] = ["abcabba".split(""), "cbabac".split("")];
  const rows = differingLines(before, after);
  assert.deepEqual(
    rows.filter(({ a }) => a).map(({ a }) => a),
    before.map((_, at) => at + 1),
  );
  assert.deepEqual(
    rows.filter(({ b }) => b).map(({ b }) => b),
    after.map((_, at) => at + 1),
  );
});

test("texts that differ in thousands of lines are shown as one replaced by the other", () => {
  const lines = (name) => Array.from({ length: 5000 }, (_, at) => `${name}${at}`);
  const rows = differingLines(["head", ...lines("a")], ["head", ...lines("b")]);
  assert.equal(rows.length, 10_001);
  assert.equal(rows[0].kind, "same");
});

test("a line that went stands beside the one that came in its place", () => {
  const pairs = beside(differingLines([..."abc"], [..."axyc"]));
  assert.deepEqual(
    pairs.map((pair) => pair.map((row) => row?.text ?? null)),
    [
      ["a", "a"],
      ["b", "x"],
      [null, "y"],
      ["c", "c"],
    ],
  );
});
