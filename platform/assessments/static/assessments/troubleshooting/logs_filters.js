// What narrows the lines down besides words: machines, sources, severities, files, and the range of time.

import { el, uuid } from "../../headnode/dom.js";
import { offsetText, plainTime, readTime } from "../workplace/site_time.js";

const MANY = 12;

/** A button that opens a small panel below it; Escape and a press elsewhere close it. */
class Popover {
  constructor(label) {
    this.id = `popover-${uuid().slice(0, 8)}`;
    this.text = el("span", {}, label);
    this.button = el(
      "button",
      {
        type: "button",
        className: "facet-button",
        "aria-expanded": "false",
        "aria-controls": this.id,
        onclick: () => this.toggle(),
      },
      this.text,
    );
    this.panel = el("div", { className: "facet-panel", id: this.id, role: "group", hidden: true });
    this.node = el("div", { className: "facet" }, this.button, this.panel);
    this.node.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.panel.hidden) return;
      event.stopPropagation();
      this.toggle(false);
      this.button.focus();
    });
    document.addEventListener("pointerdown", (event) => this.node.contains(event.target) || this.toggle(false));
    this.node.addEventListener(
      "focusout",
      (event) => event.relatedTarget && !this.node.contains(event.relatedTarget) && this.toggle(false),
    );
  }

  toggle(open = this.panel.hidden) {
    if (open === !this.panel.hidden) return;
    this.panel.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
    if (!open) return;
    // Near the right edge the panel hangs from the button's right corner.
    const room = this.node.closest(".room-part")?.getBoundingClientRect().right ?? innerWidth;
    this.panel.classList.toggle("from-right", this.node.getBoundingClientRect().left + this.panel.offsetWidth > room);
    this.panel.querySelector("input")?.focus();
  }
}

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
          "aria-label": `Only ${name || "no machine"}`,
          onclick: () => this.only([index]),
        },
        "only",
      );
      const node = el(
        "div",
        { className: "facet-row" },
        el("label", { className: "check" }, box, el("span", { className: "facet-name" }, name || "none named")),
        el("span", { className: "muted small figure" }, lines.toLocaleString("en-GB")),
        only,
      );
      return { node, box, name, index };
    });
    this.panel.setAttribute("aria-label", title);
    const tools = el(
      "div",
      { className: "facet-tools" },
      el("button", { type: "button", className: "quiet", onclick: () => this.only(null) }, "All"),
      el("button", { type: "button", className: "quiet", onclick: () => this.only([]) }, "None"),
    );
    const find = el("input", {
      type: "text",
      "aria-label": `Find in: ${title}`,
      placeholder: "Find",
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
        `${chosen.length === 1 ? chosen[0].name || "none named" : `${chosen.length} of ${this.boxes.length}`}`
      : this.title;
    this.button.classList.toggle("set", some);
  }
}

/** The range of time by its two ends, as text: what dragging over the bars does, for the keyboard. */
export class TimeFilter extends Popover {
  constructor(room) {
    super("Time");
    this.room = room;
    this.panel.setAttribute("aria-label", "Range of time");
    this.offset = room.incident.offset_min;
    this.year = new Date(room.window.to).getUTCFullYear();
    this.from = el("input", { type: "text", autocomplete: "off", spellcheck: false });
    this.to = el("input", { type: "text", autocomplete: "off", spellcheck: false });
    this.problem = el("p", { className: "problem small", role: "alert" });
    const field = (name, input) => el("label", { className: "field" }, name, input);
    const apply = el("button", { type: "button", className: "primary", onclick: () => this.#apply() }, "Set");
    const whole = el(
      "button",
      { type: "button", onclick: () => (room.resetRange("logs"), this.toggle(false), this.button.focus()) },
      "Everything recorded",
    );
    this.panel.append(
      el(
        "p",
        { className: "muted small" },
        `The site's time, ${room.incident.zone} (UTC ${offsetText(this.offset)}). The charts follow.`,
      ),
      field("From", this.from),
      field("To", this.to),
      this.problem,
      el("div", { className: "facet-tools" }, apply, whole),
    );
    for (const input of [this.from, this.to])
      input.addEventListener("keydown", (event) => event.key === "Enter" && (event.preventDefault(), this.#apply()));
    room.addEventListener("range", () => this.label());
    this.label();
  }

  label() {
    const { range, whole } = this.room;
    this.text.textContent = whole
      ? "Time"
      : `${this.room.timeText(range.from, { seconds: false })} – ${this.room.timeText(range.to, { seconds: false })}`;
    this.button.classList.toggle("set", !whole);
    this.from.value = plainTime(range.from, this.offset);
    this.to.value = plainTime(range.to, this.offset);
    this.problem.textContent = "";
  }

  #apply() {
    const [from, to] = [this.from, this.to].map((input) => readTime(input.value, this.offset, this.year));
    if (from === null || to === null)
      this.problem.textContent = "Write times as 2026-10-12 15:02:00; year and seconds may be left out.";
    else if (to <= from) this.problem.textContent = "The end has to come after the beginning.";
    else {
      this.room.setRange(from, to, "logs");
      this.toggle(false);
      this.button.focus();
    }
  }
}
