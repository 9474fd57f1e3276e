// The measures of a run as a table: each value between its naive and its reference anchor.

import { el, svg } from "./dom.js";
import { t } from "./words.js";

/** A figure as people read it: at most four significant digits, thousands apart. */
export function figure(value, unit) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  const digits = Math.abs(value) >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 4 };
  const text = value.toLocaleString("en-GB", digits);
  if (!unit) return text;
  return unit === "%" ? `${text} %` : `${text} ${unit}`;
}

function percent(score) {
  return score === null || score === undefined
    ? "–"
    : `${Math.round(score * 100).toLocaleString("en-GB")} %`.replace("-", "−");
}

/** Where the score is; an arrow when that is beyond the scale. */
function point(x, beyond) {
  if (!beyond) return svg("circle", { cx: x, cy: 9, r: 5, class: "bar-point" });
  const base = x - beyond * 3;
  return svg("path", { d: `M${base} 3 L${base + beyond * 8} 9 L${base} 15 Z`, class: "bar-point" });
}

/** A bar from naive (0) to reference (1); the room on both sides shows scores outside. */
function bar(score) {
  const [from, to] = [-0.25, 1.25];
  const place = (value) => 5 + ((Math.min(to, Math.max(from, value)) - from) / (to - from)) * 110;
  const parts = [
    svg("rect", { x: place(0), y: 7, width: place(1) - place(0), height: 4, rx: 2, class: "bar-track" }),
    svg("rect", { x: place(0) - 1, y: 3, width: 2, height: 12, class: "bar-anchor" }),
    svg("rect", { x: place(1) - 1, y: 3, width: 2, height: 12, class: "bar-anchor" }),
  ];
  if (typeof score === "number") {
    const [a, b] = [place(0), place(score)].sort((x, y) => x - y);
    parts.push(svg("rect", { x: a, y: 7, width: b - a, height: 4, rx: 2, class: "bar-value" }));
    parts.push(point(place(score), score < from ? -1 : score > to ? 1 : 0));
  }
  return svg(
    "svg",
    { viewBox: "0 0 120 18", width: 120, height: 18, "aria-hidden": "true", class: "bar-scale" },
    ...parts,
  );
}

function row(measure) {
  const want = { higher: t`more is better`, lower: t`less is better` }[measure.better] || "";
  return el(
    "tr",
    {},
    el(
      "th",
      { scope: "row" },
      measure.label || measure.key,
      want ? el("span", { className: "muted small want" }, ` ${want}`) : null,
      measure.explanation ? el("p", { className: "muted small" }, measure.explanation) : null,
    ),
    el("td", { className: "figure strong" }, figure(measure.value, measure.unit)),
    el("td", { className: "figure" }, figure(measure.naive, measure.unit)),
    el("td", { className: "figure" }, figure(measure.reference, measure.unit)),
    el("td", { className: "figure" }, percent(measure.score)),
    el("td", {}, bar(measure.score)),
  );
}

/** The table, or a sentence when there is nothing to show. */
export function measuresTable(report) {
  if (!report)
    return el(
      "p",
      { className: "empty" },
      t`What your program achieved appears here after a run, beside a naive and a reference program.`,
    );
  if (!report.measures?.length) {
    return el("p", { className: "empty" }, t`Nothing could be measured in this run. The Output tab says why.`);
  }
  const heads = [t`Measure`, t`Yours`, t`Naive`, t`Reference`, t`Score`];
  return el(
    "div",
    {},
    el(
      "div",
      { className: "scroll", tabindex: "0", role: "region", "aria-label": t`Measures` },
      el(
        "table",
        { className: "measures" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            heads.map((head, at) => el("th", { scope: "col", className: at ? "figure" : "" }, head)),
            el("th", { scope: "col" }, t`Naive to reference`),
          ),
        ),
        el("tbody", {}, report.measures.map(row)),
      ),
    ),
    el(
      "p",
      { className: "muted small" },
      t`These figures are for this public workload only. Your submission is measured on other workloads of the
        same kind, with faults of its own; the 0 % anchor is a naive program, the 100 % anchor a good one.`,
    ),
  );
}
