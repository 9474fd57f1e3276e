// Pivot and chart over the tables of the bill: what is asked above, a chart, and the same as a table.

import { el, preference } from "../../headnode/dom.js";
import { counted, t } from "../../headnode/words.js";
import { sayDone } from "../workplace/done_line.js";
import { trouble } from "../workplace/retry.js";
import { askPivot, catalogueOf, isMoney, usd } from "./bill_data.js";
import { copyText } from "./copy.js";
import { firstOf, PERIODS, PivotBar } from "./pivot_bar.js";
import { PivotChart } from "./pivot_chart.js";
import { matrixOf } from "./pivot_data.js";
import { askFilter } from "./pivot_filter.js";
import { PivotTable } from "./pivot_table.js";

const HOWS = { sum: t`Sum`, avg: t`Mean`, min: t`Lowest`, max: t`Highest` };

/** A pivot's filter as that of an opportunity: {where, left}; left: what no such filter can say. */
function whereOf(pivot, keys) {
  const [where, left] = [{}, []];
  for (const [column, values] of Object.entries(pivot.where)) {
    const key = Object.keys(keys).find((one) => keys[one].includes(column) && (!where[one] || keys[one][0] === column));
    const named = values.filter(Boolean);
    if (!key || key === "tag" || where[key]) left.push(column);
    else if (!named.length) left.push(t`rows without ${column}`);
    else {
      where[key] = named;
      if (named.length < values.length) left.push(t`rows without ${column}`);
    }
  }
  if (pivot.first || pivot.last) left.push(t`the time`);
  return { where, left };
}

class Explore {
  #turn = 0;
  #stop = new AbortController();

