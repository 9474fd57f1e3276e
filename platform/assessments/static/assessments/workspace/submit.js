// The last question before an answer is handed in, and what is said while it does not get through.

import { openDialog } from "../../headnode/dialogs.js";
import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { partName, summary } from "./answer_parts.js";

function contents(answer) {
  const files = [...answer.files].filter(([, file]) => !file.readOnly);
  const sections = [...answer.sections.values()].filter((section) => !section.readOnly);
  const lines = (text) => (text ? text.split("\n").length : 0);
  const words = (text) => (text.trim() ? text.trim().split(/\s+/).length : 0);
  return el(
    "table",
    {},
    el(
      "thead",
      {},
      el("tr", {}, el("th", { scope: "col" }, t`Part`), el("th", { scope: "col", className: "figure" }, t`Length`)),
    ),
    el(
      "tbody",
      {},
      files.map(([path, file]) =>
        partName(path)
          ? el("tr", {}, el("td", {}, partName(path)), el("td", { className: "figure" }, summary(path, file.text)))
          : el(
              "tr",
              {},
              el("td", { className: "mono" }, path),
              el("td", { className: "figure" }, t`${lines(file.text)} lines`),
            ),
      ),
      sections.map((section) =>
        el(
          "tr",
          {},
          el("td", {}, section.title),
          el(
            "td",
            { className: "figure" },
            words(section.text) ? t`${words(section.text)} words` : el("strong", {}, t`empty`),
          ),
        ),
      ),
    ),
  );
}

/** Ask whether to submit; true when the candidate says so. */
export async function confirmSubmit(answer, { left, round }) {
  const choice = await openDialog({
    title: round === 2 ? t`Submit your revision?` : t`Submit your answer?`,
    content: [
      el(
        "p",
        {},
        t`You have ${left} left. Submitting ends the exercise: it cannot be undone, and you cannot edit afterwards.`,
      ),
      contents(answer),
      el(
        "p",
        { className: "muted" },
        t`If you do nothing, what was saved last is submitted by itself when the time is over.`,
      ),
    ],
    buttons: [
      { value: false, label: t`Go on working` },
      { value: true, label: t`Submit now`, primary: true },
    ],
  });
  return choice === true;
}

/** Says that an answer is sent again and again, until it has arrived or the candidate wants to go on working. */
export class Insisting {
  #opened = false;
  #stopped = false;

  constructor({ wake }) {
    this.wake = wake;
    this.end = () => {};
    /** @type {Promise<void>} */
    this.over = new Promise((resolve) => (this.end = resolve));
  }

  /** True while it shall be tried again; shows the reason once. */
  goesOn(error) {
    if (!this.#opened) this.#open(error);
    return !this.#stopped;
  }

  async #open(error) {
    this.#opened = true;
    const reason = error.status ? t`The site cannot take it just now.` : t`The server does not answer.`;
    const stop = await openDialog({
      title: t`Your answer is not submitted yet`,
      alert: true,
      until: this.over,
      content: [
        el("p", {}, reason),
        el(
          "p",
          {},
          t`It is kept in this browser and is being submitted again every few seconds, until the server says
            that it has it. Leave this page open; your receipt follows.`,
        ),
        el("p", { className: "muted" }, t`Time in which the site does not answer is given back to you.`),
      ],
      buttons: [{ value: true, label: t`Stop, and go on working` }],
    });
    this.#stopped = stop === true;
    if (this.#stopped) this.wake();
  }
}
