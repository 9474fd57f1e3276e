// Asks the server what holds in the plan, after every pause in writing; one question at a time.

import { ask, Refused } from "../../headnode/api.js";
import { t } from "../../headnode/words.js";

const PAUSE_MS = 300;
const AGAIN_MS = [1000, 3000, 8000, 20000];
const ORDER = { bad: 0, warn: 1, draft: 2, ok: 3 };
/** Rows that are not complete are no warnings: most plans begin with some. */
const DRAFT = "draft";

export const NOTHING = { rows: [], months: [], quarters: [], orders: [] };

/** Events: "checks" (a new answer, or a new state). state: "waiting", "fresh", "refused" or "away". */
export class Checks extends EventTarget {
  #timer = 0;
  #asking = false;
  #asked = null;
  #tries = 0;

  constructor(model) {
    super();
    this.model = model;
    this.url = null;
    this.found = NOTHING;
    this.state = "waiting";
    this.sentence = "";
    model.addEventListener("change", () => this.#soon(PAUSE_MS));
  }

  begin(url) {
    this.url = url;
    this.#soon(0);
  }

  /** All rows, what is wrong first. */
  get rows() {
    return [...this.found.rows].sort((a, b) => (ORDER[a.tone] ?? 4) - (ORDER[b.tone] ?? 4));
  }

  count(tone) {
    return this.found.rows.filter((row) => row.tone === tone).length;
  }

  /** What is said of one row of the plan. */
  of(subject) {
    return this.rows.filter((row) => row.subject === subject && row.tone !== "ok");
  }

  order(id) {
    return this.found.orders.find((order) => order.id === id) || null;
  }

  #soon(wait) {
    if (!this.url) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), wait);
  }

  async #ask() {
    if (this.#asking) return;
    const text = this.model.text;
    if (text === this.#asked && this.state === "fresh") return;
    this.#asking = true;
    try {
      const found = await ask(this.url, { plan: text });
      this.#asked = text;
      this.#tries = 0;
      const rows = found.rows.map((row) => (row.key === DRAFT ? { ...row, tone: DRAFT } : row));
      this.found = { ...NOTHING, ...found, rows };
      this.#say("fresh");
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#asking = false;
    }
    if (this.state === "fresh" && this.model.text !== this.#asked) this.#soon(PAUSE_MS);
  }

  #failed(error) {
    const final = error instanceof Refused && !error.passing;
    this.#say(
      final ? "refused" : "away",
      final
        ? error.message
        : t`The server could not check the plan just now. It is asked again by itself; what you write is saved.`,
    );
    if (final) return;
    this.#soon(AGAIN_MS[Math.min(this.#tries, AGAIN_MS.length - 1)]);
    this.#tries += 1;
  }

  #say(state, sentence = "") {
    this.state = state;
    this.sentence = sentence;
    this.dispatchEvent(new CustomEvent("checks"));
  }
}
