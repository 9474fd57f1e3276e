// The bill of materials by month: what is bought, rented, retired and changed, with checks at every row.

import { announce } from "../../headnode/announce.js";
import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { MONEY } from "../workplace/currency.js";
import { checkList, tally } from "./check_list.js";
import { MonthTable } from "./month_table.js";
import { KINDS } from "./order_row.js";
import { orderRow } from "./order_rows.js";
import { UndoLine } from "./undo_line.js";
import { monthText, Names, shortUsd } from "./words.js";

const LISTS = Object.keys(KINDS);
const HEADS = [t`Month`, t`What`, t`Count`, t`Where`, t`Arrives, until`, MONEY, ""];

class Orders {
  constructor(host, room) {
    this.host = host;
    this.room = room;
    this.model = room.board.model;
    this.checks = room.board.checks;
    this.names = new Names(room.manifest.growth);
    this.rows = new Map();
    this.#build();
    this.model.addEventListener("shape", () => this.#draw());
    this.model.addEventListener("change", () => this.#refresh());
    this.model.addEventListener("lock", () => this.#refresh());
    this.checks.addEventListener("checks", () => this.#refresh());
    this.#draw();
  }

  #build() {
    this.first = el(
      "select",
      { name: "new-month", "aria-label": t`Month of a new row` },
      this.names.months.map((name) => el("option", { value: name }, monthText(name))),
    );
    const buttons = LISTS.map((list) =>
      el("button", { type: "button", name: `add-${list}`, onclick: () => this.#add(list) }, KINDS[list].add),
    );
    this.tools = el(
      "div",
      { className: "plan-tools" },
      el("label", { className: "plan-field" }, t`In`, this.first),
      buttons,
    );
    this.state = el("p", { className: "plan-tally", role: "status" });
    this.list = el("div", {});
    this.more = el("details", { className: "plan-all" }, el("summary", {}, t`All checks`), this.list);
    this.undo = new UndoLine(this.model, LISTS, (_, id) => this.rows.get(id)?.focus());
    this.empty = el(
      "p",
      { className: "empty" },
      t`Nothing is ordered yet. Choose a month and what happens in it: every row shows at once when it arrives,
        what it costs, and whether budget, power, ports and racks allow it.`,
    );
    this.bill = el("div", { className: "bill" });
    this.heads = el(
      "div",
      { className: "bill-heads", "aria-hidden": "true" },
      HEADS.map((head) => el("span", {}, head)),
    );
    this.months = new MonthTable(this.names);
    const hint = el(
      "p",
      { className: "muted small bill-hint" },
      t`Alt with ↑ or ↓ moves a row to the month before or after.`,
    );
    this.hint = hint;
    const totals = el(
      "section",
      { className: "plan-section" },
      el("h3", {}, t`Month by month`),
      el(
        "p",
        { className: "muted small" },
        t`What the plan makes of each month. A figure beyond its limit is marked with ✕; the budget is by quarter.`,
      ),
      this.months.node,
    );
    this.host.append(
      el(
        "div",
        { className: "plan-page" },
        this.tools,
        el("section", { className: "plan-box", "aria-label": t`Checks` }, this.state, this.more),
        this.undo.node,
        this.empty,
        this.heads,
        this.bill,
        hint,
        totals,
      ),
    );
  }

  #add(list) {
    const month = this.first.value;
    const extra = { cloud: { from: month, to: this.names.months.at(-1) } }[list] || { month };
    const site =
      list === "cloud" || list === "policies" || this.names.facts.sites?.length !== 1
        ? {}
        : { site: this.names.facts.sites[0].name };
    const row = this.model.add(list, { ...extra, ...site });
    if (!row) return;
    announce(t`${KINDS[list].noun} ${row.id} in ${monthText(month)}.`);
    this.rows.get(row.id)?.focus({ cloud: "kind", policies: "policy" }[list] || "item");
  }

  deleted() {
    this.undo.refresh();
    this.undo.focus();
  }

  /** A row has changed its month: put it where it belongs. */
  regroup() {
    this.#draw();
  }

  /** Rows by the month in which they begin, in the order of the year; those without one come first. */
  #groups() {
    const groups = new Map([["", []], ...this.names.months.map((name) => [name, []])]);
    for (const list of LISTS) {
      for (const row of this.model.rows(list)) {
        const month = row[KINDS[list].month];
        (groups.get(month) || groups.get("")).push({ list, id: row.id });
      }
    }
    return groups;
  }

  #draw() {
    const held = document.activeElement;
    const inside = this.bill.contains(held)
      ? { id: held.closest("[data-id]")?.dataset.id, name: held.getAttribute("name") }
      : null;
    this.groups = new Map();
    const known = new Set();
    const sections = [];
    for (const [month, members] of this.#groups()) {
      const rows = members.map(({ list, id }) => {
        known.add(id);
        if (!this.rows.has(id)) this.rows.set(id, orderRow(list, id, this));
        return this.rows.get(id);
      });
      if (month || rows.length) sections.push(this.#section(month, rows));
    }
    for (const id of this.rows.keys()) if (!known.has(id)) this.rows.delete(id);
    this.bill.replaceChildren(...sections);
    this.#refresh();
    if (inside?.id) this.rows.get(inside.id)?.focus(inside.name || "");
  }

  #section(month, rows) {
    const sum = el("span", { className: "muted small" });
    const title = month ? monthText(month) : t`No month chosen`;
    const head = el(
      "h3",
      { className: "bill-month" },
      title,
      month ? el("span", { className: "muted small" }, ` ${this.names.quarter(month)}`) : "",
      sum,
    );
    const node = el(
      "section",
      { "aria-label": title, "data-month": month },
      head,
      rows.length
        ? el(
            "ul",
            { className: "bill-rows" },
            rows.map((row) => row.node),
          )
        : "",
    );
    this.groups.set(month, { node, sum, rows });
    return node;
  }

  /** What a month orders and what comes in it, beside its name. */
  #sums() {
    for (const [month, { node, sum, rows }] of this.groups) {
      const found = this.checks.found.months.find((one) => one.month === month);
      const comes = this.checks.found.orders.filter(({ arrives }) => arrives && arrives === month).map(({ id }) => id);
      const parts = [
        rows.length && found?.capex_usd ? t`orders ${shortUsd(found.capex_usd)} ${MONEY}` : "",
        comes.length ? t`arrives: ${comes.join(", ")}` : "",
      ];
      sum.textContent = parts.filter(Boolean).length ? ` · ${parts.filter(Boolean).join(" · ")}` : "";
      node.hidden = !rows.length && !comes.length;
    }
  }

  #refresh() {
    const { readOnly } = this.model;
    for (const row of this.rows.values()) row.refresh(this.checks);
    for (const node of this.tools.querySelectorAll("button, select")) node.disabled = readOnly;
    this.empty.hidden = this.rows.size > 0;
    this.heads.hidden = this.hint.hidden = this.rows.size === 0;
    const said = tally(this.checks);
    if (this.state.textContent !== said) this.state.textContent = said;
    this.more.hidden = !this.checks.rows.length;
    this.list.replaceChildren(checkList(this.checks.rows, this.room));
    this.undo.refresh();
    this.#sums();
    this.months.show(this.checks.found);
  }

  show({ id }) {
    const row = this.rows.get(id);
    row?.node.scrollIntoView({ block: "center" });
    row?.focus(row?.list === "policies" ? "policy" : "count");
  }
}

export function setUp(host, room) {
  return new Orders(host, room);
}
