// Who held which machine when: rows of bars on a canvas, only the rows in sight drawn.

import { el } from "./dom.js";
import { lastBefore, lasting } from "./replay_data.js";
import { fitted, inkOn, seriesColour, token } from "./replay_paint.js";
import { t } from "./words.js";

const LANE_PX = 12;
const ROW_LEAST_PX = 15;
const MANY_LANES_PX = 44;
const SHOWN_PX = 300;
const LABEL_PX = 36;
const MOST_TOLD = 5;
const ROUGH_PX = 0.75;

export class Gantt {
  constructor(data, stage, side) {
    this.data = data;
    this.stage = stage;
    this.compact = false;
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.space = el("div", { className: "gantt-space" }, this.canvas);
    this.scroller = el("div", { className: "gantt-scroll", tabindex: "0", role: "region" }, this.space);
    this.scroller.addEventListener("scroll", () => this.#ask(), { passive: true });
    const title = side ? t`Machines, ${side}` : t`Machines`;
    this.scroller.setAttribute("aria-label", `${title}: ${this.#summary()}`);
    this.fit = el(
      "button",
      { type: "button", className: "quiet", "aria-pressed": "false", onclick: () => this.#toggle() },
      t`All rows`,
    );
    const keys = [...data.colours].map(([kind, at]) =>
      el(
        "span",
        { className: "key" },
        el("span", { className: `swatch block series-${at + 1}${isOut(kind) ? " out" : ""}` }),
        kind,
      ),
    );
    this.node = el(
      "section",
      { className: "gantt" },
      el(
        "div",
        { className: "replay-part-head" },
        el("h4", {}, title),
        el("div", { className: "keys" }, keys),
        this.fit,
      ),
      this.scroller,
      this.#note(),
    );
    this.tail = sharedTail(data.rows.map((row) => row.name));
    stage.listen(this.canvas, { onhover: (event) => this.#hover(event) });
  }

  #summary() {
    const bars = this.data.rows.reduce((sum, row) => sum + row.bars.length, 0);
    return t`${this.data.rows.length} rows, ${bars} bars. At this moment, below, names what runs where.`;
  }

  #note() {
    const { bars } = this.data.cut;
    return bars === undefined
      ? ""
      : el(
          "p",
          { className: "muted small" },
          t`More bars than are kept: what began after ${this.stage.moment(bars)} is not drawn (hatched).`,
        );
  }

  #toggle() {
    this.compact = !this.compact;
    this.fit.setAttribute("aria-pressed", String(this.compact));
    this.draw();
  }

  #heightOf(row) {
    if (this.compact) return Math.max(1, Math.min(ROW_LEAST_PX, (SHOWN_PX - 4) / this.data.rows.length));
    return Math.max(ROW_LEAST_PX, Math.min(MANY_LANES_PX, row.lanes * LANE_PX) + 3);
  }

