// The words of the page in its language: written in English here, looked up in Django's catalogue where it is there;
// numbers, names and instants as its readers write them.

const catalogue = globalThis.django;

/** What numbers' and moments' own formats go by: the page's language. */
export const LOCALE = globalThis.document?.documentElement?.lang === "de" ? "de-DE" : "en-GB";

/**
 * A template marked t, "Saved ${time}", is looked up as "Saved {0}", so that another language can put the values
 * elsewhere. A line break in it is a blank.
 */
export function t(strings, ...values) {
  const key = strings
    .map((part) => part.replace(/\s*\n\s*/g, " "))
    .reduce((text, part, at) => `${text}{${at - 1}}${part}`);
  return filled(catalogue ? catalogue.gettext(key) : key, values);
}

/** "{0} line" or "{0} lines" by the number, written as in the materials; further values are {1} and on. */
export function counted(one, many, count, ...values) {
  const words = catalogue ? catalogue.ngettext(one, many, count) : count === 1 ? one : many;
  return filled(words, [count.toLocaleString("en-GB"), ...values]);
}

/** "a, b and c" in the page's language; with or, "a, b or c". */
export function listed(names, { or = false } = {}) {
  return new Intl.ListFormat(LOCALE, { type: or ? "disjunction" : "conjunction" }).format(names.map(String));
}

function filled(words, values) {
  return values.length ? words.replace(/\{(\d)\}/g, (_, at) => String(values[Number(at)])) : words;
}

const TIME = /** @type {Intl.DateTimeFormatOptions} */ ({ hour: "2-digit", minute: "2-digit" });
const HERE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Whether somebody there reads UTC already. */
const isUtc = (zone) => zone === "UTC" || zone === "Etc/UTC";

/** "Fri 20 November 2026, 15:02 CET (14:02 UTC)"; UTC's day is named where it is another. */
export function dayAndTime(at, zone = HERE) {
  const day = /** @type {Intl.DateTimeFormatOptions} */ ({ day: "numeric", month: "long", year: "numeric" });
  const local = at.toLocaleString(LOCALE, { weekday: "short", ...day, ...TIME, timeZone: zone, timeZoneName: "short" });
  if (isUtc(zone)) return local;
  const date = (of) => at.toLocaleDateString(LOCALE, { ...day, timeZone: of });
  const weekday = date(zone) === date("UTC") ? {} : { weekday: /** @type {const} */ ("short") };
  const utc = at.toLocaleString(LOCALE, { ...weekday, ...TIME, timeZone: "UTC" });
  return `${local} (${utc} UTC)`;
}

/** "15:02:31 (14:02 UTC)" of an ISO instant, for what happened while one works. */
export function timeOfDay(iso, zone = HERE) {
  const at = new Date(iso);
  const local = at.toLocaleTimeString(LOCALE, { ...TIME, second: "2-digit", timeZone: zone });
  const utc = at.toLocaleTimeString(LOCALE, { ...TIME, timeZone: "UTC" });
  return isUtc(zone) ? `${local} UTC` : `${local} (${utc} UTC)`;
}
