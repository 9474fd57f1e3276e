// The heat map: a row for each GPU, adapter or rank, a column for each stretch of time, on one canvas.

import { el } from "../../headnode/dom.js";
import { fitted, token } from "../../headnode/replay_paint.js";
import { t } from "../../headnode/words.js";
import { HeatPaint, hatching, NO_DATA } from "./heatmap_paint.js";
import { fetchHeat } from "./metrics_data.js";
import { ticks, tickText } from "./metrics_time.js";
import { amount } from "./metrics_units.js";

const GUTTER = 74;
const MARGIN = 10;
const AXIS = 22;
const ROW_PX = 4;
const TICK_PX = 80;

function choice(label, options, run) {
  const select = el(
    "select",
    { onchange: () => run(select.value) },
    options.map(([value, text]) => el("option", { value }, text)),
  );
  select.setAttribute("aria-label", t`Heat map: ${label}`);
  return [select, el("label", { className: "mbar-field" }, el("span", {}, label), select)];
}

export class HeatMap {
  #stop = null;
  #asked = "";

  constructor({ room, stage, heats, open }) {
    this.room = room;
    this.stage = stage;
    this.heats = heats;
    this.open = open;
    this.data = null;
    this.at = null;
    this.inSight = false;
    const [metric, metricField] = choice(
      t`Metric`,
      heats.map((heat) => [heat.metric, heat.title]),
      () => this.load(),
    );
    const [stat, statField] = choice(
      t`Cell`,
      [
        ["avg", t`mean`],
        ["min", t`lowest`],
        ["max", t`highest`],
      ],
      () => this.load(),
    );
    const [colours, colourField] = choice(
      t`Colours`,
      [
        ["all", t`lowest to highest`],
        ["usual", t`5th to 95th percentile`],
      ],
      () => this.#recolour(),
    );
    this.metric = metric;
    this.stat = stat;
    this.colours = colours;
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.over = el("div", { className: "heat-cell", hidden: true });
    this.field = el(
      "div",
      {
        className: "heat-field",
        tabindex: "0",
        role: "application",
        "aria-roledescription": t`heat map`,
        "aria-label": t`Heat map. Loading.`,
      },
      this.canvas,
      this.over,
    );
    this.reading = el("p", { className: "heat-reading small", "aria-hidden": "true" }, "\u00a0");
    this.said = el("p", { className: "mchart-state muted small" }, t`Loading…`);
    this.scale = el("div", { className: "heat-scale" });
    this.tableHost = el("div", { hidden: true });
    this.toggle = el(
      "button",
      { type: "button", className: "quiet", "aria-pressed": "false", onclick: () => this.#showTable() },
      t`Table`,
      el("span", { className: "unseen" }, t` of the heat map`),
    );
    const pin = el(
      "button",
      { type: "button", className: "quiet", onclick: () => this.#pin() },
      t`Pin`,
      el("span", { className: "unseen" }, t` the row that is read, or the metric, with the shown time`),
    );
    this.node = el(
      "div",
      { className: "heat" },
      el("div", { className: "heat-head" }, metricField, statField, colourField, this.scale, this.toggle, pin),
      this.reading,
      this.field,
      this.said,
      this.tableHost,
    );
    this.paint = new HeatPaint();
    this.#listen();
  }

  #listen() {
    new IntersectionObserver(([entry]) => {
      this.inSight = entry.isIntersecting;
      if (this.inSight) this.load();
    }).observe(this.node);
    this.field.addEventListener("mousemove", (event) => this.#point(event));
    this.field.addEventListener("mouseleave", () => this.#read(null));
    this.field.addEventListener("blur", () => this.#read(null));
    this.field.addEventListener("click", (event) => {
      this.#point(event);
      this.#enter();
    });
    this.field.addEventListener("keydown", (event) => this.#key(event));
  }

  get #plot() {
    return {
      left: GUTTER,
      width: this.field.clientWidth - GUTTER - MARGIN,
      height: (this.data?.rows.length || 0) * ROW_PX,
    };
  }

  async load() {
    if (!this.inSight || !this.field.clientWidth) return;
    const { from, to } = this.stage.range;
    const columns = Math.max(60, Math.min(800, Math.floor((this.field.clientWidth - GUTTER - MARGIN) / 2)));
    const asked = [this.metric.value, this.stat.value, from, to, columns].join("|");
    if (asked === this.#asked) return;
    this.#stop?.abort();
    this.#stop = new AbortController();
    this.#asked = asked;
    this.said.hidden = this.data !== null;
    try {
      const data = await fetchHeat(
        this.room.urls.metrics,
        { metric: this.metric.value, stat: this.stat.value, from, to, columns },
        { signal: this.#stop.signal, told: (sentence) => this.#tell(sentence) },
      );
      this.#take(data);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.#asked = "";
      this.said.hidden = false;
      this.said.replaceChildren(
        t`The heat map could not be loaded: ${error.message} `,
        el("button", { type: "button", className: "quiet", onclick: () => this.load() }, t`Try again`),
      );
    }
  }

  #tell(sentence) {
    this.said.hidden = false;
    this.said.textContent = sentence;
  }

  #take(data) {
    this.data = data;
    this.said.hidden = data.rows.length > 0;
    this.said.textContent = t`No data in this time.`;
    this.paint.take(data, this.colours.value);
    this.at = null;
    this.draw();
    const { from, to } = this.stage.range;
    const { low, high } = this.paint;
    this.field.setAttribute(
      "aria-label",
      t`Heat map of ${data.title}: ${data.rows.length} rows, ${this.stage.timeText(from)} to
        ${this.stage.timeText(to)}, from ${amount(low, data.unit)} to ${amount(high, data.unit)}. Arrow keys
        read cells, Enter shows the node.`,
    );
    if (!this.tableHost.hidden) this.#fillTable();
  }

  #recolour() {
    if (!this.data) return;
    this.paint.take(this.data, this.colours.value);
    this.draw();
  }

  resize() {
    if (this.data && this.field.clientWidth !== this.width) {
      this.draw();
      this.load();
    }
  }

  /** Another range: what is in hand is stretched at once. */
  zoom() {
    if (this.data && this.inSight) this.draw();
  }

  draw() {
    if (!this.data?.rows.length || !this.field.clientWidth) return;
    this.width = this.field.clientWidth;
    const { left, width, height } = this.#plot;
    const context = fitted(this.canvas, this.width, height + AXIS);
    const { from, to } = this.stage.range;
    const scale = width / (to - from);
    const { start, step, count } = this.data;
    context.save();
    context.beginPath();
    context.rect(left, 0, width, height);
    context.clip();
    context.imageSmoothingEnabled = false;
    context.fillStyle = hatching(context);
    context.fillRect(left, 0, width, height);
    context.drawImage(this.paint.image(), left + (start - from) * scale, 0, count * step * scale, height);
    context.restore();
    this.#axes(context, { left, width, height, scale, from, to });
    this.scale.replaceChildren(this.paint.legend(this.data.unit));
    this.over.hidden = true;
  }

  #axes(context, { left, width, height, scale, from, to }) {
    context.fillStyle = token("--text-2");
    context.font = '12px "IBM Plex Sans"';
    context.textBaseline = "middle";
    let before = null;
    let last = -Infinity;
    this.data.rows.forEach(([host], row) => {
      if (host === before) return;
      const y = row * ROW_PX;
      before = host;
      context.fillRect(left - 6, y, 6, 1);
      if (y - last < 14) return;
      last = y;
      context.fillText(host, 0, y + 8);
    });
    const { at, step } = ticks(from, to, Math.max(2, Math.floor(width / TICK_PX)), this.stage.offsetMin);
    context.textAlign = "center";
    for (const ms of at)
      context.fillText(tickText(ms, step, this.stage.offsetMin), left + (ms - from) * scale, height + AXIS / 2 + 2);
    context.textAlign = "start";
  }

  #point(event) {
    if (!this.data) return;
    const box = this.field.getBoundingClientRect();
    const { left, width, height } = this.#plot;
    const { from, to } = this.stage.range;
    const [x, y] = [event.clientX - box.left - left, event.clientY - box.top];
    if (x < 0 || x >= width || y < 0 || y >= height) {
      this.#read(null);
      return;
    }
    const column = Math.floor((from + (x / width) * (to - from) - this.data.start) / this.data.step);
    this.#read({ row: Math.floor(y / ROW_PX), column });
  }

  #named([host, value]) {
    return this.data.label === "rank"
      ? t`${host} rank ${value}`
      : `${host} ${this.data.label === "gpu" ? "GPU " : ""}${value}`;
  }

