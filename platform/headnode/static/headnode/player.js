// The controls of a replay: play and pause at a speed, the slider of time, marks to jump to, zoom.

import { el } from "./dom.js";
import { lasting } from "./replay_data.js";
import { counted, t } from "./words.js";

const SPEEDS = [1, 10, 60, 300, 900, 1800, 3600, 7200, 14400, 28800, 43200, 86400];
const WHOLE_S = 40;
const CALM_MS = 500;
const coarse = matchMedia("(pointer: coarse)");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class Player {
  #frame = 0;
  #last = 0;

  constructor(stage) {
    this.stage = stage;
    this.play = el(
      "button",
      { type: "button", className: "replay-play", "aria-pressed": "false", onclick: () => this.toggle() },
      t`Play`,
    );
    this.speed = el("select", { "aria-label": t`Speed` }, this.#speeds());
    this.slider = el("input", {
      type: "range",
      min: stage.from,
      max: stage.to,
      step: 1,
      value: stage.from,
      "aria-label": t`Time of the run`,
      onkeydown: (event) => this.#key(event),
      oninput: () => stage.go(Number(this.slider.value)),
    });
    this.now = el("output", { className: "mono replay-now" });
    this.window = el("span", { className: "muted small replay-window" });
    const button = (label, title, onclick) =>
      el("button", { type: "button", className: "quiet", title, "aria-label": title, onclick }, label);
    this.node = el(
      "div",
      { className: "replay-bar", role: "group", "aria-label": t`Replay` },
      this.play,
      this.speed,
      button("‹", t`Previous mark (key ,)`, () => stage.toMark(-1)),
      button("›", t`Next mark (key .)`, () => stage.toMark(1)),
      this.slider,
      this.now,
      el(
        "span",
        { className: "replay-zoom" },
        button("−", t`Zoom out (key −)`, () => stage.zoomBy(2)),
        button("+", t`Zoom in (key +)`, () => stage.zoomBy(0.5)),
        button(t`All`, t`Show all of it (key 0)`, () => stage.zoomAll()),
      ),
      this.window,
    );
    this.follow(stage.time);
    this.looked();
  }

  #speeds() {
    const { from, to, a } = this.stage;
    const usual = (to - from) / WHOLE_S;
    const steps = a.axis === "step";
    const near = SPEEDS.reduce((best, speed) =>
      Math.abs(Math.log(speed / usual)) < Math.abs(Math.log(best / usual)) ? speed : best,
    );
    const at = SPEEDS.indexOf(near);
    const label = (speed) => (steps ? counted("{0} step per s", "{0} steps per s", speed) : t`${lasting(speed)} per s`);
    return SPEEDS.slice(Math.max(0, at - 2), at + 3).map((speed) =>
      el("option", { value: speed, selected: speed === near }, label(speed)),
    );
  }

  get playing() {
    return this.play.getAttribute("aria-pressed") === "true";
  }

  toggle() {
    if (this.playing) {
      this.stop();
      return;
    }
    if (this.stage.time >= this.stage.to) this.stage.go(this.stage.from);
    this.play.setAttribute("aria-pressed", "true");
    this.play.textContent = t`Pause`;
    this.#last = performance.now();
    this.exact = this.stage.time;
    this.sent = this.exact;
    this.#next();
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.timer);
    this.play.setAttribute("aria-pressed", "false");
    this.play.textContent = t`Play`;
    this.stage.go(this.stage.time);
  }

  /** Who asked for less motion gets two pictures a second. */
  #next() {
    if (calm.matches) this.timer = setTimeout(() => this.#advance(performance.now()), CALM_MS);
    else this.#frame = requestAnimationFrame((now) => this.#advance(now));
  }

  #advance(now) {
    if (!this.node.isConnected || !this.playing) return;
    // a tab that was in the background goes on where it was
    const passed = Math.min(1000, Math.max(0, now - this.#last)) / 1000;
    this.#last = now;
    const speed = Number(this.speed.value);
    if (this.sent !== this.stage.time) this.exact = this.stage.time;
    this.exact += passed * speed;
    // seconds that nobody can read do not flicker past
    const neat = speed >= 600 && this.stage.a.axis !== "step" ? 60 : 1;
    this.stage.go(this.exact >= this.stage.to ? this.stage.to : Math.floor(this.exact / neat) * neat);
    this.sent = this.stage.time;
    if (this.stage.time >= this.stage.to) this.stop();
    else this.#next();
  }

  #key(event) {
    const { stage } = this;
    const page = (stage.view.to - stage.view.from) / 10;
    const verb = {
      ArrowRight: () => stage.step(1),
      ArrowUp: () => stage.step(1),
      ArrowLeft: () => stage.step(-1),
      ArrowDown: () => stage.step(-1),
      PageUp: () => stage.go(stage.time + page),
      PageDown: () => stage.go(stage.time - page),
      Home: () => stage.go(stage.from),
      End: () => stage.go(stage.to),
      " ": () => this.toggle(),
    }[event.key];
    if (!verb || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    verb();
  }

  follow(shown) {
    this.slider.value = String(this.stage.time);
    this.slider.setAttribute("aria-valuetext", this.stage.moment(this.stage.time));
    this.now.textContent = this.stage.moment(shown);
  }

  looked() {
    const { view, from, to, moment } = this.stage;
    const all = view.from <= from && view.to >= to;
    this.window.textContent = all
      ? coarse.matches
        ? t`Drag across a chart to move through time.`
        : t`Drag across a chart to zoom, double click for all of it.`
      : t`Showing ${moment(view.from)} to ${moment(view.to)}`;
  }
}
