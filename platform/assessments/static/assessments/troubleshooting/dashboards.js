// Dashboards of the room: rows of panels over one shared time, drawn when they come into sight.

import { el } from "../../headnode/dom.js";
import uPlot from "../../headnode/vendor/uplot.js";
import { t } from "../../headnode/words.js";
import { trouble } from "../workplace/retry.js";
import { DashboardBar } from "./dashboards_bar.js";
import { PanelLoader } from "./dashboards_loader.js";
import { Panel } from "./dashboards_panel.js";
import { HeatMap } from "./heatmap.js";
import { fetchJson } from "./metrics_data.js";

const REFINE_MS = 180;
const NEAR = "320px 0px";
const LEAST_MS = 60_000;

/** What charts stand on: the range, the clock of the site, one cursor for all of them. */
export function stageOf(room, source, hover) {
  return {
    range: { ...room.range },
    offsetMin: room.incident.offset_min,
    sync: uPlot.sync(`room-${source}`),
    pointed: null,
    hover,
    zoom: (from, to) => {
      const spare = Math.max(0, LEAST_MS - (to - from)) / 2;
      room.setRange(from - spare, to + spare, source);
    },
    reset: () => room.resetRange(source),
    timeText: (ms) => room.timeText(ms),
    announce: (text) => room.announce(text),
  };
}

class Dashboards {
  #refine = 0;
  #frame = 0;

