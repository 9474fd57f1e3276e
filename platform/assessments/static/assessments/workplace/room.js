// The candidate's room: what there is to look at, as tabs whose modules are fetched when first shown,
// and what they share: the list of materials, one range of time, the board to pin to.

import { announce } from "../../headnode/announce.js";
import { ask } from "../../headnode/api.js";
import { byId, el } from "../../headnode/dom.js";
import { tabs } from "../../headnode/tabs.js";
import { restOfTabs } from "../../headnode/tabs_rest.js";
import { t } from "../../headnode/words.js";
import { fillButton } from "../workspace/panes.js";
import { linked } from "./links.js";
import { trouble } from "./retry.js";
import { timeText } from "./site_time.js";

const FILES = { key: "files", label: t`Files`, folder: ".", load: () => import("./files.js") };
const INCIDENT = [
  { key: "dashboards", label: t`Dashboards`, load: () => import("../troubleshooting/dashboards.js") },
  { key: "logs", label: t`Logs`, load: () => import("../troubleshooting/logs.js") },
  { key: "configs", label: t`Configuration`, load: () => import("../troubleshooting/configs.js") },
  { key: "query", label: t`Query`, load: () => import("../troubleshooting/query.js") },
  { key: "terminal", label: t`Terminal`, folder: "../terminal", load: () => import("../terminal/terminal.js") },
  FILES,
];
const BILL = [
  { key: "explore", label: t`Explore`, load: () => import("../cost/explore.js") },
  { key: "sql", label: "SQL", load: () => import("../cost/sql.js") },
  FILES,
];
const PLAN = [
  { key: "overview", label: t`Overview`, load: () => import("../scaling/overview.js") },
  { key: "orders", label: t`Orders`, load: () => import("../scaling/orders.js") },
  { key: "timeline", label: t`Timeline`, load: () => import("../scaling/timeline.js") },
  { key: "money", label: t`Money`, load: () => import("../scaling/money.js") },
  { key: "risks", label: t`Risks`, load: () => import("../scaling/risks.js") },
  { key: "whatif", label: t`What-if`, load: () => import("../scaling/whatif.js") },
  FILES,
];
const LIVE = [
  { key: "shell", label: "Terminal", load: () => import("../live_slurm/shell.js") },
  { key: "cluster", label: "Cluster", load: () => import("../live_slurm/cluster.js") },
  FILES,
];
const TABS = { troubleshooting: INCIDENT, cost: BILL, scaling: PLAN, live_slurm: LIVE };
/** What stands beside the first tab where nobody has chosen yet. */
const BESIDE = { live_slurm: "cluster" };
const ASKED = ["manifest", "files", "logs", "metrics", "query", "terminal", "bill", "plan", "cluster"];

/**
 * What the tabs share. Events: "range" {from, to, source}, "pins" (pins on the board changed), "show" {tab, detail}.
 */
