// Configuration as it is now, beside the last version that is known to have worked.

import { el, preference } from "../../headnode/dom.js";
import { counted, t } from "../../headnode/words.js";
import { sayDone } from "../workplace/done_line.js";
import { LineList } from "../workplace/line_list.js";
import { pinSign } from "../workplace/line_parts.js";
import { trouble } from "../workplace/retry.js";
import { linesOf } from "../workplace/text_view.js";
import { beside, differingLines } from "./line_diff.js";

const UNIT = 18;
const MODES = [
  ["unified", t`One column`],
  ["beside", t`Side by side`],
  ["now", t`Only as it is now`],
];
const SIGNS = { same: " ", gone: "−", new: "+" };
const SAID = { gone: t`went: `, new: t`came: ` };

/** What there is: {path, before, title, host, name, changed}, changed ones first. */
function entries(manifest) {
  const digests = new Map(manifest.files.map((file) => [file.path, file.sha256]));
  const olds = new Set(manifest.files.map((file) => file.before).filter(Boolean));
  return manifest.files
    .filter((file) => file.kind === "config" && !olds.has(file.path))
    .map((file) => {
      const inner = file.path.match(/^config\/now\/([^/]+)\/(.*)$/);
      const [host, name] = inner
        ? [inner[1], `/${inner[2]}`]
        : [file.path.split("/").slice(0, -1).join("/"), file.path.split("/").at(-1)];
      return {
        ...file,
        host: host === "nodes" ? t`all nodes` : host,
        name,
        changed: Boolean(file.before) && digests.get(file.before) !== file.sha256,
      };
    })
    .sort(
      (a, b) =>
        Number(b.changed) - Number(a.changed) ||
        a.host.localeCompare(b.host, "en", { numeric: true }) ||
        a.name.localeCompare(b.name),
    );
}

class Configs {
  #rows = [];
  #turn = 0;

  constructor(host, room) {
    this.host = host;
    this.room = room;
    this.entries = entries(room.manifest);
    this.mode = preference("configs-mode") || "unified";
    this.open = null;
    this.#build();
    room.addEventListener("pins", () => this.list?.refresh());
    const first =
      this.entries.find(({ path }) => path === sessionStorage.getItem("headnode:config")) || this.entries[0];
    if (first) this.#show(first);
    else
      host.replaceChildren(el("p", { className: "empty" }, t`There are no configuration files among the materials.`));
  }

