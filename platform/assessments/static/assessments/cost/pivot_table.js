// The groups of a pivot as a table: periods across, totals, shares; any column sorts.

import { announce } from "../../headnode/announce.js";
import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { figure } from "./bill_data.js";
import { csv, sorted } from "./pivot_data.js";

const PAGE = 100;

function byOf(key) {
  const [by, at] = key.split(":");
  return { by, at: Number(at ?? 0) };
}

export class PivotTable {
  /** only(column, value): keep only that value. */
  constructor({ only }) {
    this.only = only;
    this.sort = { key: "total", way: -1 };
    this.shown = PAGE;
    this.caption = el("caption", { className: "unseen" });
    this.head = el("thead", {});
    this.body = el("tbody", {});
    this.foot = el("tfoot", {});
    this.more = el("button", { type: "button", className: "quiet", hidden: true, onclick: () => this.#more() });
    const table = el("table", { className: "pivot-table" }, this.caption, this.head, this.body, this.foot);
    this.node = el(
      "div",
      { className: "pivot-rows", tabindex: "0", role: "region", "aria-label": t`Groups as a table` },
      table,
      this.more,
    );
  }

  show(matrix, pivot) {
    this.matrix = matrix;
    this.pivot = pivot;
    this.shown = PAGE;
    const keys = this.#columns().map(({ key }) => key);
    if (!keys.includes(this.sort.key)) this.sort = { key: "total", way: -1 };
    this.#draw();
  }

  #columns() {
    const { matrix, pivot } = this;
    const single = !matrix.periods.length;
    return [
      ...pivot.by.map((name, at) => ({ key: `cell:${at}`, text: name })),
      ...(pivot.how === "avg" && !single
        ? []
        : [
            {
              key: "total",
              text: single ? pivot.how : { min: t`Lowest`, max: t`Highest` }[pivot.how] || t`Total`,
              isFigure: true,
            },
          ]),
      ...(matrix.isWhole ? [{ key: "share", text: t`Share`, isFigure: true, isFixed: true }] : []),
      ...matrix.periods.map((period, at) => ({ key: `period:${at}`, text: period, isFigure: true })),
    ];
  }

  #rows() {
    return sorted(this.matrix.rows, { ...byOf(this.sort.key), way: this.sort.way });
  }

  #head(columns) {
    const cells = columns.map(({ key, text, isFigure, isFixed }) => {
      const way = this.sort.key === key ? (this.sort.way > 0 ? "ascending" : "descending") : "none";
      const inside = isFixed
        ? text
        : el(
            "button",
            { type: "button", className: "quiet sort", "data-key": key, onclick: () => this.#sort(key, text) },
            text,
          );
      return el("th", { scope: "col", className: isFigure ? "figure" : "", "aria-sort": isFixed ? null : way }, inside);
    });
    this.head.replaceChildren(el("tr", {}, cells));
  }

  #sort(key, text) {
    const first = key.startsWith("cell") ? 1 : -1;
    const way = this.sort.key === key ? -this.sort.way : first;
    this.sort = { key, way };
    this.#draw();
    this.head.querySelector(`[data-key="${key}"]`)?.focus();
    announce(t`Sorted by ${text}, ${way > 0 ? t`upwards` : t`downwards`}.`);
  }

  #share(row) {
    if (row.share === null) return el("td", { className: "figure" });
    const cell = el("td", { className: "figure share" }, `${(row.share * 100).toFixed(1)} %`);
    cell.style.setProperty("--part", `${Math.max(0, Math.min(100, row.share * 100))}%`);
    return cell;
  }

  #row(row, columns) {
    const { by } = this.pivot;
    const heads = by.map((column, at) => {
      const value = row.cells[at] === null ? "" : String(row.cells[at]);
      const text = value || t`(none)`;
      return el(
        "th",
        { scope: "row" },
        el(
          "button",
          {
            type: "button",
            className: "quiet only-this",
            title: t`Only ${column} ${text}`,
            "aria-label": t`Only ${column} ${text}`,
            onclick: () => this.only(column, value),
          },
          text,
        ),
      );
    });
    const figures = columns.slice(by.length).map(({ key }) => {
      const { by: what, at } = byOf(key);
      return what === "share"
        ? this.#share(row)
        : el("td", { className: "figure" }, figure(what === "period" ? row.values[at] : row.total));
    });
    return el("tr", {}, heads, figures);
  }

  #foot(columns) {
    const { matrix, pivot } = this;
    const figures = columns.slice(pivot.by.length).map(({ key }) => {
      const { by, at } = byOf(key);
      const value = by === "period" ? matrix.totals[at] : by === "total" ? matrix.total : null;
      return el("td", { className: "figure" }, key === "share" ? "" : figure(value));
    });
    const title = pivot.by.length
      ? el("th", { scope: "row", colSpan: pivot.by.length }, pivot.how === "avg" ? t`Over all` : t`Total`)
      : null;
    this.foot.replaceChildren(el("tr", {}, title, figures));
    this.foot.hidden = matrix.rows.length < 2;
  }

  #draw() {
    const columns = this.#columns();
    const rows = this.#rows();
    this.caption.textContent = t`${rows.length} groups of ${this.pivot.table}`;
    this.#head(columns);
    this.body.replaceChildren(...rows.slice(0, this.shown).map((row) => this.#row(row, columns)));
    this.#foot(columns);
    this.more.hidden = rows.length <= this.shown;
    this.more.textContent = t`Show ${Math.min(PAGE, rows.length - this.shown)} more of ${rows.length} groups`;
  }

  #more() {
    const at = this.shown;
    this.shown += PAGE;
    this.#draw();
    this.body.children[at]?.querySelector("button")?.focus();
  }

  /** What the table says, in its order, as CSV. */
  get csv() {
    const columns = this.#columns().filter(({ key }) => key !== "share");
    const value = (row, key) => {
      const { by, at } = byOf(key);
      return by === "cell" ? row.cells[at] : by === "period" ? row.values[at] : row.total;
    };
    return csv(
      columns.map(({ text }) => text),
      this.#rows().map((row) => columns.map(({ key }) => value(row, key))),
    );
  }
}
