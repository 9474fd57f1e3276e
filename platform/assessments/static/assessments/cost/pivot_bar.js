// What a pivot is asked: table, measure, groups, filter, and time. Every choice tells "change".

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { measureOf, timeOf } from "./bill_data.js";

const HOWS = { sum: t`sum`, avg: t`mean`, min: t`lowest`, max: t`highest`, count: t`number of rows` };
export const PERIODS = { "": t`no time`, year: t`year`, month: t`month`, day: t`day` };
const MOST_GROUPS = 4;

/** How a table is first looked at. */
export function firstOf(table) {
  const time = timeOf(table);
  const text = table.columns.find(
    ({ name, kind }) => name === "ServiceName" || (kind === "text" && table.name !== "costs"),
  );
  const value = measureOf(table);
  return {
    table: table.name,
    value,
    how: value ? "sum" : "count",
    by: text ? [text.name] : [],
    where: {},
    time,
    period: time ? "month" : "",
    first: "",
    last: "",
  };
}

/** New options only where they differ: whoever types to choose is not interrupted. */
function options(select, entries, value) {
  const mark = JSON.stringify(entries);
  if (select.entries !== mark)
    select.replaceChildren(...entries.map(([key, text]) => el("option", { value: key }, text)));
  select.entries = mark;
  select.value = value;
}

/** Events: "change", "filter" {column}. `pivot` is what is asked. */
export class PivotBar extends EventTarget {
  constructor(catalogue, pivot) {
    super();
    this.catalogue = catalogue;
    this.pivot = pivot;
    this.kept = new Map();
    this.#build();
    this.refresh();
  }

  get table() {
    return this.catalogue.tables.find(({ name }) => name === this.pivot.table);
  }

  #build() {
    const select = (label, change, className = "") =>
      el("select", { className, "aria-label": label, onchange: (event) => change(event.target.value) });
    this.tables = select(t`Table`, (name) => this.#turn(name), "pivot-column");
    this.hows = select(t`What is shown of the column`, (how) => this.set({ how }), "pivot-how");
    this.values = select(t`Column that is reckoned`, (value) => this.set({ value }), "pivot-column");
    this.periods = select(t`Period`, (period) => this.set({ period }));
    this.times = select(t`Column of time`, (time) => this.set({ time }), "pivot-column");
    this.firsts = select(t`From`, (first) => this.set({ first }));
    this.lasts = select(t`To`, (last) => this.set({ last }));
    this.of = el("span", {}, t`of`);
    this.timeLabel = el("span", {}, t`by`);
    this.groups = el("ul", { className: "chips", "aria-label": t`Groups` });
    this.addGroup = el("select", { className: "pivot-column", "aria-label": t`Column to group by` });
    this.groupAdder = el(
      "span",
      { className: "pivot-add" },
      this.addGroup,
      el(
        "button",
        {
          type: "button",
          className: "quiet",
          "aria-label": t`Group by this column too`,
          onclick: () => this.set({ by: [...this.pivot.by, this.addGroup.value] }),
        },
        t`Add`,
      ),
    );
    this.filters = el("ul", { className: "chips", "aria-label": t`Filter` });
    this.addFilter = el("select", { className: "pivot-column", "aria-label": t`Column to filter by` });
    this.filterAdder = el(
      "span",
      { className: "pivot-add" },
      this.addFilter,
      el(
        "button",
        {
          type: "button",
          className: "quiet",
          "aria-label": t`Choose values of this column`,
          onclick: () => this.#filter(this.addFilter.value),
        },
        t`Choose…`,
      ),
    );
    this.span = el("span", { className: "pivot-span" }, t`from`, this.firsts, t`to`, this.lasts);
    this.node = el(
      "div",
      { className: "pivot-bar", role: "group", "aria-label": t`What is asked` },
      el(
        "div",
        { className: "pivot-line" },
        el("span", { className: "pivot-name" }, t`Table`),
        this.tables,
        this.hows,
        this.of,
        this.values,
        this.timeLabel,
        this.periods,
        this.times,
      ),
      el(
        "div",
        { className: "pivot-line" },
        el("span", { className: "pivot-name" }, t`Group by`),
        this.groups,
        this.groupAdder,
      ),
      el(
        "div",
        { className: "pivot-line" },
        el("span", { className: "pivot-name" }, t`Only`),
        this.filters,
        this.filterAdder,
        this.span,
      ),
    );
  }

