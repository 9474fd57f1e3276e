// A list of very many lines of which only those in view exist: rows of one or more units of height,
// found by binary search; keys move, Shift takes several. Browsers end elements at some ten million
// pixels, so a longer list scrolls a shorter page: small movements stay exact, large ones are in proportion.

import { el, uuid } from "../../headnode/dom.js";
import { copyText } from "./clipboard.js";

const MOST_PX = 8_000_000;
const CHUNK = 128;
const KEPT_CHUNKS = 48;
const AHEAD = 80;
const MOST_TAKEN = 5000;
const OVERSCAN = 6;
const SETTLE_MS = 160;

function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}

/** label, columns: titles, unit: px of a line of text, fetch(from, to) -> rows or a promise of them,
 *  cells(row, at) -> nodes, one for each column, look(row, at) -> class names; open(at), pin(from, to),
 *  copy(row) -> text, copiedLines(count) and moved(at) are told of what a person does. */
export class LineList {
  #rows = new Map();
  #asked = new Set();
  #nodes = new Map();
  #frame = 0;
  #settle = 0;
  #turn = 0;
  #top = 0;
  #last = 0;
  #from = 0;
  #away = true;

  constructor({
    label,
    columns,
    unit = 20,
    fetch,
    cells,
    look = (_row, _at) => "",
    open = (_at) => {},
    pin = (_from, _to) => {},
    copy = (_row) => "",
    copiedLines = (_count) => {},
    moved = (_at) => {},
  }) {
    this.label = label;
    this.columns = columns;
    this.unit = unit;
    this.fetch = fetch;
    this.cells = cells;
    this.look = look;
    this.open = open;
    this.pin = pin;
    this.copy = copy;
    this.copiedLines = copiedLines;
    this.moved = moved;
    this.id = `lines-${uuid().slice(0, 8)}`;
    this.count = 0;
    this.viewPx = 0;
    this.tops = null;
    this.at = -1;
    this.#build();
  }

