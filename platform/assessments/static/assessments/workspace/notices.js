// Quiet bars under the top bar: an extension, feedback to revise by, being offline.

import { byId, el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";

/** Show or replace the bar called `name`; a dismissible one has a Close button. */
export function showNotice(name, { kind = "info", content, dismiss = null, label }) {
  hideNotice(name);
  const node = el(
    "section",
    { className: `notice ${kind}`, "data-name": name, "aria-label": label },
    el("div", { className: "notice-text" }, content),
    dismiss
      ? el("button", { type: "button", className: "quiet", onclick: () => (hideNotice(name), dismiss()) }, t`Close`)
      : null,
  );
  byId("notices").append(node);
}

export function hideNotice(name) {
  byId("notices").querySelector(`[data-name="${name}"]`)?.remove();
}
