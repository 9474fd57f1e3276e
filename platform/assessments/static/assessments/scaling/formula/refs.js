// Names of cells, and how they change in a formula that is filled, or whose rows move.

import { tokens } from "./tokens.js";

const A = 65;

/** "A", "B", … for 0, 1, …; at most two letters. */
export function columnName(column) {
  return column < 26
    ? String.fromCharCode(A + column)
    : columnName(Math.floor(column / 26) - 1) + columnName(column % 26);
}

/** "C4" of column 2 and row 3, both counted from 0. */
export function cellName(column, row) {
  return `${columnName(column)}${row + 1}`;
}

/** {column, row, fixedColumn, fixedRow} of a name such as C4 or $C$4, counted from 0. */
export function cellOf(text) {
  const [, fixedColumn, letters, fixedRow, digits] = /^(\$?)([A-Za-z]+)(\$?)(\d+)$/.exec(text);
  const column = [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - A + 1, 0) - 1;
  return { column, row: Number(digits) - 1, fixedColumn: fixedColumn !== "", fixedRow: fixedRow !== "" };
}

function written({ column, row, fixedColumn, fixedRow }) {
  return `${fixedColumn ? "$" : ""}${columnName(column)}${fixedRow ? "$" : ""}${row + 1}`;
}

/** The formula with each of its cells renamed by change(cell), which gives a cell or null for one that is gone. */
function renamed(formula, change) {
  if (!formula.startsWith("=")) return formula;
  const body = formula.slice(1);
  let found;
  try {
    found = tokens(body);
  } catch {
    return formula; // what cannot be read stays as it was typed
  }
  let out = "";
  let upto = 0;
  for (const token of found) {
    if (token.kind !== "cell") continue;
    const cell = change(cellOf(token.text));
    out += body.slice(upto, token.at) + (cell ? written(cell) : "#REF!");
    upto = token.end;
  }
  return `=${out}${body.slice(upto)}`;
}

/** The formula as it stands when copied so many columns to the right and rows down; $ holds a part. */
export function moved(formula, columns, rows) {
  return renamed(formula, (cell) => {
    const column = cell.column + (cell.fixedColumn ? 0 : columns);
    const row = cell.row + (cell.fixedRow ? 0 : rows);
    return column < 0 || row < 0 ? null : { ...cell, column, row };
  });
}

/** The formula after rows changed places: place(row) is the new one, or null for a row that is gone. */
export function rowsMoved(formula, place) {
  return renamed(formula, (cell) => {
    const row = place(cell.row);
    return row === null ? null : { ...cell, row };
  });
}