  constructor(host, room, catalogue) {
    this.host = host;
    this.room = room;
    this.catalogue = catalogue;
    this.memory = `pivot:${room.attempt}`;
    this.bar = new PivotBar(catalogue, this.#remembered());
    this.kind = preference("pivot-chart") === "lines" ? "lines" : "bars";
    this.chart = new PivotChart({
      span: (first, last) => this.bar.set({ first: first.slice(0, 7), last: last.slice(0, 7) }),
    });
    this.table = new PivotTable({ only: (column, value) => this.bar.filter(column, [value]) });
    this.#build();
    this.bar.addEventListener("change", () => this.run());
    this.bar.addEventListener("filter", (event) => this.#filter(event.detail.column));
    this.run();
  }

  #remembered() {
    try {
      const kept = JSON.parse(preference(this.memory) || "null");
      const table = this.catalogue.tables.find(({ name }) => name === kept?.table);
      if (table) return { ...firstOf(table), ...kept };
    } catch {
      // What an older page kept is no loss.
    }
    return firstOf(this.catalogue.tables.find(({ name }) => name === "costs") || this.catalogue.tables[0]);
  }

  #build() {
    const kinds = Object.entries({ bars: t`Bars`, lines: t`Lines` }).map(([kind, text]) =>
      el(
        "button",
        {
          type: "button",
          className: "quiet",
          "aria-pressed": String(kind === this.kind),
          "data-kind": kind,
          onclick: () => this.#draws(kind),
        },
        text,
      ),
    );
    this.kinds = el("span", { className: "switch", role: "group", "aria-label": t`Chart` }, kinds);
    this.said = el("p", { className: "pivot-said small", role: "status" });
    this.use = el("button", { type: "button", onclick: () => this.#use() }, t`Use as where`);
    const tools = el(
      "div",
      { className: "pivot-tools" },
      this.kinds,
      el("button", { type: "button", className: "quiet", onclick: () => this.#copy() }, t`Copy as CSV`),
      el(
        "button",
        { type: "button", className: "quiet", onclick: () => this.bar.set(firstOf(this.bar.table)) },
        t`Begin anew`,
      ),
      this.use,
    );
    if (!this.room.board.use) this.use.hidden = true;
    this.problem = el("div", {});
    this.shown = el("div", { className: "pivot-shown" }, this.chart.node, this.table.node);
    this.host.append(this.bar.node, tools, this.said, this.problem, this.shown);
  }

  #draws(kind) {
    this.kind = kind;
    preference("pivot-chart", kind);
    for (const button of this.kinds.children) button.setAttribute("aria-pressed", String(button.dataset.kind === kind));
    this.chart.show(this.matrix, this.#look());
  }

  #look() {
    const { pivot } = this.bar;
    const what = pivot.how === "count" ? t`Number of rows` : t`${HOWS[pivot.how]} of ${pivot.value}`;
    return {
      kind: this.kind,
      title:
        t`${what} in ${pivot.table}` +
        (pivot.by.length ? t`, by ${pivot.by.join(", ")}` : "") +
        (pivot.period && pivot.time ? t`, by ${PERIODS[pivot.period]}` : ""),
    };
  }

  async run() {
    const { pivot } = this.bar;
    const turn = ++this.#turn;
    this.#stop.abort();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    preference(this.memory, JSON.stringify(pivot));
    this.shown.setAttribute("aria-busy", "true");
    try {
      const answer = await askPivot(this.room, pivot, {
        signal,
        told: (sentence) => (this.said.textContent = sentence),
      });
      if (turn === this.#turn) this.#take(answer, structuredClone(pivot));
    } catch (error) {
      if (turn !== this.#turn) return;
      this.said.textContent = "";
      this.problem.replaceChildren(trouble(error.message, () => this.run()));
    }
  }

  #take(answer, pivot) {
    this.shown.removeAttribute("aria-busy");
    this.problem.replaceChildren();
    this.matrix = matrixOf(answer, pivot);
    const { rows, total, cut } = this.matrix;
    const whole = typeof total !== "number" ? "" : isMoney(pivot.value) && pivot.how === "sum" ? `: ${usd(total)}` : "";
    const part =
      pivot.table === "costs" &&
      pivot.value === "EffectiveCost" &&
      pivot.how === "sum" &&
      typeof total === "number" &&
      Math.abs(total - this.catalogue.total_usd) > 0.5
        ? t` of ${usd(this.catalogue.total_usd)}`
        : whole
          ? t` in all`
          : "";
    const left = cut
      ? t` There are more than ${this.catalogue.most.rows.toLocaleString("en-GB")} groups and periods: what
        follows is not all of them. Narrow the filter, or group by fewer columns.`
      : "";
    this.said.textContent =
      rows.length && total !== null
        ? `${counted("{0} group", "{0} groups", rows.length)}${whole}${part}.${left}`
        : t`No row fits this filter.`;
    this.said.dataset.tone = cut ? "warn" : "";
    this.table.show(this.matrix, pivot);
    this.chart.show(this.matrix, this.#look());
    const { where } = whereOf(pivot, this.catalogue.keys);
    this.use.disabled = pivot.table !== "costs" || !Object.keys(where).length;
    this.use.title =
      pivot.table !== "costs"
        ? t`Opportunities act on rows of the table costs.`
        : this.use.disabled
          ? t`Set a filter first: a service, an account, a team.`
          : t`Hand this filter to an opportunity`;
  }

  async #filter(column) {
    const { pivot } = this.bar;
    try {
      const values = await askFilter(this.room, {
        table: pivot.table,
        column,
        measure: pivot.value,
        chosen: pivot.where[column] || [],
      });
      if (values) this.bar.filter(column, values);
      this.bar.addFilter.focus();
    } catch (error) {
      this.problem.replaceChildren(
        trouble(t`The values of ${column} could not be fetched: ${error.message}`, () => this.#filter(column)),
      );
    }
  }

  #use() {
    const { where, left } = whereOf(this.bar.pivot, this.catalogue.keys);
    return this.room.board.use(where, left);
  }

  async #copy() {
    if (!this.matrix) return;
    if (await copyText(this.table.csv, t`The table as CSV`))
      sayDone(t`Copied: ${counted("{0} row", "{0} rows", this.matrix.rows.length)}.`);
  }
}

export function setUp(host, room) {
  host.classList.add("bill-part");
  let made = null;
  const begin = async () => {
    host.replaceChildren(
      el(
        "p",
        { className: "empty room-wait", role: "status" },
        t`The tables are being made ready; the first time takes a few seconds…`,
      ),
    );
    try {
      const catalogue = await catalogueOf(room);
      host.replaceChildren();
      made = new Explore(host, room, catalogue);
    } catch (error) {
      host.replaceChildren(trouble(t`The tables could not be fetched: ${error.message}`, begin));
    }
  };
  begin();
  return { shown: () => made?.chart.draw() };
}
