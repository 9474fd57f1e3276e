// What stands over the page once the time is over: what was handed in, and what only this browser knows.

import { el } from "../../headnode/dom.js";
import { t, timeOfDay } from "../../headnode/words.js";

const SAVING = t`What you have written is being saved and then submitted. There is nothing you need to do.`;
const CLOSE = t`Your receipt follows in a moment.`;

function arrivedText({ number, at }) {
  return at
    ? t`Draft #${number}, saved ${timeOfDay(at)}, has arrived and is submitted.`
    : t`Draft #${number} has arrived and is submitted.`;
}

/** What is said once the last drafts were sent or could not be; fate: of a DraftQueue; `saved` is {number, at} of the
 *  newest draft that arrived in time. */
export function whatArrived(fate, saved) {
  if (fate === "all")
    return saved.number
      ? t`All that you wrote has arrived: draft #${saved.number} is your answer. ${CLOSE}`
      : t`Nothing was written, so the exercise is handed in as it was given. ${CLOSE}`;
  const known = saved.number ? arrivedText(saved) : t`Nothing that you wrote has arrived in time.`;
  return fate === "late"
    ? t`${known} What you wrote after it came too late: it is kept aside with its time, for people to see.`
    : t`${known} What you wrote after it is only in this browser, and is safe here. It is sent when the connection
      returns and kept aside with its time, for people to see.`;
}

/** Opens over the page, which can no longer be edited; nothing but `close` takes it away. */
export class TimeOver {
  constructor() {
    this.text = el("p", { role: "status" }, SAVING);
    this.dialog = el(
      "dialog",
      { className: "over", "aria-labelledby": "over-title" },
      el("h2", { id: "over-title" }, t`Your time is over`),
      this.text,
      el(
        "p",
        { className: "muted" },
        t`If it is the site that does not answer, nothing is handed in until it does, and that time is given back
          to you.`,
      ),
    );
    this.dialog.addEventListener("cancel", (event) => event.preventDefault());
    document.body.append(this.dialog);
    this.dialog.showModal();
  }

  say(text) {
    this.text.textContent = text;
  }

  close() {
    this.dialog.remove();
  }
}
