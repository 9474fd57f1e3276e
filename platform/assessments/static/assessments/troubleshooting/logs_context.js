// The file around a line: all of it, at that line, below the lines found.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { sayDone } from "../workplace/done_line.js";
import { LineList } from "../workplace/line_list.js";
import { logPin, markedText, pinSign } from "../workplace/line_parts.js";
import { severityText } from "./logs_line.js";

const UNIT = 18;
const MOST_WIDE = 2000;

export class FileAround {
  #path = "";

  constructor(room, source, left) {
    this.room = room;
    this.source = source;
    this.left = left;
    this.title = el("h3", { className: "around-title mono" });
    this.facts = el("p", { className: "muted small around-facts" });
    this.list = new LineList({
      label: t`The file around the line`,
      columns: [t`No.`, t`Line`],
      unit: UNIT,
      fetch: (from, to) => source.lines(this.#path, from + 1, to + 1),
      cells: (row) => this.#cells(row),
      look: (row) => (room.isPinned(row.path, row.line) ? "pinned" : ""),
      pin: () => this.#pin(),
      copy: (row) => row.text,
      copiedLines: (count) => sayDone(count === 1 ? t`Line copied.` : t`${count} lines copied.`),
      moved: () => this.#tell(),
    });
    const act = (text, action, extra = {}) =>
      el("button", { type: "button", className: "quiet", onclick: action, ...extra }, text);
    this.node = el(
      "section",
      { className: "around", hidden: true, "aria-label": t`Around the line` },
      el(
        "div",
        { className: "around-head" },
        this.title,
        act(t`Pin`, () => this.#pin()),
        act(t`Same minute everywhere`, () => this.#minute()),
        act(t`Close`, () => this.close()),
      ),
      this.facts,
      this.list.node,
    );
    this.list.node.classList.add("numbered");
    this.node.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
  }

  /** Open a file, as the bundle lists it, at one of its lines, counted from 1. */
  show({ path, lines, widest }, line, { focus = false } = {}) {
    this.node.hidden = false;
    this.node.parentNode.classList.add("reading");
    if (path !== this.#path) {
      this.#path = path;
      this.list.node.style.setProperty("--widest", `${Math.min(widest, MOST_WIDE)}ch`);
      this.list.reset(lines);
    }
    this.list.goTo(line - 1, { centre: true, focus });
    this.#tell();
  }

  refresh() {
    if (!this.node.hidden) this.list.refresh();
  }

  close() {
    this.node.hidden = true;
    this.node.parentNode.classList.remove("reading");
    this.left();
  }

  #cells(row) {
    const text = markedText(row.text, row.marks);
    if (this.room.isPinned(row.path, row.line)) text.prepend(pinSign());
    return [el("span", { className: "line-number" }, String(row.line)), text];
  }

  async #row() {
    const at = Math.max(0, this.list.at);
    return this.list.row(at) || (await this.list.take(at, at))[0];
  }

  async #tell() {
    const row = await this.#row();
    this.title.textContent = `${row.path}:${row.line}`;
    const when =
      row.at === null ? t`no time printed` : t`${this.room.timeText(row.at, { year: true })} on the site's clock`;
    this.facts.textContent = [
      row.host || t`no machine named`,
      row.source,
      when,
      row.severity === "not stated" ? t`no severity stated` : severityText(row.severity),
    ].join(" · ");
  }

  async #minute() {
    const row = await this.#row();
    if (row.at === null || row.at < this.room.window.from || row.at > this.room.window.to) {
      this.room.announce(t`The line lies outside the time that was recorded, so no other machine can be compared.`);
      this.facts.textContent = t`This line has no time within what was recorded, so there is no minute to compare.`;
      return;
    }
    this.room.setRange(row.at - 30_000, row.at + 30_000, "logs");
    this.room.announce(t`The range is now the minute around this line.`);
  }

  async #pin() {
    const [from, to] = this.list.range || [0, 0];
    await this.room.pin((await this.list.take(from, to)).map(logPin));
    this.list.node.focus({ preventScroll: true });
  }
}
