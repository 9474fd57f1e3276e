// Everything else that was collected: what commands printed, tables, tickets and chat, alert rules, scrapes.

import { el, preference } from "../../headnode/dom.js";
import { counted, t } from "../../headnode/words.js";
import { PictureView, ProseView } from "./prose_view.js";
import { trouble } from "./retry.js";
import { isTable, TableView } from "./table_view.js";
import { TextView } from "./text_view.js";

const INCIDENT = ["people", "rules", "table", "command", "prom", "om"];
const MATERIALS = ["csv", "markdown", "parquet", "svg", "table"];
const NAMES = {
  people: t`People`,
  monitoring: t`Alert rules`,
  runs: t`Both runs`,
  slurm: "Slurm",
  fabric: t`Fabric`,
  storage: t`Storage`,
  fleet: t`All GPUs`,
  facility: t`The hall`,
  metrics: t`Metrics, one scrape each`,
};
const OTHER_NAMES = { people: t`People`, facility: t`Facility` };
const FIRST = Object.keys(NAMES).filter((name) => name !== "metrics");

/** What a file is grouped under. */
function groupOf(path, isIncident) {
  const [top, second] = path.split("/");
  if (isIncident && (top === "nodes" || top === "servers")) return second;
  return (isIncident ? NAMES[top] : OTHER_NAMES[top]) || (isIncident ? top : `${top[0].toUpperCase()}${top.slice(1)}`);
}

/** Of a manifest's files those that this tab lists: documents have a pane of their own. */
function listed(room) {
  if (room.workplace === "troubleshooting") return room.manifest.files.filter(({ kind }) => INCIDENT.includes(kind));
  return room.manifest.files.filter(({ path, kind }) => path.includes("/") && MATERIALS.includes(kind));
}

function groups(files, isIncident) {
  const found = new Map();
  for (const file of files) {
    const name = groupOf(file.path, isIncident);
    found.set(name, [...(found.get(name) || []), file]);
  }
  const rank = (name) => {
    const at = FIRST.findIndex((key) => NAMES[key] === name);
    return at < 0 ? (name === NAMES.metrics ? 999 : 500) : at;
  };
  return [...found].sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b, "en", { numeric: true }));
}

class Files {
  #turn = 0;
  #text = "";

  constructor(host, room) {
    this.host = host;
    this.room = room;
    this.isIncident = room.workplace === "troubleshooting";
    this.files = this.isIncident ? room.manifest.files : listed(room);
    this.open = null;
    this.asTable = preference("files-table") !== "no";
    this.text = new TextView(room, { kind: "log" });
    this.table = new TableView(room);
    this.prose = new ProseView();
    this.picture = new PictureView(room);
    this.#build();
    const kept = this.files.find(({ path }) => path === sessionStorage.getItem("headnode:file"));
    if (kept) this.#show(kept);
    else this.#list(true);
  }

  #build() {
    this.picks = new Map();
    const pick = (file) => {
      const button = el(
        "button",
        { type: "button", className: "pick-file", title: file.path, onclick: () => this.#show(file) },
        file.title.replace(/, [\w-]+\d+$/, ""),
        el("span", { className: "muted small mono" }, file.path.split("/").at(-1)),
      );
      this.picks.set(file.path, button);
      return el("li", {}, button);
    };
    this.groups = groups(listed(this.room), this.isIncident).map(([name, files]) => {
      const rows = files.map(pick);
      const node = el(
        "details",
        { className: "pick-group", open: !this.isIncident || FIRST.some((key) => NAMES[key] === name) },
        el("summary", {}, name, el("span", { className: "muted small" }, ` ${files.length}`)),
        el("ul", {}, rows),
      );
      return { node, rows, files, open: node.open };
    });
    this.find = el("input", {
      type: "text",
      className: "find",
      "aria-label": t`Find a file by name`,
      placeholder: t`Find a file`,
      autocomplete: "off",
      spellcheck: false,
      oninput: () => this.#find(),
    });
    this.side = el(
      "nav",
      { className: "pick-list", "aria-label": t`Files` },
      this.find,
      this.groups.map(({ node }) => node),
    );
    this.title = el("h3", { className: "view-title mono" });
    this.facts = el("p", { className: "muted small view-facts", role: "status" });
    this.toggle = el("input", {
      type: "checkbox",
      checked: this.asTable,
      onchange: () => this.#setTable(this.toggle.checked),
    });
    this.toggleLabel = el("label", { className: "check" }, this.toggle, t`Table`);
    this.pinButton = el(
      "button",
      { type: "button", className: "quiet", "aria-keyshortcuts": "p", onclick: () => this.#pin() },
      t`Pin`,
    );
    this.download = el("a", { className: "button quiet", hidden: true, download: "" }, t`Download`);
    this.back = el(
      "button",
      { type: "button", className: "quiet view-back", onclick: () => this.#list(true) },
      t`‹ All files`,
    );
    this.finders = el("span", { className: "view-find" });
    this.place = el(
      "div",
      { className: "view-lines" },
      el("p", { className: "empty" }, t`Choose a file: what it holds appears here.`),
    );
    this.view = el(
      "section",
      { className: "view", "aria-label": t`File` },
      el(
        "div",
        { className: "view-head" },
        this.back,
        this.title,
        this.finders,
        this.toggleLabel,
        this.pinButton,
        this.download,
      ),
      this.facts,
      this.place,
    );
    this.toggleLabel.hidden = this.pinButton.hidden = true;
    this.picker = el("div", { className: "picker" }, this.side, this.view);
    this.host.append(this.picker);
  }

  #find() {
    const wanted = this.find.value.trim().toLowerCase();
    for (const group of this.groups) {
      let some = false;
      group.files.forEach(({ path, title }, at) => {
        const fits = `${path} ${title}`.toLowerCase().includes(wanted);
        group.rows[at].hidden = !fits;
        some ||= fits;
      });
      group.node.hidden = !some;
      group.node.open = wanted ? some : group.open;
    }
  }

  #list(open) {
    this.picker.classList.toggle("listing", open);
    if (open && this.open) this.picks.get(this.open.path)?.focus();
  }

