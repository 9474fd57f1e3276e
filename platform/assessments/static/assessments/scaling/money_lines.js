// Lines of the money table: letters above it, rows that follow from the plan, and rows of one's own.

import { el } from "../../headnode/dom.js";
import { CellError } from "./formula/functions.js";
import { columnName } from "./formula/refs.js";
import { CELLS } from "./model.js";
import { GIVEN } from "./money_given.js";

/** A value as a cell shows it. */
export function shownValue(value) {
  if (value === null || value === undefined) return "";
  if (value instanceof CellError) return value.code;
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value !== "number") return value;
  const digits = Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 10 ? 2 : 4;
  return value.toLocaleString("en-GB", { maximumFractionDigits: digits }).replace("-", "−");
}

/** The columns' letters, by which formulas call them. */
export function letterLine() {
  return el(
    "tr",
    {},
    el("td", {}),
    Array.from({ length: CELLS + 1 }, (_, at) =>
      el("th", { scope: "col", className: "sheet-letter", "aria-hidden": "true" }, columnName(at)),
    ),
    el("td", {}),
  );
}

/** A row without its values: number, label, a cell for each month and the total, and its tools. */
export function gridLine(row, { own, tools, readOnly }) {
  const cells = Array.from({ length: CELLS + 1 }, (_, column) =>
    el("td", {
      role: column ? "gridcell" : "rowheader",
      tabindex: "-1",
      "data-column": String(column),
      "data-row": String(row),
      className: column ? "figure" : "sheet-label",
      "aria-readonly": readOnly ? "true" : null,
    }),
  );
  const classes = [
    own ? "own" : "given",
    GIVEN[row]?.key === "opex_usd" || GIVEN[row]?.key === "total_usd" ? "sum" : "",
    row === GIVEN.length - 1 ? "last-given" : "",
  ];
  return el(
    "tr",
    { className: classes.filter(Boolean).join(" ") },
    el("th", { scope: "row", className: "sheet-number", "aria-hidden": "true" }, String(row + 1)),
    cells,
    el("td", { className: "sheet-tools" }, tools),
  );
}
