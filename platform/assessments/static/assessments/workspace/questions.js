// Questions to the interviewers, and what they tell: asked from a dialog, answered on the open page.

import { announce } from "../../headnode/announce.js";
import { ask } from "../../headnode/api.js";
import { openDialog } from "../../headnode/dialogs.js";
import { byId, el, uuid } from "../../headnode/dom.js";
import { t, timeOfDay } from "../../headnode/words.js";
import { showNotice } from "./notices.js";

const LONGEST = 2000;
const HEADS = {
  correction: t`A correction of the exercise`,
  all: t`To everybody at this exercise`,
  one: t`Your answer`,
};

function headOf(told) {
  if (told.is_correction) return HEADS.correction;
  return told.to_all ? HEADS.all : HEADS.one;
}

function toldNode(told) {
  return el(
    "div",
    { className: "told" },
    el("p", { className: "told-head" }, `${headOf(told)}, ${timeOfDay(told.at)}`),
    el("p", { className: "told-text" }, told.text),
  );
}

/** What a browser that refuses storage forgets is only asked once more. */
function keep(store, name, value) {
  try {
    if (value === undefined) return store.getItem(name) ?? "";
    if (value) store.setItem(name, value);
    else store.removeItem(name);
  } catch {
    // What was told stays in the list, and a question stays in its field.
  }
  return value ?? "";
}

export class Questions {
  #known = 0;
  #reading = false;
  #list = el("div", { className: "conversation" });

  /** url: of the conversation; attempt: names what this browser keeps. */
  constructor({ url, attempt }) {
    this.url = url;
    this.typed = `headnode:question:${attempt}`;
    this.closed = `headnode:told:${attempt}`;
    this.conversation = { asked: [], announced: [], newest: 0 };
    byId("ask-open").addEventListener("click", () => this.open());
    byId("ask-open").disabled = false;
  }

  /** The state says what was told last; read it where that is new. A failed reading is tried at the next state. */
  async onState(newest) {
    if (newest === undefined || newest === this.#known || this.#reading) return;
    this.#reading = true;
    try {
      await this.#read();
      this.#known = newest;
      this.#show();
    } catch {
      // The next state asks again.
    } finally {
      this.#reading = false;
    }
  }

  async #read() {
    this.conversation = await ask(this.url);
    this.#fill();
  }

  get #told() {
    const { asked, announced } = this.conversation;
    return [...asked.flatMap((one) => one.answers), ...announced].sort((a, b) => a.id - b.id);
  }

  /** A bar for each thing told that was not closed here; what is new is said to a screen reader too. */
  #show() {
    const isShown = (told) => byId("notices").querySelector(`[data-name="told-${told.id}"]`);
    const fresh = this.#told.filter((told) => !this.#closed().includes(String(told.id)) && !isShown(told));
    for (const told of fresh) {
      showNotice(`told-${told.id}`, {
        content: toldNode(told),
        label: headOf(told),
        dismiss: () => keep(sessionStorage, this.closed, [...this.#closed(), told.id].join(" ")),
      });
    }
    for (const told of fresh) announce(`${headOf(told)}: ${told.text}`, { news: true });
  }

  #closed() {
    return keep(sessionStorage, this.closed).split(" ");
  }

  #fill() {
    const { asked, announced } = this.conversation;
    this.#list.replaceChildren(
      ...announced.map(toldNode),
      ...asked.map((one) =>
        el(
          "div",
          { className: "asked" },
          el("p", { className: "told-head" }, t`You asked, ${timeOfDay(one.at)}`),
          el("p", { className: "told-text" }, one.text),
          one.answers.length ? one.answers.map(toldNode) : el("p", { className: "muted" }, t`No answer yet.`),
        ),
      ),
    );
    if (!announced.length && !asked.length) {
      this.#list.replaceChildren(el("p", { className: "muted" }, t`You have not asked anything yet.`));
    }
  }

  open() {
    const field = el("textarea", { rows: 4, maxLength: LONGEST, value: keep(sessionStorage, this.typed) });
    field.addEventListener("input", () => keep(sessionStorage, this.typed, field.value));
    const status = el("p", { role: "status", className: "muted" });
    const button = el("button", { type: "button", className: "primary" }, t`Send`);
    let id = uuid(); // of this question: sent twice, it is one
    button.addEventListener("click", async () => {
      if (!field.value.trim()) {
        status.textContent = t`Write your question first.`;
        field.focus();
        return;
      }
      button.disabled = true;
      try {
        await ask(this.url, { id, text: field.value });
        id = uuid();
        field.value = keep(sessionStorage, this.typed, "");
        status.textContent = t`Sent. The answer appears on this page: you can close this and work on.`;
        await this.#read().catch(() => {});
      } catch (error) {
        status.textContent = t`${error.message} Your question is kept here: send it again in a moment.`;
      } finally {
        button.disabled = false;
      }
    });
    this.#fill();
    this.#read().catch(() => {});
    return openDialog({
      title: t`Ask the interviewers`,
      content: [
        el(
          "p",
          {},
          t`For what is unclear or does not work. They do not help with the answer itself, and asking counts neither
            for nor against you. Your clock runs on.`,
        ),
        this.#list,
        el("label", { className: "field" }, t`Your question`, field),
        el("p", { className: "ask-send" }, button),
        status,
      ],
      buttons: [{ value: null, label: t`Close` }],
    });
  }
}
