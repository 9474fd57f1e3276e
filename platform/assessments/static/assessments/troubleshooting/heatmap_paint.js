// Colours of the heat map: a perceptually even scale from the page's tokens, and what its cells come to.

import { el } from "../../headnode/dom.js";
import { token } from "../../headnode/replay_paint.js";
import { t } from "../../headnode/words.js";
import { amount } from "./metrics_units.js";

export const NO_DATA = t`no data`;
const SHADES = 8;
const FINE = 64;
const OUTER = 0.05;
const HATCH_PX = 6;

function channels(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

/** The tokens' eight shades, with even steps between them, as 32-bit pixels. */
function palette() {
  const shades = Array.from({ length: SHADES }, (_, at) => channels(token(`--heat-${at}`)));
  const found = new Uint32Array(FINE);
  for (let at = 0; at < FINE; at += 1) {
    const place = (at / (FINE - 1)) * (SHADES - 1);
    const low = Math.min(SHADES - 2, Math.floor(place));
    const [r, g, b] = shades[low].map((from, part) =>
      Math.round(from + (shades[low + 1][part] - from) * (place - low)),
    );
    found[at] = (255 << 24) | (b << 16) | (g << 8) | r;
  }
  return found;
}

/** What stands where there is no data: fine slanted lines, which no cell has. */
export function hatching(context) {
  const tile = document.createElement("canvas");
  tile.width = HATCH_PX;
  tile.height = HATCH_PX;
  const lines = tile.getContext("2d");
  lines.strokeStyle = token("--line-strong");
  lines.lineWidth = 0.6;
  lines.beginPath();
  lines.moveTo(0, HATCH_PX);
  lines.lineTo(HATCH_PX, 0);
  lines.stroke();
  return context.createPattern(tile, "repeat");
}

export class HeatPaint {
  constructor() {
    this.source = document.createElement("canvas");
    this.low = NaN;
    this.high = NaN;
  }

  /** Take up the cells; `colours` says whether the scale runs over all of them or leaves out the outermost. */
  take(data, colours) {
    this.data = data;
    [this.low, this.high] = [Infinity, -Infinity];
    for (const value of data.cells) {
      if (value < this.low) this.low = value;
      if (value > this.high) this.high = value;
    }
    if (this.low > this.high) [this.low, this.high] = [NaN, NaN];
    else if (colours === "usual") this.#usual();
  }

  #usual() {
    const sorted = this.data.cells.filter((value) => !Number.isNaN(value)).sort();
    const at = (share) => sorted[Math.floor((sorted.length - 1) * share)];
    if (at(OUTER) < at(1 - OUTER)) [this.low, this.high] = [at(OUTER), at(1 - OUTER)];
  }

  /** The cells as a picture of one pixel each; where there is no data it is clear. */
  image() {
    const { cells, count, rows } = this.data;
    this.source.width = Math.max(1, count);
    this.source.height = Math.max(1, rows.length);
    const context = this.source.getContext("2d");
    const picture = context.createImageData(this.source.width, this.source.height);
    const pixels = new Uint32Array(picture.data.buffer);
    const shades = palette();
    const scale = (FINE - 1) / (this.high - this.low || 1);
    for (let at = 0; at < cells.length; at += 1) {
      const value = cells[at];
      if (!Number.isNaN(value))
        pixels[at] = shades[Math.round(Math.max(0, Math.min(FINE - 1, (value - this.low) * scale)))];
    }
    context.putImageData(picture, 0, 0);
    return this.source;
  }

  legend(unit) {
    const bar = el(
      "span",
      { className: "heat-bar", "aria-hidden": "true" },
      Array.from({ length: SHADES }, (_, at) => el("span", { className: `heat-shade-${at}` })),
    );
    return el("span", { className: "heat-legend small" }, amount(this.low, unit), bar, amount(this.high, unit));
  }

  /** Lowest, mean and highest of each row. */
  table({ cells, count, rows, unit, title }, named) {
    const lines = rows.map((row, at) => {
      let [low, high, sum, number] = [Infinity, -Infinity, 0, 0];
      for (const value of cells.subarray(at * count, (at + 1) * count)) {
        if (Number.isNaN(value)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
        sum += value;
        number += 1;
      }
      const figures = number ? [low, sum / number, high] : [NaN, NaN, NaN];
      return el(
        "tr",
        {},
        el("th", { scope: "row" }, named(row)),
        figures.map((value) => el("td", { className: "figure" }, amount(value, unit))),
      );
    });
    const head = [t`Row`, t`Lowest cell`, t`Mean`, t`Highest cell`].map((text, at) =>
      el("th", { scope: "col", className: at ? "figure" : "" }, text),
    );
    const table = el(
      "table",
      {},
      el("caption", {}, t`${title}, the shown time`),
      el("thead", {}, el("tr", {}, head)),
      el("tbody", {}, lines),
    );
    return el(
      "div",
      { className: "scroll mchart-table", tabindex: "0", role: "region", "aria-label": t`${title}, table` },
      table,
    );
  }
}
