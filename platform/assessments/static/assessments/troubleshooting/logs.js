// The log explorer: every line of every log, searched by word or expression, narrowed by machine, source,
// severity and time, with the file around a line below it.

import { el, preference } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { copyAndSay } from "../workplace/clipboard.js";
import { sayDone } from "../workplace/done_line.js";
import { LineList } from "../workplace/line_list.js";
import { logPin } from "../workplace/line_parts.js";
import { linkTo } from "../workplace/links.js";
import { trouble } from "../workplace/retry.js";
import { LogChart } from "./logs_chart.js";
import { FileAround } from "./logs_context.js";
import { Facet } from "./logs_filters.js";
import { foundText, lineCells, severitiesNamed } from "./logs_line.js";
import { bundleKey, LogSource, refusalText } from "./logs_source.js";
import { RangePicker } from "./range_picker.js";

const TYPING_MS = 180;
const UNIT = 18;
const NARROW_PX = 560;
const LOW = matchMedia("(max-height: 560px)");
class Explorer {
  #timer = 0;
  #turn = 0;
  #found = null;

  constructor(host, room, about, source) {
    this.host = host;
    this.room = room;
    this.about = about;
    this.source = source;
    this.year = new Date(room.window.to).getUTCFullYear();
    this.wrap = this.#wraps();
    this.#controls();
    this.#rows();
    this.#assemble();
    room.addEventListener("range", () => this.later(60));
    room.addEventListener("pins", () => (this.list.refresh(), this.around.refresh()));
    new ResizeObserver(() => this.#fitWidth()).observe(this.list.node);
  }

  /** As somebody wanted it, else by the width. */
  #wraps() {
    const wanted = preference("logs-wrap");
    // A tab left while its lines were being fetched has no width of its own.
    const width = this.host.clientWidth || this.host.parentNode.clientWidth;
    return wanted ? wanted === "yes" : width <= NARROW_PX;
  }

  #fitWidth() {
    if (!this.host.clientWidth) return;
    if (this.host.clientWidth > NARROW_PX && !LOW.matches) this.more.open = true;
    if (this.wrap === this.#wraps()) this.#measure();
    else this.#break(!this.wrap);
  }

