// Instants on the clock of the site, whose offset from UTC is the same on every day that was recorded.

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (number) => String(number).padStart(2, "0");

function parts(ms, offsetMin) {
  const at = new Date(ms + offsetMin * 60_000);
  return {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth(),
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
  };
}

/** "12 Oct 15:02:00"; with year, "12 Oct 2026 15:02:00"; without seconds, "12 Oct 15:02". */
export function timeText(ms, offsetMin, { seconds = true, year = false } = {}) {
  const { day, month, hour, minute, second, year: of } = parts(ms, offsetMin);
  return (
    `${day} ${MONTHS[month]} ` + `${year ? `${of} ` : ""}${two(hour)}:${two(minute)}${seconds ? `:${two(second)}` : ""}`
  );
}

/** "2026-10-12 15:02:00", the form that can be typed. */
export function plainTime(ms, offsetMin) {
  const { year, month, day, hour, minute, second } = parts(ms, offsetMin);
  return `${year}-${two(month + 1)}-${two(day)} ${two(hour)}:${two(minute)}:${two(second)}`;
}

/** "10-12 15:02:00", for narrow columns. */
export function shortTime(ms, offsetMin, ofYear) {
  const text = plainTime(ms, offsetMin);
  return text.startsWith(`${ofYear}-`) ? text.slice(5) : text.slice(0, 16);
}

/** ms since 1970 of a typed time, seconds and year optional; null for anything else. */
export function readTime(text, offsetMin, ofYear) {
  const found = text.trim().match(/^(?:(\d{4})-)?(\d{1,2})-(\d{1,2})[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?$/);
  if (!found) return null;
  const [year, month, day, hour, minute, second] = found
    .slice(1)
    .map((part) => (part === undefined ? 0 : Number(part)));
  const ms = Date.UTC(year || ofYear, month - 1, day, hour, minute, second) - offsetMin * 60_000;
  return Number.isNaN(ms) ? null : ms;
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const BESIDE = /^(now|run end|run)?((?:\s*[+-](?:\s*\d+(?:\.\d+)?\s*[smhd])+)*)$/;

/**
 * ms since 1970 of an instant as people write it: a time as readTime takes it, "run", "run end" or "now" (the end of
 * the recording), or so long before or after one of these, such as "now-6h", "run+90m", "-2h30m" (before now); null
 * for anything else.
 *
 * anchors: {now, run, "run end"} in ms.
 */
export function readMoment(text, { offsetMin, year, anchors }) {
  const typed = text.trim().toLowerCase().replaceAll("−", "-");
  const found = typed && BESIDE.exec(typed);
  if (!found) return readTime(text, offsetMin, year);
  const [, anchor = "now", steps] = found;
  let ms = anchors[anchor];
  let sign = "+";
  for (const [, said, amount, unit] of steps.matchAll(/([+-]?)\s*(\d+(?:\.\d+)?)\s*([smhd])/g)) {
    sign = said || sign;
    ms += (sign === "-" ? -1 : 1) * Number(amount) * UNIT_MS[unit];
  }
  return ms;
}

/** The site's offset as people write it: "+03:00". */
export function offsetText(offsetMin) {
  const size = Math.abs(offsetMin);
  return `${offsetMin < 0 ? "−" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
