// What may wait for what among phases, and where a plan of phases contradicts itself.

import { t } from "../../headnode/words.js";
import { monthText } from "./words.js";

/** Names of all phases that a phase waits for, however far back. */
function before(rows, id, found = new Set()) {
  for (const one of rows.find((row) => row.id === id)?.depends || []) {
    if (found.has(one)) continue;
    found.add(one);
    before(rows, one, found);
  }
  return found;
}

/** Phases that a phase may wait for without a circle. */
export function dependable(rows, id) {
  const own = rows.find((row) => row.id === id);
  return rows.filter((row) => row.id !== id && (own?.depends.includes(row.id) || !before(rows, row.id).has(id)));
}

/** Phases that begin before what they wait for has ended: [{id, text}]. */
export function clashes(rows, names, nameOf) {
  const found = [];
  for (const row of rows) {
    for (const id of row.depends) {
      const other = rows.find((one) => one.id === id);
      if (!other) continue;
      const [end, begin] = [names.place(other.to), names.place(row.from)];
      if (end < 0 || begin < 0 || begin > end) continue;
      found.push({
        id: row.id,
        text: t`“${nameOf(row.id)}” begins in ${monthText(row.from)}, but “${nameOf(id)}”, for which it waits, ends
            in ${monthText(other.to)}.`,
      });
    }
  }
  return found;
}
