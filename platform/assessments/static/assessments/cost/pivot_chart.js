// A pivot as a chart: stacked bars or lines over time, or bars of groups. The table beside it says the same.

import { el, svg } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { figure, short } from "./bill_data.js";
import { seriesOf } from "./pivot_data.js";

const MOST = 8;
const MOST_BARS = 14;
const HEIGHT = 240;
const EDGE = { left: 58, right: 12, top: 10, bottom: 26 };
const LETTER = 7;

/** Round values for an axis that holds low to high. */
export function ticks(low, high) {
  const span = high - low || 1;
  const raw = span / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= raw * 0.999);
  const first = Math.floor(low / step) * step;
  return Array.from({ length: Math.ceil((high - first) / step) + 1 }, (_, at) =>
    Number((first + at * step).toPrecision(12)),
  );
}

export class PivotChart {
  #width = 0;
  #at = null;
  #from = null;

  /** span(first, last): the reader chose a stretch of time. */
  constructor({ span }) {
    this.span = span;
    this.alone = null;
    this.plot = el("div", {
      className: "pivot-plot",
      tabindex: "0",
      role: "img",
      "aria-label": t`Chart`,
      onkeydown: (event) => this.#key(event),
    });
    this.legend = el("div", { className: "pivot-legend" });
    this.readout = el("div", { className: "pivot-readout small", "aria-live": "polite" });
    this.node = el("figure", { className: "pivot-chart" }, this.plot, this.legend, this.readout);
    for (const [name, act] of [
      ["pointermove", (event) => this.#hover(event)],
      ["pointerleave", () => this.#mark(null)],
      ["pointerdown", (event) => this.#grab(event)],
      ["pointerup", (event) => this.#drop(event)],
      ["dblclick", () => this.span("", "")],
    ])
      this.plot.addEventListener(name, act);
    new ResizeObserver(() => this.plot.clientWidth !== this.#width && this.draw()).observe(this.plot);
  }

  /** kind: "bars" or "lines". */
  show(matrix, { kind, title }) {
    this.matrix = matrix;
    this.kind = kind;
    this.title = title;
    this.alone = null;
    this.series = seriesOf(matrix, matrix.periods.length ? MOST : MOST_BARS);
    this.draw();
  }

  get shown() {
    return this.alone === null ? this.series : [this.series[this.alone]];
  }

  draw() {
    this.#width = this.plot.clientWidth;
    if (!this.matrix || !this.#width) return;
    const { periods } = this.matrix;
    this.plot.setAttribute(
      "aria-label",
      periods.length
        ? t`${this.title}. Left and right arrows read the periods out; the table has every figure.`
        : t`${this.title}. The table has every figure.`,
    );
    this.#at = null;
    this.readout.replaceChildren();
    this.node.hidden = !this.matrix.rows.length;
    if (periods.length) this.#overTime(periods);
    else this.plot.replaceChildren(this.#groups());
    this.#drawLegend(periods.length > 0);
  }

  #class(series) {
    return series.isRest ? "rest" : `s${this.series.indexOf(series) + 1}`;
  }

  #overTime(periods) {
    const [low, high] = this.#range(periods.length);
    const marks = ticks(low, high);
    const bottom = HEIGHT - EDGE.bottom;
    const y = (value) => bottom - ((value - marks[0]) / (marks.at(-1) - marks[0])) * (bottom - EDGE.top);
    const wide = (this.#width - EDGE.left - EDGE.right) / periods.length;
    const x = (at) => EDGE.left + wide * (at + 0.5);
    this.x = x;
    const picture = svg("svg", { width: this.#width, height: HEIGHT, "aria-hidden": "true" });
    for (const mark of marks) {
      picture.append(
        svg("line", {
          class: mark ? "grid" : "zero",
          x1: EDGE.left,
          x2: this.#width - EDGE.right,
          y1: y(mark),
          y2: y(mark),
        }),
        this.#text(short(mark), EDGE.left - 8, y(mark) + 4, "end"),
      );
    }
    const every = Math.ceil(
      periods.length / Math.max(1, Math.floor((this.#width - EDGE.left) / (LETTER * (periods[0].length + 2)))),
    );
    periods.forEach(
      (period, at) => at % every === 0 && picture.append(this.#text(period, x(at), HEIGHT - 8, "middle")),
    );
    picture.append(...(this.kind === "lines" ? this.#lines(x, y) : this.#stacks(periods.length, wide, x, y)));
    this.cursor = svg("line", { class: "cursor", y1: EDGE.top, y2: bottom, visibility: "hidden" });
    this.band = svg("rect", { class: "band", y: EDGE.top, height: bottom - EDGE.top, visibility: "hidden" });
    picture.append(this.band, this.cursor);
    this.plot.replaceChildren(picture);
  }

  #range(count) {
    const { shown } = this;
    if (this.kind === "lines") {
      const all = shown.flatMap(({ values }) => values.filter((value) => value !== null));
      return [Math.min(0, ...all), Math.max(0, ...all) || 1];
    }
    const sums = (sign) =>
      Array.from({ length: count }, (_, at) =>
        shown.reduce((sum, { values }) => sum + Math.max(0, sign * (values[at] ?? 0)), 0),
      );
    return [-Math.max(0, ...sums(-1)), Math.max(0, ...sums(1)) || 1];
  }

  #lines(x, y) {
    return this.shown.flatMap((series) => {
      const name = this.#class(series);
      const points = series.values.map((value, at) => (value === null ? null : [x(at), y(value)]));
      const path = points
        .map((point, at) =>
          point ? `${at && points[at - 1] ? "L" : "M"}${point.map((one) => one.toFixed(1)).join(" ")}` : "",
        )
        .join("");
      const dots =
        points.length <= 62
          ? points.filter(Boolean).map(([cx, cy]) => svg("circle", { class: `dot ${name}`, cx, cy, r: 2.5 }))
          : [];
      return [svg("path", { class: `line-of ${name}`, d: path }), ...dots];
    });
  }

  #stacks(count, wide, x, y) {
    const broad = Math.max(1, wide * 0.72);
    return Array.from({ length: count }, (_, at) => {
      const base = { up: 0, down: 0 };
      return this.shown.map((series) => {
        const value = series.values[at] ?? 0;
        const side = value < 0 ? "down" : "up";
        const from = base[side];
        base[side] += value;
        const [top, low] = [y(Math.max(from, base[side])), y(Math.min(from, base[side]))];
        return svg("rect", {
          class: `bar-of ${this.#class(series)}`,
          x: x(at) - broad / 2,
          y: top,
          width: broad,
          height: Math.max(0, low - top),
        });
      });
    }).flat();
  }

  #text(text, x, y, anchor) {
    const node = svg("text", { x, y, "text-anchor": anchor });
    node.textContent = text;
    return node;
  }

  /** Groups without a time: a bar each, its name before it and its amount behind it. */
  #groups() {
    const most = Math.max(...this.series.map(({ values }) => Math.abs(values[0] ?? 0)), 0) || 1;
    return el(
      "ul",
      { className: "group-bars", "aria-hidden": "true" },
      this.series.map((series) => {
        const bar = el("span", { className: `group-bar ${series.isRest ? "rest" : "s1"}` });
        bar.style.setProperty("--part", `${(Math.abs(series.values[0] ?? 0) / most) * 100}%`);
        return el(
          "li",
          {},
          el("span", { className: "group-name", title: series.name }, series.name),
          el("span", { className: "group-track" }, bar),
          el("span", { className: "figure" }, short(series.values[0] ?? 0)),
        );
      }),
    );
  }

  #drawLegend(isNeeded) {
    const press = (at) => {
      this.alone = this.alone === at ? null : at;
      this.draw();
      this.legend.children[at]?.focus();
    };
    this.legend.hidden = !isNeeded || this.series.length < 2;
    this.legend.replaceChildren(
      ...this.series.map((series, at) =>
        el(
          "button",
          {
            type: "button",
            className: "quiet legend-key",
            "aria-pressed": String(this.alone === at),
            title: t`Show this one alone`,
            onclick: () => press(at),
          },
          el("span", { className: `swatch ${this.#class(series)}`, "aria-hidden": "true" }),
          series.name,
        ),
      ),
    );
  }

  #place(event) {
    const wide = (this.#width - EDGE.left - EDGE.right) / this.matrix.periods.length;
    const at = Math.floor((event.clientX - this.plot.getBoundingClientRect().left - EDGE.left) / wide);
    return Math.max(0, Math.min(this.matrix.periods.length - 1, at));
  }

  #hover(event) {
    if (!this.matrix?.periods.length) return;
    const at = this.#place(event);
    if (this.#from !== null) this.#drawBand(this.#from, at);
    this.#mark(at);
  }

  #grab(event) {
    if (!this.matrix?.periods.length || event.button) return;
    this.#from = this.#place(event);
    this.plot.setPointerCapture(event.pointerId);
  }

  #drop(event) {
    if (this.#from === null) return;
    const [a, b] = [this.#from, this.#place(event)].sort((one, other) => one - other);
    this.#from = null;
    this.band.setAttribute("visibility", "hidden");
    if (a !== b) this.span(this.matrix.periods[a], this.matrix.periods[b]);
  }

  #drawBand(from, to) {
    const half = (this.x(1) - this.x(0)) / 2 || 0;
    const [a, b] = [Math.min(from, to), Math.max(from, to)];
    for (const [name, value] of Object.entries({
      x: this.x(a) - half,
      width: this.x(b) - this.x(a) + 2 * half,
      visibility: from === to ? "hidden" : "visible",
    }))
      this.band.setAttribute(name, value);
  }

  #key(event) {
    const count = this.matrix?.periods.length ?? 0;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!count || (!step && !["Home", "End"].includes(event.key))) return;
    event.preventDefault();
    const to = step ? (this.#at ?? (step > 0 ? -1 : count)) + step : event.key === "Home" ? 0 : count - 1;
    this.#mark(Math.max(0, Math.min(count - 1, to)));
  }

  #mark(at) {
    if (at === this.#at || !this.cursor) return;
    this.#at = at;
    this.cursor.setAttribute("visibility", at === null ? "hidden" : "visible");
    if (at === null) {
      this.readout.replaceChildren();
      return;
    }
    for (const end of ["x1", "x2"]) this.cursor.setAttribute(end, this.x(at));
    const rows = this.shown.filter(({ values }) => values[at] !== null && values[at] !== undefined);
    this.readout.replaceChildren(
      el("strong", {}, this.matrix.periods[at]),
      ...rows.map((series) =>
        el(
          "span",
          {},
          el("span", { className: `swatch ${this.#class(series)}`, "aria-hidden": "true" }),
          `${series.name} `,
          el("span", { className: "figure" }, figure(series.values[at])),
        ),
      ),
    );
  }
}
