// What a part of the room shows in place of what could not be fetched.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";

/** A sentence and a button to try again. */
export function trouble(sentence, again) {
  return el(
    "div",
    { className: "room-trouble", role: "alert" },
    el("p", {}, sentence),
    el("button", { type: "button", onclick: again }, t`Try again`),
  );
}
