// What is typed in the round: kept in this browser first, then sent, entry by entry, until the server has it.

import { ask, Refused } from "../../headnode/api.js";
import { uuid } from "../../headnode/dom.js";

const TYPED_MS = 500;
const AGAIN_MS = 3000;
const PREFIX = "headnode:own-work:";

/** Events: "saved", "waiting" (no connection), "late" (came after the end), "refused" {detail: sentence}. */
export class Entries extends EventTarget {
  #waiting = {};
  #seq = 0;
  #client = uuid();
  #timer = 0;
  #running = false;

  /** @param {string} url  @param {string} round whose entries are kept here */
  constructor(url, round) {
    super();
    this.url = url;
    this.name = PREFIX + round;
    window.addEventListener("online", () => this.flush());
  }

  /** Whether something has not arrived yet. */
  get waits() {
    return Object.keys(this.#waiting).length > 0;
  }

  /** What an earlier page could not send: number -> {given, why}. Sent again with the next flush. */
  restore() {
    try {
      this.#waiting = JSON.parse(localStorage.getItem(this.name)) || {};
    } catch {
      this.#waiting = {};
    }
    return this.#waiting;
  }

  set(number, field, text) {
    this.#waiting[number] = { ...this.#waiting[number], [field]: text };
    this.#keep();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), TYPED_MS);
  }

  async flush() {
    clearTimeout(this.#timer);
    if (this.#running) return;
    this.#running = true;
    let again = 0;
    try {
      while (this.waits) await this.#sendOne();
      this.#say("saved");
    } catch (error) {
      if (error instanceof Refused && !error.passing) this.#say("refused", error.message);
      else {
        this.#say("waiting");
        again = AGAIN_MS;
      }
    } finally {
      this.#running = false;
    }
    if (again) this.#timer = setTimeout(() => this.flush(), again);
  }

  async #sendOne() {
    const sent = structuredClone(this.#waiting);
    this.#seq += 1;
    const told = await ask(this.url, { client: this.#client, seq: this.#seq, answers: sent });
    for (const [number, entry] of Object.entries(sent)) {
      for (const [field, text] of Object.entries(entry)) {
        if (this.#waiting[number]?.[field] === text) delete this.#waiting[number][field];
      }
      if (!Object.keys(this.#waiting[number] || {}).length) delete this.#waiting[number];
    }
    this.#keep();
    if (told.late) this.#say("late");
  }

  #keep() {
    try {
      if (this.waits) localStorage.setItem(this.name, JSON.stringify(this.#waiting));
      else localStorage.removeItem(this.name);
    } catch {
      // Storage is refused: the page itself still holds it.
    }
  }

  #say(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
