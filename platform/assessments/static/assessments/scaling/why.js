// Opens a figure: what the year says of why it is so, and the parts it is made of.

import { openDialog } from "../../headnode/dialogs.js";
import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { monthText, plain } from "./words.js";

function partsTable(parts) {
  if (!parts?.length) return "";
  return el(
    "table",
    { className: "why-parts" },
    el(
      "tbody",
      {},
      parts.map(([name, value, unit]) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, name),
          el("td", { className: "figure" }, typeof value === "number" ? plain(value, 2) : String(value)),
          el("td", { className: "muted" }, unit || ""),
        ),
      ),
    ),
  );
}

/** Reasons of the year for a figure: of one month and class, or of the whole year and, apart, of its months. */
function reasonsFor(year, { figure, month = "", jobClass = "" }) {
  const own = (year.why || []).filter(
    (row) => row.figure === figure && (!jobClass || !row.job_class || row.job_class === jobClass),
  );
  if (month) return { whole: own.filter((row) => row.month === month), months: [] };
  return { whole: own.filter((row) => !row.month), months: own.filter((row) => row.month) };
}

function reason(row) {
  return el("li", {}, el("p", {}, row.text), partsTable(row.parts));
}

/** Months as lines to open, for a year has many. */
function byMonth(rows, names) {
  return [...new Set(rows.map(({ month }) => month))].map((month) => {
    const own = rows.filter((row) => row.month === month);
    return el(
      "details",
      { className: "why-month" },
      el(
        "summary",
        {},
        monthText(month),
        own.length === 1
          ? el("span", { className: "muted small" }, ` ${own[0].job_class ? names.classTitle(own[0].job_class) : ""}`)
          : "",
      ),
      el("ul", { className: "plan-why" }, own.map(reason)),
    );
  });
}

/** Show why. parts: figures that belong to it, for a month and class of which the year gives no sentence. */
export async function openWhy({ title, value, note = "", year, about, names, parts = [] }) {
  const { whole, months } = reasonsFor(year, about);
  const content = [
    // The focus begins at the top: a long answer would else be shown from its end.
    el("p", { className: "why-value", tabIndex: -1, autofocus: true }, el("strong", {}, value)),
    note ? el("p", { className: "muted small" }, note) : "",
    whole.length ? el("ul", { className: "plan-why" }, whole.map(reason)) : "",
    whole.length ? "" : partsTable(parts),
    months.length ? [el("h3", {}, t`Month by month`), ...byMonth(months, names)] : "",
  ];
  if (!whole.length && !months.length && !parts.length)
    content.push(el("p", { className: "muted" }, t`There is nothing further to this figure.`));
  await openDialog({
    title: t`Why: ${title}`,
    content: content.flat().filter(Boolean),
    wide: true,
    buttons: [{ value: null, label: t`Close`, primary: true }],
  });
}
