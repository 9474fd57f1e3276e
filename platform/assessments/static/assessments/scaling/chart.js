// A chart of the plan's pages: lines over months or hours, bands where something is uncertain, keys, a table.

import { el } from "../../headnode/dom.js";
import { seriesColour, token } from "../../headnode/replay_paint.js";
import uPlot from "../../headnode/vendor/uplot.js";
import { t } from "../../headnode/words.js";
import { plain } from "./words.js";

const DASHES = [[], [6, 3], [2, 3], [9, 3, 2, 3]];
const GUTTER = 62;
const TICK_PX = 62;
const MOST_ROWS = 200;

/** From zero to a little above the highest value. */
function reach(low, high) {
  if (low === null || high === null) return [0, 1];
  const bottom = Math.min(0, low);
  return [bottom, high > bottom ? high + (high - bottom) * 0.06 : bottom + 1];
}

/**
 * xs: places on the axis, rising; axis: {text(x), ticks(from, to, most) -> [x], tick(x)}.
 * lines: [{name, values, low, high, dash, quiet, colour}]; low and high draw a band behind the line.
 * stage: {range {from, to}, zoom(from, to), reset(), sync} where several charts share their range.
 */
export class PlanChart {
  constructor({ title, unit = "", xs, axis, lines, stage, announce, height = 160, about = "" }) {
    this.title = title;
    this.unit = unit;
    this.xs = xs;
    this.axis = axis;
    this.lines = lines;
    this.stage = stage;
    this.announce = announce;
    this.height = height;
    this.plot = null;
    this.at = null;
    this.shown = lines.map(() => true);
    this.figures = lines.map(() => el("span", { className: "value" }));
    this.keys = lines.map((line, at) =>
      el(
        "button",
        {
          type: "button",
          className: "key",
          "aria-pressed": "true",
          title: t`Show only this; again shows all`,
          onclick: () => this.#isolate(at),
        },
        el("span", {
          className: line.quiet
            ? "swatch quiet dash-2"
            : `swatch series-${(this.#colour(line, at) % 8) + 1} dash-${line.dash ?? 0}`,
        }),
        el("span", { className: "name" }, line.name),
        this.figures[at],
      ),
    );
    this.host = el("div", { className: "mplot", tabindex: "0", role: "application", "aria-roledescription": "chart" });
    this.host.style.minHeight = `${height}px`;
    this.body = el("div", { className: "mchart-body" }, this.host);
    this.toggle = el(
      "button",
      {
        type: "button",
        className: "quiet",
        "aria-pressed": "false",
        "aria-label": t`Show the figures of ${title}`,
        onclick: () => this.#showTable(),
      },
      t`Table`,
    );
    const head = el(
      "div",
      { className: "mchart-head" },
      el("h4", {}, unit ? `${title} (${unit})` : title),
      el("div", { className: "mchart-tools" }, this.toggle),
    );
    this.node = el(
      "figure",
      { className: "mchart plan-chart" },
      el(
        "figcaption",
        {},
        head,
        about ? el("p", { className: "muted small" }, about) : "",
        el("div", { className: "mkeys" }, this.keys),
      ),
      this.body,
    );
    this.host.addEventListener("keydown", (event) => this.#key(event));
    this.host.addEventListener("blur", () => this.#mark(null));
    this.#describe();
    new ResizeObserver(() => this.#resized()).observe(this.host);
    document.addEventListener("themechange", () => this.draw());
  }

  #colour(line, at) {
    return line.colour ?? at;
  }

  #describe() {
    const said = this.lines.slice(0, 8).map(({ name, values }) => {
      const found = values.filter((value) => value !== null && !Number.isNaN(value));
      return found.length
        ? t`${name}: ${plain(Math.min(...found))} to ${plain(Math.max(...found))}, last ${plain(found.at(-1))}`
        : t`${name}: no data`;
    });
    this.host.setAttribute(
      "aria-label",
      t`${this.unit ? t`${this.title} in ${this.unit}` : this.title}, ${this.axis.text(this.xs[0])} to
        ${this.axis.text(this.xs.at(-1))}. ${said.join("; ")}. Arrow keys read values.`,
    );
  }

  #resized() {
    const width = this.host.clientWidth;
    if (width && width !== this.width) this.draw();
  }

