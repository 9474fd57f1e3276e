// Pieces of a line that every list of lines shows alike.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";

/** A line's text with the places found marked. */
export function markedText(text, marks, skip = 0) {
  const node = el("span", { className: "line-text" });
  let done = skip;
  for (const [from, to] of marks) {
    if (from > done) node.append(text.slice(done, from));
    node.append(el("mark", {}, text.slice(Math.max(from, done), to)));
    done = Math.max(done, to);
  }
  node.append(text.slice(done));
  return node;
}

/** The pin of a log line, as the board keeps it. */
export function logPin({ path, line, text }) {
  return { kind: "log", path, line, text };
}

/** What stands before a line that is on the board. */
export function pinSign() {
  return el(
    "span",
    { className: "line-pin", title: t`On the board` },
    "●",
    el("span", { className: "unseen" }, t` pinned `),
  );
}
