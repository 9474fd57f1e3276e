// One chart: lines over the shared time, keys that isolate, a table, sentences for screen readers, a pin.

import { el } from "../../headnode/dom.js";
import { seriesColour, token } from "../../headnode/replay_paint.js";
import uPlot from "../../headnode/vendor/uplot.js";
import { t } from "../../headnode/words.js";
import { ChartKeys } from "./metrics_keys.js";
import { columnsOf, ordered, placeOf, summary, valueText } from "./metrics_lines.js";
import { chartTable } from "./metrics_table.js";
import { ticks, tickText } from "./metrics_time.js";
import { amount } from "./metrics_units.js";

const DASHES = [[], [6, 3], [2, 3], [9, 3, 2, 3]];
const GUTTER = 68;
const TICK_PX = 58;
const LAST_TICK_PX = 20; // half of the text of a tick that stands at the very end
const LETTER_PX = 7.3;

/** Room for the longest text at the left, so that "10,000 rpm" is whole. */
function gutter(texts) {
  const longest = Math.max(0, ...(texts ?? []).map((text) => String(text).length));
  return Math.max(GUTTER, Math.ceil(longest * LETTER_PX) + 12);
}

/** From zero where that is near, to a little above the highest value. */
function reach(low, high) {
  if (low === null || high === null) return [0, 1];
  const near =
    low > 0 && low > (high - low) * 2 ? low - (high - low || Math.abs(high) * 0.05) * 0.08 : Math.min(0, low);
  return [near, high > near ? high + (high - near) * 0.06 : near + 1];
}

/**
 * stage: {range {from, to}, offsetMin, sync, pointed (ms | null), zoom(from, to), reset(), hover(ms | null),
 * timeText(ms), announce(text)}.
 * actions: what stands beside the title, [{label, title, run(chart)}].
 */
export class MetricsChart {
  constructor({ key, title, unit = "", stage, actions = [], height = 150 }) {
    this.key = key;
    this.title = title;
    this.unit = unit;
    this.stage = stage;
    this.height = height;
    this.data = null;
    this.plot = null;
    this.shown = [];
    this.host = el("div", {
      className: "mplot",
      tabindex: "0",
      role: "application",
      "aria-roledescription": "chart",
      "aria-label": t`${title}. Loading.`,
    });
    this.said = el("p", { className: "mchart-state muted small" }, t`Loading…`);
    this.host.style.minHeight = `${height}px`;
    this.body = el("div", { className: "mchart-body" }, this.host, this.said);
    this.keys = new ChartKeys(title, {
      isolate: (at) => this.#isolate(at),
      toggle: (at) => this.#toggle(at),
      order: () => this.#arrange(),
    });
    this.toggle = this.#button(t`Table`, t`Show the figures of ${title}`, () => this.#showTable());
    this.toggle.setAttribute("aria-pressed", "false");
    const more = actions.map(({ label, title: hint, run }) =>
      this.#button(label, `${hint}: ${title}`, () => run(this)),
    );
    const head = el(
      "div",
      { className: "mchart-head" },
      el("h4", {}, title),
      el("div", { className: "mchart-tools" }, this.keys.order, this.toggle, more),
    );
    this.node = el(
      "figure",
      { className: "mchart", "data-key": key },
      el("figcaption", {}, head, this.keys.node),
      this.body,
    );
    this.host.addEventListener("keydown", (event) => this.#key(event));
    this.host.addEventListener("blur", () => this.#mark(null));
  }

  #button(label, name, run) {
    return el("button", { type: "button", className: "quiet", "aria-label": name, title: name, onclick: run }, label);
  }

  /** Data as metrics_data.js gives it; `note` stands where there is nothing to draw. */
  setData(data, note = t`No data in this time.`) {
    const names = (one) => one?.lines.map((line) => line.name).join("\n");
    if (names(this.data) !== names(data)) this.shown = data.lines.map(() => true);
    this.data = data;
    this.keys.show(data, this.shown);
    this.#arrange();
    this.said.hidden = data.lines.length > 0;
    this.said.textContent = note;
    this.table?.remove();
    this.table = null;
    if (this.toggle.getAttribute("aria-pressed") === "true") this.#fillTable();
    this.#describe();
    this.draw();
  }

  fail(sentence, again) {
    this.said.hidden = false;
    this.said.replaceChildren(
      sentence,
      " ",
      el("button", { type: "button", className: "quiet", onclick: again }, t`Try again`),
    );
  }

  wait() {
    if (this.data) return;
    this.said.hidden = false;
    this.said.textContent = t`Loading…`;
  }

  #describe() {
    const { from, to } = this.stage.range;
    const before = this.data.before
      ? this.data.before.of
        ? t` The run before is shown too (${this.data.before.of}).`
        : t` The run before is shown too.`
      : "";
    this.host.setAttribute(
      "aria-label",
      t`${this.title}, ${this.stage.timeText(from)} to ${this.stage.timeText(to)}.
        ${summary(this.data, this.unit, from, to)}${before} Arrow keys read values.`,
    );
  }

