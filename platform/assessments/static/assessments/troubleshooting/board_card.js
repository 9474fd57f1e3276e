// One hypothesis: what it claims, how it stands, what it costs, what to do, and what it rests on.

import { announce } from "../../headnode/announce.js";
import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { draggable, moveByKey, moveCard } from "../workplace/card_moves.js";
import { STATE_WORDS } from "./board_model.js";
import { pinText } from "./board_text.js";
import { kindOf } from "./pins.js";

const TONES = { open: "info", supported: "good", refuted: "bad" };
const FIELDS = [
  ["reason", t`Why you think so, or why not`],
  ["mitigation", t`What to do now`],
  ["prevention", t`What keeps it from coming back`],
];

function grow(box) {
  box.style.height = "auto";
  box.style.height = `${Math.min(box.scrollHeight + 2, 320)}px`;
}

/** A number as people type it, with a point or a comma; null for nothing, undefined for what is none. */
function readNumber(text) {
  const plain = text.trim().replace(",", ".");
  if (!plain) return null;
  const value = Number(plain);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

export class Card {
  constructor(id, model, board) {
    this.id = id;
    this.model = model;
    this.board = board;
    this.boxes = new Map();
    this.#build();
  }

  #build() {
    const { id, model } = this;
    this.number = el("h3", { className: "card-number" });
    this.status = el(
      "select",
      {
        name: "status",
        "aria-label": t`Status`,
        onchange: () => model.set(id, { status: this.status.value }) || this.#tone(),
      },
      Object.entries(STATE_WORDS).map(([value, word]) => el("option", { value }, word)),
    );
    const act = (name, text, title, action) =>
      el("button", { type: "button", className: "quiet", name, title, "aria-label": title, onclick: action }, text);
    this.up = act("up", "↑", t`Higher priority`, () => moveCard(this, -1));
    this.down = act("down", "↓", t`Lower priority`, () => moveCard(this, 1));
    this.delete = act("delete", t`Delete`, t`Delete this hypothesis`, () => {
      model.remove(id);
      this.board.deleted();
      announce(t`Deleted. Undo is offered below the cards.`);
    });
    this.handle = el(
      "span",
      { className: "card-handle", "aria-hidden": "true", title: t`Drag to change the priority` },
      "⠿",
    );
    this.minutes = el("p", { className: "muted small card-minutes" });
    this.pinsTitle = el("h4", { className: "card-pins-title" });
    this.pins = el("ul", { className: "card-pins" });
    const more = FIELDS.map(([name, label]) => el("label", { className: "field" }, label, this.#box(name)));
    this.node = el(
      "li",
      { className: "card", onkeydown: (event) => moveByKey(this, event) },
      el("div", { className: "card-head" }, this.handle, this.number, this.status, this.up, this.down, this.delete),
      el("label", { className: "field" }, t`What is wrong`, this.#box("claim")),
      el("label", { className: "field" }, t`Where: host, job, person or device`, this.#line("place")),
      this.#costs(),
      this.pinsTitle,
      this.pins,
      el("details", { className: "card-more", open: true }, el("summary", {}, t`Why, and what to do`), more),
      this.minutes,
    );
    draggable(this, () => !this.model.readOnly);
  }

  #box(name) {
    const box = el("textarea", { name, rows: name === "claim" ? 2 : 1, spellcheck: true });
    box.addEventListener("input", () => {
      this.model.set(this.id, { [name]: box.value });
      grow(box);
    });
    this.boxes.set(name, box);
    return box;
  }

  #line(name) {
    const input = el("input", {
      type: "text",
      name,
      autocomplete: "off",
      spellcheck: false,
      oninput: () => this.model.set(this.id, { [name]: input.value }),
    });
    this.boxes.set(name, input);
    return input;
  }

  #costs() {
    const field = (name, label, unit) => {
      const input = el("input", {
        type: "text",
        name,
        inputMode: "decimal",
        autocomplete: "off",
        oninput: () => this.#cost(input, unit),
      });
      this.boxes.set(name, input);
      return el("label", { className: "field" }, label, input);
    };
    this.problem = el("p", { className: "problem small", role: "alert" });
    this.rate = el("p", { className: "muted small card-rate" });
    return el(
      "div",
      { className: "card-costs" },
      field("hours", t`Hours it cost`, "hours"),
      field("seconds_per_step", t`Seconds per step`, "seconds"),
      this.rate,
      this.problem,
    );
  }

  #cost(input, unit) {
    const value = readNumber(input.value);
    this.problem.textContent = value === undefined ? t`Write a number, for example 1.5.` : "";
    input.setAttribute("aria-invalid", String(value === undefined));
    this.model.setCost(this.id, value ?? null, unit);
    const row = this.model.find(this.id);
    const other = unit === "hours" ? "seconds_per_step" : "hours";
    this.boxes.get(other).value = row[other] ?? "";
    this.boxes.get(other).removeAttribute("aria-invalid");
  }

  focus(name) {
    this.boxes.get(name)?.focus();
  }

  /** Take over what the model has; a box in which somebody types keeps its text. */
  refresh(row, at) {
    const { readOnly, rows } = this.model;
    this.number.textContent = row.priority === null ? t`Hypothesis ${at + 1}` : t`Priority ${row.priority}`;
    this.node.setAttribute("aria-label", t`Hypothesis ${at + 1}`);
    this.status.value = row.status;
    this.#tone(row);
    for (const [name, box] of this.boxes) {
      const value = row[name] === null ? "" : String(row[name]);
      const typing = document.activeElement === box && box.getAttribute("aria-invalid") === "true";
      if (box.value !== value && !typing) box.value = value;
      box.readOnly = readOnly;
      if (box.matches("textarea")) requestAnimationFrame(() => grow(box));
    }
    this.status.disabled = readOnly;
    this.up.disabled = readOnly || at === 0;
    this.down.disabled = readOnly || at === rows.length - 1;
    for (const node of [this.up, this.down, this.delete, this.handle]) node.hidden = readOnly;
    this.rate.textContent = t`Either one: an hour in ${this.model.steps.toLocaleString("en-GB")} steps is
        ${(3600 / this.model.steps).toFixed(2)} s per step.`;
    this.#pins(row, readOnly);
  }

  #tone(row = this.model.find(this.id)) {
    this.node.dataset.tone = TONES[row.status];
    const minute = (value) => t`minute ${Math.round(value)}`;
    this.minutes.textContent = [
      row.opened_min !== null && t`Opened in ${minute(row.opened_min)}`,
      row.decided_min !== null && t`${STATE_WORDS[row.status]} in ${minute(row.decided_min)}`,
    ]
      .filter(Boolean)
      .join(", ");
  }

  #pins(row, readOnly) {
    const shape = JSON.stringify([row.pins.map(({ note, ...rest }) => rest), readOnly, Boolean(this.board.gap)]);
    this.pinsTitle.textContent = row.pins.length ? t`Evidence (${row.pins.length})` : t`No evidence pinned`;
    if (shape === this.shape) {
      row.pins.forEach((pin, at) => {
        const note = this.pins.children[at].querySelector(".pin-note");
        if (document.activeElement !== note) note.value = pin.note || "";
      });
      return;
    }
    this.shape = shape;
    this.pins.replaceChildren(...row.pins.map((pin, at) => this.#pin(pin, at, readOnly)));
  }

  #pin(pin, at, readOnly) {
    const text = pinText(pin, (ms) => this.board.when(ms));
    const jump = el(
      "button",
      { type: "button", className: "quiet pin-jump", title: t`Go to it`, onclick: () => this.board.jump(pin) },
      el("span", { className: "tag" }, kindOf(pin)),
      el("span", { className: "mono small" }, text),
    );
    const gone = el(
      "button",
      {
        type: "button",
        className: "quiet pin-gone",
        "aria-label": t`Take off: ${text}`,
        title: t`Take it off`,
        hidden: readOnly,
        onclick: () => this.#unpin(at),
      },
      "×",
    );
    const note = el("input", {
      type: "text",
      className: "pin-note",
      "aria-label": t`What it shows: ${text}`,
      placeholder: t`What it shows`,
      value: pin.note || "",
      readOnly,
      autocomplete: "off",
      oninput: () => this.model.setNote(this.id, at, note.value),
    });
    return el(
      "li",
      { className: "card-pin" },
      el("div", { className: "pin-line" }, jump, gone),
      pin.text ? el("pre", { className: "pin-quote" }, pin.text.split("\n").slice(0, 3).join("\n")) : null,
      note,
    );
  }

  #unpin(at) {
    this.model.removePin(this.id, at);
    announce(t`Taken off the board.`);
    const next = this.pins.children[Math.min(at, this.pins.children.length - 1)]?.querySelector(".pin-gone");
    (next || this.boxes.get("claim")).focus();
  }
}
