// The files of an answer that a workspace keeps as JSON, as people read them: their names, their texts.

import { opportunitySummary, opportunityText, opportunityTitle } from "../cost/opportunity_text.js";
import { planSummary, planText } from "../scaling/plan_text.js";
import { boardSummary, boardText } from "../troubleshooting/board_text.js";

const PARTS = {
  "board.json": { name: "Board", text: boardText, summary: boardSummary },
  "opportunities.json": {
    name: "Opportunities",
    text: opportunityText,
    summary: opportunitySummary,
    row: opportunityTitle,
  },
  "plan.json": { name: "Plan", text: planText, summary: planSummary },
};

/** The name of such a file for people, or null for any other file. */
export function partName(path) {
  return Object.hasOwn(PARTS, path) ? PARTS[path].name : null;
}

/** What people call a row of such a file; null where it is not there. */
export function rowName(path, text, id) {
  return (partName(path) && PARTS[path].row?.(text, id)) || null;
}

/** A file of the answer as people read it: {name, text}. */
export function readable(path, text) {
  return partName(path) ? { name: PARTS[path].name, text: PARTS[path].text(text) } : { name: path, text };
}

/** What it holds in a few words; null for any other file. */
export function summary(path, text) {
  return partName(path) ? PARTS[path].summary(text) : null;
}
