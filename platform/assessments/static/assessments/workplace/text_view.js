// One text with numbered lines: find in it, move over its lines, pin them.

import { el } from "../../headnode/dom.js";
import { counted, t } from "../../headnode/words.js";
import { sayDone } from "./done_line.js";
import { LineList } from "./line_list.js";
import { markedText, pinSign } from "./line_parts.js";

const UNIT = 18;
const MOST_MARKS = 40;

export function linesOf(text) {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Places of a word in a line, small and capital letters alike. */
function places(text, needle) {
  const found = [];
  if (!needle) return found;
  const low = text.toLowerCase();
  for (let at = low.indexOf(needle); at >= 0 && found.length < MOST_MARKS; at = low.indexOf(needle, at + needle.length))
    found.push([at, at + needle.length]);
  return found;
}

/** The field that looks for a word among lines; go(at) shows a line, count() and holds(at, needle) know them. */
export class Finder {
  constructor({ label, count, holds, go, at, changed }) {
    this.count = count;
    this.holds = holds;
    this.go = go;
    this.at = at;
    this.changed = changed;
    this.needle = "";
    this.hits = [];
    this.input = el("input", {
      type: "text",
      className: "find",
      "aria-label": label,
      placeholder: t`Find`,
      autocomplete: "off",
      spellcheck: false,
      oninput: () => this.look(),
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.step(event.shiftKey ? -1 : 1);
    });
    this.said = el("span", { className: "muted small find-count", role: "status" });
    const step = (text, name, by) =>
      el(
        "button",
        { type: "button", className: "quiet", "aria-label": name, title: name, onclick: () => this.step(by) },
        text,
      );
    this.node = el(
      "span",
      { className: "finder" },
      this.input,
      step("↑", t`Previous place`, -1),
      step("↓", t`Next place`, 1),
      this.said,
    );
  }

  /** Whether a line has what is looked for; never while nothing is. */
  finds(text) {
    return this.needle !== "" && text.toLowerCase().includes(this.needle);
  }

  look() {
    this.needle = this.input.value.toLowerCase();
    this.hits = [];
    if (this.needle) for (let at = 0; at < this.count(); at += 1) if (this.holds(at, this.needle)) this.hits.push(at);
    this.said.textContent = this.needle ? counted("{0} line", "{0} lines", this.hits.length) : "";
    this.changed();
    if (this.hits.length) this.go(this.hits.find((at) => at >= Math.max(0, this.at())) ?? this.hits[0]);
  }

  step(by) {
    if (!this.hits.length) return;
    const now = this.at();
    const next =
      by > 0
        ? (this.hits.find((at) => at > now) ?? this.hits[0])
        : (this.hits.findLast((at) => at < now) ?? this.hits.at(-1));
    this.go(next);
    this.said.textContent = t`${this.hits.indexOf(next) + 1} of ${this.hits.length}`;
  }
}

/** A text and its tools. kind is what its pins are: "log" or "config". */
export class TextView {
  constructor(room, { kind }) {
    this.room = room;
    this.kind = kind;
    this.path = "";
    this.lines = [];
    /** Told when another line becomes the chosen one. */
    this.changed = null;
    this.list = new LineList({
      label: t`Text`,
      columns: [t`No.`, t`Line`],
      unit: UNIT,
      fetch: (from, to) => this.lines.slice(from, to).map((text, index) => ({ text, line: from + index + 1 })),
      cells: (row) => this.#cells(row),
      look: (row) => (room.isPinned(this.path, row.line) ? "pinned" : ""),
      pin: () => this.pin(),
      copy: (row) => row.text,
      copiedLines: (count) => sayDone(count === 1 ? t`Line copied.` : t`${count} lines copied.`),
      moved: () => this.changed?.(),
    });
    this.list.node.classList.add("numbered");
    this.finder = new Finder({
      label: t`Find in this file`,
      count: () => this.lines.length,
      holds: (at, needle) => this.lines[at].toLowerCase().includes(needle),
      go: (at) => this.list.goTo(at, { centre: true }),
      at: () => this.list.at,
      changed: () => this.list.refresh(),
    });
    room.addEventListener("pins", () => this.list.refresh());
    this.node = this.list.node;
  }

  show(path, text, line = 0) {
    this.path = path;
    this.lines = linesOf(text);
    this.list.node.setAttribute("aria-label", path);
    this.list.reset(this.lines.length);
    const widest = this.lines.reduce((most, one) => Math.max(most, one.length), 0);
    this.list.node.style.setProperty("--widest", `${Math.min(widest, 2000)}ch`);
    this.finder.input.value = "";
    this.finder.look();
    if (line) this.list.goTo(line - 1, { centre: true, focus: true });
  }

  async pin() {
    if (this.list.range === null) return;
    const [from, to] = this.list.range;
    const pins = this.lines
      .slice(from, to + 1)
      .map((text, index) => ({ kind: this.kind, path: this.path, line: from + index + 1, text }));
    await this.room.pin(pins);
    this.node.focus({ preventScroll: true });
  }

  #cells(row) {
    const text = markedText(row.text, places(row.text, this.finder?.needle));
    if (this.room.isPinned(this.path, row.line)) text.prepend(pinSign());
    return [el("span", { className: "line-number" }, String(row.line)), text];
  }
}
