// The page's end of the worker that holds the log lines. A regular expression can take for ever on a
// line made for it, so a search by one is given two seconds; then the worker is ended and another begun.

const PATTERN_MS = 2000;

/** A search that was ended because it took too long. */
export class TooSlow extends Error {}

/** Events: "progress" {loaded, total}, "unpacking". */
export class LogSource extends EventTarget {
  #worker = null;
  #waiting = new Map();
  #next = 0;
  #opened = null;

  constructor({ url, key }) {
    super();
    Object.assign(this, { url, key });
  }

  /** Load all lines, once; resolves to what there is to filter by. A failed load may be tried again. */
  open() {
    this.#opened ??= this.#begin().catch((error) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }

  async search(query) {
    await this.open();
    return this.#ask("search", query, query.regex && query.text ? PATTERN_MS : 0);
  }

  /** Rows among those found, from inclusive, to exclusive. */
  rows(from, to) {
    return this.#ask("rows", { from, to }, PATTERN_MS);
  }

  /** Lines of a file, from 1, to exclusive. */
  lines(path, from, to) {
    return this.#ask("lines", { path, from, to }, PATTERN_MS);
  }

  place(path, line) {
    return this.#ask("place", { path, line });
  }

  heights(columns, extra) {
    return this.#ask("heights", { columns, extra });
  }

  #begin() {
    this.#worker?.terminate();
    this.#worker = new Worker(new URL("./logs_worker.js", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#heard(data);
    this.#worker.onerror = (event) => this.#broke(new Error(event.message || "The part of the page that searches could not be started."));
    return this.#ask("open", { url: new URL(this.url, location.href).href, key: this.key });
  }

  #ask(act, rest, limit = 0) {
    const id = ++this.#next;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, limit, timer: 0 });
      this.#worker.postMessage({ id, act, ...rest });
    });
  }

  #heard(data) {
    if (!data.id) {
      this.dispatchEvent(new CustomEvent(data.type, { detail: data }));
      return;
    }
    const job = this.#waiting.get(data.id);
    if (!job) return;
    if (data.type === "begun") {
      if (job.limit) job.timer = setTimeout(() => this.#tooSlow(), job.limit);
      return;
    }
    clearTimeout(job.timer);
    this.#waiting.delete(data.id);
    if (data.type === "done") job.resolve(data.answer);
    else job.reject(Object.assign(new Error(data.message), { syntax: data.syntax }));
  }

  #tooSlow() {
    const error = new TooSlow("The expression took longer than two seconds and was stopped.");
    this.#broke(error);
    this.open().catch(() => {});
  }

  #broke(error) {
    this.#worker?.terminate();
    this.#opened = null;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#waiting.clear();
  }
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
