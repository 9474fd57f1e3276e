// The plan as the draft's file plan.json keeps it; every tab of the plan reads and writes here.

import { rowsMoved } from "./formula/refs.js";

const FILE = "plan.json";
/** Lists of the plan and the letter that their rows' names begin with. */
export const LISTS = { purchases: "p", cloud: "c", retire: "x", policies: "y", phases: "f", risks: "k" };
/** Columns of a row of the money sheet: twelve months and a total. */
export const CELLS = 13;

const BLANK = {
  purchases: { month: "", item: "", count: null, site: "", note: "" },
  cloud: { from: "", to: "", kind: "", gpus: null, region: "", classes: [] },
  retire: { month: "", item: "", count: null, site: "" },
  policies: { month: "", policy: "", value: null },
  phases: { name: "", from: "", to: "", owner: "", depends: [] },
  risks: { risk: "", likelihood: "", impact: "", mitigation: "", owner: "", trigger: "" },
};

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function texts(list, length) {
  return Array.from({ length }, (_, at) => (list?.[at] === null || list?.[at] === undefined ? "" : String(list[at])));
}

/** Blank fields where the text has none, and names for rows without one; other fields stay as they are. */
function rowsOf(list, kind) {
  if (!Array.isArray(list)) return [];
  const taken = new Set();
  const rows = list
    .filter(isObject)
    .map((row) => ({ ...structuredClone(BLANK[kind]), ...row, id: typeof row.id === "string" ? row.id : "" }));
  for (const row of rows) {
    if (!row.id || taken.has(row.id)) row.id = fresh(kind, [...taken, ...rows.map(({ id }) => id)]);
    taken.add(row.id);
    for (const name of ["depends", "classes"])
      if (name in BLANK[kind]) row[name] = Array.isArray(row[name]) ? row[name].map(String) : [];
  }
  return rows;
}

function fresh(kind, taken) {
  let number = 1;
  while (taken.includes(`${LISTS[kind]}${number}`)) number += 1;
  return `${LISTS[kind]}${number}`;
}

/** The plan in a text, every list there; null for a text that cannot be read. */
export function readPlan(text) {
  let data;
  try {
    data = text.trim() ? JSON.parse(text) : {};
  } catch {
    return null;
  }
  if (!isObject(data)) return null;
  const lists = Object.fromEntries(Object.keys(LISTS).map((kind) => [kind, rowsOf(data[kind], kind)]));
  const sheet = (Array.isArray(data.sheet) ? data.sheet : []).filter(isObject).map((row) => ({
    ...row,
    label: String(row.label ?? ""),
    cells: texts(row.cells, CELLS),
    values: Array.isArray(row.values) ? row.values : [],
  }));
  return { ...data, ...lists, sheet, claims: isObject(data.claims) ? data.claims : {} };
}

function isEmpty(plan) {
  return (
    Object.keys(LISTS).every((kind) => !plan[kind].length) && !plan.sheet.length && !Object.keys(plan.claims).length
  );
}

/** Events: "change" (any), "shape" (rows came, went or moved; detail {list}), "lock". */
export class PlanModel extends EventTarget {
  #gone = null;

  constructor(answer) {
    super();
    this.answer = answer;
    this.#read();
    answer.addEventListener("replace", () => {
      this.#gone = null;
      this.#read();
      this.#tell("shape", { list: null });
      this.#tell("change");
    });
    answer.addEventListener("lock", () => this.#tell("lock"));
  }

  #read() {
    this.plan = readPlan(this.text);
    this.unreadable = this.plan === null;
    this.plan ??= readPlan("{}");
  }

  /** plan.json as it stands. */
  get text() {
    return this.answer.files.get(FILE)?.text ?? "";
  }

  get readOnly() {
    return this.unreadable || !this.answer.files.has(FILE) || this.answer.isReadOnly(FILE);
  }

  /** True while the file may change in this round, even if it is locked just now. */
  get mayRevise() {
    const file = this.answer.files.get(FILE);
    return Boolean(file) && !file.readOnly;
  }

  /** Take up what the materials give to begin with, where nothing has been written yet. */
  begin(start) {
    if (this.readOnly || !isEmpty(this.plan) || this.text.trim().length > 2) return;
    const given = readPlan(JSON.stringify(start || {}));
    if (given && !isEmpty(given)) this.take(JSON.stringify(given));
  }

  /** Put another plan in place of this one; false where it cannot be read or nothing may change. */
  take(text) {
    const plan = readPlan(text);
    if (!plan || this.readOnly) return false;
    this.plan = plan;
    this.#gone = null;
    this.#store("shape", null);
    return true;
  }

