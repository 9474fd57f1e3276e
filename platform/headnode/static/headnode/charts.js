// The timeline of a run: charts over one time axis, with a cursor and a zoom they share.

import { el } from "./dom.js";
import { figure } from "./measures.js";
import uPlot from "./vendor/uplot.js";

const GROUPS = {
  queue: { title: "Jobs waiting", stepped: true },
  gpus: { title: "GPUs", stepped: true },
  nodes: { title: "Nodes", stepped: true },
  cost: { title: "Cost so far", stepped: false },
};
const DASHES = [[], [6, 3], [2, 3], [9, 3, 2, 3], [], [6, 3], [2, 3], [9, 3, 2, 3]];
const MARKS = { fault: "fault", action: "action", spot: "spot", log: "your log" };
const HEIGHT = 150;
const MOST_ROWS = 2000;

function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Simulated seconds as hours and minutes, with seconds when they say something. */
export function moment(seconds) {
  const whole = Math.round(seconds);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (value) => String(value).padStart(2, "0");
  return s ? `${h}:${two(m)}:${two(s)}` : `${h}:${two(m)}`;
}

class Chart {
  constructor(group, series, timeline, sync) {
    Object.assign(this, { group, series, timeline, sync });
    this.shown = series.map(() => true);
    this.values = series.map(() => el("span", { className: "value" }));
    this.host = el("div", { className: "plot" });
    this.table = el("div", { className: "scroll chart-table", tabindex: "0", role: "region", hidden: true });
    this.node = el("figure", { className: "chart" }, this.#head(), this.host, this.table);
    this.host.setAttribute("role", "img");
    this.host.setAttribute("aria-label", `${this.title}, chart. ${this.#summary()} The table view has every figure.`);
    this.table.setAttribute("aria-label", `${this.title}, table`);
  }

  get title() {
    return GROUPS[this.group]?.title || this.group;
  }

  get unit() {
    return this.series[0].unit || "";
  }

  #summary() {
    const parts = this.series.map((series) => {
      const known = series.values.filter((value) => value !== null);
      return `${series.label} at most ${figure(known.reduce((a, b) => Math.max(a, b), 0), series.unit)}`;
    });
    return `${parts.join(", ")}.`;
  }

  #head() {
    this.keys = this.series.map((series, at) =>
      el(
        "button",
        { type: "button", className: "key", "aria-pressed": "true", title: "Show only this; again shows all", onclick: () => this.#isolate(at) },
        el("span", { className: `swatch series-${(at % 8) + 1} dash-${at % 4}` }),
        series.label,
        this.values[at],
      ),
    );
    this.toggle = el("button", { type: "button", className: "quiet", "aria-pressed": "false", onclick: () => this.#showTable() }, "Table");
    const unit = this.unit && !["jobs", "nodes", "GPUs"].includes(this.unit) ? ` (${this.unit})` : "";
    return el("figcaption", {}, el("h3", {}, this.title + unit), el("div", { className: "keys" }, this.keys), this.toggle);
  }

  #isolate(at) {
    const alone = this.shown[at] && this.shown.filter(Boolean).length === 1;
    this.shown = this.shown.map((_, other) => alone || other === at);
    this.keys.forEach((key, other) => key.setAttribute("aria-pressed", String(this.shown[other])));
    this.shown.forEach((show, other) => this.plot?.setSeries(other + 1, { show }));
  }

  #showTable() {
    const open = this.table.hidden;
    if (open && !this.table.firstChild) this.table.append(this.#rows());
    this.table.hidden = !open;
    this.host.hidden = open;
    this.toggle.setAttribute("aria-pressed", String(open));
  }

  #rows() {
    const t = this.timeline.t;
    const step = Math.ceil(t.length / MOST_ROWS);
    const rows = t
      .map((time, at) => [time, at])
      .filter(([, at]) => at % step === 0)
      .map(([time, at]) => el("tr", {}, el("th", { scope: "row" }, moment(time)), this.series.map((series) => el("td", { className: "figure" }, figure(series.values[at])))));
    return el(
      "table",
      {},
      el("caption", {}, step > 1 ? `Every ${step}th of ${t.length} moments` : `${t.length} moments`),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Time"), this.series.map((series) => el("th", { scope: "col", className: "figure" }, series.label)))),
      el("tbody", {}, rows),
    );
  }

