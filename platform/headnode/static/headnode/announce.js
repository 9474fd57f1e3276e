// Speaks to screen readers: politely for news, at once for what cannot wait.

import { byId, el } from "./dom.js";

const READ_MS = 2000;
const newest = {};

/** news: is not taken away by what is said right after it. Of what answers a key only the newest counts. */
export function announce(text, { now = false, news = false } = {}) {
  const name = now ? "announce-now" : "announce";
  const region = byId(name);
  const at = performance.now();
  for (const said of [...region.children]) if (at >= Number(said.getAttribute("data-until"))) said.remove();
  const words = el("span", { "data-until": String(news ? at + READ_MS : at) }, text, " ");
  newest[name] = words;
  // A text that goes and comes within one turn may count as unchanged, which is not read again.
  setTimeout(() => (news || newest[name] === words) && region.append(words), 60);
}
