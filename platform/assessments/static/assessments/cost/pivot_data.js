// A pivot's answer as rows and columns: groups downwards, periods across.

import { t } from "../../headnode/words.js";

const COMPARE = new Intl.Collator("en", { numeric: true });

/** Sums and counts of parts are the sum of the whole; means are not. */
function joined(how, values) {
  if (!values.length) return null;
  if (how === "min") return Math.min(...values);
  if (how === "max") return Math.max(...values);
  return how === "avg" ? null : values.reduce((a, b) => a + b, 0);
}

function nameOf(cells) {
  return cells.map((cell) => (cell === null || cell === "" ? t`(none)` : String(cell))).join(" · ");
}

/** {periods, rows: [{cells, name, values, total, share}], totals, total} of the server's answer. */
export function matrixOf(answer, pivot) {
  const across = Boolean(pivot.period && pivot.time);
  const found = new Map();
  const periods = [...new Set(across ? answer.rows.map((row) => row[0] ?? t`(no date)`) : [])];
  const place = new Map(periods.map((period, at) => [period, at]));
  for (const row of answer.rows) {
    const cells = row.slice(across ? 1 : 0, -1);
    const key = JSON.stringify(cells);
    if (!found.has(key))
      found.set(key, {
        cells,
        name: nameOf(cells) || t`Everything`,
        values: new Array(periods.length).fill(null),
        total: null,
      });
    const value = row.at(-1);
    if (across) found.get(key).values[place.get(row[0] ?? t`(no date)`)] = value;
    else found.get(key).total = value;
  }
  const rows = [...found.values()];
  const numbers = (values) => values.filter((value) => value !== null);
  if (across) for (const row of rows) row.total = joined(pivot.how, numbers(row.values));
  const isWhole = pivot.how === "sum" || pivot.how === "count";
  for (const row of rows) row.share = isWhole && answer.total ? (row.total ?? 0) / answer.total : null;
  const totals = periods.map((_, at) => joined(pivot.how, numbers(rows.map((row) => row.values[at]))));
  return { periods, rows, totals, total: answer.total, isWhole, cut: answer.cut };
}

/** The rows in an order: {by: "total" | "cell" | "period", at, way}; a copy. */
export function sorted(rows, { by, at = 0, way }) {
  const value = { total: (row) => row.total, cell: (row) => row.cells[at], period: (row) => row.values[at] }[by];
  const low = by === "cell" ? "" : -Infinity;
  return [...rows].sort((a, b) => {
    const [x, y] = [value(a) ?? low, value(b) ?? low];
    const order =
      typeof x === "number" && typeof y === "number" ? (x === y ? 0 : x - y) : COMPARE.compare(String(x), String(y));
    return order * way || COMPARE.compare(a.name, b.name);
  });
}

/** The largest groups as series, and the rest as one: [{name, values, isRest}]. Without periods each has one value. */
export function seriesOf(matrix, most) {
  const rows = sorted(matrix.rows, { by: "total", way: -1 });
  const kept = rows.slice(0, rows.length > most ? most - 1 : most);
  const rest = rows.slice(kept.length);
  const values = (row) => (matrix.periods.length ? row.values : [row.total]);
  const series = kept.map((row) => ({ name: row.name, values: values(row), isRest: false }));
  if (!rest.length || !matrix.isWhole) return series;
  const length = matrix.periods.length || 1;
  const sums = Array.from({ length }, (_, at) => rest.reduce((sum, row) => sum + (values(row)[at] ?? 0), 0));
  return [...series, { name: t`${rest.length} others`, values: sums, isRest: true }];
}

function cell(value) {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows of cells as CSV. */
export function csv(head, rows) {
  return `${[head, ...rows].map((row) => row.map(cell).join(",")).join("\n")}\n`;
}
