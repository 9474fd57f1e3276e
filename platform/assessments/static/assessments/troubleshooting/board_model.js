// The hypotheses as the answer keeps them: one JSON file among the others.

import { t } from "../../headnode/words.js";
import { KeptRows } from "../workplace/kept_rows.js";

export const FILE = "board.json";
export const STATE_WORDS = { open: t`open`, supported: t`supported`, refuted: t`refuted` };
const STATES = Object.keys(STATE_WORDS);
const MOST_TEXT = 2000;
const HOUR_S = 3600;

const TEXTS = ["claim", "place", "reason", "mitigation", "prevention"];
const NUMBERS = ["hours", "seconds_per_step", "priority", "opened_min", "decided_min"];

function number(value) {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** A hypothesis with every field, whatever the file had. */
function whole(data, at) {
  const made = {
    ...data,
    id: typeof data.id === "string" && data.id ? data.id : `h${at + 1}`,
    status: STATES.includes(data.status) ? data.status : "open",
  };
  for (const name of TEXTS) made[name] = typeof data[name] === "string" ? data[name] : "";
  for (const name of NUMBERS) made[name] = number(data[name]);
  made.pins = Array.isArray(data.pins) ? data.pins.filter((pin) => pin && typeof pin === "object") : [];
  return made;
}

/** The hypotheses in a file's text; null where it is not one. */
export function readBoard(text) {
  if (!text.trim()) return [];
  try {
    const rows = JSON.parse(text).hypotheses ?? [];
    return Array.isArray(rows) && rows.every((row) => row && typeof row === "object") ? rows.map(whole) : null;
  } catch {
    return null;
  }
}

export function rounded(value, digits) {
  return value === null ? null : Number(value.toFixed(digits));
}

/** Events: those of KeptRows, and "pins". */
export class BoardModel extends KeptRows {
  constructor(answer, { elapsed, steps = 12_000 }) {
    super(answer, { file: FILE, key: "hypotheses", letter: "h", read: readBoard });
    this.elapsed = elapsed;
    this.steps = steps;
    answer.addEventListener("replace", () => this.tell("pins"));
  }

  add(claim = "") {
    if (this.readOnly) return null;
    const row = whole({ id: this.newId(), claim, opened_min: this.#minute() }, 0);
    if (this.ranked) row.priority = this.rows.length + 1;
    this.rows.push(row);
    this.store("shape");
    return row;
  }

  /** Change fields of a card. A decision notes its minute; one that is taken back has none. */
  set(id, fields) {
    const row = this.find(id);
    if (!row || this.readOnly) return;
    const decided =
      fields.status && fields.status !== row.status
        ? { decided_min: fields.status === "open" ? null : this.#minute() }
        : {};
    Object.assign(row, fields, decided);
    this.store();
  }

  /** hours and seconds per step say the same: so many seconds in each of the steps. */
  setCost(id, value, unit) {
    const hours = value === null ? null : unit === "hours" ? value : (value * this.steps) / HOUR_S;
    const seconds = value === null ? null : unit === "hours" ? (value * HOUR_S) / this.steps : value;
    this.set(id, { hours: rounded(hours, 2), seconds_per_step: rounded(seconds, 3) });
  }

  remove(id) {
    const gone = super.remove(id);
    if (gone) this.tell("pins");
    return gone;
  }

  undo() {
    const row = super.undo();
    if (row) this.tell("pins");
    return row;
  }

  get ranked() {
    return this.rows.some(({ priority }) => priority !== null);
  }

  /** Number the cards as they stand. */
  number() {
    if (this.readOnly) return;
    this.rank();
    this.store("shape");
  }

  unrank() {
    if (this.readOnly) return;
    for (const row of this.rows) row.priority = null;
    this.store("shape");
  }

  addPins(id, pins) {
    const row = this.find(id);
    if (!row || this.readOnly) return 0;
    const known = new Set(row.pins.map((pin) => samePin(pin)));
    const fresh = pins
      .filter((pin) => !known.has(samePin(pin)))
      .map((pin) => ({ ...pin, ...(pin.text ? { text: pin.text.slice(0, MOST_TEXT) } : {}) }));
    row.pins.push(...fresh);
    this.store("shape");
    this.tell("pins");
    return fresh.length;
  }

  setNote(id, at, note) {
    const pin = this.find(id)?.pins[at];
    if (!pin || this.readOnly) return;
    if (note) pin.note = note;
    else delete pin.note;
    this.store();
  }

  removePin(id, at) {
    const row = this.find(id);
    if (!row || this.readOnly) return;
    row.pins.splice(at, 1);
    this.store("shape");
    this.tell("pins");
  }

  /** Hours by status: {open, supported, refuted}. */
  get hours() {
    const sums = { open: 0, supported: 0, refuted: 0 };
    for (const row of this.rows) sums[row.status] += row.hours ?? 0;
    return sums;
  }

  renumber() {
    if (this.ranked) this.rank();
  }

  #minute() {
    return rounded(Math.max(0, this.elapsed()) / 60, 1);
  }
}

/** Two pins of one place are the same, whatever was noted at them. */
function samePin({ note, text, ...place }) {
  return JSON.stringify(
    place,
    Object.keys(place)
      .sort()
      .concat(Object.keys(place.labels || {}).sort()),
  );
}