  get isOpen() {
    return this.plot !== null;
  }

  /** Draw anew: another width, other data, other colours. */
  draw() {
    this.close();
    const width = this.host.clientWidth;
    if (!this.data?.lines.length || !width || this.host.hidden) return;
    this.width = width;
    const { columns, twice } = columnsOf(this.data);
    this.twice = twice;
    this.plot = new uPlot(this.#options(width), columns, this.host);
    this.plot.over.addEventListener("mousemove", (event) =>
      this.#point(this.plot?.posToVal(event.offsetX, "x") ?? null),
    );
    this.plot.over.addEventListener("mouseleave", () => this.#point(null));
  }

  #point(ms) {
    this.stage.pointed = ms;
    this.stage.hover(ms);
  }

  close() {
    this.plot?.destroy();
    this.plot = null;
  }

  resize() {
    if (this.plot && this.host.clientWidth && this.host.clientWidth !== this.width) this.draw();
  }

  /** Take up the stage's range with the data in hand. */
  zoom() {
    const { from, to } = this.stage.range;
    this.plot?.setScale("x", { min: from, max: to });
    if (!this.data) return;
    this.#arrange();
    this.#describe();
  }

  #isolate(at) {
    const alone = this.shown[at] && this.shown.filter(Boolean).length === 1;
    this.#show(this.shown.map((_, other) => alone || other === at));
    const { name } = this.data.lines[at];
    this.stage.announce(alone ? t`All lines are shown.` : t`Only ${name} is shown.`);
  }