  async #show(file, line = 0) {
    const turn = ++this.#turn;
    this.open = file;
    this.#list(false);
    sessionStorage.setItem("headnode:file", file.path);
    for (const [path, button] of this.picks) {
      if (path === file.path) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    this.title.textContent = file.path;
    this.facts.textContent = t`Being fetched…`;
    try {
      const text = await this.#fetched(file);
      if (turn !== this.#turn) return;
      this.#text = text;
      this.#draw(line);
    } catch (error) {
      if (turn !== this.#turn) return;
      this.facts.textContent = "";
      this.place.replaceChildren(
        trouble(t`The file could not be fetched: ${error.message}`, () => this.#show(file, line)),
      );
    }
  }

  /** Prose comes as it is read; what is no text is not fetched. */
  #fetched({ path, kind }) {
    if (kind === "parquet" || kind === "svg") return "";
    return kind === "markdown" ? this.room.html(path) : this.room.text(path);
  }

  /** A view that has no lines: prose, a picture, or a file for programs. */
  #drawWhole(view) {
    this.toggleLabel.hidden = this.pinButton.hidden = true;
    this.finders.replaceChildren();
    this.place.replaceChildren(view.node);
    view.show(this.open, this.#text);
    this.facts.textContent = this.open.title;
  }

  #draw(line = 0) {
    this.download.hidden = this.isIncident;
    this.download.href = this.room.fileUrl(this.open.path);
    this.download.setAttribute("download", this.open.path.split("/").at(-1));
    const whole = { markdown: this.prose, svg: this.picture, parquet: this.picture }[this.open.kind];
    if (whole && !this.isIncident) return this.#drawWhole(whole);
    const tabular = isTable(this.open);
    const view = tabular && this.asTable && !line ? this.table : this.text;
    this.toggleLabel.hidden = !tabular;
    this.toggle.checked = view === this.table;
    this.pinButton.hidden = !this.room.canPin;
    this.finders.replaceChildren(view.finder.node);
    this.place.replaceChildren(view.node);
    view.show(this.open.path, this.#text, line);
    const lines = this.text === view ? this.text.lines.length : this.table.rows.length;
    this.facts.textContent =
      `${this.open.title} · ` +
      (view === this.table ? counted("{0} row", "{0} rows", lines) : counted("{0} line", "{0} lines", lines));
    this.view_ = view;
    return undefined;
  }

  #setTable(on) {
    this.asTable = on;
    preference("files-table", on ? "yes" : "no");
    this.#draw();
  }

  #pin() {
    if (this.view_.list.range !== null) {
      this.view_.pin();
      return;
    }
    this.room.announce(t`Choose a line first.`);
    this.facts.textContent = t`Choose a line first: press on it, or use the arrow keys in the text.`;
  }

  show({ path, line }) {
    const file = this.files.find((one) => one.path === path);
    if (file) this.#show(file, line);
  }
}

export function setUp(host, room) {
  return new Files(host, room);
}
