// One chart of a replay: the series of one group, of a second replay dashed, with keys and a table.

import { el } from "./dom.js";
import { figure } from "./measures.js";
import { moment, tick, tickSteps, valueAt } from "./replay_data.js";
import { seriesColour, token } from "./replay_paint.js";
import uPlot from "./vendor/uplot.js";
import { t } from "./words.js";

const DASHES = [[], [6, 3], [2, 3], [9, 3, 2, 3]];
const B_DASH = [4, 4];
const HEIGHT = 140;
const WHOLE = [1, 2, 5]
  .flatMap((base) => [1, 10, 100, 1000, 10000, 100000].map((power) => base * power))
  .sort((a, b) => a - b);
const MOST_ROWS = 400;
const PLAIN_UNITS = ["jobs", "nodes", "GPUs", ""];

/** The groups of one replay, or of two: series that share a key stand together. */
export function chartGroups(a, b) {
  const keys = [...new Set([...a.groups, ...(b?.groups || [])].map((group) => group.key))];
  return keys.map((key) => {
    const [first, second] = [a, b].map((data) => data?.groups.find((group) => group.key === key));
    const names = [...new Set([...(first?.series || []), ...(second?.series || [])].map((one) => one.key))];
    const pairs = names.map((name) => [first, second].map((group) => group?.series.find((one) => one.key === name)));
    return { ...(first || second), pairs };
  });
}

/** From zero, or below it, to a little above the highest value. */
function reach(low, high) {
  const [bottom, top] = [Math.min(0, low ?? 0), Math.max(0, high ?? 0)];
  return [bottom, top > bottom ? top + (top - bottom) * 0.08 : bottom + 1];
}

export class Chart {
  constructor(group, stage) {
    this.group = group;
    this.stage = stage;
    this.shown = group.pairs.map(() => true);
    this.values = group.pairs.map(() => el("span", { className: "value" }));
    this.host = el("div", { className: "plot" });
    this.table = el("div", { className: "scroll chart-table", tabindex: "0", role: "region", hidden: true });
    this.node = el("figure", { className: "chart" }, this.#head(), this.host, this.table);
    this.host.setAttribute("role", "img");
    this.host.setAttribute("aria-label", t`${group.title}, chart. ${this.#summary()} The table has the figures.`);
    this.table.setAttribute("aria-label", t`${group.title}, table`);
  }

  #one(pair) {
    return pair[0] || pair[1];
  }

