// Keeps what is not saved yet about an interview in this browser, one entry for each question.

const PREFIX = "headnode:interview:";

export class InterviewStore {
  #session;
  #memory = new Map();

  constructor(session) {
    this.#session = session;
  }

  put(name, state) {
    this.#memory.set(name, state);
    try {
      localStorage.setItem(this.#key(name), JSON.stringify(state));
    } catch {
      // Storage is refused: the page itself still holds it.
    }
  }

  /** The entry, or null. */
  get(name) {
    if (this.#memory.has(name)) return this.#memory.get(name);
    try {
      return JSON.parse(localStorage.getItem(this.#key(name)));
    } catch {
      return null;
    }
  }

  remove(name) {
    this.#memory.delete(name);
    try {
      localStorage.removeItem(this.#key(name));
    } catch {
      // Storage is refused, so nothing was stored there.
    }
  }

  #key(name) {
    return `${PREFIX}${this.#session}:${name}`;
  }
}