  #build() {
    const titles = this.columns.map((title) => el("span", { role: "columnheader" }, title));
    this.header = el("div", { className: "line-head", role: "row", "aria-rowindex": "1" }, titles);
    this.rowsNode = el("div", { className: "line-rows", role: "rowgroup" });
    this.space = el("div", { className: "line-space", role: "presentation" }, this.rowsNode);
    this.scroller = el(
      "div",
      {
        className: "lines",
        role: "grid",
        tabindex: "0",
        "aria-label": this.label,
        "aria-multiselectable": "true",
        "aria-colcount": this.columns.length,
      },
      this.header,
      this.space,
    );
    this.node = this.scroller;
    this.scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.scroller.addEventListener("keydown", (event) => this.#key(event));
    this.scroller.addEventListener("click", (event) => this.#click(event));
    this.scroller.addEventListener(
      "dblclick",
      (event) => this.#rowAt(event) >= 0 && !String(getSelection()).trim() && this.open(this.at),
    );
    this.scroller.addEventListener("copy", (event) => this.#copied(event));
    // Asking an element for its size while rows come and go makes the browser lay out anew each time.
    new ResizeObserver(() => {
      this.#look();
      this.draw();
    }).observe(this.scroller);
  }

  /** Show other rows; tops holds, for each row and the end, the units above it (null: one unit each). */
  reset(count, tops = null, { keep = false } = {}) {
    this.#turn += 1;
    this.count = count;
    this.tops = tops;
    this.#rows.clear();
    this.#asked.clear();
    this.at = keep ? Math.min(this.at, count - 1) : -1;
    this.#from = this.at;
    this.scroller.setAttribute("aria-rowcount", String(count + 1));
    this.#clear();
    this.space.style.height = `${this.#height()}px`;
    if (!keep) {
      this.#top = 0;
      this.scroller.scrollTop = this.#last = 0;
    }
    this.draw();
  }

  /** Rows in hand are drawn anew: what they show has changed. */
  refresh() {
    this.#clear();
    this.draw();
  }

  /** Other heights for the same rows; the row at the top stays there. */
  relayout(tops) {
    const first = this.#rowOf(this.#top);
    this.tops = tops;
    this.#clear();
    this.space.style.height = `${this.#height()}px`;
    this.#put(this.#topOf(first));
    this.draw(); // where nothing has moved, no scrolling asks for it
  }

  get range() {
    return this.at < 0 ? null : [Math.min(this.at, this.#from), Math.max(this.at, this.#from)];
  }

  get firstInView() {
    return this.#rowOf(this.#top);
  }

  /** The row, if it has been fetched. */
  row(at) {
    return this.#rows.get(at);
  }

  /** Rows between two, at most MOST_TAKEN of them, fetched where need be. */
  async take(from, to) {
    return [...(await this.fetch(from, Math.min(to + 1, from + MOST_TAKEN)))];
  }

  /** Make a row the current one and bring it into view. */
  goTo(at, { extend = false, focus = false, centre = false } = {}) {
    if (!this.count) return;
    this.at = clamp(at, 0, this.count - 1);
    if (!extend) this.#from = this.at;
    const [top, bottom] = [this.#topOf(this.at), this.#topOf(this.at + 1)];
    const view = this.#view();
    if (centre) this.#put(top - Math.max(0, (view - (bottom - top)) / 2));
    else if (top < this.#top) this.#put(top);
    else if (bottom > this.#top + view) this.#put(bottom - view);
    this.draw();
    if (focus) this.scroller.focus({ preventScroll: true });
    this.moved(this.at);
  }

  /** Bring a row to the top without choosing it. */
  scrollTo(at) {
    this.#put(this.#topOf(clamp(at, 0, Math.max(0, this.count - 1))));
    this.draw();
  }

  #total() {
    return (this.tops ? this.tops[this.count] : this.count) * this.unit;
  }

  #height() {
    return Math.min(MOST_PX, this.#total());
  }

  #look() {
    this.viewPx = Math.max(0, this.scroller.clientHeight - this.header.offsetHeight);
    const back = this.#away && this.viewPx > 0;
    this.#away = !this.viewPx;
    // Out of sight it could not be scrolled, and the browser has put it back where it was then.
    if (back) this.#put(this.#top);
  }

  #view() {
    if (!this.viewPx) this.#look();
    return this.viewPx;
  }

  #topOf(at) {
    return (this.tops ? this.tops[at] : at) * this.unit;
  }

  #rowOf(px) {
    const units = px / this.unit;
    if (!this.tops) return clamp(Math.floor(units), 0, Math.max(0, this.count - 1));
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= units) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  #ratio() {
    const page = this.#height() - this.#view();
    return page > 0 ? (this.#total() - this.#view()) / page : 1;
  }

  #put(top) {
    this.#top = clamp(top, 0, Math.max(0, this.#total() - this.#view()));
    this.scroller.scrollTop = this.#top / this.#ratio();
    this.#last = this.scroller.scrollTop;
  }

  #scrolled() {
    const now = this.scroller.scrollTop;
    const moved = now - this.#last;
    this.#last = now;
    if (this.#ratio() <= 1) this.#top = now;
    else if (Math.abs(moved) < 4 * this.#view()) this.#top += moved;
    else this.#top = now * this.#ratio();
    this.#top = clamp(this.#top, 0, Math.max(0, this.#total() - this.#view()));
    clearTimeout(this.#settle);
    if (this.#ratio() > 1) this.#settle = setTimeout(() => this.#put(this.#top), SETTLE_MS);
    this.draw();
  }

  draw() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  #paint() {
    if (!this.#view()) return;
    const first = Math.max(0, this.#rowOf(this.#top) - OVERSCAN);
    const last = Math.min(this.count - 1, this.#rowOf(this.#top + this.#view()) + OVERSCAN);
    for (const [at, node] of this.#nodes) {
      if (at >= first && at <= last) continue;
      node.remove();
      this.#nodes.delete(at);
    }
    for (let at = first; at <= last; at += 1) this.#place(at);
    if (last >= first) this.#ask(first, last);
    const active = this.#nodes.get(this.at);
    if (active) this.scroller.setAttribute("aria-activedescendant", active.id);
    else this.scroller.removeAttribute("aria-activedescendant");
  }

  #place(at) {
    let node = this.#nodes.get(at);
    const row = this.#rows.get(at);
    if (!node || (row && node.dataset.waiting)) {
      node?.remove();
      node = this.#make(at, row);
      this.#nodes.set(at, node);
      // Readers take rows in the order of the document, so each goes where it belongs.
      const next = this.#nodes.get(at + 1);
      this.rowsNode.insertBefore(node, next?.isConnected ? next : null);
    }
    this.#mark(node, at);
    // Scrolling leaves most rows where they are on the sheet; writing a style anew would lay them out anew.
    const y = this.#topOf(at) - this.#top + this.#last;
    if (node.y !== y) node.style.transform = `translateY(${y}px)`;
    node.y = y;
  }

  #mark(node, at) {
    const chosen = Boolean(this.range && at >= this.range[0] && at <= this.range[1]);
    if (node.chosen !== chosen) node.setAttribute("aria-selected", String(chosen));
    if (node.current !== (at === this.at)) node.classList.toggle("current", at === this.at);
    Object.assign(node, { chosen, current: at === this.at });
  }

  #make(at, row) {
    const cells = row
      ? this.cells(row, at)
      : this.columns.map((_, index) => (index === this.columns.length - 1 ? "…" : ""));
    const look = row ? this.look(row, at) : "";
    const node = el(
      "div",
      { className: `line ${look}`, role: "row", id: `${this.id}-${at}`, "aria-rowindex": String(at + 2) },
      cells.map((cell) =>
        cell instanceof Element
          ? (cell.setAttribute("role", "gridcell"), cell)
          : el("span", { role: "gridcell" }, cell),
      ),
    );
    node.dataset.at = at;
    if (!row) node.dataset.waiting = "yes";
    return node;
  }

  #ask(first, last) {
    const end = Math.min(this.count - 1, last + AHEAD);
    for (let chunk = Math.floor(Math.max(0, first - AHEAD) / CHUNK); chunk <= Math.floor(end / CHUNK); chunk += 1) {
      if (this.#asked.has(chunk)) continue;
      this.#asked.add(chunk);
      this.#fetch(chunk);
    }
  }

  async #fetch(chunk) {
    const turn = this.#turn;
    const from = chunk * CHUNK;
    try {
      const found = this.fetch(from, Math.min(this.count, from + CHUNK));
      const rows = found instanceof Promise ? await found : found;
      if (turn !== this.#turn) return;
      rows.forEach((row, index) => this.#rows.set(from + index, row));
      this.#forget(chunk);
      this.draw();
    } catch {
      // Asked for again when these rows are next looked at.
      if (turn === this.#turn) this.#asked.delete(chunk);
    }
  }

  #forget(newest) {
    for (const chunk of this.#asked) {
      if (this.#asked.size <= KEPT_CHUNKS) return;
      if (chunk === newest) continue;
      this.#asked.delete(chunk);
      for (let at = chunk * CHUNK; at < (chunk + 1) * CHUNK; at += 1) this.#rows.delete(at);
    }
  }

  #clear() {
    this.#nodes.clear();
    this.rowsNode.replaceChildren();
  }

  #key(event) {
    if (event.target !== this.scroller || event.altKey) return;
    if (event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(this.#view() / this.unit) - 1);
    const steps = { ArrowDown: 1, j: 1, J: 1, ArrowUp: -1, k: -1, K: -1, PageDown: page, PageUp: -page };
    const acts = {
      Home: () => this.goTo(0),
      End: () => this.goTo(this.count - 1),
      Enter: () => this.at >= 0 && this.open(this.at),
      p: () => this.range && this.pin(this.range[0], this.range[1]),
      c: () => this.#copy(),
    };
    if (event.key in steps)
      this.goTo(this.at < 0 ? this.firstInView : this.at + steps[event.key], {
        extend: event.shiftKey && this.at >= 0,
      });
    else if (event.key in acts) acts[event.key]();
    else return;
    event.preventDefault();
  }

  #rowAt(event) {
    const node = event.target.closest?.(".line");
    return node ? Number(node.dataset.at) : -1;
  }

  #click(event) {
    const at = this.#rowAt(event);
    if (at < 0 || event.target.closest("button, a")) return;
    // A piece of text dragged over is being copied, not chosen.
    if (String(getSelection()).trim() && !event.shiftKey) return;
    if (event.shiftKey) getSelection()?.removeAllRanges();
    this.goTo(at, { extend: event.shiftKey && this.at >= 0 });
  }

  #copied(event) {
    if (String(getSelection()) || !this.range) return;
    const [from, to] = this.range;
    const rows = [];
    for (let at = from; at <= to; at += 1) if (this.#rows.has(at)) rows.push(this.copy(this.#rows.get(at)));
    event.clipboardData.setData("text/plain", rows.join("\n"));
    event.preventDefault();
  }

  async #copy() {
    if (!this.range) return;
    const rows = await this.take(...this.range);
    if (await copyText(rows.map((row) => this.copy(row)).join("\n"))) this.copiedLines(rows.length);
  }
}
