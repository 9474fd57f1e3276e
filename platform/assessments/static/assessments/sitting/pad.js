// A text that several people type into at once. The server merges by line; nothing typed here is dropped.

import { ask, Refused } from "../../headnode/api.js";
import { uuid } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";

const TYPED_MS = 600;
const AGAIN_MS = 3000;
const PREFIX = "headnode:pad:";

/** Events: "saved", "waiting" (no connection), "refused" {detail: sentence}. */
export class Pad extends EventTarget {
  #base = "";
  #sending = null;
  #timer = 0;
  #running = false;
  #client = uuid();

  /** @param {HTMLTextAreaElement} area  @param {string} url  @param {string} name under which it is kept here */
  constructor(area, url, name) {
    super();
    this.area = area;
    this.url = url;
    this.name = PREFIX + name;
    area.addEventListener("input", () => this.#typed());
    window.addEventListener("online", () => this.flush());
  }

  /** Whether something typed has not arrived yet. */
  get waits() {
    return this.#sending !== null || this.area.value !== this.#base;
  }

  /** The text as the server has it; shown at once unless something typed is still on its way. */
  start(text) {
    this.#base = text;
    this.area.value = text;
    const kept = this.#kept();
    if (kept && (kept.sending || kept.text !== kept.base)) {
      this.#base = kept.base;
      this.#sending = kept.sending;
      this.area.value = kept.text;
      this.flush();
    }
    this.area.disabled = false;
  }

  /** What others wrote meanwhile. */
  take(text) {
    if (this.waits || this.#running || text === this.#base) return;
    this.#adopt(text);
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
      if (error instanceof Refused && !error.passing) {
        this.#sending = null;
        this.#keep();
        this.#say("refused", error.message);
      } else {
        this.#say("waiting");
        again = AGAIN_MS;
      }
    } finally {
      this.#running = false;
    }
    if (again) this.#timer = setTimeout(() => this.flush(), again);
  }

  async #sendOne() {
    this.#sending ??= { base: this.#base, text: this.area.value, key: uuid(), client: this.#client };
    const sent = this.#sending;
    this.#keep();
    const answer = await ask(this.url, sent);
    this.#sending = null;
    if (this.area.value === sent.text) this.#adopt(answer.text);
    else this.#base = sent.text; // typed meanwhile: the next one is told from here
    this.#keep();
  }

  #typed() {
    this.#keep();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), TYPED_MS);
  }

  /** Show the server's text and leave the caret at the characters where it was. */
  #adopt(text) {
    const { area } = this;
    const before = area.value;
    this.#base = text;
    if (text === before) return;
    const at = [area.selectionStart, area.selectionEnd].map((place) => moved(before, text, place));
    const { scrollTop } = area;
    area.value = text;
    if (document.activeElement === area) area.setSelectionRange(at[0], at[1]);
    area.scrollTop = scrollTop;
  }

  #keep() {
    try {
      if (this.waits) {
        const kept = { base: this.#base, text: this.area.value, sending: this.#sending };
        localStorage.setItem(this.name, JSON.stringify(kept));
      } else localStorage.removeItem(this.name);
    } catch {
      // Storage is refused: the page itself still holds it.
    }
  }

  #kept() {
    try {
      return JSON.parse(localStorage.getItem(this.name));
    } catch {
      return null;
    }
  }

  #say(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }
}

/** Where a place in one text is in another that begins the same. */
export function moved(before, after, place) {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  if (place <= same) return place;
  return Math.max(same, Math.min(after.length, place + after.length - before.length));
}

/** Put the pad's state into words as it changes. */
export function tell(pad, state) {
  const words = {
    saved: t`saved`,
    waiting: t`No connection. What you write is kept in this browser and sent when the connection returns.`,
  };
  for (const kind of ["saved", "waiting", "refused"])
    pad.addEventListener(kind, ({ detail }) => {
      const text = detail || words[kind];
      if (state.textContent !== text) state.textContent = text;
    });
}
