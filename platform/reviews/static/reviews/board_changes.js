// What changed between two looks at a board, and how it is said aloud: a few by name, many by their number.

const BY_NAME = 3;

/** [{ key, says }] of the people who are new or of whom something else is said; who left is not news. */
export function changesIn(before, after) {
  return [...after].filter(([key, says]) => before.get(key) !== says).map(([key, says]) => ({ key, says }));
}

/** One sentence, or one for each of a few. */
export function spoken(changes) {
  if (changes.length > BY_NAME) return `${changes.length} candidates have moved on.`;
  return changes.map(({ says }) => `${says}.`).join(" ");
}