  get #count() {
    return this.#found ? this.#found.count : 0;
  }

  #controls() {
    const later = () => this.later();
    this.query = el("input", {
      type: "text",
      className: "log-query",
      "aria-label": t`Search the logs`,
      placeholder: t`Search all lines`,
      autocomplete: "off",
      spellcheck: false,
      autocapitalize: "off",
      oninput: () => this.later(TYPING_MS),
    });
    this.query.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.later();
      if (event.key === "ArrowDown" && this.#count)
        event.preventDefault(), this.list.goTo(this.list.firstInView, { focus: true });
    });
    const tick = (text, title, change, checked = false) => {
      const box = el("input", { type: "checkbox", checked, onchange: () => change(box.checked) });
      return { box, label: el("label", { className: "check", title }, box, text) };
    };
    const sign = (short, name, title, change) => {
      const made = tick(el("span", { "aria-hidden": "true" }, short), `${name}: ${title}`, change);
      made.box.setAttribute("aria-label", name);
      made.label.className = "log-sign";
      return made;
    };
    this.regex = sign(".*", t`Expression`, t`Read the search as a regular expression`, later);
    this.exact = sign("Aa", t`Match case`, t`Capital and small letters differ`, later);
    this.linked = tick(t`This range only`, t`Only lines of the time that the charts show`, later, true);
    this.wrapping = tick(t`Wrap`, t`Break long lines`, (on) => this.#setWrap(on), this.wrap);
    this.facets = {
      hosts: new Facet(t`Machine`, this.about.hosts, later),
      sources: new Facet(t`Source`, this.about.sources, later),
      severities: new Facet(t`Severity`, severitiesNamed(this.about.severities), later),
    };
    const files = this.about.files.map(({ path, title }) => el("option", { value: path }, `${path} (${title})`));
    this.file = el(
      "select",
      { className: "log-file", "aria-label": t`File`, onchange: later },
      el("option", { value: "" }, t`All files`),
      files,
    );
    this.time = new RangePicker(this.room, "logs");
    this.clear = el("button", { type: "button", className: "quiet", onclick: () => this.#clear() }, t`Clear filters`);
    this.status = el("p", { className: "log-status small", role: "status" });
    this.problem = el("p", { className: "problem small", role: "alert" });
    this.chart = new LogChart(this.room);
  }

  #rows() {
    this.list = new LineList({
      label: t`Lines found`,
      columns: [t`Time`, t`Machine`, t`Severity`, t`Line`],
      unit: UNIT,
      fetch: (from, to) => this.source.rows(from, to),
      cells: (row) => lineCells(this.room, row, { wrap: this.wrap, year: this.year }),
      look: (row) =>
        `severity-${row.severity.replace(" ", "-")}${this.room.isPinned(row.path, row.line) ? " pinned" : ""}`,
      open: (at) => this.#open(at),
      pin: () => this.#pin(),
      copy: (row) => row.text,
      copiedLines: (count) => sayDone(count === 1 ? t`Line copied.` : t`${count} lines copied.`),
      moved: () => this.#current(),
    });
    this.list.node.classList.add("log-lines");
    this.around = new FileAround(this.room, this.source, () => this.list.node.focus({ preventScroll: true }));
  }

  #assemble() {
    const act = (text, action, extra = {}) =>
      el("button", { type: "button", className: "quiet", disabled: true, onclick: action, ...extra }, text);
    this.acts = [
      act(t`Around it`, () => this.#open(this.list.at), { "aria-keyshortcuts": "Enter" }),
      act(t`Pin`, () => this.#pin(), { "aria-keyshortcuts": "p" }),
      act(t`Copy`, () => this.#copy(), { "aria-keyshortcuts": "c" }),
      act(t`Copy link`, () => this.#link()),
    ];
    this.place = el("span", { className: "log-place mono" });
    const keys = el(
      "span",
      { className: "log-keys" },
      el("kbd", {}, "j"),
      " ",
      el("kbd", {}, "k"),
      t` move · `,
      el("kbd", {}, t`Shift`),
      t` several · `,
      el("kbd", {}, "Enter"),
      t` around it · `,
      el("kbd", {}, "p"),
      t` pin`,
    );
    const facets = el(
      "div",
      { className: "log-bar log-facets" },
      Object.values(this.facets).map((facet) => facet.node),
      this.file,
      this.linked.label,
      this.clear,
    );
    this.more = el(
      "details",
      { className: "log-more", open: this.host.clientWidth > NARROW_PX && !LOW.matches },
      el("summary", {}, t`Filters`),
      facets,
    );
    this.empty = el(
      "p",
      { className: "empty log-empty", hidden: true },
      t`No line is like this. Fewer words, another range of time or fewer filters may find one.`,
    );
    this.host.append(
      el(
        "div",
        { className: "log-bar" },
        el("div", { className: "log-search" }, this.query, this.exact.label, this.regex.label),
        this.time.node,
        this.wrapping.label,
      ),
      this.more,
      this.problem,
      this.chart.node,
      this.status,
      el("div", { className: "log-results" }, this.list.node, this.empty),
      el(
        "div",
        { className: "pane-foot log-foot" },
        this.place,
        el("span", { className: "log-acts" }, this.acts),
        keys,
      ),
      this.around.node,
    );
    this.list.node.classList.toggle("wrap", this.wrap);
  }

  /** Search soon: keys typed in quick succession make one search. */
  later(wait = 0) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#search(), wait);
  }

  async #search() {
    const turn = ++this.#turn;
    const { room } = this;
    const limited = this.linked.box.checked && !room.whole;
    const range = [room.range.from, room.range.to];
    const filters = { file: this.file.value };
    const narrowed = Object.values(this.facets).some((facet) => facet.wanted);
    this.clear.hidden = !(this.query.value || this.file.value || narrowed || !this.room.whole);
    for (const [name, facet] of Object.entries(this.facets)) filters[name] = facet.wanted;
    const query = {
      text: this.query.value,
      regex: this.regex.box.checked,
      exact: this.exact.box.checked,
      filters,
      time: limited ? range : null,
      domain: limited ? range : [room.window.from, room.window.to],
    };
    if (!this.#found) this.status.textContent = t`Searching…`;
    try {
      const found = await this.source.search(query);
      if (turn !== this.#turn) return;
      const [columns, extra] = this.#fit();
      const tops = this.wrap ? await this.source.heights(found, columns, extra) : null;
      if (turn === this.#turn) this.#show(found, limited, tops, columns);
    } catch (error) {
      if (turn === this.#turn) this.#refused(error, query);
    }
  }

  #show(found, limited, tops, columns) {
    const { count, bins, took } = found;
    this.source.keep(found);
    this.#found = found;
    this.problem.textContent = "";
    this.query.removeAttribute("aria-invalid");
    this.took = took;
    this.list.reset(count, this.wrap ? tops : null);
    this.columns = this.wrap && tops ? columns : 0;
    this.#measure();
    this.chart.show(bins);
    this.empty.hidden = count > 0;
    // Lines of other days come first in time; the list opens where the recording begins.
    const inside = count - bins.before - bins.after - bins.undated;
    if (!limited && inside > 0 && bins.before) this.list.scrollTo(bins.before);
    this.status.textContent = foundText(found, { lines: this.about.lines, limited, bar: this.chart.barText });
    this.#current();
    this.host.dispatchEvent(new CustomEvent("searched", { detail: { count, took } }));
  }

  #refused(error, query) {
    this.query.setAttribute("aria-invalid", "true");
    this.problem.textContent = refusalText(error, query.text);
  }

  #fit() {
    const style = getComputedStyle(this.list.node);
    const letter = Number(style.getPropertyValue("--letter")) || 7.2;
    const taken = Number.parseFloat(style.getPropertyValue("--beside")) || 0;
    const stacked = taken === 0 ? 1 : 0;
    return [Math.max(10, Math.floor((this.list.node.clientWidth - taken - 28) / letter)), stacked];
  }

  async #measure() {
    if (!this.wrap || !this.#count) return;
    const [columns, extra] = this.#fit();
    if (columns === this.columns) return;
    this.columns = columns;
    const found = this.#found;
    const tops = await this.source.heights(found, columns, extra);
    if (found === this.#found && this.wrap && columns === this.columns) this.list.relayout(tops);
  }

  #setWrap(on) {
    preference("logs-wrap", on ? "yes" : "no");
    this.#break(on);
  }

  async #break(on) {
    this.wrap = on;
    this.wrapping.box.checked = on;
    this.list.node.classList.toggle("wrap", on);
    this.columns = 0;
    if (on) await this.#measure();
    else this.list.relayout(null);
  }

  #clear() {
    for (const facet of Object.values(this.facets)) facet.only(null, { quiet: true });
    this.query.value = "";
    this.file.value = "";
    this.room.resetRange("logs");
    this.later();
    this.query.focus();
  }

  #current() {
    const row = this.list.row(this.list.at);
    const [from, to] = this.list.range || [0, -1];
    for (const button of this.acts) button.disabled = this.list.at < 0;
    this.place.textContent =
      this.list.at < 0 ? "" : to > from ? t`${to - from + 1} lines chosen` : row ? `${row.path}:${row.line}` : "";
  }

  async #chosen() {
    const rows = this.list.range ? await this.list.take(...this.list.range) : [];
    return rows;
  }

  async #pin() {
    await this.room.pin((await this.#chosen()).map(logPin));
    this.list.node.focus({ preventScroll: true });
  }

  async #copy() {
    const rows = await this.#chosen();
    const text = rows.map((row) => row.text).join("\n");
    await copyAndSay(text, rows.length === 1 ? t`Line copied.` : t`${rows.length} lines copied.`);
  }

  async #link() {
    const [row] = await this.#chosen();
    await copyAndSay(linkTo("logs", { path: row.path, line: row.line }), t`Link to the line copied.`);
  }

  async #open(at) {
    if (at < 0) return;
    const [row] = await this.source.rows(at, at + 1);
    this.around.show(this.#file(row.path), row.line, { focus: true });
  }

  #file(path) {
    return this.about.files.find((file) => file.path === path);
  }

  /** Go to a line of a file: among the lines found if it is there, and in its file in any case. */
  async show({ path, line, text, source, from_ms: from, to_ms: to }) {
    if (from && to) this.room.setRange(Number(from), Number(to), "logs");
    if (text !== undefined) this.query.value = text;
    if (source) this.file.value = source;
    if (!path) {
      this.later();
      return;
    }
    const file = this.#file(path);
    if (!file) {
      this.room.show("files", { path, line });
      return;
    }
    await this.source.open();
    const at = this.#count ? await this.source.place(path, line) : -1;
    if (at >= 0) this.list.goTo(at, { centre: true });
    this.around.show(file, line || 1, { focus: true });
  }
}

