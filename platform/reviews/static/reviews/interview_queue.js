// Sends the state of each question, one request after the other, and again until it arrived.

import { ask, Refused } from "../headnode/api.js";

const AGAIN_MS = 5000;

/** Events: "saved" {answer, waiting}, "waiting" {text}, "refused" {text}. */
export class InterviewQueue extends EventTarget {
  #store;
  #waiting = new Map();
  #running = null;
  #timer = 0;

  constructor(store) {
    super();
    this.#store = store;
    window.addEventListener("online", () => this.flush());
  }

  get size() {
    return this.#waiting.size;
  }

  /** `state` replaces what waits for the same question. */
  add(name, url, state) {
    this.#waiting.delete(name);
    this.#waiting.set(name, { url, state });
    this.#store.put(name, state);
  }

  /** Resolves to whether everything has arrived. */
  flush() {
    this.#running ??= this.#send().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #send() {
    clearTimeout(this.#timer);
    while (this.#waiting.size) {
      const [name, entry] = this.#waiting.entries().next().value;
      try {
        const answer = await ask(entry.url, entry.state);
        if (this.#waiting.get(name) === entry) {
          this.#waiting.delete(name);
          this.#store.remove(name);
        }
        this.#say("saved", { answer, waiting: this.#waiting.size });
      } catch (error) {
        const refused = error instanceof Refused && !error.passing;
        this.#say(refused ? "refused" : "waiting", { text: error.message });
        if (!refused) this.#timer = setTimeout(() => this.flush(), AGAIN_MS);
        return false;
      }
    }
    return true;
  }

  #say(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }
}