  rows(list) {
    return this.plan[list];
  }

  find(list, id) {
    return this.plan[list].find((row) => row.id === id);
  }

  /** The list in which a row of this name stands, or null. */
  listOf(id) {
    return Object.keys(LISTS).find((list) => this.find(list, id)) ?? null;
  }

  add(list, fields = {}) {
    if (this.readOnly) return null;
    const rows = this.plan[list];
    const taken = [...rows, ...(this.#gone?.list === list ? [this.#gone.row] : [])].map(({ id }) => id);
    const row = { id: fresh(list, taken), ...structuredClone(BLANK[list]), ...fields };
    rows.push(row);
    this.#store("shape", list);
    return row;
  }

  /** Change fields of a row. `shape`: true where its place among the others follows from them. */
  set(list, id, fields, shape = false) {
    const row = this.find(list, id);
    if (!row || this.readOnly) return;
    Object.assign(row, fields);
    this.#store(shape ? "shape" : null, list);
  }

  remove(list, id) {
    const at = this.plan[list].findIndex((row) => row.id === id);
    if (at < 0 || this.readOnly) return;
    const waiting = list === "phases" ? this.plan.phases.filter(({ depends }) => depends.includes(id)) : [];
    this.#gone = { list, row: this.plan[list][at], at, waiting: waiting.map((row) => row.id) };
    this.plan[list].splice(at, 1);
    for (const row of waiting) row.depends = row.depends.filter((one) => one !== id);
    this.#store("shape", list);
  }

  /** What was deleted last, {list, row}, or null. */
  get removed() {
    return this.#gone;
  }

  undo() {
    if (!this.#gone || this.readOnly) return null;
    const { list, row, at, waiting } = this.#gone;
    this.plan[list].splice(Math.min(at, this.plan[list].length), 0, row);
    for (const id of waiting) this.find(list, id)?.depends.push(row.id);
    this.#gone = null;
    this.#store("shape", list);
    return row;
  }

  move(list, id, by) {
    const rows = this.plan[list];
    const from = rows.findIndex((row) => row.id === id);
    const to = Math.max(0, Math.min(rows.length - 1, from + by));
    if (from < 0 || from === to || this.readOnly) return false;
    rows.splice(to, 0, ...rows.splice(from, 1));
    this.#store("shape", list);
    return true;
  }

  claim(name, value) {
    if (this.readOnly) return;
    if (value === null) delete this.plan.claims[name];
    else this.plan.claims[name] = value;
    this.#store();
  }

  get sheet() {
    return this.plan.sheet;
  }

  /** Rows of the sheet are told by their place; `given` rows of the table stand above them. */
  addSheetRow(label = "") {
    if (this.readOnly) return -1;
    this.sheet.push({ label, cells: texts([], CELLS), values: [] });
    this.#store("shape", "sheet");
    return this.sheet.length - 1;
  }

  setCells(changes) {
    if (this.readOnly || !changes.length) return;
    for (const { row, column, text } of changes) {
      while (this.sheet.length <= row) this.sheet.push({ label: "", cells: texts([], CELLS), values: [] });
      if (column < 0) this.sheet[row].label = text;
      else this.sheet[row].cells[column] = text;
    }
    this.#store("shape", "sheet");
  }

  /** Take a row out, or move it by some places; formulas follow their cells. */
  removeSheetRow(at, given) {
    if (this.readOnly || !this.sheet[at]) return;
    this.sheet.splice(at, 1);
    this.#follow((row) => (row < given + at ? row : row === given + at ? null : row - 1));
  }

  moveSheetRow(at, by, given) {
    const to = at + by;
    if (this.readOnly || to < 0 || to >= this.sheet.length) return false;
    [this.sheet[at], this.sheet[to]] = [this.sheet[to], this.sheet[at]];
    this.#follow((row) => (row === given + at ? given + to : row === given + to ? given + at : row));
    return true;
  }

  #follow(place) {
    for (const row of this.sheet) row.cells = row.cells.map((text) => rowsMoved(text, place));
    this.#store("shape", "sheet");
  }

  /** Keep the computed values beside the formulas; true where they differ from what was kept. */
  setValues(values) {
    if (this.readOnly || JSON.stringify(values) === JSON.stringify(this.sheet.map((row) => row.values))) return false;
    this.sheet.forEach((row, at) => (row.values = values[at]));
    this.#store();
    return true;
  }

  #store(type = null, list = null) {
    this.answer.setFile(FILE, `${JSON.stringify(this.plan, null, 1)}\n`);
    if (type) this.#tell(type, { list });
    this.#tell("change");
  }

  #tell(type, detail = {}) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