  #summary() {
    const parts = this.group.pairs.map((pair) => {
      const said = pair.map((series, at) => {
        if (!series) return null;
        const top = series.values.reduce((a, b) => Math.max(a, b ?? -Infinity), -Infinity);
        const most = t`at most ${figure(top === -Infinity ? null : top, series.unit)}`;
        return this.stage.b ? `${"AB"[at]} ${most}` : most;
      });
      return `${this.#one(pair).label} ${said.filter(Boolean).join(", ")}`;
    });
    return `${parts.join("; ")}.`;
  }

  #head() {
    this.keys = this.group.pairs.map((pair, at) =>
      el(
        "button",
        {
          type: "button",
          className: "key",
          "aria-pressed": "true",
          title: t`Show only this; again shows all`,
          onclick: () => this.#isolate(at),
        },
        el("span", { className: `swatch series-${(at % 8) + 1} dash-${this.stage.b ? 0 : at % 4}` }),
        this.group.mixed ? `${this.#one(pair).label} (${this.#one(pair).unit || t`no unit`})` : this.#one(pair).label,
        this.values[at],
      ),
    );
    this.toggle = el(
      "button",
      { type: "button", className: "quiet", "aria-pressed": "false", onclick: () => this.#showTable() },
      t`Table`,
      el("span", { className: "unseen" }, t` of ${this.group.title}`),
    );
    const unit = PLAIN_UNITS.includes(this.group.unit) ? "" : ` (${this.group.unit})`;
    return el(
      "figcaption",
      {},
      el("h4", {}, this.group.title + unit),
      el("div", { className: "keys" }, this.keys),
      this.toggle,
    );
  }

  #isolate(at) {
    const alone = this.shown[at] && this.shown.filter(Boolean).length === 1;
    this.shown = this.shown.map((_, other) => alone || other === at);
    this.keys.forEach((key, other) => key.setAttribute("aria-pressed", String(this.shown[other])));
    this.draw();
  }

  #showTable() {
    const open = this.table.hidden;
    if (open && !this.table.firstChild) this.table.append(this.#rows());
    this.table.hidden = !open;
    this.host.hidden = open;
    this.toggle.setAttribute("aria-pressed", String(open));
    if (!open) this.draw();
  }

  #columns() {
    const sides = [
      [this.stage.a, 0],
      [this.stage.b, 1],
    ];
    return this.group.pairs.flatMap((pair) =>
      sides
        .filter(([, at]) => pair[at])
        .map(([data, at]) => ({
          data,
          series: pair[at],
          title: this.stage.b ? `${pair[at].label}, ${"AB"[at]}` : pair[at].label,
        })),
    );
  }

  #rows() {
    const times = this.stage.b
      ? [...new Set([...this.stage.a.t, ...this.stage.b.t])].sort((a, b) => a - b)
      : this.stage.a.t;
    const step = Math.max(1, Math.ceil(times.length / MOST_ROWS));
    const columns = this.#columns();
    const rows = times
      .filter((_, at) => at % step === 0)
      .map((at) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, this.stage.moment(at)),
          columns.map(({ data, series }) => el("td", { className: "figure" }, figure(valueAt(data, series, at)))),
        ),
      );
    return el(
      "table",
      {},
      el(
        "caption",
        {},
        step > 1 ? t`${rows.length} of ${times.length} moments, evenly spread` : t`${times.length} moments`,
      ),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, t`Time`),
          columns.map(({ title }) => el("th", { scope: "col", className: "figure" }, title)),
        ),
      ),
      el("tbody", {}, rows),
    );
  }

  /** Draw anew: another width, other colours, other series. */
  draw() {
    this.plot?.destroy();
    this.plot = null;
    if (this.host.hidden) return;
    this.plot = new uPlot(this.#options(), this.#data(), this.host);
    this.stage.listen(this.plot.over);
  }

  /** Take up the stage's window of time. */
  zoom() {
    this.plot?.setScale("x", { min: this.stage.view.from, max: this.stage.view.to });
  }

  #data() {
    const side = (data, at) => [data.t, ...this.group.pairs.map((pair) => pair[at]?.values || data.t.map(() => null))];
    if (!this.stage.b) return side(this.stage.a, 0);
    return uPlot.join([side(this.stage.a, 0), side(this.stage.b, 1)]);
  }

  #lines(at) {
    const data = at ? this.stage.b : this.stage.a;
    return this.group.pairs.map((pair, index) => ({
      stroke: seriesColour(index),
      width: at ? 1.25 : 1.5,
      dash: this.stage.b ? (at ? B_DASH : []) : DASHES[index % 4],
      show: this.shown[index] && Boolean(pair[at]),
      points: { show: data.t.length === 1, size: 7, fill: seriesColour(index) },
      paths: this.group.stepped ? uPlot.paths.stepped({ align: 1 }) : uPlot.paths.linear(),
    }));
  }

  /** @returns {any} as uPlot takes them */
  #options() {
    const { width, gutter, margin } = this.stage;
    const axis = {
      stroke: token("--text-2"),
      grid: { stroke: token("--grid"), width: 1 },
      ticks: { show: false },
      font: '12px "IBM Plex Sans"',
    };
    const { a, b } = this.stage;
    const data = { axis: a.axis, long: a.long || Boolean(b?.long) };
    return {
      width,
      height: HEIGHT,
      legend: { show: false },
      padding: [6, margin, 0, 0],
      cursor: { show: false },
      scales: {
        x: { time: false, range: () => [this.stage.view.from, this.stage.view.to] },
        y: { range: (_, low, high) => reach(low, high) },
      },
      axes: [
        {
          ...axis,
          size: 24,
          space: 64,
          values: (_, ticks, __, ___, step) => ticks.map((at) => tick(data, at, step)),
          incrs: tickSteps(data),
        },
        {
          ...axis,
          size: gutter,
          space: 22,
          incrs: this.group.stepped ? WHOLE : undefined,
          values: (_, ticks) => ticks.map((at) => figure(at)),
        },
      ],
      series: [{}, ...this.#lines(0), ...(this.stage.b ? this.#lines(1) : [])],
    };
  }

  /** The values at a moment, beside their keys. */
  follow(at) {
    this.group.pairs.forEach((pair, index) => {
      const said = [this.stage.a, this.stage.b].map((data, side) =>
        data && pair[side] ? figure(valueAt(data, pair[side], at)) : "–",
      );
      this.values[index].textContent = this.stage.b ? `${said[0]} | ${said[1]}` : said[0];
    });
  }
}

/** What a moment is called on an axis that two replays share. */
export function sharedMoment(a, b) {
  return (at) => moment({ axis: a.axis, long: a.long || Boolean(b?.long) }, at);
}
