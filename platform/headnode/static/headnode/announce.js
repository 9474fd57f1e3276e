// Speaks to screen readers: politely for news, at once for what cannot wait.

import { byId } from "./dom.js";

export function announce(text, { now = false } = {}) {
  const region = byId(now ? "announce-now" : "announce");
  region.textContent = "";
  // An unchanged text is not read again, so the region is emptied first and filled a moment later.
  setTimeout(() => {
    region.textContent = text;
  }, 60);
}
