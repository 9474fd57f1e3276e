// What the plan starts from: the cluster as drawn, ninety days as charts, the year that is expected, the money.

import { el } from "../../headnode/dom.js";
import uPlot from "../../headnode/vendor/uplot.js";
import { t } from "../../headnode/words.js";
import { MONEY } from "../workplace/currency.js";
import { trouble } from "../workplace/retry.js";
import { daily, instant, monthAxis, monthStage, numbersOf, readCsv, timeAxis } from "./axes.js";
import { PlanChart } from "./chart.js";
import { Diagram } from "./diagram.js";
import { monthText, Names, plain, usd } from "./words.js";

const GROWTH = "growth.csv";
const NEAR = "150px 0px";
const LEAST_MS = 6 * 3_600_000;
const FIGURE = /^[−\d.,–]+$/;
const ONE = { nodes: "node", switches: "switch", racks: "rack" };
const PARTS = [
  ["drawings", t`Drawings`],
  ["history", t`The last 90 days`],
  ["growth", t`Expected demand`],
  ["money", t`Budget and limits`],
];

class Overview {
  constructor(host, room) {
    this.host = host;
    this.room = room;
    this.facts = room.manifest.growth;
    this.names = new Names(this.facts);
    this.charts = [];
    /** @type {[string, HTMLElement][]} */
    const sections = PARTS.map(([key, title]) => [
      key,
      el(
        "section",
        {
          className: "plan-section",
          id: `overview-${key}`,
          tabindex: "-1",
          "aria-labelledby": `overview-${key}-title`,
        },
        el("h3", { id: `overview-${key}-title` }, title),
      ),
    ]);
    this.parts = new Map(sections);
    const jumps = PARTS.map(([key, title]) =>
      el("button", { type: "button", className: "quiet", onclick: () => this.#jump(key) }, title),
    );
    host.append(
      el(
        "div",
        { className: "plan-page" },
        el("nav", { className: "plan-tools", "aria-label": t`Parts of the overview` }, jumps),
        ...this.parts.values(),
      ),
    );
    this.#drawings().then(() => this.#onSight("history", () => this.#history()));
    this.#growth();
    this.#money();
  }

  #jump(key) {
    this.parts.get(key).scrollIntoView({ block: "start" });
    this.parts.get(key).focus({ preventScroll: true });
  }

  /** Ends when all of them are there, so that what stands below them is where it stays. */
  #drawings() {
    const files = this.room.manifest.files.filter(({ path }) => path.endsWith(".svg"));
    const host = this.parts.get("drawings");
    const drawings = files.map((file) => new Diagram(file, this.room));
    host.append(...drawings.map(({ node }) => node));
    if (!files.length) host.append(el("p", { className: "muted" }, t`There are no drawings in these materials.`));
    return Promise.all(drawings.map(({ fetched }) => fetched));
  }

