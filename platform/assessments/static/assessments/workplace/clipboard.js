// To the clipboard.

import { el } from "../../headnode/dom.js";

/** To the clipboard, also on pages that are not served over TLS. */
export async function copyText(text) {
  if (navigator.clipboard?.writeText) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Refused here; the older way below still works on a person's own key press.
    }
  }
  const box = el("textarea", { className: "unseen", value: text, "aria-hidden": "true" });
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  before?.focus?.({ preventScroll: true });
  return done;
}
