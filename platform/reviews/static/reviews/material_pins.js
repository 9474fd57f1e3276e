// Remarks at lines and charts of the materials: takes the place of the candidate's board on the staff's page.

import { el, uuid } from "../headnode/dom.js";
import { PinBox } from "./pin_box.js";

const NOT_HERE =
  "Remarks are for lines of files and for charts of metrics. For this, write the time in a note of the scorecard.";
const NOT_YOURS = "Remarks are for people who score this attempt, once an answer is in.";

export class MaterialPins extends EventTarget {
  constructor() {
    super();
    const setting = document.getElementById("pin-setting");
    this.pins = JSON.parse(document.getElementById("pins-data").textContent).filter(
      ({ source }) => source === "material",
    );
    this.round = Number(setting.dataset.round || 0);
    this.site = {
      save: setting.dataset.save || null,
      longest: Number(setting.dataset.longest),
      boxes: new Set(),
      say: (text) => this.room?.announce(text),
      listed: (pin, gone) => this.#listed(pin, gone),
    };
    this.holder = document.getElementById("pin-writing");
    this.list = document.getElementById("pin-list");
    this.refused = document.getElementById("pin-refused");
    for (const pin of this.pins) this.#changeable(pin);
    this.#count();
    addEventListener("beforeunload", (event) => {
      if ([...this.site.boxes].some((box) => box.unsaved)) event.preventDefault();
    });
  }

  /** The room has its list of materials. */
  entered(room) {
    this.room = room;
    this.dispatchEvent(new Event("ready"));
  }

  isPinned(path, line) {
    return this.pins.some((pin) => pin.part === path && pin.first <= line && line <= pin.last);
  }

  /** Write a remark at the lines that the room was asked to pin; resolves when that is done, true if it was kept. */
  async ask(wanted) {
    const lines = wanted.filter(({ kind }) => kind === "log" || kind === "config");
    const chart = wanted.find(({ kind }) => kind === "chart");
    this.refused.hidden = Boolean(this.site.save && (lines.length || chart));
    if (!this.refused.hidden) {
      this.refused.textContent = this.site.save ? NOT_HERE : NOT_YOURS;
      return false;
    }
    const pin = {
      id: uuid(),
      source: "material",
      text: "",
      mine: true,
      ...(lines.length ? atLines(lines) : atChart(chart, (ms) => this.room.timeText(ms))),
    };
    await this.#write(pin);
    return Boolean(this.#entry(pin));
  }

  /** Resolves when the writing is left; what was written stands in the list from then on. */
  /** @returns {Promise<void>} */
  #write(pin, entry = null) {
    return new Promise((resolve) => {
      const closed = () => {
        box.node.remove();
        this.site.boxes.delete(box);
        if (entry) entry.hidden = false;
        resolve();
      };
      const box = new PinBox(pin, this.site, {
        may: true,
        title: pin.place,
        open: true,
        onplace: () => this.#go(pin),
        onclose: closed,
      });
      if (entry) entry.hidden = true;
      this.holder.append(box.node);
      box.focus();
    });
  }

  async #change(pin, entry) {
    await this.#write(pin, entry);
    this.#entry(pin)?.querySelector("a").focus();
  }

  #go(pin) {
    location.hash = addressOf(pin);
  }

  #entry(pin) {
    return this.list.querySelector(`[data-pin-entry="${pin.id}"]`);
  }

  /** A remark was kept or withdrawn. */
  #listed(pin, gone = false) {
    this.pins = this.pins.filter(({ id }) => id !== pin.id);
    const entry = this.#entry(pin);
    if (gone) entry?.remove();
    else {
      this.pins.push(pin);
      if (entry) entry.querySelector(".pin-text").textContent = pin.text;
      else {
        this.list.append(listEntry(pin));
        this.#changeable(pin);
      }
    }
    this.#count();
    this.dispatchEvent(new Event("pins"));
  }

  #changeable(pin) {
    if (!pin.mine || !this.site.save || (pin.round && pin.round !== this.round)) return;
    const entry = this.#entry(pin);
    entry
      ?.querySelector(".pin-head")
      .append(
        el(
          "button",
          { type: "button", className: "quiet", onclick: () => this.#change(pin, entry) },
          "Change",
          el("span", { className: "unseen" }, ` the remark at ${pin.place}`),
        ),
      );
  }

  #count() {
    document.getElementById("no-pins").hidden = this.list.children.length > 0;
  }
}

/** What the server is told of the lines of one file. */
function atLines(lines) {
  const { path } = lines[0];
  const numbers = lines.filter((pin) => pin.path === path).map(({ line }) => line);
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  return { kind: "line", part: path, first, last, place: placeText(path, first, last) };
}

/** What it is told of a chart: what is drawn, and its time in whole seconds. */
function atChart({ metric, labels, from_ms: from, to_ms: to }, timeText) {
  const drawn = {
    metric,
    labels: Object.fromEntries(Object.entries(labels || {}).map(([name, value]) => [name, String(value)])),
  };
  return {
    kind: "time",
    part: JSON.stringify(drawn),
    first: Math.floor(from / 1000),
    last: Math.ceil(to / 1000),
    place: `${metric}, ${timeText(from)} to ${timeText(to)}`,
  };
}

function addressOf({ kind, part, first, last }) {
  if (kind !== "time") return `#at?${new URLSearchParams({ path: part, line: String(first) })}`;
  const { metric, labels } = JSON.parse(part);
  const span = { from_ms: String(first * 1000), to_ms: String(last * 1000) };
  return `#chart?${new URLSearchParams({ metric, labels: JSON.stringify(labels), ...span })}`;
}

function placeText(path, first, last) {
  return first === last ? `${path}, line ${first}` : `${path}, lines ${first} to ${last}`;
}

function listEntry(pin) {
  return el(
    "li",
    { className: "pin-entry", "data-pin-entry": pin.id },
    el(
      "p",
      { className: "pin-head" },
      el("a", { className: "pin-place", href: addressOf(pin) }, pin.place),
      el("span", { className: "muted small" }, "yours"),
    ),
    pin.quote
      ? el("pre", { className: "pin-quote", tabindex: "0", "aria-label": `What stands at ${pin.place}` }, pin.quote)
      : null,
    el("p", { className: "prose pin-text" }, pin.text),
  );
}
