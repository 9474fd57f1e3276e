// A run that can be watched again: one time over charts, marks, machines and log lines, of one replay or of two.

import { Chart, chartGroups, sharedMoment } from "./charts.js";
import { el } from "./dom.js";
import { Gantt } from "./gantt.js";
import { MomentTable, summary } from "./moment_table.js";
import { Player } from "./player.js";
import { lastBefore, prepare } from "./replay_data.js";
import { Lane, MarkList } from "./replay_marks.js";
import { listen } from "./replay_pointer.js";
import { t } from "./words.js";

const WIDE = { gutter: 104, margin: 18 };
const NARROW = { gutter: 62, margin: 18 };
const NARROW_PX = 620;
const CLOSEST = 1 / 500;
const MINUTE_PX = 30;

/** The stage all parts stand on: it owns the moment, the window of time and the measures of the axis. */
class Stage {
  #hovered = null;
  #frame = 0;

  constructor(a, b, names) {
    this.a = a;
    this.b = b;
    this.names = names;
    this.from = Math.min(a.from, b?.from ?? a.from);
    this.to = Math.max(a.to, b?.to ?? a.to);
    this.view = { from: this.from, to: this.to };
    this.time = this.from;
    this.moment = sharedMoment(a, b);
    this.#measure(800);
    this.#build();
  }

  #build() {
    this.charts = chartGroups(this.a, this.b).map((group) => new Chart(group, this));
    this.sides = [
      [this.a, "A"],
      [this.b, "B"],
    ]
      .filter(([data]) => data)
      .map(([data, side]) => ({ data, side }));
    const mark = (side) => (this.b ? side : "");
    const lanes = this.sides.flatMap(({ data, side }) => data.lanes.map((lane) => ({ lane, side })));
    const kinds = [...new Set(lanes.map(({ lane }) => lane.kind))];
    this.lanes = kinds.flatMap((kind) =>
      lanes.filter(({ lane }) => lane.kind === kind).map(({ lane, side }) => new Lane(lane, this, mark(side))),
    );
    this.gantts = this.sides
      .filter(({ data }) => data.rows.length)
      .map(({ data, side }) => new Gantt(data, this, mark(side)));
    this.cursor = el("div", { className: "replay-cursor", "aria-hidden": "true" });
    this.band = el("div", { className: "replay-band", hidden: true, "aria-hidden": "true" });
    this.live = el("p", { className: "unseen", "aria-live": "polite" });
    this.tip = el("div", { className: "replay-tip", hidden: true, role: "tooltip" });
    this.stack = el(
      "div",
      { className: "replay-stack" },
      this.lanes.length
        ? el(
            "div",
            { className: "lanes" },
            this.lanes.map((lane) => lane.node),
            this.#cut(),
          )
        : null,
      this.charts.map((chart) => chart.node),
      this.gantts.map((gantt) => gantt.node),
      this.band,
      this.cursor,
      this.tip,
    );
    this.list = this.sides.some(({ data }) => data.marks.length) ? new MarkList(this.sides, this) : null;
    this.table = new MomentTable(this);
    this.player = new Player(this);
    this.node = el(
      "div",
      { className: "replay", onkeydown: (event) => this.#key(event) },
      this.#legend(),
      this.player.node,
      this.stack,
      el("div", { className: "replay-foot" }, this.list?.node, this.table.node),
      this.live,
    );
  }

