// Puts a text on the clipboard; where the browser does not allow that, shows it to be copied by hand.

import { openDialog } from "../../headnode/dialogs.js";
import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";

/** True when it was copied. */
export async function copyText(text, title) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const box = el("textarea", {
      className: "mono copy-box",
      rows: 12,
      readOnly: true,
      value: text,
      autofocus: true,
      "aria-label": title,
    });
    const done = openDialog({
      title,
      wide: true,
      content: [
        el("p", {}, t`This browser does not let the page copy by itself: the text is chosen, so copy it with Ctrl+C.`),
        box,
      ],
      buttons: [{ value: null, label: t`Close`, primary: true }],
    });
    box.focus();
    box.select();
    await done;
    return false;
  }
}
