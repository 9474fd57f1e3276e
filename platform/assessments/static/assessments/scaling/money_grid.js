// The table on the screen: one cell has the focus, a block may be chosen, and a cell is edited in place.

import { announce } from "../../headnode/announce.js";
import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { MONEY } from "../workplace/currency.js";
import { act } from "./fields.js";
import { CellError } from "./formula/functions.js";
import { cellName, moved } from "./formula/refs.js";
import { CELLS } from "./model.js";
import { CellEditor } from "./money_editor.js";
import { GIVEN } from "./money_given.js";
import { gridLine, letterLine, shownValue } from "./money_lines.js";
import { cellsOf, textOf } from "./money_paste.js";
import { monthShort, monthText } from "./words.js";

const TOP = GIVEN.length;
const MOST_UNDO = 100;

export class MoneyGrid {
  #at = { column: 1, row: TOP };
  #from = null;
  #copied = null;
  #past = [];

  constructor(money) {
    this.money = money;
    this.model = money.model;
    this.editor = new CellEditor(this);
    this.bar = el(
      "div",
      { className: "sheet-bar" },
      (this.place = el("span", { className: "mono sheet-place" })),
      (this.content = el("span", { className: "mono sheet-content" })),
      (this.why = el("span", { className: "sheet-why", role: "status" })),
    );
    this.table = el("table", { className: "sheet", role: "grid", "aria-label": t`Money by month, ${MONEY}` });
    this.scroll = el("div", { className: "sheet-scroll" }, this.table);
    this.node = el("div", { className: "sheet-host" }, this.bar, this.scroll);
    this.table.addEventListener("keydown", (event) => this.#key(event));
    this.table.addEventListener("copy", (event) => this.#copy(event));
    this.table.addEventListener("cut", (event) => this.#copy(event, true));
    this.table.addEventListener("paste", (event) => this.#paste(event));
    this.table.addEventListener("mousedown", (event) => this.#press(event));
    this.table.addEventListener("dblclick", (event) => event.target.closest("[data-column]") && this.edit());
    this.table.addEventListener("focusin", (event) => this.#focused(event));
    // Another draft was taken up: what was changed before is no longer there to be taken back.
    this.model.addEventListener("shape", ({ detail }) => detail.list === null && (this.#past = []));
  }

  get rows() {
    return TOP + this.model.sheet.length;
  }

  isOwn(row) {
    return row >= TOP && row < this.rows;
  }

  #build() {
    const heads = [MONEY, ...this.money.names.months.map(monthShort), t`Total`].map((text, at) =>
      el("th", { scope: "col", className: at ? "figure" : "" }, text),
    );
    const body = Array.from({ length: this.rows }, (_, row) => this.#line(row));
    this.table.replaceChildren(
      el("thead", {}, letterLine(), el("tr", {}, el("td", {}), heads, el("td", {}))),
      el("tbody", {}, body),
    );
    this.built = this.#shape();
  }

  #shape() {
    return `${this.rows} ${this.model.readOnly}`;
  }

  #line(row) {
    const at = row - TOP;
    const own = this.isOwn(row) && !this.model.readOnly;
    const tools = own && [
      act("↑", t`Row ${row + 1} up`, () => this.#moveRow(at, -1)),
      act("↓", t`Row ${row + 1} down`, () => this.#moveRow(at, 1)),
      act("×", t`Delete row ${row + 1}`, () => this.#removeRow(at)),
    ];
    return gridLine(row, { own: this.isOwn(row), tools: tools || [], readOnly: !own });
  }

  cell(column, row) {
    return this.table.tBodies[0]?.rows[row]?.cells[column + 1] ?? null;
  }

  /** Take over all values; the focus stays in its cell. */
  draw() {
    const held = this.table.contains(document.activeElement) && !this.editor.isOpen;
    if (this.editor.isOpen && this.built === this.#shape()) return;
    if (this.built !== this.#shape()) {
      this.editor.drop();
      this.#build();
    }
    this.#at.row = Math.min(this.#at.row, this.rows - 1);
    for (let row = 0; row < this.rows; row += 1)
      for (let column = 0; column <= CELLS; column += 1) this.#fill(column, row);
    this.#mark();
    if (held) this.cell(this.#at.column, this.#at.row).focus({ preventScroll: true });
  }

  #fill(column, row) {
    const node = this.cell(column, row);
    const value = column ? this.money.value(column, row) : this.#label(row);
    const text = shownValue(value);
    const wrong = value instanceof CellError;
    if (node.textContent !== text) node.textContent = text;
    node.classList.toggle("wrong", wrong);
    node.classList.toggle("words", column > 0 && typeof value === "string");
    if (wrong && value.why) node.title = value.why;
    else node.removeAttribute("title");
  }

  #label(row) {
    if (row < TOP) return GIVEN[row].title;
    return this.model.sheet[row - TOP].label;
  }

  /** One cell takes the Tab key; the block that is chosen is marked. */
  #mark() {
    const { left, right, top, bottom } = this.block;
    for (const node of this.table.querySelectorAll("[data-column]")) {
      const [column, row] = [Number(node.dataset.column), Number(node.dataset.row)];
      const here = column === this.#at.column && row === this.#at.row;
      node.tabIndex = here ? 0 : -1;
      node.classList.toggle("here", here);
      const within = column >= left && column <= right && row >= top && row <= bottom;
      if (within && this.#from) node.setAttribute("aria-selected", "true");
      else node.removeAttribute("aria-selected");
    }
    const value = this.#at.column ? this.money.value(this.#at.column, this.#at.row) : null;
    this.place.textContent = cellName(this.#at.column, this.#at.row);
    this.content.textContent = this.text(this.#at.column, this.#at.row);
    const why = value instanceof CellError ? value.why : "";
    if (this.why.textContent !== why) this.why.textContent = why;
  }

  get block() {
    const from = this.#from || this.#at;
    return {
      left: Math.min(from.column, this.#at.column),
      right: Math.max(from.column, this.#at.column),
      top: Math.min(from.row, this.#at.row),
      bottom: Math.max(from.row, this.#at.row),
    };
  }

  get at() {
    return this.#at;
  }

  /** What was typed into a cell. */
  text(column, row) {
    if (!this.isOwn(row)) return column ? shownValue(this.money.value(column, row)) : this.#label(row);
    const own = this.model.sheet[row - TOP];
    return column ? own.cells[column - 1] : own.label;
  }

  goTo(column, row, extend = false) {
    if (extend) this.#from ??= this.#at;
    else this.#from = null;
    this.#at = { column: Math.max(0, Math.min(CELLS, column)), row: Math.max(0, Math.min(this.rows - 1, row)) };
    this.#mark();
    const node = this.cell(this.#at.column, this.#at.row);
    node.focus({ preventScroll: true });
    node.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (extend && this.#from)
      announce(t`${cellName(this.block.left, this.block.top)} to ${cellName(this.block.right, this.block.bottom)}`);
  }

  #focused({ target }) {
    const node = target.closest("[data-column]");
    if (!node || this.editor.isOpen) return;
    const [column, row] = [Number(node.dataset.column), Number(node.dataset.row)];
    if (column === this.#at.column && row === this.#at.row) return;
    this.#at = { column, row };
    this.#mark();
  }

  #press(event) {
    const node = event.target.closest("[data-column]");
    if (!node || this.editor.isOpen || event.button) return;
    event.preventDefault();
    this.goTo(Number(node.dataset.column), Number(node.dataset.row), event.shiftKey);
  }

  #key(event) {
    if (this.editor.isOpen || !event.target.matches("[data-column]")) return;
    const { column, row } = this.#at;
    const control = event.ctrlKey || event.metaKey;
    const far = (by) => (control ? by * 99 : by);
    const verb = {
      ArrowLeft: () => this.goTo(column - far(1), row, event.shiftKey),
      ArrowRight: () => this.goTo(column + far(1), row, event.shiftKey),
      ArrowUp: () => this.goTo(column, row - far(1), event.shiftKey),
      ArrowDown: () => this.goTo(column, row + far(1), event.shiftKey),
      Home: () => this.goTo(control ? 1 : 0, control ? 0 : row, event.shiftKey),
      End: () => this.goTo(CELLS, control ? this.rows - 1 : row, event.shiftKey),
      Enter: () => this.edit(),
      F2: () => this.edit(),
      Delete: () => this.#empty(),
      Backspace: () => this.#empty(),
      Escape: () => this.goTo(column, row),
    }[event.key];
    if (verb && !(control && event.key === "Enter")) {
      event.preventDefault();
      verb();
    } else if (control && ["r", "d", "z", "a"].includes(event.key.toLowerCase())) {
      event.preventDefault();
      ({ r: () => this.#fillRight(), d: () => this.#fillDown(), z: () => this.#undo(), a: () => this.#all() })[
        event.key.toLowerCase()
      ]();
    } else if (!control && !event.altKey && event.key.length === 1) {
      event.preventDefault();
      this.edit(event.key);
    }
  }

  #all() {
    this.#from = { column: 0, row: 0 };
    this.goTo(CELLS, this.rows - 1, true);
  }

  #mayWrite(row) {
    if (this.model.readOnly) announce(t`The table cannot be changed now.`);
    else if (!this.isOwn(row))
      announce(t`This row follows from the plan: change the orders, or write in a row of your own.`);
    else return true;
    this.why.textContent = this.model.readOnly ? t`The table is read only now.` : t`This row follows from the plan.`;
    return false;
  }

  edit(first = null) {
    if (this.#mayWrite(this.#at.row))
      this.editor.open(this.cell(this.#at.column, this.#at.row), first ?? this.text(this.#at.column, this.#at.row));
  }

  /** What the editor holds, and where to go from there. */
  take(text, { columns = 0, rows = 0 } = {}) {
    const { column, row } = this.#at;
    if (text !== this.text(column, row)) this.write([{ column, row, text }]);
    else this.draw();
    if (columns || rows) this.goTo(column + columns, row + rows);
    else this.goTo(column, row);
  }

  /** Write texts into own cells; what stood there can be put back. */
  write(changes) {
    const own = changes
      .filter(({ row, column }) => row >= TOP && column <= CELLS)
      .map(({ row, column, text }) => ({ row: row - TOP, column: column - 1, text: text.slice(0, 500) }));
    this.#past = [
      ...this.#past.slice(1 - MOST_UNDO),
      own.map(({ row, column }) => ({
        row,
        column,
        text: this.model.sheet[row]
          ? column < 0
            ? this.model.sheet[row].label
            : this.model.sheet[row].cells[column]
          : "",
      })),
    ];
    this.model.setCells(own);
  }

  #undo() {
    const last = this.#past.pop();
    if (!last) return announce(t`There is nothing to take back.`);
    this.model.setCells(last.filter(({ row }) => row < this.model.sheet.length));
    announce(t`Taken back.`);
    return undefined;
  }

  #inBlock() {
    const { left, right, top, bottom } = this.block;
    const found = [];
    for (let row = Math.max(TOP, top); row <= bottom; row += 1)
      for (let column = left; column <= right; column += 1) found.push({ column, row });
    return found;
  }

  #empty() {
    const cells = this.#inBlock();
    if (!cells.length) this.#mayWrite(this.#at.row);
    else if (this.#mayWrite(cells[0].row)) this.write(cells.map((cell) => ({ ...cell, text: "" })));
  }

  /** Copy the block's first column into the others; without a block, the cell on the left into this one. */
  #fillRight() {
    const { left, right, top, bottom } = this.block;
    const source = left === right ? left - 1 : left;
    if (source < 1 || !this.#mayWrite(Math.max(top, bottom))) return;
    this.write(
      this.#inBlock()
        .filter(({ column }) => column > source)
        .map(({ column, row }) => ({ column, row, text: moved(this.text(source, row), column - source, 0) })),
    );
    announce(t`Filled to the right.`);
  }

  #fillDown() {
    const { top, bottom } = this.block;
    const source = top === bottom ? top - 1 : top;
    if (source < 0 || !this.#mayWrite(bottom)) return;
    this.write(
      this.#inBlock()
        .filter(({ row }) => row > source)
        .map(({ column, row }) => ({ column, row, text: moved(this.text(column, source), 0, row - source) })),
    );
    announce(t`Filled downwards.`);
  }

  /** Others get the values, this table the formulas. */
  #copy(event, cut = false) {
    if (this.editor.isOpen) return;
    const { left, right, top, bottom } = this.block;
    const rows = (of) =>
      Array.from({ length: bottom - top + 1 }, (_, row) =>
        Array.from({ length: right - left + 1 }, (__, column) => of(left + column, top + row)),
      );
    const text = textOf(
      rows((column, row) => (column ? this.#plain(this.money.value(column, row)) : this.#label(row))),
    );
    event.clipboardData.setData("text/plain", text);
    this.#copied = { text, left, top, rows: rows((column, row) => this.text(column, row)) };
    event.preventDefault();
    announce(cut ? t`Cut.` : t`Copied.`);
    if (cut) this.#empty();
  }

  #plain(value) {
    if (value === null || value === undefined) return "";
    return value instanceof CellError ? value.code : String(value);
  }

  #paste(event) {
    if (this.editor.isOpen) return;
    event.preventDefault();
    const text = event.clipboardData.getData("text/plain");
    const { left, top } = this.block;
    if (!text || this.model.readOnly || top < TOP) return this.#mayWrite(top);
    const own = this.#copied?.text === text ? this.#copied : null;
    const block = own
      ? own.rows.map((row) => row.map((cell) => moved(cell, left - own.left, top - own.top)))
      : cellsOf(text);
    while (this.rows < top + block.length && this.model.sheet.length < 60) this.model.addSheetRow();
    const changes = block.flatMap((row, down) =>
      row.map((cell, across) => ({ column: left + across, row: top + down, text: cell })),
    );
    this.write(changes.filter(({ row, column }) => row < this.rows && column <= CELLS));
    this.#from = { column: left, row: top };
    this.goTo(left + Math.max(...block.map((row) => row.length)) - 1, top + block.length - 1, true);
    return undefined;
  }

  /** A new row at the end, with the focus in its label. */
  append() {
    const at = this.model.addSheetRow();
    if (at < 0) return;
    this.goTo(0, TOP + at);
    this.edit("");
    announce(t`Row ${TOP + at + 1}.`);
  }

  #moveRow(at, by) {
    if (this.model.moveSheetRow(at, by, TOP)) this.goTo(this.#at.column, TOP + at + by);
    this.#past = [];
  }

  #removeRow(at) {
    this.#past = [];
    this.model.removeSheetRow(at, TOP);
    announce(t`The row was deleted.`);
    this.goTo(0, Math.min(TOP + at, this.rows - 1));
  }

  describe(column, row) {
    const month = column && column < CELLS && monthText(this.money.names.months[column - 1]);
    return `${this.#label(row) || t`row ${row + 1}`}, ${month || (column ? t`total` : t`label`)}`;
  }
}
