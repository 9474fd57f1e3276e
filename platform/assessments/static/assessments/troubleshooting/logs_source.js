// The page's end of the worker that holds the log lines. A regular expression can take for ever on a
// line made for it, so a search by one is given two seconds; then the worker is ended and another begun.

import { t } from "../../headnode/words.js";

const PATTERN_MS = 2000;
const HEARD_MS = 50;

/** A search that was ended because it took too long. */
class TooSlow extends Error {}

/** Why a search for that text found nothing to show, and what to do. */
export function refusalText(error, text) {
  if (error instanceof TooSlow)
    return t`${error.message} Make it simpler, for example without a repeat inside a repeat, or narrow the lines
      down first.`;
  if (!error.syntax) return t`The logs could not be searched: ${error.message}`;
  return t`"${text}" is not a regular expression that can be used:
    ${error.message.replace(/^Invalid regular expression: /, "")}`;
}

/** Rows, lines, places and heights are those of the answer that was kept last, whatever has been searched for since.
 *  Events: "progress" {loaded, total}, "unpacking". */
export class LogSource extends EventTarget {
  #worker = null;
  #jobs = new Map();
  #next = 0;
  #opened = null;
  #ready = false;
  #kept = null;
  #answered = [];

  constructor({ url, key }) {
    super();
    this.url = url;
    this.key = key;
  }

  /** Load all lines, once; resolves to what there is to filter by. A failed load may be tried again. */
  open() {
    if (!this.#opened) {
      const opened = this.#begin();
      opened.catch((error) => this.#opened === opened && this.#broke(error));
      this.#opened = opened;
    }
    return this.#opened;
  }

  /** {count, bins, took} of the lines found, to be kept or passed over. */
  async search(query) {
    await this.open();
    const asked = { ...query, of: ++this.#next };
    const answer = await this.#ask("search", asked, limitOf(asked));
    this.#answered.push(asked);
    return { ...answer, asked };
  }

  /** From now on this answer is the one that is shown. */
  keep({ asked }) {
    this.#kept = asked;
    this.#answered = this.#answered.filter(({ of }) => of >= asked.of);
    this.#ask("keep", { of: asked.of }).catch(() => {});
  }

  /** Rows among those found, from inclusive, to exclusive. */
  rows(from, to) {
    return this.#ask("rows", { of: this.#kept.of, from, to }, limitOf(this.#kept));
  }

  /** Lines of a file, from 1, to exclusive. */
  lines(path, from, to) {
    return this.#ask("lines", { of: this.#kept?.of, path, from, to }, limitOf(this.#kept));
  }

  place(path, line) {
    return this.#ask("place", { of: this.#kept?.of, path, line });
  }

  /** Units of height above each line of an answer, and below its last. */
  heights({ asked }, columns, extra) {
    return this.#ask("heights", { of: asked.of, columns, extra });
  }

  async #begin() {
    this.#worker?.terminate();
    const worker = new Worker(new URL("./logs_worker.js", import.meta.url), { type: "module" });
    this.#worker = worker;
    worker.onmessage = ({ data }) => worker === this.#worker && this.#heard(data);
    worker.onerror = (event) =>
      worker === this.#worker &&
      this.#broke(new Error(event.message || t`The part of the page that searches could not be started.`));
    const about = await this.#ask("open", { url: new URL(this.url, location.href).href, key: this.key }, 0, true);
    for (const asked of this.#answered) await this.#ask("search", asked, 0, true);
    this.#ready = true;
    for (const { message } of this.#jobs.values()) worker.postMessage(message);
    return about;
  }

  /** What is asked before the worker is ready waits for it, but for what gets it ready. */
  #ask(act, rest, limit = 0, prepares = false) {
    const message = { id: ++this.#next, act, ...rest };
    const answer = new Promise((resolve, reject) =>
      this.#jobs.set(message.id, { message, resolve, reject, limit, timer: 0 }),
    );
    if (this.#ready || prepares) this.#worker.postMessage(message);
    else this.open().catch(() => {});
    return answer;
  }

  #heard(data) {
    if (!data.id) {
      this.dispatchEvent(new CustomEvent(data.type, { detail: data }));
      return;
    }
    const job = this.#jobs.get(data.id);
    if (!job) return;
    if (data.type === "begun") {
      if (job.limit) job.timer = setTimeout(() => this.#late(job), job.limit);
      return;
    }
    clearTimeout(job.timer);
    this.#jobs.delete(data.id);
    if (data.type === "done") job.resolve(data.answer);
    else job.reject(Object.assign(new Error(data.message), { syntax: data.syntax }));
  }

  /** A page that was busy itself may hold the answer already: it is heard before anything is ended. */
  #late(job) {
    job.timer = setTimeout(() => this.#tooSlow(job), HEARD_MS);
  }

  /** Ends the worker for this one job. What else was asked is asked again of the next worker, which first
   *  finds again what was found. */
  #tooSlow({ message, reject }) {
    for (const job of this.#jobs.values()) clearTimeout(job.timer);
    if (message.act === "search") {
      this.#jobs.delete(message.id);
      reject(new TooSlow(t`The expression took longer than two seconds and was stopped.`));
    } else this.#kept.plain = true; // finding its lines was quick, marking all its places in one is not
    this.#ready = false;
    this.#opened = null;
    this.open().catch(() => {});
  }

  #broke(error) {
    this.#worker?.terminate();
    this.#worker = null;
    this.#ready = false;
    this.#opened = null;
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    for (const { reject, timer } of jobs) {
      clearTimeout(timer);
      reject(error);
    }
  }
}

function limitOf(query) {
  return query?.regex && query.text && !query.plain ? PATTERN_MS : 0;
}

/** A short name for what is in the logs, so that another variant's lines are never shown for these. */
export function bundleKey(manifest) {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (const file of manifest.files) {
    if (file.kind !== "log") continue;
    for (const letter of `${file.path}:${file.sha256}`) {
      const code = letter.charCodeAt(0);
      a = Math.imul(a ^ code, 2654435761);
      b = Math.imul(b ^ code, 1597334677);
    }
  }
  return `1:${(a >>> 0).toString(36)}-${(b >>> 0).toString(36)}`;
}