  /** Read a cell out: its place, its time and its value. */
  #read(at, { aloud = false } = {}) {
    this.at = at && at.column >= 0 && at.column < this.data.count ? at : null;
    this.over.hidden = !this.at;
    this.stage.hover(this.at ? this.data.start + this.at.column * this.data.step : null);
    if (!this.at) {
      this.reading.textContent = "\u00a0";
      return;
    }
    const { row, column } = this.at;
    const value = this.data.cells[row * this.data.count + column];
    const moment = this.stage.timeText(this.data.start + column * this.data.step);
    const figure = Number.isNaN(value) ? NO_DATA : amount(value, this.data.unit);
    const told = t`${this.#named(this.data.rows[row])} at ${moment}: ${figure}`;
    this.reading.textContent = told;
    this.#frame();
    if (aloud) this.stage.announce(told);
  }

  #frame() {
    const { left, width } = this.#plot;
    const { from, to } = this.stage.range;
    const scale = width / (to - from);
    const x = left + (this.data.start + this.at.column * this.data.step - from) * scale;
    Object.assign(this.over.style, {
      left: `${x - 1}px`,
      top: `${this.at.row * ROW_PX - 1}px`,
      width: `${this.data.step * scale + 2}px`,
      height: `${ROW_PX + 2}px`,
    });
  }

  #enter() {
    if (this.at) this.open(this.data.rows[this.at.row][0]);
  }

  #key(event) {
    if (!this.data?.rows.length || event.ctrlKey || event.metaKey || event.altKey) return;
    const far = event.shiftKey ? 8 : 1;
    const moves = { ArrowRight: [0, far], ArrowLeft: [0, -far], ArrowDown: [far, 0], ArrowUp: [-far, 0] };
    const move = moves[event.key];
    if (event.key === "Enter") this.#enter();
    else if (event.key === "Escape") this.#read(null);
    else if (move) this.#step(move);
    else return;
    event.preventDefault();
  }

  #step([down, right]) {
    const first = Math.max(0, Math.floor((this.stage.range.from - this.data.start) / this.data.step));
    const now = this.at || { row: 0, column: first };
    const row = Math.max(0, Math.min(this.data.rows.length - 1, now.row + (this.at ? down : 0)));
    const column = Math.max(0, Math.min(this.data.count - 1, now.column + (this.at ? right : 0)));
    this.#read({ row, column }, { aloud: true });
  }

  #showTable() {
    const open = this.tableHost.hidden;
    this.tableHost.hidden = !open;
    this.field.hidden = open;
    this.toggle.setAttribute("aria-pressed", String(open));
    if (open) this.#fillTable();
    else {
      this.tableHost.replaceChildren();
      this.draw();
    }
  }

  #fillTable() {
    if (this.data) this.tableHost.replaceChildren(this.paint.table(this.data, (row) => this.#named(row)));
  }

  #pin() {
    const { from, to } = this.stage.range;
    const labels = {};
    if (this.at) {
      const [host, value] = this.data.rows[this.at.row];
      Object.assign(labels, { node: host, [this.data.label]: value });
    }
    return this.room.pin({
      kind: "chart",
      metric: this.metric.value,
      labels,
      from_ms: Math.round(from),
      to_ms: Math.round(to),
    });
  }
}