  draw(width) {
    const range = this.plot ? { min: this.plot.scales.x.min, max: this.plot.scales.x.max } : null;
    this.plot?.destroy();
    this.plot = new uPlot(this.#options(width), [this.timeline.t, ...this.series.map((series) => series.values)], this.host);
    if (range && range.min !== null) this.plot.setScale("x", range);
  }

  resize(width) {
    if (this.plot && this.plot.width !== width) this.plot.setSize({ width, height: HEIGHT });
  }

  #options(width) {
    const line = (series, at) => ({
      label: series.label,
      stroke: token(`--series-${(at % 8) + 1}`),
      width: 1.5,
      dash: DASHES[at % 8],
      show: this.shown[at],
      points: { show: false },
      paths: GROUPS[this.group]?.stepped ? uPlot.paths.stepped({ align: 1 }) : uPlot.paths.linear(),
    });
    const axis = { stroke: token("--text-2"), grid: { stroke: token("--grid"), width: 1 }, ticks: { show: false }, font: '12px "IBM Plex Sans"' };
    return {
      width,
      height: HEIGHT,
      legend: { show: false },
      padding: [6, 18, 0, 0],
      cursor: { y: false, sync: { key: this.sync.key, setSeries: false }, drag: { x: true, y: false }, points: { size: 6 } },
      scales: { x: { time: false }, y: { range: (_, low, high) => [Math.min(0, low ?? 0), (high || 1) * 1.08] } },
      axes: [
        { ...axis, size: 28, space: 70, values: (_, ticks) => ticks.map(moment), incrs: [60, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400] },
        { ...axis, size: 52, space: 22, values: (_, ticks) => ticks.map((tick) => figure(tick)) },
      ],
      series: [{}, ...this.series.map(line)],
      hooks: { drawClear: [(plot) => this.#marks(plot)], setCursor: [(plot) => this.#follow(plot)] },
    };
  }

  #follow(plot) {
    const at = plot.cursor.idx;
    this.series.forEach((series, index) => {
      const value = at === null || at === undefined ? null : series.values[at];
      this.values[index].textContent = value === null ? "" : figure(value);
    });
    this.sync.moved(at);
  }

  #marks(plot) {
    const { ctx, bbox } = plot;
    const [bad, other] = [token("--bad"), token("--line-strong")];
    ctx.save();
    ctx.lineWidth = devicePixelRatio;
    for (const mark of this.timeline.marks || []) {
      const x = plot.valToPos(mark.t, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.strokeStyle = mark.kind === "fault" ? bad : other;
      const happened = mark.kind === "fault" || mark.kind === "spot";
      for (const [alpha, length] of [[happened ? 0.35 : 0, bbox.height], [1, 6 * devicePixelRatio]]) {
        ctx.globalAlpha = alpha;
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + length);
        ctx.stroke();
      }
    }
    ctx.restore();
  }
}

/** What happened near the cursor, and the same as a list. */
function marksList(timeline) {
  const marks = timeline.marks || [];
  if (!marks.length) return null;
  const rows = marks.slice(0, MOST_ROWS).map((mark) =>
    el("tr", {}, el("th", { scope: "row" }, moment(mark.t)), el("td", {}, MARKS[mark.kind] || mark.kind), el("td", {}, mark.text)),
  );
  return el(
    "details",
    { className: "events" },
    el("summary", {}, `Events (${marks.length})`),
    el("div", { className: "scroll chart-table", tabindex: "0", role: "region", "aria-label": "Events" },
      el("table", {}, el("thead", {}, el("tr", {}, ["Time", "Kind", "What happened"].map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, rows))),
  );
}

function nearest(timeline, at) {
  const time = timeline.t[at];
  const span = (timeline.t.at(-1) - timeline.t[0]) / 60;
  const near = (timeline.marks || []).filter((mark) => Math.abs(mark.t - time) <= span);
  return near.slice(0, 2).map((mark) => mark.text).join(" · ");
}

/** All charts of one run, in `host`; returns {redraw, resize}. */
export function drawTimeline(host, timeline) {
  const where = el("span", { className: "mono where" });
  const sync = {
    key: uPlot.sync(`timeline-${Math.random()}`).key,
    moved: (at) => {
      where.textContent = at === null || at === undefined ? "" : `${moment(timeline.t[at])} ${nearest(timeline, at)}`;
    },
  };
  const order = [...new Set([...Object.keys(GROUPS), ...timeline.series.map((series) => series.group)])];
  const charts = order
    .map((group) => [group, timeline.series.filter((series) => series.group === group)])
    .filter(([, series]) => series.length)
    .map(([group, series]) => new Chart(group, series, timeline, sync));
  host.replaceChildren(
    el("p", { className: "muted small chart-help" }, "Drag to zoom, double click for all of it. Lines through the chart: faults (red) and spot events. Ticks at the top: what your controller did. ", where),
    ...charts.map((chart) => chart.node),
  );
  const events = marksList(timeline);
  if (events) host.append(events);
  const width = () => Math.max(240, host.clientWidth - 24);
  const redraw = () => charts.forEach((chart) => chart.draw(width()));
  redraw();
  return { redraw, resize: () => charts.forEach((chart) => chart.resize(width())) };
}
