// A file of rows and columns as a table that can be sorted; its rows keep the numbers of their lines.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { sayDone } from "./done_line.js";
import { LineList } from "./line_list.js";
import { pinSign } from "./line_parts.js";
import { Finder, linesOf } from "./text_view.js";

const UNIT = 20;
const WIDEST_CH = 44;
const SAMPLE = 400;

/** Whether a file has its columns named in the first line. */
export function isTable({ path, kind }) {
  return kind === "table" || path.endsWith(".csv");
}

/** A line's cells; a cell in quotes may hold the mark that divides them. */
export function split(line, bar) {
  if (!line.includes('"')) return line.split(bar).map((cell) => cell.trim());
  const cells = [...line.matchAll(new RegExp(`(?:^|[${bar}])(?:"((?:[^"]|"")*)"|([^${bar}]*))`, "g"))];
  return cells.map(([, quoted, plain]) => (quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"')));
}

function order(a, b) {
  const [x, y] = [a, b].map((text) => (/^-?[\d.]+(\s?\S{0,4})$/.test(text) ? Number.parseFloat(text) : null));
  if (x !== null && y !== null && x !== y) return x - y;
  return a.localeCompare(b, "en", { numeric: true });
}

export class TableView {
  constructor(room) {
    this.room = room;
    this.rows = [];
    this.node = el("div", { className: "table-host" });
    this.finder = new Finder({
      label: t`Find in this table`,
      count: () => this.rows.length,
      holds: (at, needle) => this.rows[at].text.toLowerCase().includes(needle),
      go: (at) => this.list.goTo(at, { centre: true }),
      at: () => this.list.at,
      changed: () => this.list?.refresh(),
    });
    room.addEventListener("pins", () => this.list?.refresh());
  }

  show(path, text) {
    const [head, ...lines] = linesOf(text);
    const bar = head.includes("|") ? "|" : ",";
    this.path = path;
    this.titles = split(head, bar);
    this.rows = lines.map((line, at) => ({ line: at + 2, text: line, cells: split(line, bar) }));
    this.sorted = null;
    this.#make();
    this.finder.input.value = "";
    this.finder.look();
  }

  #make() {
    this.heads = this.titles.map((title, at) =>
      el("button", { type: "button", className: "quiet sort", onclick: () => this.#sort(at) }, title),
    );
    this.list = new LineList({
      label: this.path,
      columns: this.heads,
      unit: UNIT,
      fetch: (from, to) => this.rows.slice(from, to),
      cells: (row) => this.#cells(row),
      look: (row) =>
        (this.room.isPinned(this.path, row.line) ? "pinned " : "") + (this.finder.finds(row.text) ? "hit" : ""),
      pin: () => this.pin(),
      copy: (row) => row.text,
      copiedLines: (count) => sayDone(count === 1 ? t`Row copied.` : t`${count} rows copied.`),
    });
    this.list.node.classList.add("table");
    const width = (at) =>
      Math.min(
        WIDEST_CH,
        this.rows
          .slice(0, SAMPLE)
          .reduce((most, row) => Math.max(most, row.cells[at]?.length || 0), this.titles[at].length + 2),
      );
    this.list.node.style.setProperty("--columns", this.titles.map((_, at) => `${width(at) + 2}ch`).join(" "));
    this.list.header.querySelectorAll("[role=columnheader]").forEach((node) => node.setAttribute("aria-sort", "none"));
    this.node.replaceChildren(this.list.node);
    this.list.reset(this.rows.length);
  }

  #cells(row) {
    return this.titles.map((_, at) => {
      const cell = el(
        "span",
        { className: "cell", title: row.cells[at]?.length > WIDEST_CH ? row.cells[at] : "" },
        row.cells[at] ?? "",
      );
      if (at === 0 && this.room.isPinned(this.path, row.line)) cell.prepend(pinSign());
      return cell;
    });
  }

  /** By a column upwards, then downwards, then as the file has it. */
  #sort(at) {
    const way = this.sorted?.at !== at ? 1 : this.sorted.way === 1 ? -1 : 0;
    this.sorted = way ? { at, way } : null;
    this.rows.sort((a, b) => (way ? order(a.cells[at] ?? "", b.cells[at] ?? "") * way : 0) || a.line - b.line);
    this.list.header
      .querySelectorAll("[role=columnheader]")
      .forEach((node, index) =>
        node.setAttribute("aria-sort", index === at && way ? (way > 0 ? "ascending" : "descending") : "none"),
      );
    this.list.reset(this.rows.length);
    this.finder.look();
    this.room.announce(
      way ? t`Sorted by ${this.titles[at]}, ${way > 0 ? t`upwards` : t`downwards`}.` : t`In the order of the file.`,
    );
  }

  async pin() {
    if (this.list.range === null) return;
    const [from, to] = this.list.range;
    await this.room.pin(
      this.rows.slice(from, to + 1).map(({ line, text }) => ({ kind: "log", path: this.path, line, text })),
    );
    this.list.node.focus({ preventScroll: true });
  }
}
