// How many of the lines found fall into each stretch of time; dragging over the bars sets the range.

import { el } from "../../headnode/dom.js";
import { token } from "../../headnode/replay_paint.js";
import { t } from "../../headnode/words.js";
import { lengthText, ticks, tickText } from "./metrics_time.js";

const HEIGHT = 52;
const KINDS = [
  ["error", "--bad"],
  ["warning", "--warn"],
  ["other", "--heat-4"],
];
const LEAST_PX = 4;
const TICK_PX = 96;

export class LogChart {
  #bins = null;
  #drag = null;

  constructor(room) {
    this.room = room;
    this.canvas = el("canvas", { height: HEIGHT });
    this.band = el("div", { className: "log-band", hidden: true });
    this.plot = el("div", { className: "log-plot" }, this.canvas, this.band);
    this.scale = el("div", { className: "log-scale muted small", "aria-hidden": "true" });
    this.node = el("div", { className: "log-chart" }, this.plot, this.scale);
    this.plot.addEventListener("pointerdown", (event) => this.#press(event));
    this.plot.addEventListener("pointermove", (event) => this.#move(event));
    this.plot.addEventListener("pointerup", (event) => this.#release(event));
    this.plot.addEventListener("pointercancel", () => this.#let());
    this.plot.addEventListener("pointerleave", () => this.#drag || this.#axis());
    this.plot.addEventListener("dblclick", () => room.resetRange("logs"));
    new ResizeObserver(() => this.draw()).observe(this.plot);
    document.addEventListener("themechange", () => this.draw());
  }

  /** bins as the worker counts them. */
  show(bins) {
    this.#bins = bins;
    const bar = lengthText((bins.to - bins.from) / bins.other.length);
    this.plot.title = t`A bar is ${bar}. Drag to narrow the time, double click for all of it.`;
    this.plot.setAttribute("role", "img"); // which needs a name, and there is none before
    this.plot.setAttribute("aria-label", this.#summary());
    this.draw();
  }

  #sums() {
    const { other, warning, error } = this.#bins;
    return other.map((count, at) => count + warning[at] + error[at]);
  }

  #summary() {
    const sums = this.#sums();
    const most = sums.reduce((best, sum, at) => (sum > sums[best] ? at : best), 0);
    const total = sums.reduce((a, b) => a + b, 0);
    if (!total) return t`No line found in this time.`;
    const width = (this.#bins.to - this.#bins.from) / sums.length;
    const from = this.#bins.from + most * width;
    return t`${total.toLocaleString("en-GB")} lines from ${this.room.timeText(this.#bins.from)} to
        ${this.room.timeText(this.#bins.to)}; most, ${sums[most].toLocaleString("en-GB")}, between
        ${this.room.timeText(from)} and ${this.room.timeText(from + width)}.`;
  }

  /** Round times below the bars; while one points at them, what stands there instead. */
  #axis(pointed = "") {
    if (!this.#bins) return;
    const { from, to } = this.#bins;
    const offset = this.room.incident.offset_min;
    const { at, step } = ticks(from, to, Math.max(2, Math.floor(this.plot.clientWidth / TICK_PX)), offset);
    const edge = (to - from) / 20; // a text nearer to an end would be cut
    const inside = pointed ? [] : at.filter((ms) => ms >= from + edge && ms <= to - edge);
    const marks = inside.map((ms) => {
      const node = el("span", { className: "log-tick" }, tickText(ms, step, offset));
      node.style.left = `${((ms - from) / (to - from)) * 100}%`;
      return node;
    });
    this.scale.replaceChildren(pointed, ...marks);
  }

  draw() {
    const width = this.plot.clientWidth;
    if (!width || !this.#bins) return;
    if (this.#drag === null) this.#axis();
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(HEIGHT * ratio);
    const paint = this.canvas.getContext("2d");
    paint.scale(ratio, ratio);
    const sums = this.#sums();
    const top = Math.max(1, ...sums);
    const step = width / sums.length;
    // A square root keeps a single line visible beside a thousand.
    const high = (count) => (count ? Math.max(2, Math.sqrt(count / top) * (HEIGHT - 4)) : 0);
    sums.forEach((sum, at) => {
      let floor = HEIGHT;
      for (const [kind, colour] of KINDS) {
        const part = sum ? (high(sum) * this.#bins[kind][at]) / sum : 0;
        if (!part) continue;
        paint.fillStyle = token(colour);
        paint.fillRect(at * step, floor - Math.max(1, part), Math.max(1, step - 1), Math.max(1, part));
        floor -= part;
      }
    });
  }

  #timeAt(x) {
    const { from, to } = this.#bins;
    return from + (Math.max(0, Math.min(this.plot.clientWidth, x)) / this.plot.clientWidth) * (to - from);
  }

  #x(event) {
    return event.clientX - this.plot.getBoundingClientRect().left;
  }

  #press(event) {
    if (event.button || !this.#bins) return;
    this.#drag = this.#x(event);
    this.plot.setPointerCapture(event.pointerId);
  }

  #move(event) {
    if (!this.#bins) return;
    const x = this.#x(event);
    if (this.#drag === null) {
      const sums = this.#sums();
      const at = Math.max(0, Math.min(sums.length - 1, Math.floor((x / this.plot.clientWidth) * sums.length)));
      this.#axis(t`${this.room.timeText(this.#timeAt(x))}: ${sums[at].toLocaleString("en-GB")} lines here`);
      return;
    }
    const [low, high] = [Math.min(x, this.#drag), Math.max(x, this.#drag)];
    this.band.hidden = high - low < LEAST_PX;
    this.band.style.left = `${Math.max(0, low)}px`;
    this.band.style.width = `${Math.min(high, this.plot.clientWidth) - Math.max(0, low)}px`;
    this.#axis(`${this.room.timeText(this.#timeAt(low))} – ${this.room.timeText(this.#timeAt(high))}`);
  }

  #release(event) {
    if (this.#drag === null) return;
    const [a, b] = [this.#drag, this.#x(event)];
    this.#let();
    if (Math.abs(a - b) >= LEAST_PX)
      this.room.setRange(this.#timeAt(Math.min(a, b)), this.#timeAt(Math.max(a, b)), "logs");
  }

  #let() {
    this.#drag = null;
    this.band.hidden = true;
    this.#axis();
  }
}
