// Checks as a list: a sign and a word for each, what is wrong first, a press leads to the row it is about.

import { el } from "../../headnode/dom.js";
import { counted, t } from "../../headnode/words.js";

const SIGNS = { bad: ["✕", t`Problem`], warn: ["!", t`Warning`], ok: ["✓", t`Holds`], draft: ["…", t`Not complete`] };
const TABS = {
  purchases: "orders",
  cloud: "orders",
  retire: "orders",
  policies: "orders",
  phases: "timeline",
  risks: "risks",
};

/** How the plan stands, in one sentence. */
export function tally(checks) {
  if (checks.state === "waiting") return t`The plan is being checked…`;
  if (checks.state !== "fresh") return checks.sentence;
  const [bad, warn, ok, draft] = ["bad", "warn", "ok", "draft"].map((tone) => checks.count(tone));
  const holds = counted("{0} check holds", "{0} checks hold", ok);
  const open = draft ? ` ${counted("{0} row is not complete yet.", "{0} rows are not complete yet.", draft)}` : "";
  const wrong = [
    bad && counted("{0} problem", "{0} problems", bad),
    warn && counted("{0} warning", "{0} warnings", warn),
  ];
  const said = wrong.filter(Boolean).join(", ");
  return `${said ? `${said}; ${holds}` : ok > 1 ? t`All ${holds}` : holds}.${open}`;
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
              counted("and {0} more row in Orders", "and {0} more rows in Orders", more),
            )
          : t`and ${more} more`,
      ),
    );
  return items.length ? el("ul", { className: "plan-checks" }, items) : "";
}
