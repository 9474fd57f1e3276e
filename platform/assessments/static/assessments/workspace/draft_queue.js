// Gets every draft to the server, in order, exactly as often as needed, and says how that stands.
// Theory: a changed text becomes an entry; the entry is kept in this browser first and sent second;
// one entry is on its way at a time, so the order on the server is the order of typing. A repeated
// (client, seq) is answered the same, so a lost answer costs nothing. Each page load is a client of
// its own: a duplicated tab copies sessionStorage, and two tabs must never share sequence numbers.

import { ask, Unreachable } from "../../headnode/api.js";
import { uuid } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { fingerprint } from "./answer.js";
import { DraftStore } from "./draft_store.js";

const IDLE_MS = 2000;
const LONGEST_MS = 4500;
// Whoever presses Submit is told after this that drafts before it do not get through.
const SAID_AFTER_MS = 3000;
const BACKOFF_MS = [1000, 2000, 4000, 8000, 15000];
// A keepalive request outlives its page, but browsers allow no more than 64 KiB of them.
const KEEPALIVE_BYTES = 60_000;

/**
 * Events: "status" {kind, number, at, text}, "conflict" {number, client, at, own}, "state" (server state), "closed",
 *  "signedout".
 */
export class DraftQueue extends EventTarget {
  #store = new DraftStore();
  #pending = [];
  #refused = [];
  #timer = 0;
  #dirtySince = 0;
  #drain = null;
  #keeping = null;
  #wake = null;
  #saved;
  #last = null;
  #seq = 0;

  constructor({ attempt, draftsUrl, answer, head, maxBody }) {
    super();
    this.attempt = attempt;
    this.draftsUrl = draftsUrl;
    this.answer = answer;
    this.maxBody = maxBody;
    this.client = uuid();
    this.base = head || 0;
    this.conflict = null;
    this.closed = false;
    /** The newest draft that the server is known to have. */
    this.arrived = { number: head || 0, at: "" };
    this.#saved = fingerprint(answer.body());
  }

  /** Take up what an earlier page could not send; resolves to the newest such body, or null. */
  async recover() {
    await this.#store.open();
    const kept = (await this.#store.all(this.attempt)).filter(({ client }) => client !== this.client);
    this.#pending.unshift(...kept.filter((entry) => !entry.refused));
    this.#refused.unshift(...kept.filter((entry) => entry.refused));
    // What was typed and made a draft by now stays; the server says that there are two versions.
    const newest = this.#seq ? null : (kept.at(-1)?.body ?? null);
    if (newest) this.#saved = fingerprint(newest);
    this.#go();
    return newest;
  }

  get unsent() {
    return this.#pending.length;
  }

  /** What became of all that was written: "all" arrived, some came too "late", or is still "held" here. */
  get fate() {
    if (this.#pending.length || this.#refused.length) return "held";
    return this.closed ? "late" : "all";
  }

  get dirty() {
    return fingerprint(this.answer.body()) !== this.#saved;
  }

  /** The text changed: save it soon, and never later than LONGEST_MS after the first change. */
  touch() {
    if (this.closed) return;
    const now = Date.now();
    this.#dirtySince ||= now;
    clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(IDLE_MS, this.#dirtySince + LONGEST_MS - now));
    this.#timer = setTimeout(() => this.save(), wait);
    if (!this.#pending.length) this.#tell("status", { kind: "edited" });
  }

  /** Make a draft of what is there now, if it differs from the last one; every draft made so far is kept here then. */
  async save() {
    const entry = this.#entry();
    if (entry) this.#keeping = this.#keepAfter(this.#keeping, this.#keep(entry));
    await this.#keeping;
  }

  async #keepAfter(earlier, kept) {
    await earlier;
    await kept;
  }

  /** The page is going away: keep the text without waiting for anything, and start sending it. */
  saveAtOnce() {
    const entry = this.#entry();
    if (!entry) return;
    this.#store.putAtOnce(entry);
    if (entry.refused) return;
    this.#pending.push(entry);
    this.#go();
  }

  /** Save, and wait until everything is with the server or `limitMs` has passed; true when it is. */
  async flush(limitMs = 20000) {
    await this.save();
    this.#go();
    let timer = 0;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, limitMs)));
    await Promise.race([this.#drain, late]);
    clearTimeout(timer);
    return this.#pending.length === 0;
  }

  /** Send a request that carries the text itself (run, submit), after all drafts before it. Tried once, or for as long
   *  as `insists(error)`, asked before and after each pause, says true. */
  async post(url, extra = {}, insists = null) {
    clearTimeout(this.#timer);
    // A draft that is still being put into this browser would else follow the text that replaces it.
    await this.#keeping;
    while (this.#pending.length && !(await this.flush(insists ? SAID_AFTER_MS : undefined))) {
      const error = new Unreachable(t`Earlier drafts have not reached the server yet.`);
      if (!insists?.(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, BACKOFF_MS[0]));
    }
    const job = this.#post(url, extra, insists);
    this.#drain = job.catch(() => this.touch());
    return job;
  }

  /** Settle a conflict: the text on this page becomes the main line again. */
  async keepOwn(number) {
    this.base = number;
    this.conflict = null;
    await this.#keep(this.#entry({ resolve: true, always: true }));
  }

  /** Settle a conflict: the page has taken the other text over. */
  tookOther(number) {
    this.base = number;
    this.conflict = null;
    this.#dirtySince = 0;
    this.#saved = fingerprint(this.answer.body());
  }

  /** The network may be back: try at once. */
  retry() {
    this.#wake?.();
    this.#go();
  }

  #entry({ resolve = false, always = false } = {}) {
    clearTimeout(this.#timer);
    this.#dirtySince = 0;
    const body = this.answer.body();
    const print = fingerprint(body);
    if (!always && print === this.#saved) return null;
    this.#saved = print;
    const { attempt, client, base } = this;
    const seq = ++this.#seq;
    const refused = this.#tooLarge(body);
    return { key: `${attempt}:${client}:${seq}`, attempt, client, seq, made: Date.now(), base, resolve, refused, body };
  }

  #tooLarge(body) {
    const size = new TextEncoder().encode(JSON.stringify(body)).length;
    if (!this.maxBody || size <= this.maxBody) return false;
    const text = t`Not sent: your answer is ${Math.ceil(size / 1000)} kB and may have ${this.maxBody / 1000} kB. It
      is kept
        in this browser; shorten it and it is saved again.`;
    this.#tell("status", { kind: "refused", text });
    return true;
  }

  async #keep(entry) {
    await this.#store.put(entry);
    if (entry.refused) {
      this.#refused.push(entry);
      return;
    }
    this.#pending.push(entry);
    this.#tell("status", { kind: "sending" });
    this.#go();
  }

  #go() {
    if (!this.#pending.length) return;
    this.#drain ??= this.#run();
  }

  async #run() {
    try {
      for (let tries = 0; this.#pending.length; ) {
        const entry = this.#pending[0];
        const outcome = await this.#send(entry, tries++);
        if (outcome === "stop") return;
        if (outcome === "again") continue;
        tries = 0;
        this.#pending.splice(this.#pending.indexOf(entry), 1);
        if (!entry.refused) await this.#store.remove(entry.key);
      }
    } finally {
      this.#drain = null;
    }
  }

  async #send(entry, tries) {
    try {
      const text = JSON.stringify(this.#wire(entry));
      const keepalive = text.length < KEEPALIVE_BYTES;
      this.#take(entry, await ask(this.draftsUrl, text, { keepalive }));
      for (const old of this.#refused.splice(0)) await this.#store.remove(old.key);
      return "sent";
    } catch (error) {
      if (error instanceof Unreachable || error.passing) {
        await this.#pause(error, tries);
        return "again";
      }
      if (error.signedOut) {
        this.#signedOut();
        return "stop";
      }
      await this.#refuse(entry, error);
      return "refused";
    }
  }

  async #post(url, extra, insists) {
    const body = this.answer.body();
    const print = fingerprint(body);
    try {
      const answer = await this.#answered(
        url,
        { client: this.client, seq: ++this.#seq, base: this.base, body, ...extra },
        insists,
      );
      this.#saved = print;
      this.#dirtySince = 0;
      const saved = answer.saved ?? answer.draft;
      if (saved?.number) this.#take({ client: this.client }, saved);
      return answer;
    } finally {
      this.#drain = null;
      this.#go();
    }
  }

  async #answered(url, sent, insists) {
    for (let tries = 0; ; tries++) {
      try {
        return await ask(url, sent);
      } catch (error) {
        const passes = error instanceof Unreachable || error.passing;
        if (!passes || !insists?.(error)) throw error;
        await this.#pause(error, tries);
        if (!insists(error)) throw error;
      }
    }
  }

