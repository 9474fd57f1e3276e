// A panel of the dashboards: what it draws, the data it has in hand, and what can be done with it.

import { t } from "../../headnode/words.js";
import { MetricsChart } from "./metrics_chart.js";

const KEPT = 4;

function stamp({ from, to, points, compare, detail, node }, isScoped) {
  return [from, to, points, compare, detail, isScoped ? node : ""].join("|");
}

export class Panel {
  #asked = null;
  #kept = [];

  /** spec: as the layout tells it; board: {room, stage, node()}. */
  constructor(spec, board) {
    this.spec = spec;
    this.board = board;
    this.key = spec.key;
    this.isScoped = spec.scope === "node";
    const actions = [
      { label: t`Query`, title: t`Ask for it in PromQL`, run: () => this.#query() },
      { label: t`Pin`, title: t`Pin what is drawn, with the time that is shown`, run: () => this.#pin() },
    ];
    this.chart = new MetricsChart({ key: spec.key, title: spec.title, unit: spec.unit, stage: board.stage, actions });
    this.node = this.chart.node;
    this.inSight = false;
  }

  get words() {
    const { title, parts } = this.spec;
    return [title, ...parts.map((part) => `${part.metric} ${part.label}`)].join(" ").toLowerCase();
  }

  wants(settings) {
    return this.#asked !== stamp(settings, this.isScoped);
  }

  asked(settings) {
    this.#asked = stamp(settings, this.isScoped);
  }

  missed() {
    this.#asked = null;
  }

  /** Data that came; an older range's is kept for zooming out again. */
  take(data, settings) {
    const kind = `${settings.compare}|${settings.detail}|${this.isScoped ? settings.node : ""}`;
    this.#kept = [
      { data, kind, from: settings.from, to: settings.to },
      ...this.#kept.filter((one) => one.kind === kind),
    ].slice(0, KEPT);
    if (this.#asked === stamp(settings, this.isScoped)) this.chart.setData(data);
  }

  /** Another range: the finest data in hand that covers it, at once. */
  zoom() {
    const { from, to } = this.board.stage.range;
    const covering = this.#kept
      .filter((one) => one.from <= from && one.to >= to)
      .sort((a, b) => a.data.step - b.data.step)[0];
    const best = covering || this.#kept.toSorted((a, b) => b.to - b.from - (a.to - a.from))[0];
    if (!this.inSight) {
      this.chart.close();
      if (best) this.chart.data = best.data;
    } else if (best && best.data !== this.chart.data) this.chart.setData(best.data);
    else this.chart.zoom();
  }

  /** Into sight or out of it. */
  seen(inSight) {
    this.inSight = inSight;
    if (inSight && !this.chart.isOpen) this.chart.draw();
    if (!inSight) this.chart.close();
  }

  #part() {
    return this.spec.parts[this.chart.isolated?.part ?? 0];
  }

  #query() {
    const query = this.#part().query.replaceAll("$node", this.board.node());
    this.board.room.show("query", { query });
  }

  #pin() {
    const line = this.chart.isolated;
    const labels = {
      ...this.spec.fixed,
      ...(this.isScoped ? { node: this.board.node() } : {}),
      ...(line?.labels || {}),
    };
    const { from, to } = this.board.stage.range;
    return this.board.room.pin({
      kind: "chart",
      metric: this.#part().metric,
      labels,
      from_ms: Math.round(from),
      to_ms: Math.round(to),
    });
  }
}
