// The pane of the assistant that the company provides: asked through the server, its answer read as it grows.
// Fetched when it is opened first. What comes from the model goes in as text and never as markup.

import { announce } from "../../headnode/announce.js";
import { ask, Refused } from "../../headnode/api.js";
import { byId, el, uuid } from "../../headnode/dom.js";
import { t, timeOfDay } from "../../headnode/words.js";
import { copyText } from "../workplace/clipboard.js";
import { blocksOf, leftText } from "./answer_text.js";

const LONGEST = 20000;
const FIRST_MS = 350;
const SLOWEST_MS = 1500;
const READ_ALOUD = 600;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What a browser that refuses storage forgets is only typed once more. */
function keep(name, value) {
  try {
    if (value === undefined) return sessionStorage.getItem(name) ?? "";
    sessionStorage.setItem(name, value);
  } catch {
    // It stays in its field as long as the page does.
  }
  return value ?? "";
}

function codeBlock(text) {
  const button = el("button", { type: "button", className: "quiet" }, t`Copy`);
  button.addEventListener("click", async () => {
    announce((await copyText(text)) ? t`Copied.` : t`This browser does not let pages copy: select the lines instead.`);
  });
  const code = el("pre", { tabIndex: 0, role: "region", "aria-label": t`Code` }, el("code", {}, text));
  return el("div", { className: "assistant-code" }, button, code);
}

function answerNodes(text) {
  return blocksOf(text).map((block) =>
    block.isCode ? codeBlock(block.text) : el("p", { className: "told-text" }, block.text),
  );
}

/** One question with its answer, changed in place while that comes. */
class Turn {
  #answer = el("div", { className: "assistant-answer" });
  #problem = el("p", { className: "muted" });
  #shown = null;

  constructor(told) {
    this.node = el(
      "div",
      { className: "asked" },
      el("p", { className: "told-head" }, t`You asked, ${timeOfDay(told.asked_at)}`),
      el("p", { className: "told-text" }, told.question),
      el("p", { className: "told-head" }, t`The assistant`),
      this.#answer,
      this.#problem,
    );
    this.update(told);
  }

  update(told) {
    this.told = told;
    if (told.answer !== this.#shown) this.#answer.replaceChildren(...answerNodes(told.answer));
    this.#shown = told.answer;
    this.#problem.textContent = told.ended_at ? told.problem : t`Answering…`;
    this.#problem.hidden = Boolean(told.ended_at && !told.problem);
  }
}

export class Assistant {
  #running = null;
  #list = el("div", { className: "assistant-talk", tabIndex: 0, role: "region", "aria-label": t`What was said` });
  #left = el("p", { className: "muted assistant-left" });
  #said = el("p", { className: "assistant-said", role: "status" });
  #send = el("button", { type: "button", className: "primary" }, t`Ask the assistant`);
  #stop = el("button", { type: "button", hidden: true }, t`Stop`);

  /** url: of the talk; attempt: names what this browser keeps; button: opens and closes the pane. */
  constructor({ url, attempt, button }) {
    this.url = url;
    this.button = button;
    this.typed = `headnode:assistant:${attempt}`;
    this.turns = new Map();
    this.id = uuid(); // of the question in the field: sent twice, it is one
    this.field = el("textarea", { rows: 4, maxLength: LONGEST, value: keep(this.typed) });
    this.pane = this.#build();
    byId("main").append(this.pane);
  }

  #build() {
    const close = el("button", { type: "button", className: "quiet", onclick: () => this.close() }, t`Close`);
    this.field.addEventListener("input", () => keep(this.typed, this.field.value));
    this.#send.addEventListener("click", () => this.#ask());
    this.#stop.addEventListener("click", () => this.#end());
    const pane = el(
      "section",
      { className: "assistant", "aria-label": t`Assistant`, hidden: true },
      el("div", { className: "pane-head" }, el("h2", { className: "pane-title" }, t`Assistant`), close),
      this.#list,
      el(
        "div",
        { className: "assistant-ask" },
        el("label", { className: "field" }, t`Your question`, this.field),
        el("p", { className: "assistant-send" }, this.#send, this.#stop, this.#left),
        this.#said,
      ),
    );
    pane.addEventListener("keydown", (event) => this.#key(event));
    return pane;
  }

  /** Control+Enter asks here; elsewhere on the page it runs the program. */
  #key(event) {
    if (event.key === "Escape") this.close();
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.#ask();
  }

