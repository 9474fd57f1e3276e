// Keeps unsent drafts in this browser: IndexedDB, else localStorage, else memory.

import { t } from "../../headnode/words.js";

const PREFIX = "headnode:draft:";
// Storage that does not answer must not keep a draft from being sent or an answer from being handed in.
const ANSWERS_WITHIN_MS = 3000;

function inTime(begin) {
  let timer = 0;
  const answered = new Promise((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(t`the storage does not answer`)), ANSWERS_WITHIN_MS);
    begin(resolve, reject);
  });
  return answered.finally(() => clearTimeout(timer));
}

function open() {
  return inTime((resolve, reject) => {
    const request = indexedDB.open("headnode", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("drafts", { keyPath: "key" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("blocked"));
  });
}

function settled(request) {
  return inTime((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Entries are {key, attempt, client, seq, made, base, body}; `made` orders them across clients. */
export class DraftStore {
  #database = null;
  #memory = new Map();

  async open() {
    try {
      this.#database = await open();
    } catch {
      this.#database = null;
    }
  }

  async put(entry) {
    try {
      await settled(this.#drafts("readwrite").put(entry));
    } catch {
      this.putAtOnce(entry);
    }
  }

  /** Synchronous: for a page that is being closed and will not wait for IndexedDB. */
  putAtOnce(entry) {
    try {
      localStorage.setItem(PREFIX + entry.key, JSON.stringify(entry));
    } catch {
      this.#memory.set(entry.key, entry);
    }
  }

  async remove(key) {
    this.#memory.delete(key);
    try {
      localStorage.removeItem(PREFIX + key);
    } catch {
      // Storage is refused, so nothing was stored there.
    }
    try {
      await settled(this.#drafts("readwrite").delete(key));
    } catch {
      // The entry is in none of the places; sending it twice is harmless.
    }
  }

  /** Everything unsent for one attempt, oldest first. */
  async all(attempt) {
    return (await this.everything())
      .filter((entry) => entry.attempt === attempt)
      .sort((a, b) => a.made - b.made || a.seq - b.seq);
  }

  /** Everything unsent that this browser holds, of whatever attempt. */
  async everything() {
    const found = new Map(this.#memory);
    for (const entry of [...this.#fromLocal(), ...(await this.#fromDatabase())]) found.set(entry.key, entry);
    return [...found.values()];
  }

  #drafts(mode) {
    return this.#database.transaction("drafts", mode).objectStore("drafts");
  }

  async #fromDatabase() {
    try {
      return await settled(this.#drafts("readonly").getAll());
    } catch {
      return [];
    }
  }

  #fromLocal() {
    try {
      return Object.keys(localStorage)
        .filter((name) => name.startsWith(PREFIX))
        .map((name) => JSON.parse(localStorage.getItem(name)));
    } catch {
      return [];
    }
  }
}