export class Room extends EventTarget {
  constructor({ base, attempt, board, shows, workplace }) {
    super();
    this.urls = Object.fromEntries(ASKED.map((name) => [name, base + name]));
    this.attempt = attempt;
    this.board = board;
    this.shows = shows;
    this.workplace = workplace;
    this.manifest = null;
    this.range = null;
    this.texts = new Map();
    board.addEventListener("pins", () => this.#tell("pins"));
  }

  /** Take up the list of materials; of an incident the range is then the whole window that was recorded. */
  begin(manifest) {
    this.manifest = manifest;
    if (!manifest.incident) return;
    const { from_ms: from, to_ms: to } = manifest.incident.window;
    this.window = { from, to };
    this.range = { from, to };
  }

  get incident() {
    return this.manifest.incident;
  }

  /** True while nothing is zoomed. */
  get whole() {
    return this.range.from <= this.window.from && this.range.to >= this.window.to;
  }

  /** Every tab follows; times in ms since 1970, kept within the window. */
  setRange(from, to, source = "") {
    const low = Math.max(this.window.from, Math.min(from, to));
    const high = Math.min(this.window.to, Math.max(from, to));
    if (!(high > low) || (low === this.range.from && high === this.range.to)) return;
    this.range = { from: low, to: high };
    this.#tell("range", { ...this.range, source });
  }

  resetRange(source = "") {
    this.setRange(this.window.from, this.window.to, source);
  }

  /** Whether there is a board, or somebody's remarks, to pin to. */
  get canPin() {
    return typeof this.board.ask === "function";
  }

  /** Put a pin, or several, on the board: asks to which hypothesis. Resolves to true when it was pinned. */
  pin(pins) {
    return this.canPin ? this.board.ask([pins].flat(), this) : Promise.resolve(false);
  }

  isPinned(path, line) {
    return this.canPin && this.board.isPinned(path, line);
  }

  /** Bring a tab to the front, with what to look at in it; the "show" event carries the same. */
  show(tab, detail = null) {
    this.shows(tab, detail);
  }

  told(tab, detail) {
    this.#tell("show", { tab, detail });
  }

  announce(text) {
    announce(text);
  }

  /** An instant on the site's clock, for example "12 Oct 15:02:00". */
  timeText(ms, options) {
    return timeText(ms, this.incident.offset_min, options);
  }

  fileUrl(path) {
    return `${this.urls.files}/${path.split("/").map(encodeURIComponent).join("/")}`;
  }

  /** A material's text; raises an Error with a sentence. Each is fetched once. */
  text(path) {
    return this.#once(this.fileUrl(path));
  }

  /** A material in Markdown as the server renders it, safe to put into the page. */
  html(path) {
    return this.#once(`${this.fileUrl(path)}?html`);
  }

  #once(url) {
    if (!this.texts.has(url)) {
      const job = fetchText(url);
      this.texts.set(url, job);
      job.catch(() => this.texts.delete(url));
    }
    return this.texts.get(url);
  }

  #tell(type, detail = {}) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

async function fetchText(url) {
  let response;
  try {
    response = await fetch(url, { credentials: "same-origin" });
  } catch {
    throw new Error(t`The server could not be reached.`);
  }
  if (response.ok) return response.text();
  const said = await response.json().catch(() => null);
  throw new Error(said?.detail || t`The server answered with status ${response.status}.`);
}

class Shell {
  #parts = new Map();
  #shown = null;