  #cut() {
    const { marks } = this.a.cut;
    return marks === undefined
      ? null
      : el(
          "p",
          { className: "muted small" },
          t`More marks than are kept: those after ${this.moment(marks)} are not shown.`,
        );
  }

  #legend() {
    if (!this.b) return null;
    const name = (side, at, dashed) =>
      el(
        "span",
        { className: "key" },
        el("span", { className: `swatch side${dashed ? " dash-1" : ""}` }),
        el("strong", {}, side),
        ` ${this.names[at]}`,
      );
    return el("p", { className: "replay-sides" }, name("A", 0, false), name("B", 1, true));
  }

  #measure(width) {
    const narrow = width < NARROW_PX;
    const { gutter, margin } = narrow ? NARROW : WIDE;
    this.gutter = gutter;
    this.margin = margin;
    this.width = width;
    this.node?.classList.toggle("narrow", narrow);
    this.node?.style.setProperty("--gutter", `${this.gutter}px`);
  }

  listen(node, more) {
    node.classList.add("on-time");
    listen(node, this, more);
  }

  left() {
    return this.stack.getBoundingClientRect().left;
  }

  get #scale() {
    return (this.width - this.gutter - this.margin) / (this.view.to - this.view.from);
  }

  xAt(at) {
    return this.gutter + (at - this.view.from) * this.#scale;
  }

  timeAt(clientX) {
    const at = this.view.from + (clientX - this.left() - this.gutter) / this.#scale;
    const neat = this.a.axis !== "step" && this.#scale < 1 / MINUTE_PX ? Math.round(at / 60) * 60 : at;
    return Math.min(this.view.to, Math.max(this.view.from, neat));
  }

  hover(at) {
    this.#hovered = at;
    this.#later();
  }

  /** Make `at` the moment; the window follows where that is outside. */
  go(at) {
    this.time = Math.min(this.to, Math.max(this.from, Math.round(at)));
    const { from, to } = this.view;
    if (this.time < from || this.time > to) this.#look(this.time - (to - from) / 4, to - from);
    this.#later();
  }

  /** The sample before or after the moment. */
  step(by) {
    const samples = this.a.t.length > 1 ? this.a.t : this.b?.t || this.a.t;
    const at = lastBefore(samples, this.time);
    const back = samples[at] === this.time ? at - 1 : at;
    this.go(samples[Math.min(samples.length - 1, Math.max(0, by > 0 ? at + 1 : back))] ?? this.time);
  }

  /** To the next or the previous mark of any kind; tells what it says. */
  toMark(by) {
    const marks = this.sides.flatMap(({ data }) => data.marks).sort((a, b) => a.t - b.t);
    const found = by > 0 ? marks.find((mark) => mark.t > this.time) : marks.findLast((mark) => mark.t < this.time);
    if (!found) {
      this.say(by > 0 ? t`No later mark.` : t`No earlier mark.`);
      return;
    }
    this.go(found.t);
    const here = marks.filter((mark) => mark.t === found.t);
    this.say(
      `${this.moment(found.t)}: ${here
        .slice(0, 5)
        .map((mark) => mark.text)
        .join("; ")}`,
    );
  }

  zoom(from, to) {
    this.#look(from, to - from);
  }

  zoomBy(factor) {
    const length = (this.view.to - this.view.from) * factor;
    const share = (this.time - this.view.from) / (this.view.to - this.view.from);
    this.#look(this.time - Math.min(1, Math.max(0, share)) * length, length);
  }

  zoomAll() {
    this.#look(this.from, this.to - this.from);
  }

  /** What a remark would be about: the window that is zoomed to, or the moment; whole s or steps. */
  stretch() {
    const all = this.view.from <= this.from && this.view.to >= this.to;
    const [from, to] = (all ? [this.time, this.time] : [this.view.from, this.view.to]).map((at) =>
      Math.max(0, Math.round(at)),
    );
    return { from, to, words: from === to ? this.moment(from) : t`${this.moment(from)} to ${this.moment(to)}` };
  }

  #look(from, wanted) {
    const all = this.to - this.from;
    const length = Math.min(all, Math.max(all * CLOSEST, wanted));
    const start = Math.min(this.to - length, Math.max(this.from, from));
    this.view = { from: start, to: start + length };
    for (const chart of this.charts) chart.zoom();
    for (const lane of this.lanes) lane.draw();
    for (const gantt of this.gantts) gantt.zoom();
    this.player.looked();
    this.#later();
  }

  brush(from, to) {
    this.band.hidden = from === null;
    if (from === null) return;
    const [a, b] = [from, to].map((x) => this.xAt(this.timeAt(x))).sort((x, y) => x - y);
    this.band.style.left = `${a}px`;
    this.band.style.width = `${b - a}px`;
  }

  /** Show lines of [strong, plain] text at x of the stack, above the place on the screen. */
  tell(lines, x = 0, clientTop = 0) {
    this.tip.hidden = !lines;
    if (!lines) return;
    this.tip.replaceChildren(
      ...lines.map(([strong, plain]) =>
        el("p", {}, strong ? el("strong", {}, strong) : null, strong ? ` ${plain}` : plain),
      ),
    );
    const room = this.stack.clientWidth - this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(room, x + 12))}px`;
    this.tip.style.top = `${clientTop - this.stack.getBoundingClientRect().top + 20}px`;
  }

  #later() {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#follow();
    });
  }

  #follow() {
    const shown = this.#hovered ?? this.time;
    const x = this.xAt(shown);
    this.cursor.hidden = x < this.gutter - 1 || x > this.width - this.margin + 1;
    this.cursor.style.transform = `translateX(${x}px)`;
    for (const chart of this.charts) chart.follow(shown);
    this.player.follow(shown);
    this.list?.follow(shown);
    if (this.#hovered === null && !this.player.playing) this.table.follow();
  }

  /** An unchanged text is not read again, so the region is emptied first and filled a moment later. */
  say(text) {
    this.live.textContent = "";
    setTimeout(() => {
      this.live.textContent = text;
    }, 60);
  }

  /** Say in a sentence what this moment holds. */
  readOut() {
    this.say(summary(this));
  }

  #key(event) {
    if (event.target.closest("select, summary, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const verb = {
      ",": () => this.toMark(-1),
      ".": () => this.toMark(1),
      "+": () => this.zoomBy(0.5),
      "=": () => this.zoomBy(0.5),
      "-": () => this.zoomBy(2),
      0: () => this.zoomAll(),
      r: () => this.readOut(),
    }[event.key];
    if (event.key === "Escape") this.tell(null);
    if (!verb) return;
    event.preventDefault();
    event.stopPropagation();
    verb();
  }

  draw(width) {
    this.#measure(width);
    for (const part of [...this.charts, ...this.lanes, ...this.gantts]) part.draw();
    this.#follow();
  }
}

/**
 * Show a replay in `host`, or two of them over one time axis. `raw` and `other` are what the server sends;
 * `names` say which is which. Returns {node, redraw, resize, stop, go, stretch}.
 */
export function showReplay(host, raw, { other = null, names = [] } = {}) {
  const stage = new Stage(prepare(raw), other && prepare(other), names);
  host.replaceChildren(stage.node);
  const room = () => stage.stack.clientWidth;
  const redraw = () => room() && stage.draw(room());
  const resize = () => room() && room() !== stage.width && redraw();
  redraw();
  document.fonts?.ready.then(redraw);
  return {
    node: stage.node,
    redraw,
    resize,
    stop: () => stage.player.stop(),
    go: (at) => stage.go(at),
    stretch: () => stage.stretch(),
  };
}
