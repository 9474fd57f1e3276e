// The candidate's page of a live interview: shows what the interviewer opens, and nothing once it is closed.

import { ask } from "../../headnode/api.js";
import { Pad, tell } from "./pad.js";

const EVERY_MS = 2000;
const HIDDEN_EVERY_MS = 10000;

class Sitting {
  #pad = null;
  #talk = "";

  constructor(root) {
    this.urls = root.dataset;
    this.closed = document.getElementById("sitting-closed");
    this.open = document.getElementById("sitting-open");
    this.question = document.getElementById("sitting-question");
    this.area = /** @type {HTMLTextAreaElement} */ (document.getElementById("sitting-pad"));
    this.state = document.getElementById("pad-state");
    this.line = document.getElementById("sitting-line");
    this.#look();
    document.addEventListener("visibilitychange", () => document.hidden || this.#ask());
  }

  async #look() {
    await this.#ask();
    setTimeout(() => this.#look(), document.hidden ? HIDDEN_EVERY_MS : EVERY_MS);
  }

  async #ask() {
    try {
      this.#show(await ask(this.urls.state));
      this.line.hidden = true;
    } catch {
      this.line.hidden = false;
    }
  }

  #show(told) {
    this.closed.hidden = told.open;
    this.open.hidden = !told.open;
    if (!told.open) {
      this.question.textContent = "";
      if (!this.#pad?.waits) this.area.value = "";
      this.#talk = "";
      return;
    }
    if (this.question.textContent !== told.question) this.question.textContent = told.question;
    if (this.#talk === told.talk) this.#pad.take(told.text);
    else this.#begin(told);
  }

  #begin(told) {
    this.#talk = told.talk;
    if (!this.#pad) {
      this.#pad = new Pad(this.area, this.urls.pad, told.talk);
      tell(this.#pad, this.state);
    }
    if (this.#pad.waits) this.#pad.flush();
    else this.#pad.start(told.text);
  }
}

const root = document.getElementById("sitting");
if (root) new Sitting(root);
