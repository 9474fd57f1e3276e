// The two axes of the plan's charts: twelve months, and the ninety days of the history.

import { LOCALE } from "../../headnode/words.js";
import { monthShort, monthText } from "./words.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const STEPS = [HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY];
const DATE = new Intl.DateTimeFormat(LOCALE, { timeZone: "UTC", day: "numeric", month: "short" });
const WHOLE = new Intl.DateTimeFormat(LOCALE, {
  timeZone: "UTC",
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** Months by their place, 0 to 11. */
export function monthAxis(months) {
  return {
    text: (x) => monthText(months[Math.round(x)]),
    ticks: (_, __, most) => {
      const each = Math.max(1, Math.ceil(months.length / most));
      return months.flatMap((_, at) => (at % each === 0 ? [at] : []));
    },
    tick: (x) => monthShort(months[Math.round(x)]),
    tickPx: 40,
  };
}

/** The range that shows all months, with room for the first and the last point. */
export function monthStage(months) {
  return { range: { from: -0.4, to: months.length - 0.6 } };
}

/** Instants in ms, written on the site's clock; the files carry that clock and no zone. */
export const timeAxis = {
  text: (x) => WHOLE.format(x).replace(",", ""),
  ticks: (from, to, most) => {
    const step = STEPS.find((one) => (to - from) / one <= most) || 28 * DAY;
    const found = [];
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push(at);
    return found;
  },
  tick: (x) => (x % DAY ? `${String(new Date(x).getUTCHours()).padStart(2, "0")}:00` : DATE.format(x)),
};

/** ms of an instant as the files write it: 2026-01-05T13:00:00, 2026-01-05 13:00 or 2026-01-05. */
export function instant(text) {
  const plain = text.trim().replace(" ", "T");
  return Date.parse(plain.length <= 10 ? `${plain}T00:00:00Z` : `${plain}Z`);
}

/** Rows and columns of a CSV without quotes within cells: {head, column(name) -> texts}. */
export function readCsv(text) {
  const [first, ...lines] = text.trim().split(/\r?\n/);
  const head = first.split(",");
  const rows = lines.map((line) => line.split(","));
  return { head, rows, column: (name) => rows.map((row) => row[head.indexOf(name)] ?? "") };
}

/** A column as numbers; an empty cell is a gap. */
export function numbersOf(texts) {
  return texts.map((text) => (text === "" ? null : Number(text)));
}

const FOLDS = {
  mean: (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
  highest: (values) => Math.max(...values),
};

/** Hours folded into days, by mean or highest; what is no hourly table stays as it is. {xs, columns} */
export function daily(xs, columns, how) {
  if (how === "hours" || xs.length < 2 || xs[1] - xs[0] >= DAY) return { xs, columns };
  const days = new Map();
  xs.forEach((x, at) => {
    const day = Math.floor(x / DAY) * DAY;
    if (!days.has(day)) days.set(day, []);
    days.get(day).push(at);
  });
  const fold = (column, places) => {
    const there = places.map((at) => column[at]).filter((value) => value !== null && !Number.isNaN(value));
    return there.length ? FOLDS[how](there) : null;
  };
  return {
    xs: [...days.keys()],
    columns: columns.map((column) => [...days.values()].map((places) => fold(column, places))),
  };
}
