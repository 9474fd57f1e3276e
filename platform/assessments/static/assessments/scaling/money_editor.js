// A cell that is being edited: a text box in its place; Enter, Tab and the arrows take it, Escape puts it back.

import { el } from "../../headnode/dom.js";

export class CellEditor {
  constructor(grid) {
    this.grid = grid;
    this.box = null;
  }

  get isOpen() {
    return this.box !== null;
  }

  open(cell, text) {
    this.drop();
    const { column, row } = this.grid.at;
    this.box = el("input", {
      type: "text",
      className: "sheet-box",
      value: text,
      autocomplete: "off",
      spellcheck: false,
      "aria-label": this.grid.describe(column, row),
    });
    this.box.addEventListener("keydown", (event) => this.#key(event));
    this.box.addEventListener("blur", () => this.#leave());
    cell.replaceChildren(this.box);
    this.box.focus();
    this.box.setSelectionRange(text.length, text.length);
  }

  #close() {
    const text = this.box.value;
    this.drop();
    return text;
  }

  /** Forget what is being typed. */
  drop() {
    const box = this.box;
    this.box = null;
    box?.remove();
  }

  /** What was typed counts also where the focus went elsewhere. */
  #leave() {
    if (!this.box) return;
    const { column, row } = this.grid.at;
    const text = this.#close();
    if (text !== this.grid.text(column, row)) this.grid.write([{ column, row, text }]);
    else this.grid.draw();
  }

  #key(event) {
    const step = {
      Enter: { rows: event.shiftKey ? -1 : 1 },
      Tab: { columns: event.shiftKey ? -1 : 1 },
      ArrowUp: { rows: -1 },
      ArrowDown: { rows: 1 },
    }[event.key];
    if (event.ctrlKey || event.metaKey) {
      if (event.key === "Enter") event.preventDefault();
      return;
    }
    if (step) {
      event.preventDefault();
      event.stopPropagation();
      this.grid.take(this.#close(), step);
    }
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      const { column, row } = this.grid.at;
      this.drop();
      this.grid.draw();
      this.grid.goTo(column, row);
    }
  }
}