  /** Other places and values for the same lines. */
  use(xs, values) {
    this.xs = xs;
    this.lines.forEach((line, at) => (line.values = values[at]));
    this.#mark(null);
    this.#describe();
    if (this.table?.isConnected) {
      const rows = this.#rows();
      this.table.replaceWith(rows);
      this.table = rows;
    }
    this.draw();
  }

  draw() {
    this.plot?.destroy();
    this.plot = null;
    this.width = this.host.clientWidth;
    if (!this.width || this.host.hidden) return;
    const edges = this.lines.filter((line) => line.low).flatMap(({ low, high }) => [high, low]);
    this.plot = new uPlot(this.#options(), [this.xs, ...this.lines.map(({ values }) => values), ...edges], this.host);
  }

  zoom() {
    this.plot?.setScale("x", { min: this.stage.range.from, max: this.stage.range.to });
  }

  #series() {
    const own = this.lines.map((line, at) => ({
      stroke: line.quiet ? token("--text-2") : seriesColour(this.#colour(line, at)),
      width: 1.5,
      dash: DASHES[line.dash ?? 0],
      show: this.shown[at],
      points: { show: this.xs.length < 20, size: 5 },
    }));
    const edges = this.lines.flatMap((line, at) =>
      line.low
        ? [0, 1].map(() => ({
            stroke: `${seriesColour(this.#colour(line, at))}66`,
            width: 1,
            dash: [2, 3],
            show: this.shown[at],
            points: { show: false },
          }))
        : [],
    );
    return [{}, ...own, ...edges];
  }

  #bands() {
    const found = [];
    let edge = this.lines.length + 1;
    this.lines.forEach((line, at) => {
      if (!line.low) return;
      found.push({ series: [edge, edge + 1], fill: `${seriesColour(this.#colour(line, at))}22` });
      edge += 2;
    });
    return found;
  }

