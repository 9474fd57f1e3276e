// The marks of a replay: a lane for each kind, drawn as signs, told on hover, walked with the arrow keys.

import { el } from "./dom.js";
import { laneTitle, lastBefore, markWord } from "./replay_data.js";
import { fitted, sign, token, tone } from "./replay_paint.js";
import { t } from "./words.js";

const HEIGHT = 20;
const REACH_PX = 5;
const MOST_TOLD = 5;

/** One kind of mark of one replay. Focused, it is a slider whose steps are the marks. */
export class Lane {
  constructor({ kind, marks }, stage, side) {
    this.kind = kind;
    this.marks = marks;
    this.stage = stage;
    this.times = marks.map((mark) => mark.t);
    this.canvas = el("canvas", { "aria-hidden": "true" });
    const title = `${laneTitle(kind)}${side ? ` ${side}` : ""}`;
    this.track = el(
      "div",
      {
        className: "lane-track",
        role: "slider",
        tabindex: "0",
        "aria-label": t`${title}, one step for each`,
        "aria-valuemin": "1",
        "aria-valuemax": String(marks.length),
        onkeydown: (event) => this.#key(event),
        onfocus: () => this.#say(0),
      },
      this.canvas,
    );
    this.node = el(
      "div",
      { className: "lane" },
      el(
        "span",
        { className: "lane-name", title: `${title}: ${marks.length}` },
        el("span", { className: "lane-title" }, title),
        el("span", { className: "lane-count" }, String(marks.length)),
      ),
      this.track,
    );
    this.#say(0);
    stage.listen(this.track, { onclick: (event) => this.#click(event), onhover: (event) => this.#hover(event) });
  }

  #say(at) {
    this.track.setAttribute("aria-valuenow", String(at + 1));
    this.track.setAttribute("aria-valuetext", `${this.stage.moment(this.times[at])}: ${this.marks[at].text}`);
  }

  #key(event) {
    const last = this.marks.length - 1;
    const now = lastBefore(this.times, this.stage.time);
    const exact = now >= 0 && this.times[now] === this.stage.time;
    const at = this.current !== undefined && this.times[this.current] === this.stage.time ? this.current : now;
    const back = exact || at < 0 ? at - 1 : at;
    const to = {
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      ArrowLeft: back,
      ArrowDown: back,
      PageUp: at + 10,
      PageDown: back - 9,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.current = Math.min(last, Math.max(0, to));
    this.#say(this.current);
    this.stage.go(this.times[this.current]);
    const box = this.canvas.getBoundingClientRect();
    this.stage.tell(this.#lines([this.marks[this.current]]), this.stage.xAt(this.times[this.current]), box.top);
  }

  #near(event) {
    const at = this.stage.timeAt(event.clientX);
    const reach = this.stage.timeAt(event.clientX + REACH_PX) - at;
    return this.marks.filter((mark) => Math.abs(mark.t - at) <= reach);
  }

  #lines(marks) {
    const told = marks.slice(0, MOST_TOLD).map((mark) => [this.stage.moment(mark.t), mark.text]);
    return marks.length > MOST_TOLD
      ? [...told, ["", t`and ${marks.length - MOST_TOLD} more: zoom in to read them`]]
      : told;
  }

  #hover(event) {
    const near = event ? this.#near(event) : [];
    if (near.length)
      this.stage.tell(this.#lines(near), event.clientX - this.stage.left(), this.canvas.getBoundingClientRect().top);
    else this.stage.tell(null);
  }

  #click(event) {
    const at = this.stage.timeAt(event.clientX);
    const [nearest] = this.#near(event).sort((a, b) => Math.abs(a.t - at) - Math.abs(b.t - at));
    if (nearest) this.stage.go(nearest.t);
    return Boolean(nearest);
  }

  draw() {
    const { width, gutter, margin, view } = this.stage;
    const room = Math.max(10, width - gutter - margin);
    const context = fitted(this.canvas, room, HEIGHT);
    context.fillStyle = token("--grid");
    context.fillRect(0, HEIGHT - 1, room, 1);
    const colour = tone(this.kind);
    for (const mark of this.marks) {
      if (mark.t < view.from || mark.t > view.to) continue;
      sign(context, this.kind, this.stage.xAt(mark.t) - gutter, HEIGHT / 2 - 1, colour);
    }
  }
}

/** Every mark as a line of text; the list follows the cursor, and a line leads to its moment. */
export class MarkList {
  constructor(sides, stage) {
    this.stage = stage;
    const two = sides.length > 1;
    this.all = sides
      .flatMap(({ data, side }) => data.marks.map((mark) => ({ ...mark, side: two ? side : "" })))
      .sort((a, b) => a.t - b.t);
    const kinds = [...new Set(sides.flatMap(({ data }) => data.lanes.map((lane) => lane.kind)))];
    this.chosen = kinds.includes("log") ? "log" : "";
    this.choice = el(
      "select",
      { "aria-label": t`What the list shows`, onchange: () => this.#choose() },
      el("option", { value: "" }, t`Everything`),
      kinds.map((kind) => el("option", { value: kind }, laneTitle(kind))),
    );
    this.choice.value = this.chosen;
    this.list = el("ol", { className: "mark-lines", onclick: (event) => this.#click(event) });
    this.region = el(
      "div",
      { className: "mark-scroll", tabindex: "0", role: "region", "aria-label": t`Log lines and events` },
      this.list,
    );
    this.node = el(
      "section",
      { className: "replay-marks" },
      el("div", { className: "replay-part-head" }, el("h4", {}, t`What happened`), this.choice),
      this.region,
    );
    this.#choose();
  }

  #choose() {
    this.chosen = this.choice.value;
    this.marks = this.all.filter((mark) => !this.chosen || mark.kind === this.chosen);
    this.times = this.marks.map((mark) => mark.t);
    this.list.replaceChildren(
      ...this.marks.map((mark, at) =>
        el(
          "li",
          { "data-at": String(at) },
          el("span", { className: "mono mark-time" }, this.stage.moment(mark.t)),
          el(
            "span",
            { className: `mark-kind mark-${mark.kind}` },
            [mark.side, this.chosen ? "" : markWord(mark.kind)].filter(Boolean).join(" · "),
          ),
          el("span", { className: mark.kind === "log" ? "mono mark-text" : "mark-text" }, mark.text),
        ),
      ),
    );
    this.current = null;
    this.follow(this.stage.time);
  }

  #click(event) {
    const line = event.target.closest("li");
    if (line && !getSelection().toString()) this.stage.go(this.times[Number(line.dataset.at)]);
  }

  follow(at) {
    const line = this.list.children[lastBefore(this.times, at)] || null;
    if (line === this.current) return;
    this.current?.removeAttribute("aria-current");
    line?.setAttribute("aria-current", "time");
    this.current = line;
    const top = line ? line.offsetTop - this.region.clientHeight / 2 : 0;
    this.region.scrollTop = Math.max(0, top);
  }
}
