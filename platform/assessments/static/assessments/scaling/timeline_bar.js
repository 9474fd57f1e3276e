// One phase's bar: moved and stretched by the keys or by the pointer.

import { el } from "../../headnode/dom.js";
import { listed, t } from "../../headnode/words.js";
import { monthText } from "./words.js";

export class TimelineBar {
  constructor(id, timeline) {
    this.id = id;
    this.timeline = timeline;
    this.title = el("button", {
      type: "button",
      className: "quiet gantt-name",
      onclick: () => timeline.choose(timeline.chosen === id ? null : id),
    });
    this.start = el("span", { className: "gantt-grip", "data-end": "from", "aria-hidden": "true" });
    this.end = el("span", { className: "gantt-grip", "data-end": "to", "aria-hidden": "true" });
    this.words = el("span", { className: "gantt-words" });
    this.bar = el(
      "button",
      {
        type: "button",
        className: "gantt-bar",
        name: "bar",
        onkeydown: (event) => this.#key(event),
        onclick: () => this.#click(),
      },
      this.start,
      this.words,
      this.end,
    );
    this.lane = el("div", { className: "gantt-lane" }, this.bar);
    this.node = el("li", { className: "plan-gantt-row", "data-id": id }, this.title, this.lane);
    this.bar.addEventListener("pointerdown", (event) => this.#drag(event));
  }

  #click() {
    if (this.dragged) this.dragged = false;
    else this.timeline.choose(this.id);
  }

  #key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const both = !event.shiftKey && !event.altKey;
    this.timeline.shift(this.id, { from: event.altKey || both ? by : 0, to: event.shiftKey || both ? by : 0 });
  }

  /** By whole months: the grips move an end, the rest moves the bar. */
  #drag(event) {
    if (this.timeline.model.readOnly || event.button) return;
    const end = event.target.dataset.end;
    const step = this.lane.clientWidth / this.timeline.names.months.length;
    let from = event.clientX;
    this.dragged = false;
    const move = (now) => {
      const by = Math.round((now.clientX - from) / step);
      if (!by) return;
      this.dragged = true;
      const done = this.timeline.shift(this.id, { from: end === "to" ? 0 : by, to: end === "from" ? 0 : by });
      if (done) from += by * step;
    };
    const stop = () => this.bar.removeEventListener("pointermove", move);
    this.bar.setPointerCapture(event.pointerId);
    this.bar.addEventListener("pointermove", move);
    this.bar.addEventListener("lostpointercapture", stop, { once: true });
  }

  /** Take over what the model has; `wrong`: it begins before what it waits for has ended. */
  refresh(row, wrong) {
    const { names, model, chosen } = this.timeline;
    const name = row.name || row.id;
    const unset = names.place(row.from) < 0;
    const [from, to] = [Math.max(0, names.place(row.from)), Math.max(0, names.place(row.to))];
    this.title.textContent = name;
    this.title.title = row.owner ? `${name}, ${row.owner}` : name;
    this.title.setAttribute("aria-expanded", String(chosen === this.id));
    this.bar.style.gridColumn = unset ? "1 / 3" : `${from + 1} / ${Math.max(from, to) + 2}`;
    this.bar.classList.toggle("unset", unset);
    this.bar.classList.toggle("bad", wrong);
    this.bar.classList.toggle("chosen", chosen === this.id);
    this.words.textContent = unset ? t`not placed` : row.owner || "";
    const waits = row.depends.map((id) => model.find("phases", id)?.name || id);
    this.bar.setAttribute(
      "aria-label",
      `${name}, ` +
        (unset ? t`no months yet` : t`${monthText(row.from)} to ${monthText(row.to)}`) +
        (row.owner ? `, ${row.owner}` : "") +
        (waits.length ? t`, after ${listed(waits)}` : "") +
        (wrong ? t`, begins too early` : ""),
    );
    this.start.hidden = this.end.hidden = model.readOnly;
  }
}
