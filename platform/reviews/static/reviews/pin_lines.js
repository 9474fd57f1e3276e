// A text whose lines can be pinned: arrow keys move over them, Shift takes several, p writes a remark.

import { el, uuid } from "../headnode/dom.js";
import { PinBox } from "./pin_box.js";

export class LineBlock {
  #at = null;
  #from = null;

  constructor(node, site) {
    this.node = node;
    this.site = site;
    this.kind = node.dataset.pinKind;
    this.source = node.dataset.pinSource;
    this.part = node.dataset.pinPart;
    this.round = Number(node.dataset.pinRound);
    this.lines = [...node.querySelectorAll("li")];
    this.may = site.save && this.round === site.round;
    this.button = el(
      "button",
      { type: "button", className: "quiet pin-here", "aria-keyshortcuts": "p", onclick: () => this.compose() },
      "Pin",
    );
    if (!this.lines.length) return;
    node.addEventListener("keydown", (event) => this.#key(event));
    node.addEventListener("click", (event) => this.#click(event));
  }

  holds(pin) {
    return pin.kind === this.kind && pin.source === this.source && pin.part === this.part && pin.round === this.round;
  }

  place(pins) {
    for (const pin of pins) this.#put(pin, { may: this.may && pin.mine });
  }

  #put(pin, options) {
    const line = this.lines[Math.min(pin.last, this.lines.length) - 1];
    if (!line) return null;
    const box = new PinBox(pin, this.site, {
      ...options,
      title: this.#words(pin.first, pin.last),
      onplace: () => this.#show(pin.first - 1, pin.last - 1),
      onclose: () => this.node.focus({ preventScroll: true }),
    });
    line.append(box.node);
    return box;
  }

  #words(first, last) {
    const word = this.kind === "row" ? "row" : "line";
    return first === last ? `${word} ${first}` : `${word}s ${first} to ${last}`;
  }

  #key(event) {
    if (event.target !== this.node || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") this.#show(null);
    if (!step) return;
    event.preventDefault();
    const next = this.#at === null ? 0 : Math.min(this.lines.length - 1, Math.max(0, this.#at + step));
    if (event.shiftKey && this.#from !== null) this.#show(this.#from, next);
    else this.#show(next, next);
    const text = this.lines[next].querySelector("code").textContent.trim();
    this.site.say(`${this.#words(...this.#range().map((at) => at + 1))}: ${text || "empty"}`);
  }

  #click(event) {
    const line = event.target.closest("li");
    if (!line || event.target.closest(".pin, .pin-here") || String(getSelection())) return;
    const at = this.lines.indexOf(line);
    if (event.shiftKey && this.#from !== null) this.#show(this.#from, at);
    else this.#show(at, at);
  }

  /** Mark the lines between two, the second being where the keys go on from; null marks none. */
  #show(from, at = from) {
    [this.#from, this.#at] = [from, at];
    const [first, last] = from === null ? [1, 0] : this.#range();
    this.lines.forEach((line, index) => line.classList.toggle("marked", index >= first && index <= last));
    if (at !== null) this.lines[at].scrollIntoView({ block: "nearest" });
    if (at === null || !this.may) this.button.remove();
    else this.lines[last].append(this.button);
  }

  #range() {
    return [this.#from, this.#at].sort((a, b) => a - b);
  }

  /** Whether text of this block is selected; then its lines are the ones meant. */
  hasSelection() {
    const selection = getSelection();
    if (!selection || selection.isCollapsed || !selection.rangeCount) return false;
    const ends = [selection.anchorNode, selection.focusNode].map((one) =>
      this.lines.findIndex((line) => line.contains(one)),
    );
    if (ends.some((at) => at < 0)) return false;
    this.#show(...ends.sort((a, b) => a - b));
    return true;
  }

  /** Open a remark at the marked lines; false where nothing can be pinned here. */
  compose() {
    if (!this.may || !this.lines.length) return false;
    if (this.#at === null) this.#show(0, 0);
    getSelection()?.removeAllRanges();
    this.button.remove();
    const [first, last] = this.#range().map((at) => at + 1);
    const pin = {
      id: uuid(),
      kind: this.kind,
      source: this.source,
      part: this.part,
      first,
      last,
      text: "",
      mine: true,
      round: this.round,
    };
    this.#put(pin, { may: true, open: true }).focus();
    return true;
  }
}
