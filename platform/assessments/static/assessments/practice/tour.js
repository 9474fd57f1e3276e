// A tour of the workspace in practice: at most eight steps, left at any time, taken again as often as one likes.

import { byId, el, preference } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { showNotice } from "../workspace/notices.js";

const STEPS = [
  {
    at: "pane-read",
    pane: "read",
    title: t`What to do`,
    text: t`The brief and all that belongs to it. Its tabs are documents; nothing in them changes while you work.`,
  },
  {
    at: "pane-code",
    pane: "code",
    title: t`Your program`,
    text: t`Write here. Files stand in a row above the editor; Ctrl and Space offer what can be called.`,
  },
  {
    at: "pane-room",
    pane: "room",
    title: t`The room`,
    text: t`The material you work from, in tabs. What you find can be pinned, and stands beside your answer then.`,
  },
  {
    at: "pane-run",
    pane: "run",
    title: t`Run`,
    text: t`Runs your program and shows what it printed, how it went, and how it measured. As often as you like.`,
  },
  {
    at: "pane-answer",
    pane: "answer",
    title: t`Your answer in words`,
    text: t`Short texts that people read. Each says what belongs into it.`,
  },
  {
    at: "saved",
    title: t`Saved`,
    text: t`All is saved as you type, and this says when it has reached us. Offline you go on: it is sent later.`,
  },
  {
    at: "clock",
    title: t`Your time`,
    text: t`What is left of it. At zero, what was saved last is handed in by itself. You can hide it.`,
  },
  {
    at: "ask-open",
    title: t`Asking`,
    text: t`If something is unclear or broken, ask the interviewers here. The answer appears on this page.`,
  },
  {
    at: "submit-open",
    title: t`Submit`,
    text: t`When you are done. You see first what you hand in, and can still go back.`,
  },
];

/** The steps that this page has: a program's page has eight, a room's seven. */
export function stepsOf(there) {
  return STEPS.filter((step) => there(step.at));
}

class Tour {
  constructor({ showPane }) {
    this.showPane = showPane;
    this.steps = stepsOf((id) => document.getElementById(id));
    this.at = 0;
    this.title = el("h2", { id: "tour-title", tabIndex: -1 });
    this.text = el("p", {});
    this.back = this.#button(t`Back`, () => this.#go(this.at - 1));
    this.next = this.#button(t`Next`, () => this.#go(this.at + 1), "primary");
    this.box = el(
      "section",
      { className: "tour", role: "dialog", "aria-labelledby": "tour-title", hidden: true },
      this.title,
      this.text,
      el(
        "div",
        { className: "tour-actions" },
        this.#button(t`Leave the tour`, () => this.end(), "quiet"),
        this.back,
        this.next,
      ),
    );
    this.box.addEventListener("keydown", (event) => event.key === "Escape" && this.end());
    document.body.append(this.box);
  }

  #button(label, onclick, className = "") {
    return el("button", { type: "button", className, onclick }, label);
  }

  begin(from) {
    this.from = from;
    this.box.hidden = false;
    this.#go(0);
  }

  #go(number) {
    if (number >= this.steps.length) {
      this.end();
      return;
    }
    this.at = number;
    const step = this.steps[number];
    if (step.pane) this.showPane(step.pane);
    this.#mark(step.at);
    this.title.textContent = t`${number + 1} of ${this.steps.length}: ${step.title}`;
    this.text.textContent = step.text;
    this.back.disabled = number === 0;
    this.next.textContent = number === this.steps.length - 1 ? t`Done` : t`Next`;
    this.title.focus();
  }

  #mark(id) {
    for (const node of document.querySelectorAll(".toured")) node.classList.remove("toured");
    if (id) byId(id).classList.add("toured");
  }

  end() {
    this.box.hidden = true;
    this.#mark(null);
    preference("toured", "yes");
    this.from?.focus();
  }
}

/** Say that this is practice, and offer the tour; by itself only the first time in this browser. */
export function setUpPractice({ showPane, lobby }) {
  const tour = new Tour({ showPane });
  const button = el("button", { type: "button", onclick: () => tour.begin(button) }, t`Tour`);
  showNotice("practice", {
    label: t`Practice`,
    content: el(
      "p",
      { className: "practice-line" },
      el("span", {}, el("strong", {}, t`Practice.`), t` Nothing here is kept or seen by anybody. `),
      button,
      " ",
      el("a", { className: "button", href: lobby }, t`Leave practice`),
    ),
  });
  if (preference("toured") !== "yes") tour.begin(button);
}
