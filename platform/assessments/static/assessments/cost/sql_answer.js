// The answer of a query as a table that can be sorted.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { figure } from "./bill_data.js";
import { csv } from "./pivot_data.js";

const PAGE = 100;
const COMPARE = new Intl.Collator("en", { numeric: true });

function order(a, b) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return typeof a === "number" && typeof b === "number" ? a - b : COMPARE.compare(String(a), String(b));
}

export class SqlAnswer {
  constructor() {
    this.node = el("div", {
      className: "pivot-rows sql-rows",
      tabindex: "0",
      role: "region",
      "aria-label": t`Answer as a table`,
      hidden: true,
    });
  }

  show(answer) {
    this.answer = answer;
    this.rows = [...answer.rows];
    this.sorted = null;
    this.shown = PAGE;
    this.node.hidden = !answer.rows.length;
    this.#draw();
  }

  #draw() {
    const { columns } = this.answer;
    const numeric = columns.map((_, at) => this.answer.rows.some((row) => typeof row[at] === "number"));
    const heads = columns.map((text, at) => {
      const way = this.sorted?.at === at ? (this.sorted.way > 0 ? "ascending" : "descending") : "none";
      return el(
        "th",
        { scope: "col", className: numeric[at] ? "figure" : "", "aria-sort": way },
        el("button", { type: "button", className: "quiet sort", onclick: () => this.#sort(at) }, text),
      );
    });
    const cells = (row) =>
      row.map((value, at) =>
        el(
          "td",
          { className: numeric[at] ? "figure" : "", title: String(value ?? "").length > 60 ? String(value) : "" },
          value === null ? el("span", { className: "muted" }, "null") : figure(value),
        ),
      );
    const left = this.rows.length - this.shown;
    const more = el(
      "button",
      { type: "button", className: "quiet", hidden: left <= 0, onclick: () => this.#more() },
      t`Show ${Math.min(PAGE, left)} more of ${this.rows.length.toLocaleString("en-GB")} rows`,
    );
    this.node.replaceChildren(
      el(
        "table",
        { className: "pivot-table" },
        el("caption", { className: "unseen" }, t`Answer`),
        el("thead", {}, el("tr", {}, heads)),
        el(
          "tbody",
          {},
          this.rows.slice(0, this.shown).map((row) => el("tr", {}, cells(row))),
        ),
      ),
      more,
    );
  }

  #more() {
    this.shown += PAGE;
    this.#draw();
    this.node.focus();
  }

  /** By a column upwards, then downwards, then as the query has it. */
  #sort(at) {
    const way = this.sorted?.at !== at ? 1 : this.sorted.way === 1 ? -1 : 0;
    this.sorted = way ? { at, way } : null;
    this.rows = [...this.answer.rows];
    if (way) this.rows.sort((a, b) => order(a[at], b[at]) * way);
    this.#draw();
    this.node.querySelectorAll("thead button")[at].focus();
  }

  get csv() {
    return csv(this.answer.columns, this.rows);
  }
}
