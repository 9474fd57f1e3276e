// Pins: from a line, a chart, a setting or a command's output to a hypothesis, and back to where they came from.

import { openDialog } from "../../headnode/dialogs.js";
import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { pinText } from "./board_text.js";

const KINDS = { log: t`Line`, config: t`Setting`, chart: t`Chart`, command: t`Command` };
const MOST_SHOWN = 6;

export function kindOf(pin) {
  return KINDS[pin.kind] || t`Pin`;
}

/** Where a pin leads: [tab, detail]. */
export function sourceOf(pin, manifest) {
  if (pin.kind === "chart")
    return ["dashboards", { metric: pin.metric, labels: pin.labels || {}, from_ms: pin.from_ms, to_ms: pin.to_ms }];
  if (pin.kind === "command") return ["terminal", { command: pin.command, host: pin.host, at_ms: pin.at_ms }];
  if (pin.kind === "config") return ["configs", { path: pin.path, line: pin.line }];
  const file = manifest?.files.find(({ path }) => path === pin.path);
  return [file?.kind === "log" ? "logs" : "files", { path: pin.path, line: pin.line }];
}

function preview(pins, room) {
  const shown = pins.slice(0, MOST_SHOWN).map((pin) =>
    el(
      "li",
      {},
      el(
        "span",
        { className: "mono small" },
        pinText(pin, (ms) => room.timeText(ms)),
      ),
      pin.text ? el("pre", { className: "pin-quote" }, pin.text.slice(0, 400)) : null,
    ),
  );
  const more =
    pins.length > MOST_SHOWN
      ? el("li", { className: "muted small" }, t`and ${pins.length - MOST_SHOWN} more lines`)
      : null;
  return el("ul", { className: "pin-preview" }, shown, more);
}

/** Ask where pins belong; resolves to {id} or {claim}, with a note, or to null. */
export async function askWhere(pins, board, room, last) {
  const choice = (value, label, checked) => {
    const input = el("input", { type: "radio", name: "pin-where", value, checked });
    return { input, node: el("label", { className: "check" }, input, el("span", {}, label)) };
  };
  const rows = board.rows.map((row, at) =>
    choice(row.id, `${at + 1}. ${row.claim || t`(nothing claimed yet)`}`, row.id === last),
  );
  const fresh = choice("", t`A new hypothesis`, !rows.some(({ input }) => input.checked));
  const claim = el("input", {
    type: "text",
    autocomplete: "off",
    className: "wide",
    onfocus: () => (fresh.input.checked = true),
    oninput: () => (fresh.input.checked = true),
  });
  const note = el("input", { type: "text", autocomplete: "off", className: "wide" });
  const answer = await openDialog({
    title: pins.length === 1 ? t`Pin to the board: ${kindOf(pins[0])}` : t`Pin ${pins.length} lines to the board`,
    content: [
      preview(pins, room),
      el(
        "fieldset",
        { className: "pin-where" },
        el("legend", {}, t`To which hypothesis?`),
        rows.map(({ node }) => node),
        fresh.node,
        el("label", { className: "field" }, t`What it claims (may be filled in later)`, claim),
      ),
      el("label", { className: "field" }, t`What it shows (optional)`, note),
    ],
    buttons: [
      { value: false, label: t`Cancel` },
      { value: true, label: t`Pin`, primary: true },
    ],
  });
  if (!answer) return null;
  const chosen = rows.find(({ input }) => input.checked);
  return { id: chosen?.input.value ?? null, claim: claim.value.trim(), note: note.value.trim() };
}
