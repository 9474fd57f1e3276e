// One what-if beside the naive plan and, if wanted, an earlier one: summary, charts, and every month's figures.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { MONEY } from "../workplace/currency.js";
import { monthAxis, monthStage } from "./axes.js";
import { PlanChart } from "./chart.js";
import { rove } from "./roving.js";
import { openWhy } from "./why.js";
import { monthShort, monthText, Names, plain } from "./words.js";
import { CLASS_FIGURES, classParts, figureText, linesOf, MONTH_FIGURES, monthParts } from "./year_figures.js";

const DIGITS = { usd_per_gpu_hour: 2, wait_p50_h: 2, wait_p95_h: 2, months_over: 0 };

/** run: with its report; other: another one, or null; measures: [{key, title, unit, better}]. */
export class WhatIfResult {
  constructor({ run, title, other, otherTitle, measures, room }) {
    this.run = run;
    this.other = other;
    this.otherTitle = otherTitle;
    this.measures = measures;
    this.room = room;
    this.names = new Names(room.manifest.growth);
    this.year = run.report.timeline;
    this.shown = [{ name: title, year: this.year, colour: 0, dash: 0 }];
    if (other) this.shown.push({ name: otherTitle, year: other.report.timeline, colour: 2, dash: 1 });
    this.shown.push({ name: t`Naive plan`, year: this.year.naive, colour: 4, dash: 2 });
    this.shown = this.shown.filter(({ year }) => year?.months?.length);
    this.node = el(
      "div",
      {},
      this.#section(t`Over the year`, this.#summary()),
      this.#section(t`By month`, this.#charts()),
      this.#section(t`Every month’s figures`, this.#months()),
    );
  }