function loading(host, source) {
  const bar = el("progress", { "aria-label": t`Logs fetched` });
  const text = el(
    "p",
    { className: "empty", role: "status" },
    t`The logs are being fetched; a second visit finds them in this browser.`,
  );
  host.replaceChildren(el("div", { className: "room-wait" }, text, bar));
  source.addEventListener("progress", ({ detail: { loaded, total } }) => {
    if (total) Object.assign(bar, { max: total, value: loaded });
    const [there, whole] = [loaded, total].map((bytes) => (bytes / 1e6).toFixed(1));
    text.textContent = total
      ? t`The logs are being fetched: ${there} of ${whole} MB.`
      : t`The logs are being fetched: ${there} MB.`;
  });
  source.addEventListener("unpacking", () => (text.textContent = t`The logs are being unpacked…`));
}

/**
 * Fill the tab; resolves as soon as there is something to see, even if that is a failed load with a way to try again.
 */
export async function setUp(host, room) {
  const source = new LogSource({ url: room.urls.logs, key: bundleKey(room.manifest) });
  let waiting = null;
  let explorer = null;
  const begin = async () => {
    loading(host, source);
    try {
      const about = await source.open();
      host.replaceChildren();
      explorer = new Explorer(host, room, about, source);
      explorer.later();
      if (waiting) explorer.show(waiting);
      waiting = null;
    } catch (error) {
      host.replaceChildren(trouble(t`The logs could not be fetched: ${error.message}`, begin));
    }
  };
  begin();
  return { show: (detail) => (explorer ? explorer.show(detail) : (waiting = detail)) };
}
