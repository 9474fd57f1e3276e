// The small inputs that the plan's tabs are made of: choices, numbers, lines of text.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { readNumber } from "./words.js";

/** A select; a value that is not among the options is kept and named as such. options: [[value, label]]. */
export class Choice {
  constructor({ name, label, options, blank = t`Choose…`, change }) {
    this.options = options;
    this.blank = blank;
    this.node = el("select", { name, "aria-label": label, onchange: () => change(this.node.value) });
  }

  refresh(value, readOnly) {
    const known = this.options.some(([key]) => key === value);
    const all = [
      ...(this.blank === null ? [] : [["", this.blank]]),
      ...this.options,
      ...(known || !value ? [] : [[value, t`${value} (not offered)`]]),
    ];
    const shape = JSON.stringify(all);
    if (shape !== this.shape)
      this.node.replaceChildren(...all.map(([key, text]) => el("option", { value: key }, text)));
    this.shape = shape;
    this.node.value = value ?? "";
    this.node.title = this.node.selectedOptions[0]?.textContent ?? "";
    this.node.disabled = readOnly;
  }
}

/** A number as people type it; arrows up and down change it by `step`. change(value) gets null for nothing. */
export class Figure {
  constructor({ name, label, whole = false, least = 0, step = 1, placeholder = "", change }) {
    this.whole = whole;
    this.least = least;
    this.change = change;
    this.value = null;
    this.node = el("input", {
      type: "text",
      inputMode: whole ? "numeric" : "decimal",
      name,
      "aria-label": label,
      autocomplete: "off",
      placeholder,
      className: "figure",
    });
    this.node.addEventListener("input", () => this.#typed());
    this.node.addEventListener("blur", () => this.refresh(this.value, this.node.readOnly));
    this.node.addEventListener("keydown", (event) => this.#key(event, step));
  }

  #fits(value) {
    return value !== undefined && (value === null || (value >= this.least && (!this.whole || Number.isInteger(value))));
  }

  #typed() {
    const value = readNumber(this.node.value);
    const fits = this.#fits(value);
    this.node.setAttribute("aria-invalid", String(!fits));
    this.node.title = fits
      ? ""
      : this.whole
        ? t`Write a whole number from ${this.least}.`
        : t`Write a number from ${this.least}.`;
    if (!fits) return;
    this.value = value;
    this.change(value);
  }

  #key(event, step) {
    const by = { ArrowUp: step, ArrowDown: -step }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey || this.node.readOnly) return;
    event.preventDefault();
    this.value = Math.max(this.least, (this.value ?? 0) + by * (event.shiftKey ? 10 : 1));
    this.node.value = String(this.value);
    this.#typed();
  }

  refresh(value, readOnly) {
    this.node.readOnly = readOnly;
    const typing = document.activeElement === this.node;
    this.value = typeof value === "number" ? value : null;
    if (typing) return;
    this.node.value =
      value === null || value === undefined
        ? ""
        : typeof value === "number"
          ? value.toLocaleString("en-GB", { maximumFractionDigits: 3 })
          : String(value);
    this.node.setAttribute("aria-invalid", String(!this.#fits(readNumber(this.node.value))));
  }
}

/** One line of text, or several that grow. */
export class Words {
  constructor({ name, label, placeholder = "", rows = 0, change }) {
    this.rows = rows;
    this.node = rows
      ? el("textarea", { name, rows, "aria-label": label, placeholder, spellcheck: true })
      : el("input", { type: "text", name, "aria-label": label, placeholder, autocomplete: "off" });
    this.node.addEventListener("input", () => {
      change(this.node.value);
      this.#grow();
    });
  }

  #grow() {
    if (!this.rows) return;
    this.node.style.height = "auto";
    this.node.style.height = `${Math.min(this.node.scrollHeight + 2, 240)}px`;
  }

  refresh(value, readOnly) {
    if (this.node.value !== (value ?? "")) this.node.value = value ?? "";
    this.node.readOnly = readOnly;
    requestAnimationFrame(() => this.#grow());
  }
}

/** A quiet button with a short sign and a name in full. */
export function act(sign, name, press) {
  return el("button", { type: "button", className: "quiet", "aria-label": name, title: name, onclick: press }, sign);
}