  async open() {
    this.pane.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    this.field.focus();
    try {
      this.#show(await ask(this.url));
    } catch (error) {
      this.#say(t`${error.message} Your work is not concerned.`);
    }
  }

  close() {
    this.pane.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    this.button.focus();
  }

  toggle() {
    if (this.pane.hidden) this.open();
    else this.close();
  }

  #say(text) {
    this.#said.textContent = text;
  }

  #show({ turns, left, most, closed }) {
    this.most = most;
    for (const told of turns) this.#turn(told);
    if (!turns.length) {
      const hint = t`It sees only what you write here: paste what it should know. The interviewers read all of it
        beside your answer.`;
      this.#list.replaceChildren(el("p", { className: "muted" }, hint));
    }
    this.#leftIs(left);
    this.#say(closed);
    this.#list.scrollTop = this.#list.scrollHeight;
    const open = turns.find((told) => !told.ended_at);
    if (open) this.#follow(open.id);
  }

  #turn(told) {
    const known = this.turns.get(told.id);
    if (known) known.update(told);
    else {
      if (!this.turns.size) this.#list.replaceChildren();
      const made = new Turn(told);
      this.turns.set(told.id, made);
      this.#list.append(made.node);
    }
  }

  #leftIs(left) {
    if (left !== undefined && this.most) this.#left.textContent = leftText(left, this.most);
  }

  async #ask() {
    if (this.#running || this.#send.disabled) return;
    if (!this.field.value.trim()) {
      this.#say(t`Write your question first.`);
      this.field.focus();
      return;
    }
    this.field.focus(); // a button that is disabled loses the focus to nowhere
    this.#send.disabled = true;
    this.#say("");
    try {
      const told = await ask(this.url, { id: this.id, text: this.field.value });
      this.id = uuid();
      this.field.value = keep(this.typed, "");
      this.#turn(told);
      this.#list.scrollTop = this.#list.scrollHeight;
      this.#follow(told.id);
    } catch (error) {
      this.#say(
        error instanceof Refused
          ? error.message
          : t`${error.message} Your question is kept here: ask again in a moment.`,
      );
    } finally {
      this.#send.disabled = Boolean(this.#running);
    }
  }

  /** Read the answer until it has ended. What is not reached is asked again: the answer is kept by the server. */
  async #follow(id) {
    if (this.#running) return;
    this.#running = id;
    this.#busy(true);
    announce(t`The assistant is answering.`);
    let pause = FIRST_MS;
    while (this.#running === id) {
      await sleep(pause);
      try {
        const told = await ask(`${this.url}${id}`);
        this.#grow(told);
        if (told.ended_at) this.#ended(told);
        pause = Math.min(SLOWEST_MS, pause * 1.1);
      } catch (error) {
        if (error instanceof Refused && !error.passing) {
          this.#say(error.message);
          this.#running = null;
        }
        pause = SLOWEST_MS;
      }
    }
    if (!this.#running) this.#busy(false); // meanwhile it may have been stopped and asked anew
  }

  /** The newest line stays in sight unless one reads further up. */
  #grow(told) {
    const list = this.#list;
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 48;
    this.#turn(told);
    if (isAtEnd) list.scrollTop = list.scrollHeight;
  }

  #ended(told) {
    this.#running = null;
    this.#busy(false);
    this.#leftIs(told.left);
    const aloud = told.answer.slice(0, READ_ALOUD);
    announce(
      [
        aloud && t`The assistant answered: ${aloud}`,
        aloud.length < told.answer.length && t`There is more.`,
        told.problem,
      ]
        .filter(Boolean)
        .join(" "),
    );
  }

  #busy(is) {
    this.#send.disabled = is;
    this.#stop.hidden = !is;
    if (!is && document.activeElement === document.body && !this.pane.hidden) this.field.focus();
  }

  async #end() {
    const id = this.#running;
    if (!id) return;
    try {
      const told = await ask(`${this.url}${id}/stop`, {});
      this.#grow(told);
      if (this.#running === id) this.#ended(told);
      this.field.focus();
    } catch (error) {
      this.#say(error.message);
    }
  }
}
