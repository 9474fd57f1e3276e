// The live part of the interview page: notes and pad that several people write, and the candidate's page.

import { Pad, tell } from "../assessments/sitting/pad.js";
import { ask } from "../headnode/api.js";

const EVERY_MS = 2000;
const CLOSED = "The candidate’s page is closed.";

class Live {
  constructor(root) {
    this.urls = root.dataset;
    this.state = document.getElementById("shown-state");
    this.close = root.querySelector("[data-close]");
    this.notes = this.#pad("talk-notes", "notes-state", "notes");
    this.pad = this.#pad("talk-pad", "pad-state", "pad");
    this.shown = "";
    this.begun = false;
    const form = root.closest("form");
    form.addEventListener("click", (event) => this.#pressed(event.target.closest("button")));
    document.addEventListener("keydown", (event) => this.#key(event));
    this.#look();
  }

  #pad(area, state, name) {
    const text = /** @type {HTMLTextAreaElement} */ (document.getElementById(area));
    const pad = new Pad(text, this.urls[name], `${name}:${this.urls.talk}`);
    tell(pad, document.getElementById(state));
    return pad;
  }

  async #look() {
    await this.#ask();
    setTimeout(() => this.#look(), EVERY_MS);
  }

  async #ask() {
    try {
      const told = await ask(this.urls.state);
      for (const [pad, text] of [
        [this.notes, told.notes.text],
        [this.pad, told.pad.text],
      ])
        this.begun ? pad.take(text) : pad.start(text);
      this.begun = true;
      this.#draw(told.shown);
    } catch {
      // The pads say themselves when something cannot be sent.
    }
  }

  #draw(shown) {
    this.shown = shown;
    const words = shown ? `The candidate sees: “${shown}”` : CLOSED;
    if (this.state.textContent !== words) this.state.textContent = words;
    this.state.classList.toggle("info", Boolean(shown));
    this.close.hidden = !shown;
  }

  #pressed(button) {
    if (!button) return;
    if (button.dataset.show) this.#show({ asked: Number(button.dataset.show) });
    else if (button === this.close) this.#show({ close: true });
  }

  async #show(what) {
    try {
      this.#draw((await ask(this.urls.show, what)).shown);
    } catch (error) {
      this.state.textContent = `That did not arrive: ${error.message}`;
    }
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("textarea, input:not([type=radio]):not([type=checkbox]), select")) return;
    if (event.key === "v") document.querySelector(".question:not([hidden]) [data-show]")?.click();
    else if (event.key === "m") this.notes.area.focus();
    else return;
    event.preventDefault();
  }
}

const root = document.getElementById("live");
if (root) new Live(root);
