// Checks as a list: a sign and a word for each, what is wrong first, a press leads to the row it is about.

import { el } from "../../headnode/dom.js";

const SIGNS = { bad: ["✕", "Problem"], warn: ["!", "Warning"], ok: ["✓", "Holds"], draft: ["…", "Not complete"] };
const TABS = {
  purchases: "orders",
  cloud: "orders",
  retire: "orders",
  policies: "orders",
  phases: "timeline",
  risks: "risks",
};

function many(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** How the plan stands, in one sentence. */
export function tally(checks) {
  if (checks.state === "waiting") return "The plan is being checked…";
  if (checks.state !== "fresh") return checks.sentence;
  const [bad, warn, ok, draft] = ["bad", "warn", "ok", "draft"].map((tone) => checks.count(tone));
  const holds = ok === 1 ? "1 check holds" : `${ok} checks hold`;
  const open = draft ? ` ${draft === 1 ? "1 row is" : `${draft} rows are`} not complete yet.` : "";
  const wrong = [bad && many(bad, "problem"), warn && many(warn, "warning")].filter(Boolean).join(", ");
  return `${wrong ? `${wrong}; ${holds}` : ok > 1 ? `All ${holds}` : holds}.${open}`;
}

/** A sign with its word for those who do not see it. */
export function toneSign(tone) {
  const [sign, word] = SIGNS[tone] || SIGNS.warn;
  return el(
    "span",
    { className: `plan-sign ${tone}` },
    el("span", { "aria-hidden": "true" }, sign),
    el("span", { className: "unseen" }, `${word}: `),
  );
}

/** The tab in which a row of the plan stands, by its name; undefined for a site or a quarter. */
function tabOf(subject, room) {
  return TABS[room.board.model.listOf(subject)];
}

/** The list; `more` further ones are only counted. */
export function checkList(rows, room, { more = 0 } = {}) {
  const items = rows.map(({ tone, text, subject }) => {
    const tab = room && tabOf(subject, room);
    const words = tab
      ? el(
          "button",
          { type: "button", className: "quiet plan-jump", onclick: () => room.show(tab, { id: subject }) },
          text,
        )
      : el("span", {}, text);
    return el("li", { className: tone }, toneSign(tone), words);
  });
  if (more > 0)
    items.push(
      el(
        "li",
        { className: "muted" },
        room
          ? el(
              "button",
              { type: "button", className: "quiet plan-jump", onclick: () => room.show("orders") },
              `and ${many(more, "more row")} in Orders`,
            )
          : `and ${more} more`,
      ),
    );
  return items.length ? el("ul", { className: "plan-checks" }, items) : "";
}
