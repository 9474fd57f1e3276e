// The opportunity table in words, for those who read it rather than see it, and for the list of drafts.

import { counted, listed, t } from "../../headnode/words.js";
import { MONEY } from "../workplace/currency.js";
import { COMPLEXITIES, readOpportunities } from "./opportunity_model.js";

/** "service Block Volumes; account shared-data or shared-network". */
export function whereText(where) {
  return Object.entries(where)
    .map(([key, values]) => `${key} ${listed(values, { or: true })}`)
    .join("; ");
}

/** "20 % of the whole bill", "120,000 USD a year"; "" without a figure. */
function savingText({ kind, value, of, typed }) {
  if (value === null) return typed ? t`“${typed}”, which is no amount` : "";
  const figure = value.toLocaleString("en-GB", { maximumFractionDigits: 2 });
  if (kind === "money") return t`${figure} ${MONEY} a year`;
  if (of === "total") return t`${figure} % of the whole bill`;
  return of ? t`${figure} % of ${of}` : t`${figure} % of these rows`;
}

function opportunity(row, at) {
  const lines = [
    `${at + 1}. ${row.what || t`(nothing said yet)`}`,
    Object.keys(row.where).length && t`   Where: ${whereText(row.where)}`,
    savingText(row.saving) && t`   Saving: ${savingText(row.saving)}`,
    row.complexity && t`   Complexity: ${COMPLEXITIES[row.complexity]}`,
    row.risk && t`   Risk: ${row.risk}`,
    row.timeline && t`   Timeline: ${row.timeline}`,
    row.dependency && t`   Dependency: ${row.dependency}`,
  ];
  return lines.filter(Boolean).join("\n");
}

/** The text of a table, in the order of priority; the file's own text where it cannot be read. */
export function opportunityText(text) {
  const rows = readOpportunities(text);
  if (rows === null) return text;
  return rows.length ? `${rows.map(opportunity).join("\n\n")}\n` : `${t`No opportunities.`}\n`;
}

/** "5 opportunities, 4 with a figure", for short lists. */
export function opportunitySummary(text) {
  const rows = readOpportunities(text);
  if (rows === null) return t`cannot be read`;
  const figures = rows.filter(({ saving }) => saving.value !== null).length;
  return counted("{0} opportunity, {1} with a figure", "{0} opportunities, {1} with a figure", rows.length, figures);
}

/** What a row says is done, shortened; null where there is no such row. */
export function opportunityTitle(text, id) {
  const row = readOpportunities(text)?.find((one) => one.id === id);
  if (!row) return null;
  return row.what.length > 90
    ? `“${row.what.slice(0, 88)}…”`
    : row.what
      ? `“${row.what}”`
      : t`the opportunity without a name`;
}
