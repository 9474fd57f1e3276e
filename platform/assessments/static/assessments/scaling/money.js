// The money table: what the plan costs month by month, and rows of one's own that compute like a spreadsheet's.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { columnName } from "./formula/refs.js";
import { CELLS } from "./model.js";
import { GIVEN } from "./money_given.js";
import { MoneyGrid } from "./money_grid.js";
import { Names } from "./words.js";

const FUNCTIONS =
  "SUM, AVERAGE, MIN, MAX, COUNT, ROUND, ROUNDUP, ROUNDDOWN, ABS, IF, AND, OR, NOT, IFERROR, NPV, IRR, PMT";

class Money {
  constructor(host, room) {
    this.host = host;
    this.room = room;
    this.model = room.board.model;
    this.checks = room.board.checks;
    this.sheet = room.board.sheet;
    this.names = new Names(room.manifest.growth);
    this.grid = new MoneyGrid(this);
    this.add = el("button", { type: "button", name: "add-row", onclick: () => this.grid.append() }, t`Add a row`);
    this.stale = el("p", { className: "muted small", role: "status" });
    const last = columnName(CELLS);
    const [own, cost] = [GIVEN.length + 1, GIVEN.findIndex(({ key }) => key === "opex") + 1];
    const help = el(
      "details",
      { className: "plan-all" },
      el("summary", {}, t`How the table computes`),
      el(
        "ul",
        { className: "small" },
        [
          t`A cell takes a number (1,200, 12 %) or a formula that begins with =. Cells are named by column and
            row: B is ${this.#monthOf(0)}, M is ${this.#monthOf(11)}, ${last} is the total. For example
            =SUM(B${own}:M${own}), =B${cost}*1.08, =NPV(8%/12, B${own}:M${own}).`,
          t`Functions: ${FUNCTIONS}. $ holds a column or a row when a formula is filled or pasted.`,
          t`Arrows move, Enter or F2 edits, typing replaces, Escape puts back, Delete empties. Shift and arrows
            choose a block; Ctrl+R fills it to the right, Ctrl+C and Ctrl+V copy and paste, also to and from a
            spreadsheet. Ctrl+Z takes the last change back.`,
          t`The upper rows follow from the plan and cannot be written over. The last column of your own rows is
            empty: put a total in it if you want one, for example =SUM(B${own}:M${own}).`,
        ].map((text) => el("li", {}, text)),
      ),
    );
    host.append(
      el(
        "div",
        { className: "plan-page" },
        el("div", { className: "plan-tools" }, this.add, this.stale),
        this.grid.node,
        help,
      ),
    );
    this.sheet.addEventListener("values", () => this.refresh());
    this.model.addEventListener("lock", () => this.refresh());
    this.refresh();
  }

  #monthOf(at) {
    return this.names.months[at] || t`month ${at + 1}`;
  }

  refresh() {
    this.add.disabled = this.model.readOnly;
    this.stale.textContent =
      this.checks.state === "fresh" || this.checks.state === "waiting"
        ? ""
        : t`The upper rows are those of the last check.`;
    this.grid.draw();
  }

  value(column, row) {
    return this.sheet.value(column, row);
  }

  shown() {
    this.grid.draw();
  }
}

export function setUp(host, room) {
  return new Money(host, room);
}
