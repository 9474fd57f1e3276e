// A day's timeline for staff: one chart for each group of series, one time axis, a table for each.

import uPlot from "./vendor/uplot.js";
import { el } from "./dom.js";

const GROUPS = { queue: "Jobs waiting", nodes: "Nodes", gpus: "GPUs", cost: "Spent so far" };
const HEIGHT = 180;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const clock = (seconds) => `${String(Math.floor(seconds / 3600)).padStart(2, "0")}:${String(Math.floor(seconds / 60) % 60).padStart(2, "0")}`;
const instant = (data, at) => (data.axis === "step" ? String(at) : clock(at));

/** data: {t: [s], series: [{key, label, unit, group, values}], marks: [{t, kind, text}]} */
export function drawTimeline(place, data) {
  const sync = uPlot.sync(`day-${Math.random()}`);
  const groups = [...new Set(data.series.map((series) => series.group))];
  for (const group of groups) {
    drawGroup(place, data, group, data.series.filter((series) => series.group === group), sync.key);
  }
  if (data.marks.length) {
    place.append(
      el("details", {}, el("summary", {}, `${data.marks.length} events of the day`),
        el("ul", { className: "mark-list" }, data.marks.map((mark) => el("li", {}, `${instant(data, mark.t)} ${mark.text}`)))),
    );
  }
}

function drawGroup(place, data, group, series, key) {
  const title = GROUPS[group] || group;
  const chart = el("div", { role: "img", "aria-label": `${title}: ${series.map((one) => one.label).join(", ")}. The table has the figures.` });
  const table = el("div", { className: "chart-table", hidden: true, tabIndex: 0, role: "region", "aria-label": `${title}, figures` });
  const button = el("button", { type: "button", className: "quiet", "aria-pressed": "false" }, "Table");
  button.addEventListener("click", () => {
    table.hidden = !table.hidden;
    chart.hidden = !table.hidden;
    button.setAttribute("aria-pressed", String(!table.hidden));
    if (!table.firstChild) table.append(figures(data, series));
  });
  place.append(el("div", { className: "chart-head" }, el("h4", {}, `${title} (${series[0].unit})`), button), chart, table);
  draw(chart, data, series, key);
}

function draw(chart, data, series, key) {
  let plot = null;
  const make = () => {
    plot?.destroy();
    plot = new uPlot(options(chart.clientWidth || 600, data, series, key), [data.t, ...series.map((one) => one.values)], chart);
  };
  make();
  document.addEventListener("themechange", make);
  new ResizeObserver(() => chart.clientWidth && plot.setSize({ width: chart.clientWidth, height: HEIGHT })).observe(chart);
}

function options(width, data, series, key) {
  const axis = { stroke: colour("--text-2"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { stroke: colour("--grid"), width: 1 }, font: "12px 'IBM Plex Sans'" };
  return {
    width,
    height: HEIGHT,
    scales: { x: { time: false } },
    cursor: { sync: { key }, drag: { x: true, y: false } },
    legend: { live: true },
    axes: [
      { ...axis, values: (plot, ticks) => ticks.map((tick) => instant(data, tick)), incrs: data.axis === "step" ? [1, 5, 10, 20, 50, 100, 200] : [300, 600, 900, 1800, 3600, 7200, 10800, 21600] },
      { ...axis, size: 56 },
    ],
    series: [
      { label: "Time", value: (plot, at) => (at === null ? "–" : instant(data, at)) },
      ...series.map((one, at) => ({
        label: one.label,
        stroke: colour(`--series-${(at % 8) + 1}`),
        width: 1.5,
        dash: at % 3 === 1 ? [6, 3] : at % 3 === 2 ? [2, 3] : undefined,
        points: { show: false },
        value: (plot, value) => (value === null ? "–" : String(Math.round(value * 100) / 100)),
      })),
    ],
  };
}

/** About a hundred rows of the same figures, for people who read rather than see. */
function figures(data, series) {
  const step = Math.max(1, Math.ceil(data.t.length / 100));
  const rows = data.t.map((_, at) => at).filter((at) => at % step === 0);
  return el(
    "table",
    {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Time"), series.map((one) => el("th", { scope: "col", className: "figure" }, one.label)))),
    el("tbody", {}, rows.map((at) => el("tr", {}, el("th", { scope: "row" }, instant(data, data.t[at])), series.map((one) => el("td", { className: "figure" }, String(Math.round(one.values[at] * 100) / 100)))))),
  );
}
