// The plan as people read it: in the history of drafts, and where a copy is wanted.

import { readPlan } from "./model.js";
import { CLOUD, monthText, plain, usd } from "./words.js";

const UNREADABLE = "The plan cannot be read. It is kept as it is.";

function many(count, one, several = `${one}s`) {
  return `${count} ${count === 1 ? one : several}`;
}

function block(title, lines) {
  return lines.length ? `${title}\n${lines.map((line) => `  ${line}`).join("\n")}\n` : "";
}

function span(from, to) {
  return `${monthText(from)} to ${monthText(to)}`;
}

const LINES = {
  purchases: (row) =>
    `${row.id}  ${monthText(row.month)}: ${plain(row.count)} × ` +
    `${row.item || "nothing chosen"}${row.site ? ` at ${row.site}` : ""}${row.note ? ` (${row.note})` : ""}`,
  cloud: (row) =>
    `${row.id}  ${span(row.from, row.to)}: ${plain(row.gpus)} GPUs, ` +
    `${CLOUD[row.kind] || row.kind || "no kind"}${row.region ? `, ${row.region}` : ""}` +
    (row.classes.length ? `, for ${row.classes.join(", ")}` : ""),
  retire: (row) =>
    `${row.id}  ${monthText(row.month)}: ${plain(row.count)} × ` +
    `${row.item || "nothing chosen"}${row.site ? ` at ${row.site}` : ""}`,
  policies: (row) => `${row.id}  ${monthText(row.month)}: ${row.policy || "nothing chosen"} = ${row.value ?? "–"}`,
  phases: (row) =>
    `${row.id}  ${span(row.from, row.to)}: ` +
    `${row.name || "no name"}${row.owner ? `, ${row.owner}` : ""}` +
    (row.depends.length ? `, after ${row.depends.join(", ")}` : ""),
  risks: (row) =>
    `${row.id}  ${row.risk || "no words yet"} [likelihood ${row.likelihood || "–"}, impact ` +
    `${row.impact || "–"}]${row.mitigation ? `: ${row.mitigation}` : ""}${row.owner ? `; ${row.owner}` : ""}` +
    (row.trigger ? `; when ${row.trigger}` : ""),
};
const TITLES = {
  purchases: "Purchases",
  cloud: "Cloud",
  retire: "Retirements",
  policies: "Policies",
  phases: "Phases",
  risks: "Risks",
};

/** The text of plan.json in lines that can be read and compared. */
export function planText(text) {
  const plan = readPlan(text);
  if (!plan) return `${UNREADABLE}\n\n${text}`;
  const parts = Object.entries(TITLES).map(([list, title]) => block(title, plan[list].map(LINES[list])));
  const sheet = plan.sheet.map(
    (row) => `${row.label || "no label"}: ${row.cells.map((cell) => cell || "–").join(" | ")}`,
  );
  const claims = Object.entries(plan.claims).map(
    ([name, value]) => `${name}: ${typeof value === "number" ? usd(value, Number.isInteger(value) ? 0 : 2) : value}`,
  );
  return (
    [...parts, block("Own rows of the money table", sheet), block("Claims", claims)].filter(Boolean).join("\n") ||
    "The plan is empty.\n"
  );
}

/** What a plan holds in a few words. */
export function planSummary(text) {
  const plan = readPlan(text);
  if (!plan) return "cannot be read";
  const orders = plan.purchases.length + plan.cloud.length + plan.retire.length + plan.policies.length;
  return [many(orders, "row", "rows"), many(plan.phases.length, "phase"), many(plan.risks.length, "risk")].join(", ");
}