  /** What weighs much is fetched once it is about to be seen, or is gone to. */
  #onSight(key, act) {
    const host = this.parts.get(key);
    const note = el("p", { className: "muted" }, t`Fetched as soon as it comes into sight.`);
    host.append(note);
    const begin = () => {
      watcher.disconnect();
      host.removeEventListener("focus", begin);
      note.remove();
      act();
    };
    const watcher = new IntersectionObserver(([entry]) => entry.isIntersecting && begin(), {
      rootMargin: NEAR,
    });
    watcher.observe(host);
    host.addEventListener("focus", begin);
  }

  /** Charts of the history share one range of time: drag over one to look closer, double click shows all. */
  async #history() {
    const host = this.parts.get("history");
    const wanted = this.facts.charts || [];
    const wait = el("p", { className: "muted", role: "status" }, t`The history is being fetched…`);
    host.append(wait);
    try {
      const paths = [...new Set(wanted.map(({ path }) => path))];
      const texts = await Promise.all(paths.map((path) => this.room.text(path)));
      const tables = new Map(paths.map((path, at) => [path, readCsv(texts[at])]));
      wait.remove();
      this.#draw(host, wanted, tables);
    } catch (error) {
      wait.remove();
      const note = trouble(t`The history could not be fetched: ${error.message}`, () => {
        note.remove();
        this.#history();
      });
      host.append(note);
    }
  }

  #draw(host, wanted, tables) {
    const times = new Map([...tables].map(([path, table]) => [path, table.rows.map(([first]) => instant(first))]));
    const all = [...times.values()].flatMap((one) => [one[0], one.at(-1)]);
    this.whole = { from: Math.min(...all), to: Math.max(...all) };
    this.stage = {
      range: { ...this.whole },
      sync: uPlot.sync("plan-history"),
      zoom: (from, to) => this.#range(from, to),
      reset: () => this.#range(this.whole.from, this.whole.to),
    };
    this.rangeText = el("span", { className: "muted small", role: "status" });
    const reset = el(
      "button",
      { type: "button", className: "quiet", onclick: () => this.stage.reset() },
      t`All 90 days`,
    );
    this.reset = reset;
    const grid = el("div", { className: "plan-charts" });
    const folds = [
      ["mean", t`Daily means`],
      ["highest", t`Daily highest`],
      ["hours", t`Every hour`],
    ];
    this.fold = el(
      "select",
      { name: "fold", onchange: () => this.#fold() },
      folds.map(([value, text]) => el("option", { value }, text)),
    );
    host.append(
      el(
        "div",
        { className: "plan-tools" },
        el("label", { className: "plan-field" }, t`Show`, this.fold),
        reset,
        this.rangeText,
      ),
      el(
        "p",
        { className: "muted small" },
        t`Drag over a chart, or press + and − in it, to look closer; every chart follows. Double click or 0 shows all.`,
      ),
      grid,
    );
    for (const spec of wanted) {
      const table = tables.get(spec.path);
      const xs = table.column(spec.x).map(instant);
      const lines = spec.series.map(({ column, title }, at) => ({
        name: title,
        values: numbersOf(table.column(column)),
        dash: Math.floor(at / 8) % 4,
      }));
      const chart = new PlanChart({
        title: spec.title,
        unit: spec.series[0]?.unit || "",
        xs,
        axis: timeAxis,
        lines,
        stage: this.stage,
        announce: (text) => this.room.announce(text),
      });
      this.charts.push({ chart, xs, columns: lines.map(({ values }) => values) });
      grid.append(chart.node);
    }
    this.#fold();
    this.#range(this.whole.from, this.whole.to);
  }

  #fold() {
    for (const { chart, xs, columns } of this.charts) {
      const folded = daily(xs, columns, this.fold.value);
      chart.use(folded.xs, folded.columns);
    }
  }

  #range(from, to) {
    const middle = (from + to) / 2;
    const half = Math.max(LEAST_MS, to - from) / 2;
    this.stage.range.from = Math.max(this.whole.from, middle - half);
    this.stage.range.to = Math.min(this.whole.to, middle + half);
    const whole = this.stage.range.from <= this.whole.from && this.stage.range.to >= this.whole.to;
    this.reset.disabled = whole;
    this.rangeText.textContent = whole
      ? ""
      : t`${timeAxis.text(this.stage.range.from)} to ${timeAxis.text(this.stage.range.to)}`;
    for (const { chart } of this.charts) chart.zoom();
  }

  async #growth() {
    const host = this.parts.get("growth");
    const path = this.room.manifest.files.find((file) => file.path.endsWith(`/${GROWTH}`))?.path || GROWTH;
    try {
      const table = readCsv(await this.room.text(path));
      const months = [...new Set(table.column("month"))];
      const classes = [...new Set(table.column("job_class"))];
      const of = (key, column) =>
        months.map((month) =>
          Number(
            table.rows.find(
              (row) => row[table.head.indexOf("month")] === month && row[table.head.indexOf("job_class")] === key,
            )?.[table.head.indexOf(column)],
          ),
        );
      const column = (part) => table.head.find((name) => name.startsWith(part));
      host.append(
        el(
          "p",
          { className: "muted small" },
          t`GPU-hours asked for in a day: the line is the median, the band holds what lies between one year in
            ten below and one year in ten above.`,
        ),
      );
      const grid = el("div", { className: "plan-charts" });
      host.append(grid);
      classes.forEach((key, at) => {
        const line = {
          name: t`Median`,
          values: of(key, column("median")),
          low: of(key, column("low")),
          high: of(key, column("high")),
          colour: at,
        };
        grid.append(
          new PlanChart({
            title: this.names.classTitle(key),
            unit: t`GPU-hours a day`,
            xs: months.map((_, place) => place),
            axis: monthAxis(months),
            lines: [line],
            stage: monthStage(months),
            announce: (text) => this.room.announce(text),
            height: 130,
          }).node,
        );
      });
    } catch (error) {
      const note = trouble(t`The expected demand could not be fetched: ${error.message}`, () => {
        note.remove();
        this.#growth();
      });
      host.append(note);
    }
  }

  /** A column is set as figures where all of its cells are such. */
  #table(label, heads, rows, wide = false) {
    const figures = heads.map((_, at) => (at && rows.every((row) => FIGURE.test(String(row[at]))) ? "figure" : ""));
    const head = el(
      "tr",
      {},
      heads.map((title, at) => el("th", { scope: "col", className: figures[at] }, title)),
    );
    const body = rows.map(([first, ...cells]) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, first),
        cells.map((cell, at) => el("td", { className: figures[at + 1] }, cell)),
      ),
    );
    return el(
      "div",
      {
        className: wide ? "scroll plan-table wide" : "scroll plan-table",
        tabindex: "0",
        role: "region",
        "aria-label": label,
      },
      el("table", {}, el("caption", {}, label), el("thead", {}, head), el("tbody", {}, body)),
    );
  }

  #money() {
    const { facts } = this;
    const budget = (facts.budget || []).map((one) => [one.quarter, usd(one.capex_usd), usd(one.opex_usd)]);
    const sites = (facts.sites || []).map((one) => [
      one.name,
      one.region || "–",
      plain(one.racks_free),
      plain(one.power_free_kw),
      plain(one.leaf_ports_free),
      plain(one.spine_ports_free),
    ]);
    const items = (facts.items || []).map((one) => [
      one.title,
      usd(one.price_usd),
      ONE[one.unit] || one.unit || t`piece`,
      `${one.weeks}`,
      one.power_kw ? plain(one.power_kw, 2) : "–",
      one.gpus || "–",
      (one.sites || []).join(", ") || t`any`,
    ]);
    const prices = (one) =>
      (one.regions?.length ? one.regions : [""]).map((region) => [region, one.prices?.[region] ?? one.usd_gpu_hour]);
    const cloud = (facts.cloud || []).flatMap((one) =>
      prices(one).map(([region, price]) => [
        one.title || this.names.kind(one.kind),
        region || "–",
        price?.toFixed(2) ?? "–",
      ]),
    );
    const classes = (facts.classes || []).map((one) => [
      one.title || one.job_class,
      one.wait_target_h === null || one.wait_target_h === undefined ? "–" : plain(one.wait_target_h, 2),
    ]);
    const events = (facts.events || []).map((one) => [monthText(one.month), one.what]);
    const tables = [
      this.#table(t`Budget by quarter, ${MONEY}`, [t`Quarter`, t`Orders (capital)`, t`Running cost`], budget),
      this.#table(t`Promised waits`, [t`Class of work`, t`p95 of the wait, h`], classes),
      this.#table(
        t`What the sites leave free`,
        [t`Site`, t`Region`, t`Racks`, t`Power, kW`, t`Leaf ports`, t`Spine ports`],
        sites,
      ),
      this.#table(t`What can be ordered`, [t`Item`, MONEY, t`per`, t`Weeks`, "kW", "GPUs", t`Sites`], items, true),
    ];
    if (events.length) tables.unshift(this.#table(t`Announced in the year`, [t`Month`, t`What`], events));
    if (cloud.length)
      tables.push(this.#table(t`What can be rented`, [t`Kind`, t`Region`, t`${MONEY} a GPU-hour`], cloud));
    this.parts.get("money").append(
      el(
        "p",
        { className: "muted small" },
        t`The year is ${monthText(this.names.months[0])} to ${monthText(this.names.months.at(-1))}. Lead
            times are from the order to the first month of use.`,
      ),
      el("div", { className: "plan-tables" }, tables),
    );
  }
}

export function setUp(host, room) {
  return new Overview(host, room);
}
