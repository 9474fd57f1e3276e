// The figures of a chart as a table: its moments downwards, its lines across.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { valueText } from "./metrics_lines.js";

const MOST_ROWS = 200;

/** The part of the data within the stage's range, thinned to what can be read. */
export function chartTable(title, data, unit, stage) {
  const { from, to } = stage.range;
  const places = [];
  for (let at = 0; at < data.count; at += 1) {
    const ms = data.start + at * data.step;
    if (ms + data.step >= from && ms <= to) places.push(at);
  }
  const each = Math.max(1, Math.ceil(places.length / MOST_ROWS));
  const kept = places.filter((_, index) => index % each === 0);
  const head = el(
    "tr",
    {},
    el("th", { scope: "col" }, t`Time`),
    data.lines.map((line) => el("th", { scope: "col", className: "figure" }, line.name)),
  );
  const rows = kept.map((at) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, stage.timeText(data.start + at * data.step)),
      data.lines.map((line) => el("td", { className: "figure" }, valueText(line, at, unit))),
    ),
  );
  const caption =
    each > 1
      ? t`${kept.length} of ${places.length} moments, evenly spread; zoom in for the others`
      : t`${kept.length} moments`;
  const table = el("table", {}, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, rows));
  return el(
    "div",
    { className: "scroll mchart-table", tabindex: "0", role: "region", "aria-label": t`${title}, table` },
    table,
  );
}