  #wire({ client, seq, base, resolve, body }) {
    const follows = this.#last?.client === client ? Math.max(base || 0, this.#last.number) : base;
    return { client, seq, base: follows, resolve, body };
  }

  #take(entry, answer) {
    const conflict = answer.conflict;
    if (conflict && conflict.client === entry.client) {
      // The newer draft is this page's own, its answer was lost: nothing to ask anybody.
      this.base = conflict.number;
      this.#last = { client: entry.client, number: conflict.number };
      queueMicrotask(() => this.keepOwn(conflict.number));
    } else if (conflict) {
      this.conflict = conflict;
      this.#tell("conflict", { ...conflict, own: answer.number });
    } else {
      this.base = answer.head ?? answer.number;
      this.#last = { client: entry.client, number: this.base };
      this.arrived = { number: answer.number, at: answer.received_at };
      this.#tell("status", { kind: "saved", number: answer.number, at: answer.received_at });
    }
    if (answer.state) this.#tell("state", answer.state);
  }

  async #pause(error, tries) {
    const kind = error instanceof Unreachable && !navigator.onLine ? "offline" : "waiting";
    this.#tell("status", { kind, text: error.status === 503 ? error.message : "" });
    const wait = error.retryAfter * 1000 || BACKOFF_MS[Math.min(tries, BACKOFF_MS.length - 1)];
    const spread = wait * (1 + Math.random() / 4); // so that a hundred pages do not all come back at once
    /** @type {Promise<void>} */
    const paused = new Promise((resolve) => {
      const timer = setTimeout(resolve, spread);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    await paused;
    this.#wake = null;
  }

  #signedOut() {
    this.#tell("status", { kind: "refused", text: t`Not sent: this browser is no longer signed in.` });
    this.#tell("signedout", {});
  }

  async #refuse(entry, error) {
    if (error.status === 409) {
      this.closed = true;
      this.#tell("closed", error.answer);
      if (error.answer.state) this.#tell("state", error.answer.state);
      return;
    }
    entry.refused = true;
    this.#refused.push(entry);
    await this.#store.put(entry);
    this.#tell("status", { kind: "refused", text: t`Not saved: ${error.message} Your text is kept in this browser.` });
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
