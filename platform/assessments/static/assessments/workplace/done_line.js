// What a press has done that shows nothing by itself: seen for a moment at the foot of the page, and read aloud.

import { announce } from "../../headnode/announce.js";
import { el } from "../../headnode/dom.js";

const SEEN_MS = 2500;
let shown = null;

export function sayDone(text) {
  shown?.remove();
  const line = el("p", { className: "done-line", "aria-hidden": "true" }, text);
  shown = line;
  document.body.append(line);
  setTimeout(() => line.remove(), SEEN_MS);
  announce(text);
}