  #toggle(at) {
    this.#show(this.shown.map((shown, other) => (other === at ? !shown : shown)));
    this.stage.announce(
      this.shown[at] ? t`${this.data.lines[at].name} is shown.` : t`${this.data.lines[at].name} is hidden.`,
    );
  }

  #show(shown) {
    this.shown = shown;
    this.keys.mark(shown);
    this.plot?.batch(() => shown.forEach((one, index) => this.plot.setSeries(index + 1, { show: one })));
  }

  #arrange() {
    const { from, to } = this.stage.range;
    this.keys.arrange(ordered(this.data, this.keys.order.value, from, to));
  }

  /** The only line that is shown, or null. */
  get isolated() {
    const places = this.shown.flatMap((shown, at) => (shown ? [at] : []));
    return places.length === 1 ? this.data.lines[places[0]] : null;
  }

  #showTable() {
    const open = this.toggle.getAttribute("aria-pressed") !== "true";
    this.toggle.setAttribute("aria-pressed", String(open));
    this.host.hidden = open;
    if (open) this.#fillTable();
    else {
      this.table?.remove();
      this.table = null;
      this.draw();
    }
  }

  #fillTable() {
    if (!this.data?.lines.length) return;
    this.table = chartTable(this.title, this.data, this.unit, this.stage);
    this.body.append(this.table);
    this.close();
  }

  #series() {
    const own = this.data.lines.map((_, at) => ({
      stroke: seriesColour(at),
      width: 1.25,
      dash: DASHES[Math.floor(at / 8) % 4],
      show: this.shown[at],
      points: { show: this.data.count === 1 },
    }));
    const before = (this.data.before?.lines || []).flatMap((line) => {
      const stroke = this.data.before.lines.length > 1 ? seriesColour(line.part) : token("--text-2");
      return [0, 1].map(() => ({ stroke, width: 1, dash: [3, 3], points: { show: false } }));
    });
    return [{}, ...own, ...before];
  }

  #bands() {
    const first = this.data.lines.length + 1;
    const single = this.data.before?.lines.length === 1;
    const fill = `${token("--text-2")}26`;
    return single ? [{ series: [first, first + 1], fill }] : [];
  }

  /** @returns {any} as uPlot takes them */
  #options(width) {
    const { stage } = this;
    const axis = {
      stroke: token("--text-2"),
      grid: { stroke: token("--grid"), width: 1 },
      ticks: { show: false },
      font: '12px "IBM Plex Sans"',
    };
    const most = Math.max(2, Math.floor((width - GUTTER) / TICK_PX));
    const round = () => ticks(stage.range.from, stage.range.to, most, stage.offsetMin);
    return {
      width,
      height: this.height,
      legend: { show: false },
      padding: [6, LAST_TICK_PX, 0, 0],
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: true, y: false, setScale: false, dist: 5 },
        sync: { key: stage.sync.key, scales: ["x", null], setSeries: false },
        bind: { dblclick: () => () => (stage.reset(), null) },
      },
      scales: {
        x: { time: false, range: () => [stage.range.from, stage.range.to] },
        y: { range: (_, low, high) => reach(low, high) },
      },
      axes: [
        {
          ...axis,
          size: 24,
          splits: () => round().at,
          values: (_, at) => at.map((ms) => tickText(ms, round().step, stage.offsetMin)),
        },
        {
          ...axis,
          size: (_, texts) => gutter(texts),
          space: 26,
          values: (_, at) => at.map((value) => amount(value, this.unit)),
        },
      ],
      series: this.#series(),
      bands: this.#bands(),
      hooks: {
        ready: [(plot) => this.#readOn(plot)],
        setSelect: [(plot) => this.#selected(plot)],
        setCursor: [(plot) => this.#follow(plot)],
      },
    };
  }

  #selected(plot) {
    const { left, width } = plot.select;
    if (width < 5) return;
    const [from, to] = [left, left + width].map((x) => plot.posToVal(x, "x"));
    plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    this.stage.zoom(from, to);
  }

  #follow(plot) {
    const { idx, left } = plot.cursor;
    const inside = left !== null && left >= 0 && idx !== null && idx !== undefined;
    const at = inside ? (this.twice ? Math.floor(idx / 2) : idx) : -1;
    this.keys.values(this.data.lines.map((line) => (at < 0 ? "" : valueText(line, at, this.unit))));
  }

  /** Drawn anew, it still tells of the instant that is read with the keys or pointed at. */
  #readOn(plot) {
    const { range, pointed } = this.stage;
    const at = this.at ?? pointed ?? null;
    if (at === null || at < range.from || at > range.to) return;
    plot.setCursor({ left: plot.valToPos(at, "x"), top: 10 }, true, false);
  }

  #mark(at) {
    this.at = at;
    this.from = at === null ? null : this.from;
    if (at === null) this.plot?.setCursor({ left: -10, top: -10 });
  }

  /** To another stretch of the data, from either end of the range at first. */
  #move(by) {
    const { start, step, count } = this.data;
    const { from, to } = this.stage.range;
    const first = Math.max(0, Math.ceil((from - start) / step));
    const last = Math.min(count - 1, Math.floor((to - start) / step));
    const now =
      this.at === null || this.at === undefined
        ? by > 0
          ? first - 1
          : last + 1
        : Math.round((this.at - start) / step);
    this.at = start + Math.min(last, Math.max(first, now + by)) * step;
    const left = this.plot.valToPos(this.at, "x");
    this.plot.setCursor({ left, top: 10 });
    const place = placeOf(this.data, this.at);
    const said = this.data.lines
      .slice(0, 8)
      .filter((_, index) => this.shown[index])
      .map((line) => `${line.name} ${valueText(line, place, this.unit)}`);
    this.stage.announce(`${this.stage.timeText(this.at)}: ${said.join("; ")}`);
  }

  #zoomBy(factor) {
    const { from, to } = this.stage.range;
    const centre = this.at ?? (from + to) / 2;
    this.stage.zoom(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }

  #bracket() {
    if (this.at === undefined || this.at === null) return;
    if (this.from === undefined || this.from === null) {
      this.from = this.at;
      this.stage.announce(t`The stretch begins here: move on, then press Enter again.`);
      return;
    }
    this.stage.zoom(Math.min(this.from, this.at), Math.max(this.from, this.at));
    this.from = null;
  }

  #key(event) {
    if (event.target !== this.host || event.ctrlKey || event.metaKey || event.altKey || !this.plot) return;
    const far = event.shiftKey ? 10 : 1;
    const verb = {
      ArrowRight: () => this.#move(far),
      ArrowLeft: () => this.#move(-far),
      "+": () => this.#zoomBy(0.5),
      "=": () => this.#zoomBy(0.5),
      "-": () => this.#zoomBy(2),
      0: () => this.stage.reset(),
      Enter: () => this.#bracket(),
      Escape: () => this.#mark(null),
    }[event.key];
    if (!verb) return;
    event.preventDefault();
    verb();
  }
}
