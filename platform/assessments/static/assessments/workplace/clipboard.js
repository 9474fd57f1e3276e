// To the clipboard, with a word on how that went.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { sayDone } from "./done_line.js";

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

/** Copy, and say what was copied, or that this browser does not let pages do so. */
export async function copyAndSay(text, told) {
  const done = await copyText(text);
  sayDone(done ? told : t`This browser does not let pages copy.`);
  return done;
}
