// An answer of the query box: as lines of a chart, and as a table.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { amount } from "./metrics_units.js";

const SPECIAL = { NaN: NaN, "+Inf": Infinity, "-Inf": -Infinity };
const ROWS = 200;

/** A series as PromQL writes it. */
function seriesText(labels) {
  const { __name__: name = "", ...others } = labels;
  const inside = Object.entries(others)
    .map(([label, value]) => `${label}="${value}"`)
    .join(", ");
  return inside || !name ? `${name}{${inside}}` : name;
}

/** Labels that differ between series; what all share tells nothing apart. */
function telling(series) {
  const names = new Set(series.flatMap(({ labels }) => Object.keys(labels)));
  return [...names].filter((name) => new Set(series.map(({ labels }) => labels[name])).size > 1);
}

const LONG = new Set(["UUID", "pci_bus_id", "modelName", "DCGM_FI_DRIVER_VERSION", "guid"]);

function shortName(labels, names) {
  const kept = names.filter((name) => !LONG.has(name) || names.every((one) => LONG.has(one)));
  const told = kept
    .filter((name) => labels[name] !== undefined)
    .map((name) => (name === "__name__" ? labels[name] : `${name} ${labels[name]}`));
  return told.join(", ") || seriesText(labels);
}

function number(value) {
  if (value === null) return NaN;
  return typeof value === "string" ? SPECIAL[value] : value;
}

/** A range answer as a chart draws it. */
export function chartData({ series, start, step, count }) {
  const names = series.length > 1 ? telling(series) : [];
  const lines = series.map(({ labels, values }) => {
    const low = Float64Array.from(values, (value) => {
      const found = number(value);
      return Number.isFinite(found) ? found : NaN;
    });
    return {
      name: series.length > 1 ? shortName(labels, names) : seriesText(labels),
      labels,
      part: 0,
      low,
      high: null,
      size: count,
    };
  });
  return { start, step, count, lines, before: null };
}

function told(value) {
  const found = number(value);
  if (typeof value === "string" && !(value in SPECIAL)) return value;
  return Number.isFinite(found) ? String(Number(found.toPrecision(10))) : String(value);
}

/** Lowest, mean, highest and last of each series of a range. */
function rangeRows({ series }) {
  return series.map(({ labels, values }) => {
    const found = values.map(number).filter((value) => Number.isFinite(value));
    const sum = found.reduce((a, b) => a + b, 0);
    const figures = found.length
      ? [Math.min(...found), sum / found.length, Math.max(...found), found.at(-1)]
      : [NaN, NaN, NaN, NaN];
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, seriesText(labels)),
      figures.map((value) => el("td", { className: "figure" }, amount(value))),
    );
  });
}

function instantRows({ rows }, timeText) {
  return rows.map(({ labels, value, samples }) => {
    const text = samples ? samples.map(([at, one]) => t`${told(one)} at ${timeText(at)}`).join("\n") : told(value);
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, seriesText(labels)),
      el(
        "td",
        { className: "figure" },
        text.split("\n").map((line) => el("div", {}, line)),
      ),
    );
  });
}

/** The answer as a table of its series. */
export function answerTable(answer, timeText) {
  const isRange = answer.kind === "range";
  const rows = (isRange ? rangeRows(answer) : instantRows(answer, timeText)).slice(0, ROWS);
  const heads = [t`Series`, ...(isRange ? [t`Lowest`, t`Mean`, t`Highest`, t`Last`] : [t`Value`])];
  const all = isRange ? answer.series.length : answer.rows.length;
  const caption = all > ROWS ? t`${ROWS} of ${all} series` : t`${all} series`;
  const table = el(
    "table",
    {},
    el("caption", { className: "unseen" }, caption),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        heads.map((text, at) => el("th", { scope: "col", className: at ? "figure" : "" }, text)),
      ),
    ),
    el("tbody", {}, rows),
  );
  return el(
    "div",
    { className: "mquery-answer", tabindex: "0", role: "region", "aria-label": t`Answer as a table` },
    table,
  );
}
