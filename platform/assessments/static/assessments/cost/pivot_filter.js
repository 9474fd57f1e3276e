// Which values of a column a pivot keeps: boxes to tick, the largest values first.

import { openDialog } from "../../headnode/dialogs.js";
import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { MONEY } from "../workplace/currency.js";
import { askValues, figure, isMoney } from "./bill_data.js";

const MOST = 400;

function nameOf(value) {
  return value === null || value === "" ? t`(none)` : String(value);
}

function row([value, amount], chosen) {
  const text = value === null ? "" : String(value);
  const box = el("input", { type: "checkbox", checked: chosen.has(text), value: text });
  const node = el(
    "div",
    { className: "facet-row" },
    el("label", { className: "check" }, box, el("span", { className: "facet-name" }, nameOf(value))),
    el("span", { className: "muted small figure" }, figure(amount)),
  );
  return { node, box, name: nameOf(value).toLowerCase() };
}

/** Ask for the values to keep; resolves to the texts, [] for no filter, or null where nothing was decided. */
export async function askFilter(room, { table, column, measure, chosen }) {
  const isCost = measure && isMoney(measure);
  const { values, cut } = await askValues(room, table, column, isCost ? measure : "");
  const known = new Set(values.map(([value]) => (value === null ? "" : String(value))));
  const kept = chosen.filter((text) => !known.has(text)).map((text) => [text, null]);
  const rows = [...kept, ...values].map((one) => row(one, new Set(chosen)));
  const list = el(
    "div",
    { className: "facet-list filter-list", role: "group", "aria-label": t`Values of ${column}` },
    rows.map(({ node }) => node),
  );
  const find = el("input", {
    type: "text",
    className: "wide",
    "aria-label": t`Find a value`,
    placeholder: t`Find a value`,
    autocomplete: "off",
    spellcheck: false,
    autofocus: true,
  });
  const shown = () => rows.filter(({ node }) => !node.hidden);
  find.addEventListener("input", () =>
    rows.forEach((one) => (one.node.hidden = !one.name.includes(find.value.trim().toLowerCase()))),
  );
  // The dialog takes Enter in a line of text as its main button; here it leads to what was found.
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    shown()[0]?.box.focus();
  });
  const tick = (on) => shown().forEach(({ box }) => (box.checked = on));
  const tools = el(
    "div",
    { className: "facet-tools" },
    el("button", { type: "button", className: "quiet", onclick: () => tick(true) }, t`Tick all shown`),
    el("button", { type: "button", className: "quiet", onclick: () => tick(false) }, t`Untick all shown`),
  );
  const about = isCost
    ? t`Beside each value: its ${measure} in ${MONEY}.`
    : t`Beside each value: how many rows have it.`;
  const wanted = () => rows.filter(({ box }) => box.checked).map(({ box }) => box.value);
  const sure = await openDialog({
    title: t`Only some of ${column}`,
    content: [
      el(
        "p",
        { className: "muted small" },
        about,
        cut ? t` Only the first ${MOST} values are listed; SQL reaches the others.` : null,
      ),
      find,
      tools,
      list,
    ],
    buttons: [
      { value: false, label: t`Cancel` },
      {
        value: true,
        label: t`Keep only these`,
        primary: true,
        check: () => (wanted().length > MOST ? t`Tick at most ${MOST} values.` : null),
      },
    ],
  });
  if (!sure) return null;
  return wanted().length === rows.length ? [] : wanted();
}
