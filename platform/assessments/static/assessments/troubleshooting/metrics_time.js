// The time axis of charts and heat map, on the clock of the site.

import { t } from "../../headnode/words.js";
import { timeText } from "../workplace/site_time.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [5, 10, 15, 30]
  .map((n) => n * SECOND)
  .concat(
    [1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
    [1, 2, 3, 4, 6, 12].map((n) => n * HOUR),
    [DAY, 2 * DAY],
  );

/** Round instants of the site's clock within a range, at most so many. */
export function ticks(from, to, most, offsetMin) {
  const step = STEPS.find((one) => (to - from) / one <= most) || 2 * DAY;
  const shift = offsetMin * MINUTE;
  const found = [];
  for (let at = Math.ceil((from + shift) / step) * step - shift; at <= to; at += step) found.push(at);
  return { at: found, step };
}

/** What a tick is called: the day at midnight, else the time of day. */
export function tickText(ms, step, offsetMin) {
  const text = timeText(ms, offsetMin, { seconds: step < MINUTE });
  const [day, month, time] = text.split(" ");
  return time.startsWith("00:00") && step >= MINUTE ? `${day} ${month}` : time;
}

/** How long a range is: "48 h", "15 min". */
export function lengthText(ms) {
  if (ms >= 2 * HOUR) return `${Number((ms / HOUR).toFixed(1))} h`;
  if (ms >= 2 * MINUTE) return t`${Number((ms / MINUTE).toFixed(1))} min`;
  return `${Math.round(ms / SECOND)} s`;
}
