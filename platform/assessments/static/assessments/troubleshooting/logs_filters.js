// What narrows the lines down besides words and time: machines, sources and severities, each with its lines counted.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { Popover } from "../workplace/popover.js";

const MANY = 12;

/** Boxes to tick: all ticked is the same as no filter. changed() is called after each choice. */
export class Facet extends Popover {
  constructor(title, entries, changed) {
    super(title);
    this.title = title;
    this.changed = changed;
    this.entries = [...entries].sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
    this.boxes = this.entries.map(({ name, index, lines }) => {
      const box = el("input", { type: "checkbox", checked: true, value: index, onchange: () => this.#said() });
      const only = el(
        "button",
        {
          type: "button",
          className: "quiet only",
          "aria-label": t`Only ${name || t`no machine`}`,
          onclick: () => this.only([index]),
        },
        t`only`,
      );
      const node = el(
        "div",
        { className: "facet-row" },
        el("label", { className: "check" }, box, el("span", { className: "facet-name" }, name || t`none named`)),
        el("span", { className: "muted small figure" }, lines.toLocaleString("en-GB")),
        only,
      );
      return { node, box, name, index };
    });
    this.panel.setAttribute("aria-label", title);
    const tools = el(
      "div",
      { className: "facet-tools" },
      el("button", { type: "button", className: "quiet", onclick: () => this.only(null) }, t`All`),
      el("button", { type: "button", className: "quiet", onclick: () => this.only([]) }, t`None`),
    );
    const find = el("input", {
      type: "text",
      "aria-label": t`Find in: ${title}`,
      placeholder: t`Find`,
      autocomplete: "off",
      spellcheck: false,
      oninput: () => this.#find(find.value),
    });
    this.panel.append(
      ...(this.boxes.length > MANY ? [find] : []),
      tools,
      el(
        "div",
        { className: "facet-list", tabindex: "-1" },
        this.boxes.map(({ node }) => node),
      ),
    );
    this.#label();
  }

  /** The chosen indexes, or null when nothing is left out. */
  get wanted() {
    const chosen = this.boxes.filter(({ box }) => box.checked);
    return chosen.length === this.boxes.length ? null : chosen.map(({ index }) => index);
  }

  /** Tick these and no others; null ticks all. */
  only(indexes, { quiet = false } = {}) {
    for (const { box, index } of this.boxes) box.checked = indexes === null || indexes.includes(index);
    if (quiet) this.#label();
    else this.#said();
  }

  #find(text) {
    const wanted = text.trim().toLowerCase();
    for (const { node, name } of this.boxes) node.hidden = !name.toLowerCase().includes(wanted);
  }

  #said() {
    this.#label();
    this.changed();
  }

  #label() {
    const chosen = this.boxes.filter(({ box }) => box.checked);
    const some = chosen.length !== this.boxes.length;
    this.text.textContent = some
      ? `${this.title}: ` +
        (chosen.length === 1 ? chosen[0].name || t`none named` : t`${chosen.length} of ${this.boxes.length}`)
      : this.title;
    this.button.classList.toggle("set", some);
  }
}