  #section(title, ...content) {
    return el("section", { className: "plan-section" }, el("h3", {}, title), ...content);
  }

  /** A figure as a button that opens why it is so. */
  #figure(text, name, open, className = "") {
    return el(
      "button",
      {
        type: "button",
        className: `quiet why-button ${className}`,
        "aria-label": t`${name}: ${text}. Why?`,
        title: t`Why is it so?`,
        onclick: open,
      },
      text,
    );
  }

  #measureText(measure, value) {
    return value === undefined || value === null
      ? "–"
      : `${plain(value, DIGITS[measure.key] ?? 1)}${measure.unit === "%" ? " %" : ` ${measure.unit}`}`;
  }

  /** Better, worse or the same beside the naive plan. */
  #beside(measure, value) {
    const naive = this.year.naive?.measures?.[measure.key];
    if (typeof naive !== "number" || typeof value !== "number") return "";
    const by = (value - naive) * (measure.better === "high" || measure.better === "higher" ? 1 : -1);
    if (Math.abs(by) < 0.005) return el("span", { className: "muted" }, t`= as naive`);
    return by > 0
      ? el("span", { className: "why-better" }, t`▲ better`)
      : el("span", { className: "why-worse" }, t`▼ worse`);
  }

  #summary() {
    const heads = [t`Measure`, ...this.shown.map(({ name }) => name), t`Beside naive`];
    const rows = this.measures.map((measure) => {
      const cells = this.shown.map(({ name, year }) => {
        const text = this.#measureText(measure, year.measures[measure.key]);
        const open = () =>
          openWhy({
            title: `${measure.title}, ${name}`,
            value: text,
            note: measure.about,
            year,
            about: { figure: measure.key },
            names: this.names,
          });
        return el("td", { className: "figure" }, this.#figure(text, `${measure.title}, ${name}`, open));
      });
      return el(
        "tr",
        {},
        el("th", { scope: "row" }, measure.title),
        cells,
        el("td", {}, this.#beside(measure, this.year.measures[measure.key])),
      );
    });
    const table = el(
      "table",
      { className: "why-table" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          heads.map((title, at) =>
            el("th", { scope: "col", className: at && at <= this.shown.length ? "figure" : "" }, title),
          ),
        ),
      ),
      el("tbody", {}, rows),
    );
    return [
      el(
        "p",
        { className: "muted small" },
        t`Press a figure to see why it is so. The naive plan buys nodes evenly each quarter until the budget is
          spent, and changes nothing else.`,
      ),
      el("div", { className: "scroll", tabindex: "0", role: "region", "aria-label": t`Over the year` }, table),
    ];
  }

  #chart(title, unit, lines) {
    const { months } = this.names;
    return new PlanChart({
      title,
      unit,
      xs: months.map((_, at) => at),
      axis: monthAxis(months),
      lines,
      stage: monthStage(months),
      announce: (text) => this.room.announce(text),
      height: 140,
    }).node;
  }

  #charts() {
    const classes = Object.keys(this.year.months[0].classes);
    const waits = classes.map((key) => {
      const target = this.year.months.map((month) => month.classes[key].wait_target_h);
      return this.#chart(t`p95 wait, ${this.names.classTitle(key)}`, "h", [
        ...linesOf(this.shown, (month) => month.classes[key]?.wait_p95_h),
        { name: t`Promised`, values: target, quiet: true, dash: 3, colour: 7 },
      ]);
    });
    const asked = {
      name: t`Asked for`,
      values: this.year.months.map((month) => month.asked_gpu_hours),
      quiet: true,
      dash: 3,
      colour: 7,
    };
    const cloud = this.shown.some(({ year }) => year.months.some((month) => month.cloud.paid_gpu_hours > 0));
    const rest = [
      this.#chart(t`GPU-hours delivered`, "GPU-hours", [
        ...linesOf(this.shown, (month) => month.delivered_gpu_hours),
        asked,
      ]),
      this.#chart(
        t`Use of own GPUs`,
        "%",
        linesOf(this.shown, (month) => month.own.utilisation_percent),
      ),
      ...(cloud
        ? [
            this.#chart(
              t`Use of cloud GPUs`,
              "%",
              linesOf(this.shown, (month) => (month.cloud.paid_gpu_hours ? month.cloud.utilisation_percent : null)),
            ),
          ]
        : []),
      this.#chart(
        t`Storage saturated`,
        t`% of hours`,
        linesOf(this.shown, (month) => month.storage_full_percent),
      ),
      this.#chart(
        t`Spines saturated`,
        t`% of hours`,
        linesOf(this.shown, (month) => month.spine_full_percent),
      ),
      this.#chart(
        t`Paid for and not used`,
        "GPU-hours",
        linesOf(this.shown, (month) => month.unused_gpu_hours),
      ),
      this.#chart(
        t`Cost of a delivered GPU-hour`,
        MONEY,
        linesOf(this.shown, (month) => month.usd_per_gpu_hour || null),
      ),
      this.#chart(
        t`Orders and running cost`,
        MONEY,
        linesOf(this.shown, (month) => month.money.capex_usd + month.money.opex_usd),
      ),
    ];
    return el("div", { className: "plan-charts" }, waits, rest);
  }

  #months() {
    const { months } = this.year;
    const head = el(
      "tr",
      {},
      el("th", { scope: "col" }, t`Figure`),
      months.map(({ month }) => el("th", { scope: "col", className: "figure" }, monthShort(month))),
    );
    const classes = Object.keys(months[0].classes).flatMap((key) => this.#classRows(key));
    const whole = MONTH_FIGURES.map((spec) =>
      this.#row(
        spec,
        `${spec.title}${spec.unit ? `, ${spec.unit}` : ""}`,
        (month) => month,
        (month) => ({
          title: spec.title,
          about: { figure: spec.figure, month: month.month },
          parts: monthParts(month),
        }),
      ),
    );
    const table = el(
      "table",
      {
        className: "plan-month-table",
        role: "grid",
        "aria-label": t`Every month’s figures: arrow keys move, Enter says why`,
      },
      el("thead", {}, head),
      el("tbody", {}, this.#group(t`The whole cluster`), whole, classes),
    );
    rove(
      table,
      [...table.tBodies[0].rows].map((row) => [...row.querySelectorAll("button")]).filter((row) => row.length),
    );
    return el(
      "div",
      { className: "scroll plan-months", role: "region", "aria-label": t`Every month’s figures` },
      table,
    );
  }

  #group(title) {
    return el(
      "tr",
      {},
      el(
        "th",
        { scope: "rowgroup", className: "plan-site", colSpan: this.year.months.length + 1 },
        el("span", {}, title),
      ),
    );
  }

  #classRows(key) {
    const title = this.names.classTitle(key);
    const rows = CLASS_FIGURES.map((spec) =>
      this.#row(
        spec,
        `${spec.title}, ${spec.unit}`,
        (month) => month.classes[key],
        (month) => ({
          title: t`${spec.title} of ${title}`,
          about: { figure: spec.figure, month: month.month, jobClass: key },
          parts: classParts(month.classes[key]),
        }),
      ),
    );
    return [this.#group(title), ...rows];
  }

  #row(spec, title, of, why) {
    const cells = this.year.months.map((month) => {
      const row = of(month);
      const text = figureText(spec, row);
      const broken = spec.kept && !spec.kept(row);
      const { title: what, about, parts } = why(month);
      const name = `${what}, ${monthText(month.month)}`;
      const open = () =>
        openWhy({
          title: name,
          value: `${text}${spec.unit ? ` ${spec.unit}` : ""}`,
          year: this.year,
          about,
          names: this.names,
          parts,
        });
      return el(
        "td",
        { role: "gridcell", className: broken ? "figure over" : "figure" },
        this.#figure(
          spec.text ? (broken ? `${spec.value(row)}` : "0") : text,
          broken ? t`${name}, not kept` : name,
          open,
          broken ? "broken" : "",
        ),
      );
    });
    return el("tr", {}, el("th", { scope: "row" }, title), cells);
  }
}