  /** @returns {any} as uPlot takes them */
  #options() {
    const { stage, axis } = this;
    const look = {
      stroke: token("--text-2"),
      grid: { stroke: token("--grid"), width: 1 },
      ticks: { show: false },
      font: '12px "IBM Plex Sans"',
    };
    const most = Math.max(2, Math.floor((this.width - GUTTER) / (axis.tickPx || TICK_PX)));
    return {
      width: this.width,
      height: this.height,
      legend: { show: false },
      padding: [6, 14, 0, 0],
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: Boolean(stage.zoom), y: false, setScale: false, dist: 5 },
        ...(stage.sync ? { sync: { key: stage.sync.key, scales: ["x", null], setSeries: false } } : {}),
        bind: { dblclick: () => () => (stage.reset?.(), null) },
      },
      scales: {
        x: { time: false, range: () => [stage.range.from, stage.range.to] },
        y: { range: (_, low, high) => reach(low, high) },
      },
      axes: [
        {
          ...look,
          size: 24,
          splits: () => axis.ticks(stage.range.from, stage.range.to, most),
          values: (_, at) => at.map((x) => axis.tick(x)),
        },
        { ...look, size: GUTTER, space: 28, values: (_, at) => at.map((value) => this.#short(value)) },
      ],
      series: this.#series(),
      bands: this.#bands(),
      hooks: {
        setSelect: [(plot) => this.#selected(plot)],
        setCursor: [(plot) => this.#follow(plot.cursor.idx, plot.cursor.left)],
      },
    };
  }

  #short(value) {
    const size = Math.abs(value);
    if (size >= 1e6) return `${plain(value / 1e6, 2)} M`;
    return size >= 1e4 ? `${plain(value / 1e3)} k` : plain(value, 2);
  }

  #selected(plot) {
    const { left, width } = plot.select;
    if (width < 5 || !this.stage.zoom) return;
    const [from, to] = [left, left + width].map((x) => plot.posToVal(x, "x"));
    plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    this.stage.zoom(from, to);
  }

  #follow(at, left) {
    const inside = at !== null && at !== undefined && left >= 0;
    this.figures.forEach((node, line) => {
      const text = inside ? plain(this.lines[line].values[at], 2) : "";
      if (node.textContent !== text) node.textContent = text;
    });
  }

  #isolate(at) {
    const alone = this.shown[at] && this.shown.filter(Boolean).length === 1;
    this.shown = this.shown.map((_, other) => alone || other === at);
    this.keys.forEach((key, other) => key.setAttribute("aria-pressed", String(this.shown[other])));
    this.announce(alone ? t`All lines are shown.` : t`Only ${this.lines[at].name} is shown.`);
    this.draw();
  }

  #showTable() {
    const open = this.toggle.getAttribute("aria-pressed") !== "true";
    this.toggle.setAttribute("aria-pressed", String(open));
    this.host.hidden = open;
    this.table?.remove();
    if (open) this.body.append((this.table = this.#rows()));
    else this.draw();
  }

  #rows() {
    const { from, to } = this.stage.range;
    const places = this.xs.flatMap((x, at) => (x >= from && x <= to ? [at] : []));
    const each = Math.max(1, Math.ceil(places.length / MOST_ROWS));
    const kept = places.filter((_, at) => at % each === 0);
    const columns = this.lines.flatMap(({ name, values, low, high }) => [
      [name, values],
      ...(low
        ? [
            [t`${name}, low`, low],
            [t`${name}, high`, high],
          ]
        : []),
    ]);
    const head = el(
      "tr",
      {},
      el("th", { scope: "col" }, t`When`),
      columns.map(([name]) => el("th", { scope: "col", className: "figure" }, name)),
    );
    const rows = kept.map((at) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, this.axis.text(this.xs[at])),
        columns.map(([, values]) => el("td", { className: "figure" }, plain(values[at], 2))),
      ),
    );
    const caption =
      each > 1
        ? t`${kept.length} of ${places.length} moments, evenly spread; narrow the range for the others`
        : t`${kept.length} rows`;
    return el(
      "div",
      { className: "scroll mchart-table", tabindex: "0", role: "region", "aria-label": t`${this.title}, table` },
      el("table", {}, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, rows)),
    );
  }

  #mark(at) {
    this.at = at;
    if (at === null) this.plot?.setCursor({ left: -10, top: -10 });
  }

  #move(by) {
    const { from, to } = this.stage.range;
    const places = this.xs.flatMap((x, at) => (x >= from && x <= to ? [at] : []));
    if (!places.length) return;
    const now = this.at === null ? (by > 0 ? places[0] - 1 : places.at(-1) + 1) : this.at;
    this.at = Math.max(places[0], Math.min(places.at(-1), now + by));
    this.plot.setCursor({ left: this.plot.valToPos(this.xs[this.at], "x"), top: 10 });
    this.#follow(this.at, 0);
    const said = this.lines
      .slice(0, 8)
      .filter((_, line) => this.shown[line])
      .map(({ name, values }) => `${name} ${plain(values[this.at], 2)}`);
    this.announce(`${this.axis.text(this.xs[this.at])}: ${said.join("; ")}`);
  }

  #key(event) {
    if (event.target !== this.host || event.ctrlKey || event.metaKey || event.altKey || !this.plot) return;
    const far = event.shiftKey ? Math.max(2, Math.round(this.xs.length / 50)) : 1;
    const verb = {
      ArrowRight: () => this.#move(far),
      ArrowLeft: () => this.#move(-far),
      0: () => this.stage.reset?.(),
      Escape: () => this.#mark(null),
      "+": () => this.#zoomBy(0.5),
      "-": () => this.#zoomBy(2),
    }[event.key];
    if (!verb) return;
    event.preventDefault();
    verb();
  }

  #zoomBy(factor) {
    if (!this.stage.zoom) return;
    const { from, to } = this.stage.range;
    const centre = this.at === null ? (from + to) / 2 : this.xs[this.at];
    this.stage.zoom(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }
}
