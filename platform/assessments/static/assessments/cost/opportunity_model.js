// The opportunities as the answer keeps them: one JSON file among the others. What is stored can be graded.

import { t } from "../../headnode/words.js";
import { KeptRows } from "../workplace/kept_rows.js";

export const FILE = "opportunities.json";
export const KEYS = [
  "service",
  "category",
  "account",
  "team",
  "resource",
  "region",
  "provider",
  "charge",
  "commitment",
  "tag",
];
/** As it is stored, and as it is said. */
export const COMPLEXITIES = { low: t`low`, medium: t`medium`, high: t`high` };
// The grader's own limits: graders/bill/answer.py.
export const MOST = { rows: 60, values: 40, value: 200, field: 10_000, timeline: 1_000, usd: 1e10 };

const TEXTS = { what: MOST.field, risk: MOST.field, timeline: MOST.timeline, dependency: MOST.field };

function texts(data) {
  const list = (Array.isArray(data) ? data : [data])
    .filter((one) => typeof one === "string")
    .map((one) => one.trim().slice(0, MOST.value));
  return [...new Set(list)].filter(Boolean).slice(0, MOST.values);
}

function filter(data) {
  if (!data || typeof data !== "object" || Array.isArray(data)) return {};
  const found = KEYS.filter((key) => key in data).map((key) => [
    key,
    texts(data[key]).filter((one) => key !== "tag" || one.includes("=")),
  ]);
  return Object.fromEntries(found.filter(([, values]) => values.length));
}

/** One sentence why a saving cannot be, or "". */
export function savingProblem(kind, value) {
  if (value === undefined) return t`Write a number, for example 12.5 or 120,000.`;
  if (value === null) return "";
  if (kind === "percent" && value > 100) return t`A percentage is at most 100.`;
  return value > MOST.usd ? t`That is more money than there is in any bill.` : "";
}

function saving(data) {
  const given = data && typeof data === "object" ? data : {};
  const kind = given.kind === "percent" ? "percent" : "money";
  const value =
    typeof given.value === "number" && Number.isFinite(given.value) && given.value >= 0 ? given.value : null;
  const told = {
    kind,
    value: savingProblem(kind, value) ? null : value,
    of: typeof given.of === "string" ? given.of.slice(0, MOST.value) : "",
  };
  // What is no amount is kept as it was typed: nobody's words are lost on a reload.
  return told.value === null && typeof given.typed === "string" && given.typed.trim()
    ? { ...told, typed: given.typed.slice(0, MOST.value) }
    : told;
}

/** An opportunity with every field, whatever the file had. */
function whole(data, at) {
  const made = { id: typeof data.id === "string" && data.id ? data.id.slice(0, 100) : `o${at + 1}` };
  for (const [name, most] of Object.entries(TEXTS))
    made[name] = typeof data[name] === "string" ? data[name].slice(0, most) : "";
  made.where = filter(data.where);
  made.saving = saving(data.saving);
  made.complexity = Object.keys(COMPLEXITIES).includes(data.complexity) ? data.complexity : null;
  made.priority = Number.isInteger(data.priority) && data.priority > 0 ? data.priority : null;
  return made;
}

/** The opportunities in a file's text, by priority; null where it is not one. */
export function readOpportunities(text) {
  if (!text.trim()) return [];
  try {
    const rows = JSON.parse(text).opportunities ?? [];
    if (!Array.isArray(rows) || !rows.every((row) => row && typeof row === "object")) return null;
    const found = rows.map(whole);
    return found.sort((a, b) => (a.priority ?? Infinity) - (b.priority ?? Infinity) || 0);
  } catch {
    return null;
  }
}

/** Events: those of KeptRows. */
export class OpportunityModel extends KeptRows {
  constructor(answer) {
    super(answer, { file: FILE, key: "opportunities", letter: "o", read: readOpportunities });
  }

  /** The one row that a revision is about, or null. */
  get subject() {
    return this.answer.focus === FILE ? this.answer.subject : null;
  }

  /** In a revision about one row the others stay as they are. */
  isFixed(id) {
    return this.readOnly || (this.subject !== null && this.subject !== id);
  }

  get canAdd() {
    return !this.readOnly && this.subject === null && this.rows.length < MOST.rows;
  }

  add(fields = {}) {
    if (!this.canAdd) return null;
    const row = whole({ ...fields, id: this.newId() }, 0);
    this.rows.push(row);
    this.store("shape");
    return row;
  }

  set(id, fields) {
    const row = this.find(id);
    if (!row || this.isFixed(id)) return;
    Object.assign(row, whole({ ...row, ...fields }, 0));
    this.store();
  }

  setSaving(id, fields) {
    const row = this.find(id);
    if (row) this.set(id, { saving: { ...row.saving, ...fields } });
  }

  setWhere(id, where) {
    this.set(id, { where });
    this.tell("shape");
  }

  store(type = null) {
    this.rank();
    super.store(type);
  }
}
