// A line of the log explorer's list, and how many of those found stand outside of what the charts show.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { markedText, pinSign } from "../workplace/line_parts.js";
import { shortTime } from "../workplace/site_time.js";

const SIGNS = { error: "E", warning: "W" };
const SEVERITIES = {
  error: t`error`,
  warning: t`warning`,
  info: t`info`,
  debug: t`debug`,
  "not stated": t`not stated`,
};
// What the columns beside it say already: date and time, and a machine's name after it.
const PREFIXES = [
  /\d{4}-\d\d-\d\dT[\d:]+[+-]\d\d:?\d\d \S+ /,
  /\[\w{3} \w{3} [ \d]\d [\d:]+ \d{4}\] /,
  /\[\d{4}-\d\d-\d\dT[\d:.]+\] /,
  /\d{4}-\d\d-\d\d [\d:,.]+ /,
  /\w{3} \d\d [\d:]{8} \d{6} /,
];
const PREFIX = new RegExp(`^(?:${PREFIXES.map(({ source }) => source).join("|")})`);

/** What a line's severity is called. */
export const severityText = (name) => SEVERITIES[name] ?? name;
export const severitiesNamed = (list) => list.map((one) => ({ ...one, name: severityText(one.name) }));

export const number = (value) => value.toLocaleString("en-GB");

/** Time, machine, severity and text; unwrapped, without what the columns say already. */
export function lineCells(room, row, { wrap, year }) {
  const time =
    row.at === null
      ? el("span", { className: "muted", title: t`Its program prints no time` }, t`no time`)
      : el(
          "span",
          { title: t`${room.timeText(row.at, { year: true })}, as printed` },
          shortTime(row.at, room.incident.offset_min, year),
        );
  const sign = SIGNS[row.severity];
  const skip = wrap ? 0 : PREFIX.exec(row.text)?.[0].length || 0;
  const shown = row.marks.some(([from]) => from < skip) ? 0 : skip;
  const text = markedText(row.text, row.marks, shown);
  if (room.isPinned(row.path, row.line)) text.prepend(pinSign());
  return [
    time,
    el("span", { title: `${row.host || t`no machine named`} · ${row.source}` }, row.host || row.source),
    el(
      "span",
      { className: "line-sign", title: row.severity === "not stated" ? "" : severityText(row.severity) },
      sign || "",
      sign ? el("span", { className: "unseen" }, severityText(row.severity)) : null,
    ),
    text,
  ];
}

/** Of a search within the charts' range: what else is like it. */
function outsideOf({ before, after, undated }) {
  const parts = [
    before && t`${number(before)} earlier`,
    after && t`${number(after)} later`,
    undated && t`${number(undated)} without a time`,
  ].filter(Boolean);
  return parts.length ? t` · outside the range: ${parts.join(", ")}` : "";
}

/** Of a search over all times: where lines without a place in the recording stand. */
function undatedOf({ before, undated }) {
  const parts = [
    before && t`${number(before)} from before the recording, first`,
    undated && t`${number(undated)} without a time, last`,
  ];
  return parts.map((part) => (part ? ` · ${part}` : "")).join("");
}

/** What stands over the lines found. lines: how many there are; limited: to the charts' range; bar: its length. */
export function foundText({ count, bins }, { lines, limited, bar }) {
  const of = t`${number(count)} of ${number(lines)} lines`;
  return t`${of}${limited ? outsideOf(bins) : undatedOf(bins)} · a bar is ${bar} · times as printed, on the site's
    clock`;
}
