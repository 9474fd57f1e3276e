// The files of an answer that a workspace keeps as JSON, as people read them: their names, their texts.

import { t } from "../../headnode/words.js";

const PARTS = {
  "board.json": { name: t`Board`, text: null, summary: null, row: null },
  "opportunities.json": { name: t`Opportunities`, text: null, summary: null, row: null },
  "notes.json": { name: t`Notes`, text: null, summary: null, row: null },
  "plan.json": { name: t`Plan`, text: null, summary: null, row: null },
};
const WORDS = {
  troubleshooting: async () => {
    const words = await import("../troubleshooting/board_text.js");
    Object.assign(PARTS["board.json"], { text: words.boardText, summary: words.boardSummary });
  },
  cost: async () => {
    const words = await import("../cost/opportunity_text.js");
    Object.assign(PARTS["opportunities.json"], {
      text: words.opportunityText,
      summary: words.opportunitySummary,
      row: words.opportunityTitle,
    });
  },
  scaling: async () => {
    const words = await import("../scaling/plan_text.js");
    Object.assign(PARTS["plan.json"], { text: words.planText, summary: words.planSummary });
  },
  // Nothing is written into the notes of a live cluster yet; an answer has them because every room keeps a file.
  live_slurm: () => Object.assign(PARTS["notes.json"], { text: () => "", summary: () => "" }),
};

/** Before anything below is asked: fetch the words for what an answer of that workplace consists of. */
export async function fetchWords(workplace) {
  await WORDS[workplace]?.();
}

/** The name of such a file for people, or null for any other: a program may have a plan.json of its own. */
export function partName(path) {
  return Object.hasOwn(PARTS, path) && PARTS[path].text ? PARTS[path].name : null;
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