  #build() {
    this.picks = this.entries.map((entry) =>
      el(
        "button",
        { type: "button", className: "pick-file", onclick: () => this.#show(entry) },
        el("span", { className: "mono" }, entry.name),
      ),
    );
    const groups = new Map();
    this.entries.forEach((entry, at) => {
      const name = entry.changed ? t`Changed: ${entry.host}` : t`Unchanged: ${entry.host}`;
      groups.set(name, [...(groups.get(name) || []), this.picks[at]]);
    });
    this.side = el(
      "nav",
      { className: "pick-list", "aria-label": t`Configuration files` },
      [...groups].flatMap(([name, picks]) => [
        el("h3", { className: "pick-head" }, name),
        el(
          "ul",
          {},
          picks.map((pick) => el("li", {}, pick)),
        ),
      ]),
    );
    this.title = el("h3", { className: "view-title mono" });
    this.facts = el("p", { className: "muted small view-facts", role: "status" });
    this.modes = el(
      "select",
      { "aria-label": t`How to show it`, onchange: () => this.#setMode(this.modes.value) },
      MODES.map(([value, label]) => el("option", { value, selected: value === this.mode }, label)),
    );
    const step = (text, name, by) =>
      el(
        "button",
        { type: "button", className: "quiet", "aria-label": name, title: name, onclick: () => this.#step(by) },
        text,
      );
    this.steps = el(
      "span",
      { className: "view-steps" },
      step("↑", t`Previous change`, -1),
      step("↓", t`Next change`, 1),
    );
    this.pinButton = el(
      "button",
      { type: "button", className: "quiet", "aria-keyshortcuts": "p", onclick: () => this.#pin() },
      t`Pin`,
    );
    this.back = el(
      "button",
      { type: "button", className: "quiet view-back", onclick: () => this.#list(true) },
      t`‹ All files`,
    );
    this.place = el("div", { className: "view-lines" });
    this.view = el(
      "section",
      { className: "view", "aria-label": t`Configuration file` },
      el("div", { className: "view-head" }, this.back, this.title, this.steps, this.modes, this.pinButton),
      this.facts,
      this.place,
    );
    this.host.append(el("div", { className: "picker" }, this.side, this.view));
    this.picker = this.host.firstChild;
  }

  #list(open) {
    this.picker.classList.toggle("listing", open);
    if (open) this.picks[this.entries.indexOf(this.open)]?.focus();
  }

  async #show(entry, line = 0, old = false) {
    const turn = ++this.#turn;
    this.open = entry;
    this.#list(false);
    sessionStorage.setItem("headnode:config", entry.path);
    this.picks.forEach((pick, at) =>
      this.entries[at] === entry ? pick.setAttribute("aria-current", "true") : pick.removeAttribute("aria-current"),
    );
    this.title.textContent = `${entry.host}: ${entry.name}`;
    this.facts.textContent = t`Being fetched…`;
    try {
      const [now, before] = await Promise.all([
        this.room.text(entry.path),
        entry.before ? this.room.text(entry.before) : null,
      ]);
      if (turn !== this.#turn) return;
      this.rows =
        before === null
          ? linesOf(now).map((text, at) => ({ kind: "same", a: null, b: at + 1, text }))
          : differingLines(linesOf(before), linesOf(now));
      this.#draw();
      if (line) this.#goTo(line, old);
    } catch (error) {
      if (turn !== this.#turn) return;
      this.facts.textContent = "";
      this.place.replaceChildren(
        trouble(t`The file could not be fetched: ${error.message}`, () => this.#show(entry, line, old)),
      );
    }
  }

  #setMode(mode) {
    this.mode = mode;
    preference("configs-mode", mode);
    if (this.rows) this.#draw();
  }

  #draw() {
    const [gone, fresh] = ["gone", "new"].map((kind) => this.rows.filter((row) => row.kind === kind).length);
    if (!this.open.before) this.facts.textContent = t`No earlier version of this file was kept.`;
    else if (gone + fresh === 0) this.facts.textContent = t`The same as the last known good version.`;
    else {
      const lost = counted("{0} line gone", "{0} lines gone", gone);
      this.facts.textContent = t`Against the last known good version: ${lost}, ${fresh} new.`;
    }
    this.steps.hidden = gone + fresh === 0 || this.mode === "now";
    if (this.mode === "beside") this.#rows = beside(this.rows);
    else this.#rows = this.rows.filter((row) => this.mode !== "now" || row.kind !== "gone").map((row) => [row, row]);
    this.list = new LineList({
      label: `${this.open.host}: ${this.open.name}`,
      columns:
        this.mode === "beside" ? [t`No.`, t`Last known good`, t`No.`, t`Now`] : [t`Old`, t`New`, t`Change`, t`Line`],
      unit: UNIT,
      fetch: (from, to) => this.#rows.slice(from, to),
      cells: (pair) => (this.mode === "beside" ? this.#two(pair) : this.#one(pair[1])),
      look: (pair) => this.#look(pair),
      pin: () => this.#pin(),
      copy: ([old, now]) => (now || old).text,
      copiedLines: (count) => sayDone(count === 1 ? t`Line copied.` : t`${count} lines copied.`),
    });
    this.list.node.classList.add("diff", `diff-${this.mode}`);
    this.place.replaceChildren(this.list.node);
    this.list.reset(this.#rows.length);
  }

  #one(row) {
    const text = el("span", { className: "line-text" }, row.text);
    if (this.#isPinned(row)) text.prepend(pinSign());
    const number = (value) => el("span", { className: "line-number" }, value === null ? "" : String(value));
    return [
      number(row.a),
      number(row.b),
      el(
        "span",
        { className: "line-sign" },
        el("span", { "aria-hidden": "true" }, SIGNS[row.kind]),
        el("span", { className: "unseen" }, SAID[row.kind] || ""),
      ),
      text,
    ];
  }

  #two([old, now]) {
    const number = (value) => el("span", { className: "line-number" }, value ? String(value) : "");
    const text = (row, side) =>
      el(
        "span",
        { className: `line-text ${row && row.kind !== "same" ? `${row.kind}-side` : ""} ${row ? "" : "none-side"}` },
        row && this.#isPinned(row, side) ? pinSign() : null,
        row ? row.text : "",
      );
    return [number(old?.a), text(old, "old"), number(now?.b), text(now, "now")];
  }

  #look([old, now]) {
    if (this.mode === "beside") return old === now ? "" : "differs";
    return `${now.kind}-line${this.#isPinned(now) ? " pinned" : ""}`;
  }

  /** Whether a line is pinned in either version, or in the one that a column shows. */
  #isPinned(row, side = "") {
    const { path, before } = this.open;
    const now = side !== "old" && row.b !== null && this.room.isPinned(path, row.b);
    return now || (side !== "now" && row.a !== null && this.room.isPinned(before, row.a));
  }

  #step(by) {
    const differs = ([old, now]) => old !== now || now.kind !== "same";
    const starts = this.#rows.flatMap((pair, at) =>
      differs(pair) && !(at && differs(this.#rows[at - 1])) ? [at] : [],
    );
    const now = this.list.at;
    const next =
      by > 0 ? (starts.find((at) => at > now) ?? starts[0]) : (starts.findLast((at) => at < now) ?? starts.at(-1));
    if (next !== undefined) this.list.goTo(next, { centre: true, focus: true });
  }

  #goTo(line, old) {
    const at = this.#rows.findIndex(([before, now]) =>
      old ? before?.a === line : now?.b === line && now.kind !== "gone",
    );
    if (at >= 0) this.list.goTo(at, { centre: true, focus: true });
  }

  async #pin() {
    if (!this.list?.range) {
      this.room.announce(t`Choose a line first.`);
      this.facts.textContent = t`Choose a line first: press on it, or use the arrow keys in the text.`;
      return;
    }
    const [from, to] = this.list.range;
    const pins = this.#rows.slice(from, to + 1).map(([old, now]) => {
      const row = now && now.kind !== "gone" ? now : old;
      const gone = row.b === null;
      return {
        kind: "config",
        path: gone ? this.open.before : this.open.path,
        line: gone ? row.a : row.b,
        text: row.text,
      };
    });
    await this.room.pin(pins);
    this.list.node.focus({ preventScroll: true });
  }

  show({ path, line }) {
    const entry = this.entries.find((one) => one.path === path || one.before === path);
    if (entry) this.#show(entry, line, entry.path !== path);
    else this.room.show("files", { path, line });
  }
}

export function setUp(host, room) {
  return new Configs(host, room);
}
