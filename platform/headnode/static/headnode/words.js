// The words of the page in its language: written in English here, looked up in Django's catalogue where it is there.

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

function filled(words, values) {
  return values.length ? words.replace(/\{(\d)\}/g, (_, at) => String(values[Number(at)])) : words;
}
