// The line between the page and a terminal: typing goes out once and in order, output comes in as it is printed.
// One request at a time. What could not be sent is kept and sent under the same number, so it counts once.

import { ask, Refused } from "../../headnode/api.js";
import { uuid } from "../../headnode/dom.js";

const BATCH = 24_000;
const MOST_KEPT = 64_000;
const HIDDEN_MS = 5_000;
const RETRIES = [500, 1_000, 2_000, 4_000, 8_000];
// After so many seconds without typing or output, ask so often.
const PACES = [
  [1, 90],
  [5, 250],
  [20, 600],
  [60, 1_500],
  [Infinity, 3_000],
];

function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

function bytesOf(text) {
  return Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
}

/** Events: "data" {bytes, skipped}, "state" {state, ending, sentence}, "connection" {ok, sentence}. */
export class Line extends EventTarget {
  #page = uuid();
  #pending = [];
  #number = 0;
  #sent = null;
  #busy = false;
  #timer = null;
  #failed = 0;
  #active = 0;
  #encoder = new TextEncoder();

  constructor(url, size) {
    super();
    this.url = url;
    this.size = size;
    this.session = null;
    this.state = "none";
    this.after = 0;
    this.lookedAt = true;
    addEventListener("online", () => this.#soon(0));
    document.addEventListener("visibilitychange", () => !document.hidden && this.#soon(0));
  }

  /** Find the terminal there is, without starting one. */
  async find() {
    return this.#take(await ask(`${this.url}/state`));
  }

  /** Ask for a new shell; one that is there ends. What is typed meanwhile is for the new one. */
  async start() {
    const { state, session } = this;
    this.state = "waiting";
    this.session = null;
    this.#pending = [];
    this.#sent = null;
    let answer;
    try {
      answer = await ask(`${this.url}/start`, this.size());
    } catch (error) {
      this.state = state;
      this.session = session;
      throw error;
    }
    this.#number = 0;
    this.#page = uuid();
    this.after = 0;
    return this.#take(answer);
  }

  #take(answer) {
    this.session = answer.session;
    this.#tellState(answer);
    if (this.isOpen) this.wake();
    return answer;
  }

  get isOpen() {
    return this.state === "waiting" || this.state === "live";
  }

  type(text) {
    this.send(this.#encoder.encode(text));
  }

  /** False where so much waits already that this was not taken. */
  send(bytes) {
    if (!this.isOpen || this.kept + bytes.length > MOST_KEPT * 8) return false;
    this.#pending.push(...(bytes.length > BATCH ? split(bytes) : [bytes]));
    this.wake();
    return true;
  }

  /** Bytes that wait to be sent. */
  get kept() {
    return this.#pending.reduce((sum, one) => sum + one.length, this.#sent?.bytes.length || 0);
  }

  /** Ask soon: somebody typed, or looks at it again. */
  wake() {
    this.#active = performance.now();
    if (!this.#busy) this.#soon(this.#failed ? RETRIES[0] : 4);
  }

  #soon(after) {
    clearTimeout(this.#timer);
    if (this.session) this.#timer = setTimeout(() => this.#exchange(), after);
  }

  #batch() {
    if (this.#sent || !this.#pending.length) return this.#sent;
    let size = 0;
    let count = 0;
    while (count < this.#pending.length && size + this.#pending[count].length <= BATCH)
      size += this.#pending[count++].length;
    const bytes = new Uint8Array(size);
    let at = 0;
    for (const one of this.#pending.splice(0, count)) {
      bytes.set(one, at);
      at += one.length;
    }
    this.#number += 1;
    this.#sent = { number: this.#number, bytes };
    return this.#sent;
  }

  async #exchange() {
    if (this.#busy || !this.session) return;
    this.#busy = true;
    const { session } = this;
    const batch = this.#batch();
    const asked = {
      session,
      page: this.#page,
      number: batch?.number || 0,
      input: batch ? base64(batch.bytes) : "",
      after: this.after,
      ...this.size(),
    };
    let pause = null;
    try {
      const answer = await ask(`${this.url}/exchange`, asked, { timeout: 20_000 });
      if (session !== this.session) return;
      this.#connected(true);
      pause = this.#heard(answer);
    } catch (error) {
      pause = this.#refused(error);
    } finally {
      this.#busy = false;
      if (session !== this.session) this.wake();
      else if (pause !== null) this.#soon(pause);
    }
  }

  #heard(answer) {
    if (this.#sent && answer.typed >= this.#sent.number) {
      this.#sent = null;
      this.#active = performance.now();
    }
    const bytes = bytesOf(answer.data);
    if (bytes.length) {
      this.#active = performance.now();
      this.after = answer.upto;
      this.dispatchEvent(new CustomEvent("data", { detail: { bytes, skipped: answer.skipped } }));
    }
    this.#tellState(answer);
    if (!this.isOpen) return bytes.length ? 0 : null;
    if (this.#pending.length || this.#sent) return 0;
    return bytes.length ? 25 : this.#pace();
  }

  #pace() {
    const quiet = (performance.now() - this.#active) / 1000;
    const pace = PACES.find(([until]) => quiet < until)[1];
    const waiting = this.state === "waiting" ? 400 : 0;
    return Math.max(pace, waiting, document.hidden || !this.lookedAt ? HIDDEN_MS : 0);
  }

  #refused(error) {
    if (error instanceof Refused && !error.passing) {
      if (error.status === 404) this.#tellState({ state: "none", ending: "", sentence: "" });
      else this.#tellState({ state: "ended", ending: "over", sentence: error.message });
      return null;
    }
    if (error instanceof Refused && error.code === "too_many_terminals") {
      this.#sent = null;
      this.#pending = [];
      this.#connected(false, error.message);
      return RETRIES.at(-1);
    }
    this.#connected(false);
    const pause = RETRIES[Math.min(this.#failed, RETRIES.length) - 1];
    return pause;
  }

  #connected(ok, sentence = "") {
    const was = this.#failed;
    this.#failed = ok ? 0 : this.#failed + 1;
    if (Boolean(was) === ok || sentence)
      this.dispatchEvent(new CustomEvent("connection", { detail: { ok, sentence } }));
  }

  #tellState({ state, ending, sentence }) {
    const same = state === this.state && sentence === this.sentence;
    this.state = state;
    this.ending = ending;
    this.sentence = sentence;
    if (!same) this.dispatchEvent(new CustomEvent("state", { detail: { state, ending, sentence } }));
  }
}

function split(bytes) {
  const parts = [];
  for (let at = 0; at < bytes.length; at += BATCH) parts.push(bytes.subarray(at, at + BATCH));
  return parts;
}
