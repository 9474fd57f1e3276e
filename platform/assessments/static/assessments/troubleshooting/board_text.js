// The board in words, for those who read it rather than see it, and for the list of drafts.

import { counted, t } from "../../headnode/words.js";
import { readBoard, STATE_WORDS } from "./board_model.js";

/** One line about what a pin points to; when(ms) writes instants. */
export function pinText(pin, when = (ms) => new Date(ms).toISOString().slice(0, 19).replace("T", " ")) {
  const labels = Object.entries(pin.labels || {})
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
  if (pin.kind === "chart")
    return t`${labels ? `${pin.metric} {${labels}}` : pin.metric}, ${when(pin.from_ms)} to ${when(pin.to_ms)}`;
  if (pin.kind === "command") return `${pin.host}$ ${pin.command}`;
  return `${pin.path}:${pin.line}`;
}

function hypothesis(row, at) {
  const cost = row.hours === null ? "" : t`${row.hours} h (${row.seconds_per_step} s per step)`;
  const minutes = [
    row.opened_min !== null && t`opened in minute ${row.opened_min}`,
    row.decided_min !== null && t`decided in minute ${row.decided_min}`,
  ]
    .filter(Boolean)
    .join(", ");
  const lines = [
    `${at + 1}. ${row.claim || t`(nothing claimed yet)`}`,
    row.place && t`   Where: ${row.place}`,
    t`   Status: ${STATE_WORDS[row.status]}` + (minutes && ` (${minutes})`),
    row.priority !== null && t`   Priority: ${row.priority}`,
    cost && t`   Cost: ${cost}`,
    row.reason && t`   Why: ${row.reason}`,
    row.mitigation && t`   Now: ${row.mitigation}`,
    row.prevention && t`   For good: ${row.prevention}`,
    ...row.pins.flatMap((pin) => [
      t`   Evidence: ${pinText(pin)}`,
      pin.text && `     ${pin.text.split("\n")[0]}`,
      pin.note && t`     Note: ${pin.note}`,
    ]),
  ];
  return lines.filter(Boolean).join("\n");
}

/** The text of a board; the file's own text where it cannot be read. */
export function boardText(text) {
  const rows = readBoard(text);
  if (rows === null) return text;
  return rows.length ? `${rows.map(hypothesis).join("\n\n")}\n` : `${t`No hypotheses.`}\n`;
}

/** "3 hypotheses, 7 pins", for short lists. */
export function boardSummary(text) {
  const rows = readBoard(text);
  if (rows === null) return t`cannot be read`;
  const pins = rows.reduce((sum, row) => sum + row.pins.length, 0);
  return `${counted("{0} hypothesis", "{0} hypotheses", rows.length)}, ${counted("{0} pin", "{0} pins", pins)}`;
}
