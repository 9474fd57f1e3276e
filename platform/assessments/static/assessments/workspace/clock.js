// Shows the server's clock: asks for it every five seconds and only counts down in between.
// The page decides nothing about time; at zero it saves what is there and asks what the server says.

import { announce } from "../../headnode/announce.js";
import { ask } from "../../headnode/api.js";
import { byId, el, preference } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";

const POLL_MS = 5000;
const MINUTE = 60;

/** Whole minutes that are there in full until fifteen are left, then minutes and seconds. */
export function timeText(seconds) {
  const left = Math.max(0, Math.ceil(seconds));
  if (left > 15 * MINUTE) {
    const minutes = Math.floor(left / MINUTE);
    return minutes >= 120
      ? t`${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`
      : t`${minutes} min`;
  }
  return `${Math.floor(left / MINUTE)}:${String(left % MINUTE).padStart(2, "0")}`;
}

function spoken(minutes) {
  return minutes === 1 ? t`One minute left.` : t`${minutes} minutes left.`;
}

/** Events: "state" (each answer of the server), "zero" (once each time the count reaches zero), "signedout". */
export class Clock extends EventTarget {
  #state;
  #at = 0;
  #passed = false;
  #heard = null;

  constructor({ url, state, limitS }) {
    super();
    this.url = url;
    this.limitS = limitS || 0;
    this.text = byId("clock-text");
    this.sync(state);
    this.#toggle();
    setInterval(() => this.#tick(), 250);
    setInterval(() => this.poll(), POLL_MS);
    for (const event of ["focus", "online", "pageshow"]) window.addEventListener(event, () => this.poll());
    document.addEventListener("visibilitychange", () => document.hidden || this.poll());
  }

  get remaining() {
    return this.#state.remaining_s - (performance.now() - this.#at) / 1000;
  }

  get phase() {
    return this.#state.phase;
  }

  async poll() {
    try {
      const sent = performance.now();
      const state = await ask(this.url, undefined, { timeout: POLL_MS });
      this.sync(state, (sent + performance.now()) / 2);
    } catch (error) {
      // The count goes on from the last answer; the queue says when the server is away.
      if (error.signedOut) this.dispatchEvent(new CustomEvent("signedout"));
    }
  }

  /** Take over what the server says; `at` is the moment it was true, on this page's own clock. */
  sync(state, at = performance.now()) {
    this.before = this.#state ? this.remaining : state.remaining_s; // seconds, until this answer came
    this.#state = state;
    this.#at = at;
    this.limitS = state.limit_s || this.limitS || state.remaining_s;
    if (this.remaining > 1) this.#passed = false;
    this.#heard ??= this.remaining;
    if (this.remaining > this.#heard) this.#heard = this.remaining;
    this.#tick();
    this.dispatchEvent(new CustomEvent("state", { detail: state }));
  }

  #tick() {
    const left = this.remaining;
    this.#show(left);
    this.#speak(left);
    if (left <= 0 && !this.#passed) {
      this.#passed = true;
      this.dispatchEvent(new CustomEvent("zero"));
    }
  }

  #show(left) {
    const hidden = byId("clock-toggle").getAttribute("aria-pressed") === "true";
    const text = hidden ? t`Time hidden` : t`${timeText(left)} left`;
    if (this.text.textContent !== text) this.text.textContent = text;
    byId("clock").classList.toggle("last", left <= MINUTE);
  }

  #speak(left) {
    const half = this.limitS / 2;
    const marks = [half, 15 * MINUTE, 5 * MINUTE, MINUTE];
    const due = marks.filter((mark) => left <= mark && this.#heard > mark);
    this.#heard = left;
    if (!due.length) return;
    const mark = Math.min(...due);
    const minutes = Math.floor(mark / MINUTE);
    announce(mark === half && half > 15 * MINUTE ? t`Half of your time is over. ${spoken(minutes)}` : spoken(minutes), {
      now: mark <= MINUTE,
      news: true,
    });
  }

  #toggle() {
    const button = byId("clock-toggle");
    const show = (hidden) => {
      button.setAttribute("aria-pressed", String(hidden));
      button.replaceChildren(hidden ? t`Show` : t`Hide`, el("span", { className: "unseen" }, t` the time left`));
      this.#tick();
    };
    show(preference("clock-hidden") === "yes");
    button.addEventListener("click", () => {
      const hidden = button.getAttribute("aria-pressed") !== "true";
      preference("clock-hidden", hidden ? "yes" : "no");
      show(hidden);
    });
  }
}
