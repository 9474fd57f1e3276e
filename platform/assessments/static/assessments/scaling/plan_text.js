// The plan as people read it: in the history of drafts, and where a copy is wanted.

import { counted, t } from "../../headnode/words.js";
import { readPlan } from "./model.js";
import { CLOUD, monthText, plain, STEP_WORDS, usd } from "./words.js";

const UNREADABLE = t`The plan cannot be read. It is kept as it is.`;

function block(title, lines) {
  return lines.length ? `${title}\n${lines.map((line) => `  ${line}`).join("\n")}\n` : "";
}

function span(from, to) {
  return t`${monthText(from)} to ${monthText(to)}`;
}

const step = (name) => STEP_WORDS[name] || name || "–";
const chosen = (row) => (row.item || t`nothing chosen`) + (row.site ? t` at ${row.site}` : "");

const LINES = {
  purchases: (row) =>
    `${row.id}  ${monthText(row.month)}: ${plain(row.count)} × ${chosen(row)}${row.note ? ` (${row.note})` : ""}`,
  cloud: (row) =>
    t`${row.id}  ${span(row.from, row.to)}: ${plain(row.gpus)} GPUs, ${CLOUD[row.kind] || row.kind || t`no kind`}` +
    (row.region ? `, ${row.region}` : "") +
    (row.classes.length ? t`, for ${row.classes.join(", ")}` : ""),
  retire: (row) => `${row.id}  ${monthText(row.month)}: ${plain(row.count)} × ${chosen(row)}`,
  policies: (row) => `${row.id}  ${monthText(row.month)}: ${row.policy || t`nothing chosen`} = ${row.value ?? "–"}`,
  phases: (row) =>
    `${row.id}  ${span(row.from, row.to)}: ${row.name || t`no name`}${row.owner ? `, ${row.owner}` : ""}` +
    (row.depends.length ? t`, after ${row.depends.join(", ")}` : ""),
  risks: (row) =>
    t`${row.id}  ${row.risk || t`no words yet`} [likelihood ${step(row.likelihood)}, impact ${step(row.impact)}]` +
    (row.mitigation ? `: ${row.mitigation}` : "") +
    (row.owner ? `; ${row.owner}` : "") +
    (row.trigger ? t`; when ${row.trigger}` : ""),
};
const TITLES = {
  purchases: t`Purchases`,
  cloud: t`Cloud`,
  retire: t`Retirements`,
  policies: t`Policies`,
  phases: t`Phases`,
  risks: t`Risks`,
};

/** The text of plan.json in lines that can be read and compared. */
export function planText(text) {
  const plan = readPlan(text);
  if (!plan) return `${UNREADABLE}\n\n${text}`;
  const parts = Object.entries(TITLES).map(([list, title]) => block(title, plan[list].map(LINES[list])));
  const sheet = plan.sheet.map(
    (row) => `${row.label || t`no label`}: ${row.cells.map((cell) => cell || "–").join(" | ")}`,
  );
  const claims = Object.entries(plan.claims).map(
    ([name, value]) => `${name}: ${typeof value === "number" ? usd(value, Number.isInteger(value) ? 0 : 2) : value}`,
  );
  return (
    [...parts, block(t`Own rows of the money table`, sheet), block(t`Claims`, claims)].filter(Boolean).join("\n") ||
    `${t`The plan is empty.`}\n`
  );
}

/** What a plan holds in a few words. */
export function planSummary(text) {
  const plan = readPlan(text);
  if (!plan) return t`cannot be read`;
  const orders = plan.purchases.length + plan.cloud.length + plan.retire.length + plan.policies.length;
  return [
    counted("{0} row", "{0} rows", orders),
    counted("{0} phase", "{0} phases", plan.phases.length),
    counted("{0} risk", "{0} risks", plan.risks.length),
  ].join(", ");
}