  constructor(host, room, layout, catalogue) {
    this.host = host;
    this.room = room;
    this.layout = layout;
    this.stage = stageOf(room, "dashboards", (ms) => this.bar.range.hover(ms));
    this.bar = new DashboardBar(room, layout, catalogue, {
      node: (name) => this.chooseNode(name),
      change: () => this.#again(),
      find: (text) => this.#find(text),
      add: (name) => this.#add(name),
      row: (key) => this.goTo(key),
    });
    this.loader = new PanelLoader({
      base: room.urls.metrics,
      settings: () => this.settings(),
      failed: (sentence, again) => this.bar.fail(sentence, again),
    });
    this.heat = new HeatMap({ room, stage: this.stage, heats: layout.heats, open: (node) => this.#openNode(node) });
    this.own = this.#row({ key: "own", title: t`Your charts`, about: t`Metrics that you chose.`, panels: [] });
    this.own.node.hidden = true;
    this.rows = layout.rows.map((row) => this.#row(row));
    const heat = el(
      "section",
      { className: "mrow", "data-row": "heat" },
      this.#head(t`Heat map`, t`Every GPU, adapter or rank at once.`),
      this.heat.node,
    );
    const [first, ...others] = this.rows.map((row) => row.node);
    this.nothing = el("p", { className: "empty", hidden: true }, t`No panel has this in its title or its metrics.`);
    this.body = el("div", { className: "mrows" }, this.own.node, first, heat, others, this.nothing);
    host.append(this.bar.node, this.body);
    this.#watch();
    room.addEventListener("range", () => this.#ranged());
  }

  get panels() {
    return [this.own, ...this.rows].flatMap((row) => row.panels);
  }

  settings() {
    const { from, to } = this.stage.range;
    return {
      from: Math.round(from),
      to: Math.round(to),
      points: this.points,
      compare: this.bar.compare.checked,
      detail: this.bar.detail.value,
      node: this.bar.nodes.value,
    };
  }

  /** Stretches of time that a chart of the usual width shows apart. */
  get points() {
    const width = this.panels[0]?.chart.host.clientWidth || 400;
    return Math.min(600, Math.max(100, Math.ceil(width / 2 / 50) * 50));
  }

  #head(title, about) {
    return el("div", { className: "mrow-head" }, el("h3", {}, title), el("p", { className: "muted small" }, about));
  }

  #row(row) {
    const board = { room: this.room, stage: this.stage, node: () => this.bar.nodes.value };
    const panels = row.panels.map((spec) => new Panel({ ...spec, scope: row.scope }, board));
    const head = this.#head(row.title, row.about);
    const grid = el(
      "div",
      { className: "mgrid" },
      panels.map((panel) => panel.node),
    );
    return {
      key: row.key,
      title: row.title,
      panels,
      head,
      grid,
      board,
      node: el("section", { className: "mrow", "data-row": row.key }, head, grid),
    };
  }

  #watch() {
    this.byNode = new Map(this.panels.map((panel) => [panel.node, panel]));
    const scrolls = getComputedStyle(this.body).overflowY === "auto";
    this.sight = new IntersectionObserver((entries) => entries.forEach((entry) => this.#seen(entry)), {
      root: scrolls ? this.body : this.body.closest(".room-part"),
      rootMargin: NEAR,
    });
    for (const panel of this.panels) this.sight.observe(panel.node);
    new ResizeObserver(() => this.#resized()).observe(this.body);
    new MutationObserver(() => this.#redraw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#redraw());
    this.#nameNode();
  }

  #seen({ target, isIntersecting }) {
    const panel = this.byNode.get(target);
    if (!panel) return;
    panel.seen(isIntersecting);
    if (isIntersecting) this.loader.add(panel);
    else this.loader.drop(panel);
  }

  #resized() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      if (!this.body.clientWidth) return;
      for (const panel of this.panels) if (panel.inSight) panel.chart.resize();
      this.heat.resize();
    });
  }

  #redraw() {
    for (const panel of this.panels) if (panel.inSight) panel.chart.draw();
    this.heat.draw();
  }

  #ranged() {
    Object.assign(this.stage.range, this.room.range);
    const later = this.#zoomShown();
    this.heat.zoom();
    // What is ready below the edge can wait until the frame has been drawn.
    requestAnimationFrame(() => setTimeout(() => later.forEach((panel) => panel.zoom())));
    clearTimeout(this.#refine);
    this.#refine = setTimeout(() => this.#again(), REFINE_MS);
  }

  /** Zoom the charts that somebody can see; the others are returned. */
  #zoomShown() {
    const { top, bottom } = this.body.getBoundingClientRect();
    const isShown = (panel) => {
      const box = panel.inSight ? panel.node.getBoundingClientRect() : null;
      return box !== null && box.bottom > top && box.top < bottom;
    };
    const [shown, others] = [[], []];
    for (const panel of this.panels) (isShown(panel) ? shown : others).push(panel);
    for (const panel of shown) panel.zoom();
    return others;
  }

  /** Ask anew for whatever is in sight. */
  #again() {
    this.loader.restart();
    for (const panel of this.panels) if (panel.inSight) this.loader.add(panel);
    this.heat.load();
  }

  chooseNode(name) {
    if (!this.layout.nodes.includes(name)) return;
    this.bar.nodes.value = name;
    this.#nameNode();
    this.#again();
    this.room.announce(t`The row for one node shows ${name}.`);
  }

  #nameNode() {
    const row = this.rows.find((one) => one.key === "node");
    row.head.querySelector("h3").textContent = `${row.title}: ${this.bar.nodes.value}`;
  }

  #openNode(name) {
    this.chooseNode(name);
    this.goTo("node");
  }

  goTo(key) {
    this.bar.rows.value = key;
    const row = this.body.querySelector(`[data-row="${CSS.escape(key)}"]`);
    row?.scrollIntoView({ block: "start" });
    const title = row?.querySelector("h3");
    if (title) {
      title.tabIndex = -1;
      title.focus({ preventScroll: true });
    }
  }

  /** What another tab asks to look at: a pin's metric, labels and time, or a node. */
  look({ metric, labels = /** @type {Record<string, string>} */ ({}), from_ms: from, to_ms: to, node }) {
    if (from && to) this.room.setRange(Number(from), Number(to), "dashboards");
    const named = node || labels.node;
    if (named) this.chooseNode(named);
    const fits = (panel) => panel.spec.parts.some((part) => part.metric === metric);
    const rows = named ? [this.rows.find((row) => row.key === "node")] : this.rows;
    const panel = rows.flatMap((row) => row.panels).find(fits) || this.panels.find(fits);
    if (panel) panel.node.scrollIntoView({ block: "center" });
    else if (named) this.goTo("node");
  }

  /** The tab came to the front; while it was hidden nothing had a width. */
  shown() {
    this.#resized();
    for (const panel of this.panels) if (panel.inSight) panel.seen(true);
  }

  #find(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    let any = false;
    for (const row of this.rows) {
      let some = false;
      for (const panel of row.panels) {
        const fits = words.every((word) => panel.words.includes(word) || row.title.toLowerCase().includes(word));
        panel.node.hidden = !fits;
        some ||= fits;
      }
      row.node.hidden = !some;
      any ||= some;
    }
    this.body.querySelector('[data-row="heat"]').hidden = words.length > 0;
    this.nothing.hidden = any;
  }

  #add(name) {
    const key = `any/${name}`;
    let panel = this.own.panels.find((one) => one.key === key);
    if (!panel) {
      const spec = { key, title: name, unit: "", fixed: {}, parts: [{ metric: name, label: "", query: name }] };
      panel = new Panel(spec, this.own.board);
      this.own.panels.push(panel);
      this.own.grid.append(panel.node);
      this.own.node.hidden = false;
      this.byNode.set(panel.node, panel);
      this.sight.observe(panel.node);
    }
    panel.node.scrollIntoView({ block: "nearest" });
    this.room.announce(t`${name} is charted in the row “Your charts”.`);
  }
}

export async function setUp(host, room) {
  host.classList.add("mboard");
  const begin = async () => {
    host.replaceChildren(el("p", { className: "empty", role: "status" }, t`The dashboards are being fetched…`));
    try {
      // One after the other: whoever asks has one place at a time.
      const layout = await fetchJson(`${room.urls.metrics}/panels`);
      const catalogue = await fetchJson(`${room.urls.metrics}/catalogue`);
      host.replaceChildren();
      return new Dashboards(host, room, layout, catalogue);
    } catch (error) {
      return new Promise((resolve) => {
        host.replaceChildren(trouble(t`The dashboards could not be fetched: ${error.message}`, () => resolve(begin())));
      });
    }
  };
  let board = null;
  const ready = begin();
  ready.then((made) => (board = made));
  return { show: (detail) => ready.then((made) => made.look(detail)), shown: () => board?.shown(), ready };
}
