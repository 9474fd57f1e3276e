// Reads a formula into a tree, by precedence as spreadsheets have it: comparison, &, + -, * /, ^, -x, x%.

import { t } from "../../../headnode/words.js";
import { cellOf } from "./refs.js";
import { tokens, Unreadable } from "./tokens.js";

const LEVELS = [["=", "<>", "<", ">", "<=", ">="], ["&"], ["+", "-"], ["*", "/"], ["^"]];
const DEEPEST = 60;

class Reader {
  #depth = 0;

  constructor(text) {
    this.tokens = tokens(text);
    this.at = 0;
  }

  get now() {
    return this.tokens[this.at];
  }

  sign(...texts) {
    const token = this.now;
    if (token?.kind !== "sign" || !texts.includes(token.text)) return null;
    this.at += 1;
    return token.text;
  }

  need(text) {
    if (!this.sign(text))
      throw new Unreadable(
        this.now ? t`“${text}” is missing before “${this.now.text}”.` : t`“${text}” is missing at the end.`,
      );
  }

  all() {
    if (!this.now) throw new Unreadable(t`There is nothing behind the =.`);
    const tree = this.level(0);
    if (this.now) throw new Unreadable(t`“${this.now.text}” is not expected here.`);
    return tree;
  }

  level(at) {
    if (at === LEVELS.length) return this.unary();
    let left = this.level(at + 1);
    for (let sign = this.sign(...LEVELS[at]); sign; sign = this.sign(...LEVELS[at]))
      left = { kind: "binary", sign, left, right: this.level(at + 1) };
    return left;
  }

  unary() {
    this.#depth += 1;
    if (this.#depth > DEEPEST)
      throw new Unreadable(t`The formula is nested too deeply: use another row for a part of it.`);
    const sign = this.sign("-", "+");
    const tree = sign ? { kind: "unary", sign, of: this.unary() } : this.percent();
    this.#depth -= 1;
    return tree;
  }

  percent() {
    let tree = this.primary();
    while (this.sign("%")) tree = { kind: "percent", of: tree };
    return tree;
  }

  primary() {
    const token = this.now;
    if (!token) throw new Unreadable(t`The formula ends too early.`);
    if (this.sign("(")) {
      const tree = this.level(0);
      this.need(")");
      return tree;
    }
    if (token.kind === "sign") throw new Unreadable(t`“${token.text}” is not expected here.`);
    this.at += 1;
    if (token.kind === "number") return { kind: "number", value: Number(token.text) };
    if (token.kind === "text") return { kind: "text", value: token.text };
    if (token.kind === "error") return { kind: "error", code: token.text };
    return token.kind === "cell" ? this.#range(token) : this.#call(token);
  }

  #range(token) {
    const from = cellOf(token.text);
    if (this.now?.kind === "sign" && this.now.text === ":" && this.tokens[this.at + 1]?.kind === "cell") {
      const to = cellOf(this.tokens[this.at + 1].text);
      this.at += 2;
      return { kind: "range", from, to };
    }
    return { kind: "cell", cell: from };
  }

  #call(token) {
    if (!this.sign("(")) {
      const name = token.text.toUpperCase();
      if (name === "TRUE" || name === "FALSE") return { kind: "truth", value: name === "TRUE" };
      return { kind: "unknown", name: token.text };
    }
    const parts = [];
    if (!this.sign(")")) {
      do
        parts.push(
          this.now?.kind === "sign" && [",", ";", ")"].includes(this.now.text) ? { kind: "empty" } : this.level(0),
        );
      while (this.sign(",", ";"));
      this.need(")");
    }
    return { kind: "call", name: token.text.toUpperCase(), parts };
  }
}

/** The tree of what stands behind the =; raises Unreadable with a sentence. */
export function parse(text) {
  return new Reader(text).all();
}
