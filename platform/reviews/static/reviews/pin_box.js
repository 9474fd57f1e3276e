// One pin on the page: read, or being written; every pause in the typing is kept on the server.

import { ask, Refused } from "../headnode/api.js";
import { el } from "../headnode/dom.js";

const PAUSE_MS = 900;
const AGAIN_MS = 4000;

export class PinBox {
  #timer = 0;
  #kept;
  #sending = null;

  /** options: may (change it), title (its place in words), open (begin writing), onplace, onclose. */
  constructor(pin, site, options) {
    this.pin = pin;
    this.site = site;
    this.options = options;
    this.#kept = pin.text;
    this.node = el("div", { className: "pin", role: "group", "aria-label": `Pin at ${options.title}` });
    this.state = el("span", { className: "muted small", role: "status" });
    this.area = el("textarea", {
      rows: 3,
      maxLength: site.longest,
      value: pin.text,
      "aria-label": `Remark on ${options.title}`,
      oninput: () => this.#typed(),
      onkeydown: (event) => this.#key(event),
      onblur: () => this.#now(),
    });
    site.boxes.add(this);
    if (options.open) this.#write();
    else this.#read();
  }

  /** Something was typed that the server has not confirmed. */
  get unsaved() {
    return this.area.isConnected && this.area.value.trim() !== this.#kept.trim() && this.area.value.trim() !== "";
  }

  focus() {
    this.area.focus({ preventScroll: true });
    this.node.scrollIntoView({ block: "nearest" });
  }

  #read() {
    const { pin, options } = this;
    const who = pin.mine ? "Your pin" : `Pin by ${pin.author}`;
    this.node.replaceChildren(
      el(
        "p",
        { className: "pin-head" },
        el("button", { type: "button", className: "quiet pin-place", onclick: options.onplace }, options.title),
        el("span", { className: "muted small" }, who),
        options.may
          ? el("button", { type: "button", className: "quiet", onclick: () => (this.#write(), this.focus()) }, "Change")
          : null,
      ),
      el("p", { className: "pin-text" }, pin.text),
    );
  }

  #write() {
    this.node.replaceChildren(
      el("p", { className: "pin-head" }, el("strong", {}, this.options.title), this.state),
      this.area,
      el(
        "p",
        { className: "pin-actions" },
        el("button", { type: "button", onclick: () => this.close() }, "Done"),
        el("button", { type: "button", className: "quiet", onclick: () => this.#withdraw() }, "Withdraw"),
        el("span", { className: "muted small" }, "kept as you type · Esc leaves"),
      ),
    );
  }

  #key(event) {
    event.stopPropagation(); // the letters typed here are no commands
    if (event.key === "Escape") this.close();
  }

  #typed() {
    this.state.textContent = "…";
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#now(), PAUSE_MS);
  }

  #now() {
    clearTimeout(this.#timer);
    this.#sending = (this.#sending || Promise.resolve()).then(() => this.#send());
    return this.#sending;
  }

  /** True once what is written has arrived. */
  async #send() {
    const text = this.area.value.trim();
    if (!text || text === this.#kept.trim()) return true;
    const { id, kind, source, part, first, last } = this.pin;
    try {
      const answer = await ask(this.site.save, { id, kind, source, part, first, last, text });
      this.#kept = text;
      Object.assign(this.pin, { text, place: answer.place, quote: answer.quote });
      this.state.textContent = `kept ${new Date(answer.saved_at).toLocaleTimeString("en-GB")}`;
      this.site.listed(this.pin);
      return true;
    } catch (error) {
      this.state.textContent = `not kept: ${error.message}`;
      if (!(error instanceof Refused) || error.passing) this.#timer = setTimeout(() => this.#now(), AGAIN_MS);
      return false;
    }
  }

  /** Leave the writing; what was typed stays open where it could not be kept. */
  async close() {
    if (!this.area.value.trim() && !this.#kept) {
      this.#remove();
      return;
    }
    if (!this.area.value.trim()) this.area.value = this.#kept;
    if (!(await this.#now())) return;
    this.#read();
    this.options.onclose?.();
  }

  async #withdraw() {
    clearTimeout(this.#timer);
    if (this.#kept) {
      try {
        await ask(this.site.save, { id: this.pin.id, withdrawn: true });
      } catch (error) {
        this.state.textContent = `not withdrawn: ${error.message}`;
        return;
      }
      this.site.listed(this.pin, true);
      this.site.say("Withdrawn.");
    }
    this.#remove();
  }

  #remove() {
    this.area.value = "";
    this.site.boxes.delete(this);
    this.node.remove();
    this.options.onclose?.();
  }
}
