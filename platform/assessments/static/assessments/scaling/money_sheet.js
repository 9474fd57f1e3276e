// The money table as it computes: rows of the plan above, rows of one's own below, each cell once.

import { CellError } from "./formula/functions.js";
import { Sheet } from "./formula/sheet.js";
import { CELLS } from "./model.js";
import { GIVEN, given } from "./money_given.js";

function plain(value) {
  if (value instanceof CellError || typeof value === "string" || value === null) return null;
  return typeof value === "boolean" ? Number(value) : Number(value.toPrecision(12));
}

/** Events: "values" (something was computed anew). Keeps the values in the plan beside the formulas. */
export class MoneySheet extends EventTarget {
  constructor(model, checks) {
    super();
    this.model = model;
    this.checks = checks;
    this.#compute();
    model.addEventListener(
      "shape",
      ({ detail }) => (detail.list === null || detail.list === "sheet") && this.#compute(),
    );
    checks.addEventListener("checks", () => this.#compute());
  }

  /** How many rows there are, those of the plan included. */
  get rows() {
    return GIVEN.length + this.model.sheet.length;
  }

  /** What a cell holds: a label, a figure of the plan, or what was typed; undefined outside of the table. */
  #held(column, row) {
    if (column < 0 || column > CELLS || row < 0 || row >= this.rows) return undefined;
    if (row < GIVEN.length) return column ? (this.given[row][column - 1] ?? null) : GIVEN[row].title;
    const own = this.model.sheet[row - GIVEN.length];
    // A label is a text even where it looks like a formula.
    if (!column) return own.label.startsWith("=") ? ` ${own.label}` : own.label;
    return own.cells[column - 1] || null;
  }

  value(column, row) {
    return this.sheet.value(column, row);
  }

  #compute() {
    this.given = given(this.checks.found);
    this.sheet = new Sheet((column, row) => this.#held(column, row));
    // Before the first check the upper rows are not known, and what follows from them is not either.
    if (this.checks.found.months.length) {
      this.model.setValues(
        this.model.sheet.map((_, at) =>
          Array.from({ length: CELLS }, (__, column) => plain(this.value(column + 1, GIVEN.length + at))),
        ),
      );
    }
    this.dispatchEvent(new CustomEvent("values"));
  }
}
