// The candidate's answer in this page: files and sections, the one store every editor writes to.
// Knows nothing of saving or of the screen; tells its listeners what changed.

import { t } from "../../headnode/words.js";

const ENTRY = "controller.py";
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*(\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$/;

/** Events: "edit" (text typed; detail {path} or {key}), "files" (set of files changed), "replace", "lock". */
export class Answer extends EventTarget {
  #locked = false;

  constructor({ files, sections, round, feedback }) {
    super();
    const focus = round === 2 ? feedback?.focus || null : null;
    this.focus = focus;
    // The row of the focus that the revision is about, and what else may change with it.
    this.subject = (focus !== null && feedback.subject) || null;
    const fixed = (name) => focus !== null && focus !== name && !feedback.also?.includes(name);
    this.files = new Map(
      files.map((file) => [
        file.path,
        {
          text: file.text,
          readOnly: Boolean(file.read_only) || fixed(file.path),
          own: !(file.starter ?? (file.read_only || file.path === ENTRY)),
        },
      ]),
    );
    this.sections = new Map(
      sections.map((section) => [
        section.key,
        {
          title: section.title,
          prompt: section.prompt,
          text: section.text || "",
          readOnly: Boolean(section.read_only) || fixed(section.key),
        },
      ]),
    );
  }

  get locked() {
    return this.#locked;
  }

  /** Nothing can be edited while locked (a conflict to settle, or the time is over). */
  set locked(value) {
    if (this.#locked === value) return;
    this.#locked = value;
    this.#tell("lock");
  }

  get canAddFiles() {
    return this.focus === null && !this.#locked;
  }

  isReadOnly(path) {
    return this.#locked || this.files.get(path).readOnly;
  }

  setFile(path, text) {
    const file = this.files.get(path);
    if (!file || file.text === text || this.isReadOnly(path)) return;
    file.text = text;
    this.#tell("edit", { path });
  }

  setSection(key, text) {
    const section = this.sections.get(key);
    if (section.text === text || section.readOnly || this.#locked) return;
    section.text = text;
    this.#tell("edit", { key });
  }

  /** One sentence why the name cannot be used, or null. */
  problemWithName(path) {
    return this.problemWithPath(path) || (this.files.has(path) ? t`There is already a file called ${path}.` : null);
  }

  /** The same for a name that may be taken. */
  problemWithPath(path) {
    if (NAME.test(path) && path.length <= 100) return null;
    return t`Use letters, digits, dots, hyphens and underscores, with / between folders; at most 100 characters.`;
  }

  createFile(path) {
    this.files.set(path, { text: "", readOnly: false, own: true });
    this.#tell("files", { show: path });
  }

  /** Take over texts by path, from outside the editor; false when nothing may be changed now. */
  putFiles(texts) {
    if (this.#locked) return false;
    for (const [path, text] of texts) {
      const file = this.files.get(path);
      if (file) file.text = text;
      else this.files.set(path, { text, readOnly: false, own: true });
    }
    this.#tell("replace");
    this.#tell("files", { show: texts.keys().next().value });
    return true;
  }

  renameFile(from, to) {
    this.files = new Map([...this.files].map(([path, file]) => [path === from ? to : path, file]));
    this.#tell("files", { show: to, from });
  }

  deleteFile(path) {
    this.files.delete(path);
    this.#tell("files", { show: this.files.keys().next().value, gone: path });
  }

  /** The body that drafts and submissions carry. */
  body() {
    const files = Object.fromEntries([...this.files].map(([path, file]) => [path, file.text]));
    const sections = Object.fromEntries([...this.sections].map(([key, section]) => [key, section.text]));
    return { files, sections };
  }

  /** Take over another draft's text; what this round may not change stays as it is. */
  replace(body) {
    const kept = new Map();
    for (const [path, file] of this.files) {
      if (file.readOnly || path in body.files || !file.own) {
        kept.set(path, { ...file, text: file.readOnly ? file.text : (body.files[path] ?? file.text) });
      }
    }
    for (const [path, text] of Object.entries(body.files)) {
      if (!kept.has(path) && this.focus === null) kept.set(path, { text, readOnly: false, own: true });
    }
    this.files = kept;
    for (const [key, section] of this.sections) {
      if (!section.readOnly && key in body.sections) section.text = body.sections[key];
    }
    this.#tell("replace");
  }

  #tell(type, detail = {}) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** The same text gives the same string, whatever the order of its parts. */
export function fingerprint(body) {
  const sorted = (part) => Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([sorted(body.files), sorted(body.sections)]);
}