  /** Another table; each keeps how it was looked at. */
  #turn(name) {
    this.kept.set(this.pivot.table, { ...this.pivot });
    this.set(this.kept.get(name) ?? firstOf(this.catalogue.tables.find((one) => one.name === name)));
  }

  set(change) {
    Object.assign(this.pivot, change);
    this.refresh();
    this.dispatchEvent(new CustomEvent("change"));
  }

  #filter(column) {
    this.dispatchEvent(new CustomEvent("filter", { detail: { column } }));
  }

  /** Keep only rows with these values of a column; none takes the filter away. */
  filter(column, values) {
    const { [column]: gone, ...others } = this.pivot.where;
    this.set({ where: values.length ? { ...this.pivot.where, [column]: values } : others });
  }

  refresh() {
    const { pivot, table } = this;
    const columns = table.columns.map(({ name }) => name);
    const of = (kind) => table.columns.filter((column) => column.kind === kind).map(({ name }) => [name, name]);
    options(
      this.tables,
      this.catalogue.tables.map(({ name, rows }) => [name, `${name} (${rows.toLocaleString("en-GB")})`]),
      pivot.table,
    );
    options(
      this.hows,
      Object.entries(HOWS).filter(([how]) => how === "count" || of("number").length),
      pivot.how,
    );
    options(this.values, of("number"), pivot.value);
    this.values.hidden = this.of.hidden = pivot.how === "count";
    const times = of("time");
    options(this.periods, Object.entries(PERIODS), pivot.period);
    options(this.times, times, pivot.time);
    this.periods.hidden = this.timeLabel.hidden = this.span.hidden = !times.length;
    this.times.hidden = times.length < 2;
    for (const [node, value, text] of [
      [this.firsts, pivot.first, t`the first`],
      [this.lasts, pivot.last, t`the last`],
    ]) {
      const months = this.catalogue.months;
      options(
        node,
        [
          ["", text],
          ...(value && !months.includes(value) ? [[value, value]] : []),
          ...months.map((month) => [month, month]),
        ],
        value,
      );
    }
    this.#groups(columns);
    this.#filters(columns);
  }

  #groups(columns) {
    const { pivot } = this;
    const left = columns.filter((name) => !pivot.by.includes(name));
    const without = (name) => pivot.by.filter((one) => one !== name);
    const forward = (at) => pivot.by.toSpliced(at - 1, 2, pivot.by[at], pivot.by[at - 1]);
    this.groups.replaceChildren(
      ...pivot.by.map((name, at) =>
        el(
          "li",
          { className: "chip" },
          at
            ? el(
                "button",
                {
                  type: "button",
                  className: "quiet",
                  "aria-label": t`Group by ${name} before ${pivot.by[at - 1]}`,
                  title: t`Before the one on its left`,
                  onclick: () => this.#pressed(this.groups, at - 1, { by: forward(at) }),
                },
                "‹",
              )
            : null,
          el("span", {}, name),
          el(
            "button",
            {
              type: "button",
              className: "quiet",
              "aria-label": t`Do not group by ${name}`,
              onclick: () => this.#pressed(this.groups, at, { by: without(name) }),
            },
            "×",
          ),
        ),
      ),
    );
    options(
      this.addGroup,
      left.map((name) => [name, name]),
      left.includes(this.addGroup.value) ? this.addGroup.value : left[0],
    );
    this.groupAdder.hidden = pivot.by.length >= MOST_GROUPS || !left.length;
  }

  #filters(columns) {
    const { pivot } = this;
    const entries = Object.entries(pivot.where);
    const told = (values) =>
      values.length > 3 ? t`${values.length} values` : values.map((value) => value || t`(none)`).join(", ");
    this.filters.replaceChildren(
      ...entries.map(([name, values], at) =>
        el(
          "li",
          { className: "chip" },
          el(
            "button",
            {
              type: "button",
              className: "quiet chip-edit",
              title: values.join(", "),
              "aria-label": t`Change the filter ${name}: ${told(values)}`,
              onclick: () => this.#filter(name),
            },
            el("span", { className: "chip-key" }, name),
            told(values),
          ),
          el(
            "button",
            {
              type: "button",
              className: "quiet",
              "aria-label": t`Take the filter ${name} away`,
              onclick: () => this.#removed(at, name),
            },
            "×",
          ),
        ),
      ),
    );
    const left = columns.filter((name) => !(name in pivot.where));
    const first = ["ServiceName", "team"].find((name) => left.includes(name)) ?? left[0];
    options(
      this.addFilter,
      left.map((name) => [name, name]),
      left.includes(this.addFilter.value) ? this.addFilter.value : first,
    );
    this.filterAdder.hidden = !left.length;
  }

  #removed(at, name) {
    this.filter(name, []);
    this.#focus(this.filters, at, this.addFilter);
  }

  #pressed(list, at, change) {
    this.set(change);
    this.#focus(list, at, this.addGroup);
  }

  /** The keyboard stays near what was taken away. */
  #focus(list, at, otherwise) {
    const chip = list.children[Math.min(at, list.children.length - 1)];
    (chip?.querySelector("button:last-child") || otherwise).focus();
  }
}