  constructor({ base, attempt, board, showPane, workplace = "troubleshooting", without = [] }) {
    this.showPane = showPane;
    this.tabs = TABS[workplace].filter(({ key }) => !without.includes(key));
    this.folder = `../${workplace}`;
    this.keys = this.tabs.map(({ key }) => key);
    this.memory = `headnode:room:${attempt}`;
    this.room = new Room({ base, attempt, board, workplace, shows: (tab, detail) => this.show(tab, detail) });
    this.list = el("div", { className: "tab-list room-tabs" });
    this.body = el("div", { className: "room-body" });
    this.beside = el(
      "select",
      {
        className: "room-beside",
        "aria-label": t`Show a second part beside this one`,
        onchange: () => this.#arrange(),
      },
      el("option", { value: "" }, t`Beside: nothing`),
      this.tabs.map(({ key, label }) => el("option", { value: key }, t`Beside: ${label}`)),
    );
    this.beside.value = BESIDE[workplace] ?? "";
    // Lines of a terminal need the width: what stands beside it by itself stands below where there is little.
    this.body.classList.toggle("stacks", workplace in BESIDE);
    const rest = restOfTabs(this.list, t`All parts of the room`);
    byId("pane-room").append(
      el("div", { className: "pane-head" }, this.list, rest, this.beside, fillButton("room")),
      this.body,
    );
    addEventListener("hashchange", () => this.#follow());
  }

  async begin() {
    this.body.replaceChildren(
      el("p", { className: "empty room-wait", role: "status" }, t`The list of materials is being fetched…`),
    );
    await this.#fetch();
  }

  async #fetch() {
    try {
      this.room.begin(await ask(this.room.urls.manifest));
    } catch (error) {
      if (error.code === "being_prepared") return this.#wait(error);
      this.body.replaceChildren(
        trouble(t`The materials could not be fetched: ${error.message} What you write is saved all the same.`, () =>
          this.begin(),
        ),
      );
      return;
    }
    this.body.replaceChildren();
    const items = this.tabs.map(({ key, label }) => ({ key, label, panel: `room-${key}` }));
    for (const { key } of this.tabs) this.body.append(this.#panel(key));
    this.row = tabs(this.list, items, (key) => this.#open(key), { label: t`The room` });
    this.room.board.entered(this.room);
    const wanted = linked(this.keys);
    if (wanted) this.show(wanted.tab, wanted.detail, { forward: false });
    else this.row.choose(this.#remembered());
  }

  /** This server does not have them yet: it says so, and is asked again. */
  #wait({ message, retryAfter }) {
    const line = this.body.querySelector(".room-wait");
    if (line.textContent !== message) line.textContent = message;
    setTimeout(() => this.#fetch(), 1000 * (retryAfter || 2));
  }

  #remembered() {
    const kept = sessionStorage.getItem(this.memory);
    return this.keys.includes(kept) ? kept : this.keys[0];
  }

  #panel(key) {
    const node = el("div", {
      className: `room-part room-${key}-part`,
      id: `room-${key}`,
      role: "tabpanel",
      "aria-labelledby": `tab-room-${key}-${key}`,
      hidden: true,
    });
    this.#parts.set(key, { node, state: "new", detail: null, module: null });
    return node;
  }

  show(key, detail = null, { forward = true } = {}) {
    const part = this.#parts.get(key);
    if (!part) return;
    if (forward) this.showPane("room");
    part.detail = detail;
    this.row.choose(key);
  }

  #open(key) {
    const part = this.#parts.get(key);
    this.#shown = key;
    sessionStorage.setItem(this.memory, key);
    this.#arrange();
    this.#bring(key, part);
  }

  #bring(key, part) {
    if (part.state === "new") this.#load(key, part);
    else if (part.state === "ready") this.#pass(key, part);
  }

  /** Show the chosen tab's part, and the one that is wanted beside it. */
  #arrange() {
    const second = this.beside.value === this.#shown ? "" : this.beside.value;
    for (const [key, { node }] of this.#parts) {
      node.hidden = key !== this.#shown && key !== second;
      node.classList.toggle("second", key === second);
    }
    this.body.classList.toggle("split", Boolean(second));
    if (second) this.#bring(second, this.#parts.get(second));
  }

  async #load(key, part, again = 0) {
    const { load, label, folder = this.folder } = this.tabs.find((tab) => tab.key === key);
    part.state = "loading";
    part.node.replaceChildren(el("p", { className: "empty room-wait", role: "status" }, t`${label}: being fetched…`));
    try {
      // A browser remembers that an address failed, so another try needs another address.
      const module = await (again
        ? import(`${new URL(`${folder}/${key}.js`, import.meta.url)}?again=${again}`)
        : load());
      part.node.replaceChildren();
      part.module = (await module.setUp(part.node, this.room)) || {};
      part.state = "ready";
      this.#pass(key, part);
    } catch (error) {
      part.state = "failed";
      console.warn(`${label}: ${error.message}`);
      part.node.replaceChildren(
        trouble(t`${label} could not be loaded. The other parts of the room work, and what you write is saved.`, () =>
          this.#load(key, part, again + 1),
        ),
      );
    }
  }

  #pass(key, part) {
    const { detail } = part;
    part.detail = null;
    part.module.shown?.();
    if (detail === null) return;
    part.module.show?.(detail);
    this.room.told(key, detail);
  }

  #follow() {
    const wanted = linked(this.keys);
    if (wanted && this.row) this.show(wanted.tab, wanted.detail);
  }
}

/** Fill the centre pane; returns the room that the part beside the answer and the tabs share.
 *  workplace: which tabs there are, a key of TABS; without: keys of tabs to leave out. */
export function setUpRoom(options) {
  const shell = new Shell(options);
  shell.begin();
  return shell.room;
}
