// The bar over the dashboards: the range, the node, the run before, and which panels to show.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { Popover } from "../workplace/popover.js";
import { RangePicker } from "./range_picker.js";

const DETAILS = [
  ["auto", t`automatic`],
  ["spikes", t`every spike`],
  ["means", t`means`],
];

function button(label, title, run) {
  return el("button", { type: "button", className: "quiet", title, "aria-label": title, onclick: run }, label);
}

/** The rows in the order of the page: the heat map stands second. */
function rowTitles([first, ...others]) {
  return [first, { key: "heat", title: t`Heat map` }, ...others].map(({ key, title }) => [key, title]);
}

function labelled(text, control) {
  control.setAttribute("aria-label", text);
  return el("label", { className: "mbar-field" }, el("span", {}, text), control);
}

/** Where its choices say what a control is for, and the bar has no room for a word. */
function named(text, control) {
  control.setAttribute("aria-label", text);
  control.title = text;
  return control;
}

/** The range that is shown, with steps through time; both the dashboards and the query box have one. */
export class RangeBar {
  constructor(room, source) {
    this.room = room;
    this.source = source;
    this.picker = new RangePicker(room, source);
    this.cursor = el("span", { className: "mbar-cursor", "aria-hidden": "true" });
    this.node = el(
      "div",
      { className: "mbar-time", role: "group", "aria-label": t`Range of time` },
      this.picker.node,
      button("◀", t`Earlier`, () => this.#shift(-0.5)),
      button("▶", t`Later`, () => this.#shift(0.5)),
      button("+", t`Zoom in`, () => this.#scale(0.5)),
      button("−", t`Zoom out`, () => this.#scale(2)),
      button("↺", t`Show the whole recording`, () => room.resetRange(source)),
      this.cursor,
    );
  }

  #shift(share) {
    const { from, to } = this.room.range;
    const { from: first, to: last } = this.room.window;
    const by = Math.max(first - from, Math.min(last - to, (to - from) * share));
    this.room.setRange(from + by, to + by, this.source);
  }

  #scale(factor) {
    const { from, to } = this.room.range;
    const [centre, half] = [(from + to) / 2, ((to - from) / 2) * factor];
    this.room.setRange(centre - half, centre + half, this.source);
  }

  /** The instant under the pointer, or null. */
  hover(ms) {
    this.cursor.textContent = ms === null ? "" : t`at ${this.room.timeText(ms)}`;
  }
}

export class DashboardBar {
  /** on: {node(name), change(), find(text), add(metric), row(key)}. */
  constructor(room, layout, catalogue, on) {
    this.range = new RangeBar(room, "dashboards");
    const job = new Set(layout.job_nodes);
    const some = (label, names) =>
      names.length > 0 &&
      el(
        "optgroup",
        { label },
        names.map((name) => el("option", { value: name }, name)),
      );
    this.nodes = el(
      "select",
      { onchange: () => on.node(this.nodes.value) },
      some(
        t`In the job`,
        layout.nodes.filter((name) => job.has(name)),
      ),
      some(
        t`Others`,
        layout.nodes.filter((name) => !job.has(name)),
      ),
    );
    this.nodes.value = layout.job_nodes[0] || layout.nodes[0];
    this.compare = el("input", {
      type: "checkbox",
      "aria-label": t`Compare with the run before`,
      title: t`Compare with the run before`,
      onchange: () => on.change(),
    });
    this.detail = el(
      "select",
      { onchange: () => on.change() },
      DETAILS.map(([value, text]) => el("option", { value }, text)),
    );
    this.find = el("input", {
      type: "search",
      placeholder: t`Title or metric`,
      oninput: () => on.find(this.find.value),
    });
    this.rows = el(
      "select",
      { onchange: () => on.row(this.rows.value) },
      rowTitles(layout.rows).map(([key, title]) => el("option", { value: key }, title)),
    );
    const list = el(
      "datalist",
      { id: "metric-names" },
      catalogue.metrics.map((metric) => el("option", { value: metric.name }, metric.about)),
    );
    this.metric = el("input", {
      type: "text",
      list: "metric-names",
      placeholder: t`Name of a metric`,
      autocomplete: "off",
      spellcheck: false,
    });
    const names = new Set(catalogue.metrics.map((metric) => metric.name));
    const add = (event) => {
      event.preventDefault();
      const name = this.metric.value.trim();
      if (names.has(name)) {
        on.add(name);
        this.metric.value = "";
      } else room.announce(name ? t`There is no metric ${name}.` : t`Type the name of a metric first.`);
    };
    const chooser = el(
      "form",
      { className: "mbar-form", onsubmit: add },
      labelled(t`Chart a metric`, this.metric),
      list,
      el("button", { type: "submit", className: "quiet" }, t`Add`),
    );
    const more = new Popover(t`Panels`);
    more.panel.setAttribute("aria-label", t`Panels`);
    more.panel.append(labelled(t`Find`, this.find), chooser, labelled(t`Lines`, this.detail));
    this.trouble = el("p", { className: "mbar-trouble", role: "status", hidden: true });
    this.node = el(
      "div",
      { className: "mbar" },
      el(
        "div",
        { className: "mbar-row" },
        this.range.node,
        named(t`Row`, this.rows),
        named(t`Node`, this.nodes),
        more.node,
        el("label", { className: "check" }, this.compare, t`Run before`),
      ),
      this.trouble,
    );
  }

  /** A sentence, with a way to try again where there is one; null takes it away. */
  fail(sentence, again) {
    this.trouble.hidden = !sentence;
    if (!sentence || this.trouble.firstChild?.textContent === sentence) return;
    const button = again
      ? [" ", el("button", { type: "button", className: "quiet", onclick: again }, t`Try again`)]
      : [];
    this.trouble.replaceChildren(el("span", {}, sentence), ...button);
  }
}
