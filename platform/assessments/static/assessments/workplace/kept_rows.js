// Rows that a workspace keeps in a file of the answer, so that they are saved, kept offline, listed in History and
// restored as everything else is: changed, moved, deleted and taken back.

/** Events: "change" (any), "shape" (rows came, went or moved, or what may be changed), "lock". */
export class KeptRows extends EventTarget {
  #gone = null;
  #used = 0;

  /**
   * kept: {file, key: of the rows in it, letter: before the number in an id, read(text): rows, or null where they
   * cannot be read}.
   */
  constructor(answer, kept) {
    super();
    this.answer = answer;
    this.kept = kept;
    this.#read();
    answer.addEventListener("replace", () => {
      this.#gone = null;
      this.#read();
      this.tell("change");
      this.tell("shape");
    });
    answer.addEventListener("lock", () => this.tell("lock"));
  }

  #read() {
    const { file, letter, read } = this.kept;
    const number = new RegExp(`^${letter}(\\d+)$`);
    this.rows = read(this.answer.files.get(file)?.text ?? "");
    this.unreadable = this.rows === null;
    this.rows ??= [];
    this.#used = Math.max(this.#used, ...this.rows.map(({ id }) => Number(number.exec(id)?.[1] || 0)), 0);
  }

  /** An id that no row has had. */
  newId() {
    return `${this.kept.letter}${(this.#used += 1)}`;
  }

  get readOnly() {
    const { file } = this.kept;
    return this.unreadable || !this.answer.files.has(file) || this.answer.isReadOnly(file);
  }

  /** True while the file may change in this round, even if it is locked just now. */
  get mayRevise() {
    const file = this.answer.files.get(this.kept.file);
    return Boolean(file) && !file.readOnly;
  }

  /** Whether a row stays as it is. */
  isFixed(_id) {
    return this.readOnly;
  }

  find(id) {
    return this.rows.find((row) => row.id === id);
  }

  /** True when it was deleted. */
  remove(id) {
    const at = this.rows.findIndex((row) => row.id === id);
    if (at < 0 || this.isFixed(id)) return false;
    this.#gone = { row: this.rows[at], at };
    this.rows.splice(at, 1);
    this.renumber();
    this.store("shape");
    return true;
  }

  get removed() {
    return this.#gone?.row ?? null;
  }

  /** The row that is back, or null. */
  undo() {
    if (!this.#gone || this.readOnly) return null;
    const { row, at } = this.#gone;
    this.rows.splice(Math.min(at, this.rows.length), 0, row);
    this.#gone = null;
    this.renumber();
    this.store("shape");
    return row;
  }

  /** Move a row by so many places: from then on the order of the rows is the order of priority. */
  move(id, by) {
    const from = this.rows.findIndex((row) => row.id === id);
    const to = Math.max(0, Math.min(this.rows.length - 1, from + by));
    if (from < 0 || from === to || this.isFixed(id)) return false;
    this.rows.splice(to, 0, ...this.rows.splice(from, 1));
    this.rank();
    this.store("shape");
    return true;
  }

  rank() {
    this.rows.forEach((row, at) => (row.priority = at + 1));
  }

  /** After rows came or went: priorities as they stand. */
  renumber() {
    this.rank();
  }

  store(type = null) {
    const { file, key } = this.kept;
    this.answer.setFile(file, `${JSON.stringify({ [key]: this.rows }, null, 1)}\n`);
    this.tell("change");
    if (type) this.tell(type);
  }

  tell(type) {
    this.dispatchEvent(new CustomEvent(type));
  }
}
