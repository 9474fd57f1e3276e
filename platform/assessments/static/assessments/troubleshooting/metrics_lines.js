// What stands in a chart's lines: values at an instant, summaries, and the columns that uPlot draws.

import { t } from "../../headnode/words.js";
import { amount, between } from "./metrics_units.js";

/** The stretch of the data that an instant lies in; -1 outside. */
export function placeOf(data, ms) {
  const at = Math.floor((ms - data.start) / data.step);
  return at >= 0 && at < data.count ? at : -1;
}

/** A line's value at a stretch, as text. */
export function valueText(line, at, unit) {
  if (at < 0) return "–";
  return between(line.low[at], line.high ? line.high[at] : line.low[at], unit);
}

/** Lowest, highest and last value of a line within a range; null where it has none. */
function extent(data, line, from, to) {
  const found = { low: Infinity, high: -Infinity, last: NaN };
  const first = Math.max(0, Math.floor((from - data.start) / data.step));
  const end = Math.min(data.count, Math.ceil((to - data.start) / data.step) + 1);
  for (let at = first; at < end; at += 1) {
    const high = line.high ? line.high[at] : line.low[at];
    if (Number.isNaN(high)) continue;
    if (line.low[at] < found.low) found.low = line.low[at];
    if (high > found.high) found.high = high;
    found.last = high;
  }
  return found.low === Infinity ? null : found;
}

const ORDERS = {
  recorded: null,
  highest: (found) => -found.high,
  lowest: (found) => found.low,
  last: (found) => -found.last,
};
/** How a legend may be ordered, and what it is called. */
export const ORDER_NAMES = {
  recorded: t`As recorded`,
  highest: t`Highest first`,
  lowest: t`Lowest first`,
  last: t`Last value`,
};

/** Places of the lines in an order of theirs within a range; lines without a value come last. */
export function ordered(data, order, from, to) {
  const places = data.lines.map((_, at) => at);
  const measure = ORDERS[order];
  if (!measure) return places;
  const worth = data.lines.map((line) => {
    const found = extent(data, line, from, to);
    return found ? measure(found) : Infinity;
  });
  return places.sort((a, b) => (worth[a] === worth[b] ? a - b : worth[a] - worth[b]));
}

const SAID = 8;

/** A chart in sentences, for those who do not see it. */
export function summary(data, unit, from, to) {
  if (!data.lines.length) return t`No data in this time.`;
  const said = data.lines.slice(0, SAID).map((line) => {
    const found = extent(data, line, from, to);
    return found
      ? t`${line.name}: ${amount(found.low, unit)} to ${amount(found.high, unit)}, last ${amount(found.last, unit)}`
      : t`${line.name}: no data`;
  });
  const more = data.lines.length - SAID;
  return `${said.join("; ")}${more > 0 ? t`; and ${more} more lines in the table` : ""}.`;
}

/** Copy a line's values, each stretch as its lowest and its highest where any line has both. */
function spread(low, high, count, twice, find) {
  const found = new Array(twice ? count * 2 : count);
  for (let at = 0; at < count; at += 1) {
    const from = find ? find(at) : at;
    const [a, b] = from < 0 || from >= low.length ? [NaN, NaN] : [low[from], high ? high[from] : low[from]];
    if (!twice) found[at] = Number.isNaN(a) ? null : a;
    else {
      found[at * 2] = Number.isNaN(a) ? null : a;
      found[at * 2 + 1] = Number.isNaN(b) ? null : b;
    }
  }
  return found;
}

/**
 * uPlot's columns: times in ms, then a column for each line; then, for the run before, two for each part
 * (highest and lowest). Returns {columns, twice}.
 */
export function columnsOf(data) {
  const twice = data.lines.some((line) => line.high) || Boolean(data.before?.lines.some((line) => line.high));
  const times = new Array(twice ? data.count * 2 : data.count);
  for (let at = 0; at < data.count; at += 1) {
    if (twice) {
      times[at * 2] = data.start + at * data.step;
      times[at * 2 + 1] = data.start + (at + 0.5) * data.step;
    } else times[at] = data.start + at * data.step;
  }
  const columns = [times, ...data.lines.map((line) => spread(line.low, line.high, data.count, twice))];
  for (const line of data.before?.lines || []) {
    const find = (at) => Math.round((data.start + at * data.step - data.before.start) / data.before.step);
    columns.push(
      spread(line.high || line.low, null, data.count, twice, find),
      spread(line.low, null, data.count, twice, find),
    );
  }
  return { columns, twice };
}
