// Two replays in figures: how each series ended and what it was on average, and by how much they differ.

import { chartGroups } from "./charts.js";
import { el } from "./dom.js";
import { figure } from "./measures.js";
import { lastValue, meanValue, prepare } from "./replay_data.js";
import { t } from "./words.js";

function difference(a, b) {
  if (typeof a !== "number" || typeof b !== "number") return "–";
  // what is left of two equal figures after rounding is no difference
  const gap = Math.abs(b - a) < 1e-9 * Math.max(1, Math.abs(a), Math.abs(b)) ? 0 : b - a;
  const text = figure(Math.abs(gap));
  return gap === 0 ? "0" : `${gap > 0 ? "+" : "−"}${text}`;
}

function cells(a, b) {
  return [figure(a), figure(b), difference(a, b)].map((text) => el("td", { className: "figure" }, text));
}

/** The table for two replays as the server sends them. */
export function differences(rawA, rawB) {
  const [a, b] = [prepare(rawA), prepare(rawB)];
  const rows = chartGroups(a, b).flatMap((group) =>
    group.pairs.map(([first, second]) => {
      const one = first || second;
      const of = (look) => [first ? look(a, first) : null, second ? look(b, second) : null];
      const ends = of((_, series) => lastValue(series));
      const means = of(meanValue);
      return el(
        "tr",
        {},
        el("th", { scope: "row" }, one.label, one.unit ? el("span", { className: "muted" }, ` (${one.unit})`) : null),
        cells(...ends),
        cells(...means),
      );
    }),
  );
  const heads = ["A", "B", "B − A", "A", "B", "B − A"].map((head) =>
    el("th", { scope: "col", className: "figure" }, head),
  );
  return el(
    "section",
    { className: "differences" },
    el("h4", {}, t`In figures`),
    el(
      "div",
      { className: "scroll", tabindex: "0", role: "region", "aria-label": t`Differences` },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col", rowspan: "2" }, t`Series`),
            el("th", { scope: "colgroup", colspan: "3" }, t`At the end`),
            el("th", { scope: "colgroup", colspan: "3" }, t`Mean over the time`),
          ),
          el("tr", {}, heads),
        ),
        el("tbody", {}, rows),
      ),
    ),
  );
}