  #layOut() {
    let top = 0;
    this.tops = this.data.rows.map((row) => {
      const here = top;
      top += this.#heightOf(row);
      return here;
    });
    this.total = Math.max(top, ROW_LEAST_PX);
    this.shown = Math.min(this.total, SHOWN_PX);
    this.space.style.height = `${this.total}px`;
    this.scroller.style.height = `${this.shown + 2}px`;
  }

  #ask() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.#paint();
    });
  }

  draw() {
    this.#layOut();
    this.#paint();
  }

  zoom() {
    this.#ask();
  }

  #paint() {
    const { width, gutter, margin } = this.stage;
    const scroll = Math.min(this.scroller.scrollTop, this.total - this.shown);
    const context = fitted(this.canvas, width - 2, this.shown);
    const colours = new Map([...this.data.colours].map(([kind, at]) => [kind, seriesColour(at)]));
    const ink = new Map([...colours].map(([kind, colour]) => [kind, inkOn(colour)]));
    const [text, line] = [token("--text-2"), token("--grid")];
    this.#unrecorded(context);
    const clip = { left: gutter, right: width - margin };
    const first = Math.max(0, lastBefore(this.tops, scroll));
    for (let at = first; at < this.data.rows.length && this.tops[at] < scroll + this.shown; at += 1) {
      const row = this.data.rows[at];
      const [top, height] = [this.tops[at] - scroll, this.#heightOf(row)];
      context.fillStyle = line;
      if (height > 6) context.fillRect(clip.left, top + height - 1, clip.right - clip.left, 1);
      if (height >= 11) this.#name(context, row.name, top + height / 2, gutter - 8, text);
      this.#bars(context, row, { top, height, clip, colours, ink });
    }
  }

  /** What lies after the last bar that was kept is shaded, so that it is not read as idle. */
  #unrecorded(context) {
    if (this.data.cut.bars === undefined) return;
    const { gutter, margin, width } = this.stage;
    const left = Math.max(gutter, this.stage.xAt(this.data.cut.bars));
    if (left >= width - margin) return;
    context.fillStyle = token("--sunken");
    context.fillRect(left, 0, width - margin - left, this.shown);
    this.#hatch(context, left, 0, width - margin - left, this.shown, token("--line"));
  }

  #name(context, name, middle, room, colour) {
    context.font = '11px "IBM Plex Mono"';
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.fillStyle = colour;
    let shown = name;
    if (this.tail && context.measureText(name).width > room) shown = `${name.slice(0, -this.tail.length)}…`;
    while (shown.length > 2 && context.measureText(shown).width > room)
      shown = `…${shown.slice(shown.startsWith("…") ? 2 : 1)}`;
    context.fillText(shown, room + 2, middle);
  }

  #bars(context, row, { top, height, clip, colours, ink }) {
    const { view } = this.stage;
    const lane = (height - (height > 6 ? 3 : 0)) / row.lanes;
    const gap = lane > 4 ? 1 : 0;
    context.textAlign = "left";
    const drawnTo = new Array(row.lanes).fill(-Infinity);
    for (const bar of row.bars) {
      if (bar.from > view.to) break;
      if (bar.to < view.from) continue;
      const left = Math.max(clip.left, this.stage.xAt(bar.from));
      const right = Math.min(clip.right, this.stage.xAt(bar.to));
      // what would fall into a pixel that is already drawn tells nothing more
      if (right - left < ROUGH_PX && right <= drawnTo[bar.lane]) continue;
      const wide = Math.max(ROUGH_PX, right - left - (right - left > 3 ? 0.75 : 0));
      const y = top + 1 + bar.lane * lane;
      context.fillStyle = colours.get(bar.kind);
      context.fillRect(left, y, wide, Math.max(0.75, lane - gap));
      if (isOut(bar.kind)) this.#hatch(context, left, y, wide, lane - gap);
      drawnTo[bar.lane] = left + Math.max(1, wide);
      if (wide > LABEL_PX && lane >= 10 && !isOut(bar.kind)) this.#label(context, bar, left, y, wide, lane, ink);
    }
  }

  #hatch(context, left, top, wide, high, colour = token("--surface")) {
    context.save();
    context.beginPath();
    context.rect(left, top, wide, high);
    context.clip();
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.beginPath();
    for (let x = left - high; x < left + wide; x += 6) {
      context.moveTo(x, top + high);
      context.lineTo(x + high, top);
    }
    context.stroke();
    context.restore();
  }

  #label(context, bar, left, y, wide, lane, ink) {
    context.save();
    context.beginPath();
    context.rect(left, y, wide - 2, lane);
    context.clip();
    context.font = '10px "IBM Plex Sans"';
    context.textBaseline = "middle";
    context.fillStyle = ink.get(bar.kind);
    context.fillText(bar.label, left + 3, y + (lane - 1) / 2 + 0.5);
    context.restore();
  }

  /** The bars under the pointer: the lane it is in, or the whole row where lanes are thin. */
  #under(event) {
    const box = this.scroller.getBoundingClientRect();
    const y = event.clientY - box.top + this.scroller.scrollTop;
    const at = lastBefore(this.tops, y);
    const row = this.data.rows[at];
    if (!row) return null;
    const time = this.stage.timeAt(event.clientX);
    const slack = (this.stage.view.to - this.stage.view.from) / Math.max(1, this.stage.width);
    const here = row.bars.filter((bar) => bar.from <= time + slack && time - slack < bar.to);
    const lane = this.#heightOf(row) / row.lanes;
    const exact = here.filter((bar) => bar.lane === Math.floor((y - this.tops[at]) / lane));
    return { row, bars: lane >= 6 && exact.length ? exact : here };
  }

  #hover(event) {
    const found = event && this.#under(event);
    if (!found) {
      this.stage.tell(null);
      return;
    }
    const told = found.bars.slice(0, MOST_TOLD).map((bar) => [
      "",
      t`${bar.label} · ${bar.kind} · ${this.stage.moment(bar.from)} to ${this.stage.moment(bar.to)}
          (${lasting(bar.to - bar.from)})`,
    ]);
    if (found.bars.length > MOST_TOLD) told.push(["", t`and ${found.bars.length - MOST_TOLD} more here`]);
    const lines = [[found.row.name, found.bars.length ? "" : "nothing"], ...told];
    this.stage.tell(lines, event.clientX - this.stage.left(), event.clientY);
  }
}

/** What all names end in, where that is more than their last letters: "node-1.east" and "node-2.east" share ".east". */
function sharedTail(names) {
  const shortest = Math.min(...names.map((name) => name.length));
  let length = 0;
  while (length < shortest - 1 && names.every((name) => name.at(-1 - length) === names[0].at(-1 - length))) length += 1;
  return names.length > 1 && length > 3 ? names[0].slice(-length) : "";
}

/** Kinds that say a machine is out of work carry a hatch besides their colour. */
function isOut(kind) {
  return ["fault", "down", "reset", "out"].includes(kind);
}
