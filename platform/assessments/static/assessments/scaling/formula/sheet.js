// Computes a sheet: cells by name, each once, with circles found rather than followed.

import { t } from "../../../headnode/words.js";
import { CellError, FUNCTIONS, number } from "./functions.js";
import { parse } from "./parse.js";
import { cellName } from "./refs.js";
import { Unreadable } from "./tokens.js";

const MOST_CELLS = 5000;
const NUMBER = /^[-+]?(?:\d+(?:,\d{3})*|\d*)(?:\.\d*)?(?:[eE][-+]?\d+)?\s*%?$/;

/** What a cell holds when typed: null, a number, or the text itself; "1,200" and "12 %" are numbers. */
function literal(text) {
  const plain = text.trim();
  if (!plain) return null;
  if (!NUMBER.test(plain) || !/\d/.test(plain)) return text;
  const value = Number(plain.replaceAll(",", "").replace("%", ""));
  return plain.endsWith("%") ? value / 100 : value;
}

const SIGNS = {
  "+": (a, b) => number(a) + number(b),
  "-": (a, b) => number(a) - number(b),
  "*": (a, b) => number(a) * number(b),
  "/": (a, b) =>
    number(b) === 0
      ? raise(new CellError("#DIV/0!", t`This divides by 0 or by an empty cell.`))
      : number(a) / number(b),
  "^": (a, b) => number(a) ** number(b),
  "&": (a, b) => `${a ?? ""}${b ?? ""}`,
  "=": (a, b) => order(a, b) === 0,
  "<>": (a, b) => order(a, b) !== 0,
  "<": (a, b) => order(a, b) < 0,
  ">": (a, b) => order(a, b) > 0,
  "<=": (a, b) => order(a, b) <= 0,
  ">=": (a, b) => order(a, b) >= 0,
};

function raise(error) {
  throw error;
}

function order(a, b) {
  if (typeof a === "string" || typeof b === "string") {
    const [x, y] = [a, b].map((value) => String(value ?? "").toLowerCase());
    return x < y ? -1 : x > y ? 1 : 0;
  }
  return number(a) - number(b);
}

/** read(column, row) gives a cell's text or number, null for an empty one, undefined outside of the sheet. */
export class Sheet {
  constructor(read) {
    this.read = read;
    this.done = new Map();
    this.trees = new Map();
  }

  /** The value of a cell: number, text, boolean, null, or a CellError. */
  value(column, row) {
    const key = cellName(column, row);
    if (this.done.has(key)) {
      const known = this.done.get(key);
      return known === OPEN ? new CellError("#CYCLE!", t`The formula leads back to ${key} itself.`) : known;
    }
    const held = this.read(column, row);
    if (held === undefined) return new CellError("#REF!", t`There is no cell ${key}.`);
    if (typeof held !== "string") return this.#keep(key, held);
    if (!held.startsWith("=")) return this.#keep(key, literal(held));
    this.done.set(key, OPEN);
    return this.#keep(key, this.#computed(held.slice(1)));
  }

  #keep(key, value) {
    this.done.set(key, value);
    return value;
  }

  #computed(text) {
    try {
      const value = this.#of(parse(text));
      if (typeof value === "number" && !Number.isFinite(value))
        return new CellError("#NUM!", t`The result is not a number that can be shown.`);
      return value ?? 0;
    } catch (error) {
      if (error instanceof CellError) return error;
      if (error instanceof Unreadable) return new CellError("#ERROR!", error.message);
      throw error;
    }
  }

  #of(tree) {
    switch (tree.kind) {
      case "number":
      case "text":
      case "truth":
        return tree.value;
      case "empty":
        return null;
      case "error":
        throw new CellError(tree.code, tree.code === "#REF!" ? t`The cell that was meant is gone.` : "");
      case "unknown":
        throw new CellError("#NAME?", t`“${tree.name}” is not known: cells are written like C4.`);
      case "cell":
        return this.#cell(tree.cell);
      case "range":
        throw new CellError("#VALUE!", t`A range belongs inside a function, such as SUM(B2:M2).`);
      case "unary":
        return tree.sign === "-" ? -number(this.#of(tree.of)) + 0 : number(this.#of(tree.of));
      case "percent":
        return number(this.#of(tree.of)) / 100;
      case "binary":
        return SIGNS[tree.sign](this.#of(tree.left), this.#of(tree.right));
      default:
        return this.#call(tree);
    }
  }

  #cell({ column, row }) {
    const value = this.value(column, row);
    return value instanceof CellError ? raise(value) : value;
  }

  #range({ from, to }) {
    const [left, right] = [from.column, to.column].sort((a, b) => a - b);
    const [top, bottom] = [from.row, to.row].sort((a, b) => a - b);
    if ((right - left + 1) * (bottom - top + 1) > MOST_CELLS)
      throw new CellError("#REF!", t`The range reaches beyond the sheet.`);
    const values = [];
    for (let row = top; row <= bottom; row += 1)
      for (let column = left; column <= right; column += 1) values.push(this.#cell({ column, row }));
    return values;
  }

  #call({ name, parts }) {
    if (name === "IF") return this.#if(parts);
    if (name === "IFERROR") return this.#ifError(parts);
    const compute = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : null;
    if (!compute) throw new CellError("#NAME?", t`There is no function ${name}.`);
    return compute(
      parts.map((part) => (part.kind === "range" ? { values: this.#range(part), range: true } : this.#single(part))),
    );
  }

  /** A single cell as an argument is passed over when it is empty or a text, as a range of one is. */
  #single(part) {
    const value = this.#of(part);
    return { values: [value], range: part.kind === "cell", empty: part.kind === "empty" };
  }

  #if(parts) {
    if (parts.length < 2 || parts.length > 3)
      throw new CellError("#VALUE!", t`IF takes a condition, and what holds if it is true and if not.`);
    const met = number(this.#of(parts[0])) !== 0;
    if (met) return this.#of(parts[1]);
    return parts.length > 2 ? this.#of(parts[2]) : false;
  }

  #ifError(parts) {
    if (parts.length !== 2) throw new CellError("#VALUE!", t`IFERROR takes a value and what stands in its place.`);
    try {
      return this.#of(parts[0]);
    } catch (error) {
      if (error instanceof CellError) return this.#of(parts[1]);
      throw error;
    }
  }
}

const OPEN = Symbol(t`being computed`);
