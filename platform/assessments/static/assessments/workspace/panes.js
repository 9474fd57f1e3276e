// The panes: three columns with a run panel under the code, resizable by mouse and by keyboard,
// any of them able to fill the page; below 900 px they are tabs.

import { byId, el, preference } from "../../headnode/dom.js";
import { tabs } from "../../headnode/tabs.js";
import { t } from "../../headnode/words.js";

const NARROW = matchMedia("(max-width: 899px)");
const STEP = 24;
const PLACE = `headnode:pane:${location.pathname}`;
const SPLITS = [
  { id: "split-read", name: "--read", axis: "x", sign: 1, least: 220, most: 0.5, first: 0.27, room: 0.2 },
  { id: "split-answer", name: "--answer", axis: "x", sign: -1, least: 220, most: 0.45, first: 0.22, room: 0.26 },
  { id: "split-run", name: "--run", axis: "y", sign: -1, least: 96, most: 0.8, first: 0.42 },
];
const TITLES = { read: t`Read`, code: t`Code`, room: t`Room`, run: t`Run`, answer: t`Answer` };

function extent(split) {
  return split.axis === "x" ? byId("main").clientWidth : byId("centre").clientHeight;
}

class Splitter {
  constructor(split) {
    // A room needs more width than an editor, so its sizes are kept apart.
    const room = document.getElementById("pane-room");
    this.split = split;
    this.first = (room && split.room) || split.first;
    this.memory = `${room ? "room" : ""}pane${split.name}`;
    this.bar = byId(split.id);
    this.size = Number(preference(this.memory)) || Math.round(extent(split) * this.first);
    this.bar.addEventListener("keydown", (event) => this.#key(event));
    this.bar.addEventListener("pointerdown", (event) => this.#drag(event));
    this.bar.addEventListener("dblclick", () => this.set(extent(split) * this.first, true));
    this.set(this.size);
  }

  set(size, keep = false) {
    const { least, most, name } = this.split;
    const limit = Math.max(least, Math.round(extent(this.split) * most));
    this.size = Math.min(limit, Math.max(least, Math.round(size)));
    byId("main").style.setProperty(name, `${this.size}px`);
    this.bar.setAttribute("aria-valuemin", String(least));
    this.bar.setAttribute("aria-valuemax", String(limit));
    this.bar.setAttribute("aria-valuenow", String(this.size));
    this.bar.setAttribute("aria-valuetext", t`${this.size} pixels`);
    if (keep) preference(this.memory, String(this.size));
  }

  #key(event) {
    const { axis, sign } = this.split;
    const [less, more] = axis === "x" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const moves = { [less]: -STEP * sign, [more]: STEP * sign, Home: -1e6, End: 1e6 };
    if (!(event.key in moves)) return;
    event.preventDefault();
    this.set(this.size + moves[event.key], true);
  }

  #drag(event) {
    const { axis, sign } = this.split;
    const place = (e) => (axis === "x" ? e.clientX : e.clientY);
    const [start, size] = [place(event), this.size];
    const move = (e) => this.set(size + (place(e) - start) * sign, true);
    const stop = () => {
      this.bar.removeEventListener("pointermove", move);
      this.bar.classList.remove("dragging");
    };
    event.preventDefault();
    this.bar.focus();
    this.bar.setPointerCapture(event.pointerId);
    this.bar.classList.add("dragging");
    this.bar.addEventListener("pointermove", move);
    this.bar.addEventListener("pointerup", stop, { once: true });
    this.bar.addEventListener("pointercancel", stop, { once: true });
  }
}

/** The button in a pane's head that lets the pane fill the page. */
export function fillButton(key) {
  const button = el(
    "button",
    {
      type: "button",
      className: "quiet fill",
      "aria-pressed": "false",
      "aria-label": t`Show only “${TITLES[key]}”`,
      title: t`Show only this part`,
      onclick: () => fill(document.body.dataset.full === key ? null : key),
    },
    "⤢",
  );
  button.dataset.fill = key;
  return button;
}

function fill(key) {
  if (key) document.body.dataset.full = key;
  else delete document.body.dataset.full;
  for (const button of document.querySelectorAll("[data-fill]")) {
    button.setAttribute("aria-pressed", String(button.dataset.fill === key));
  }
}

/** Where one was in this tab; on a narrow window otherwise the brief, which is what one begins with. */
function firstPane(keys, revising) {
  const kept = sessionStorage.getItem(PLACE);
  if (NARROW.matches && keys.includes(kept)) return kept;
  if (NARROW.matches && !revising) return "read";
  return keys.includes("code") ? "code" : "room";
}

/** Set up splitters and, on narrow windows, tabs; returns show(key) to bring a pane forward.
 *  revising: what was to be read has been read before. */
export function setUpPanes({ revising }) {
  const splitters = SPLITS.filter((split) => document.getElementById(split.id)).map((split) => new Splitter(split));
  addEventListener("resize", () => splitters.forEach((splitter) => splitter.set(splitter.size)));
  const keys = Object.keys(TITLES).filter((key) => document.getElementById(`pane-${key}`));
  const items = keys.map((key) => ({ key, label: TITLES[key], panel: `pane-${key}` }));
  const bar = tabs(byId("pane-tabs"), items, (key) => show(key));

  function show(key) {
    document.body.dataset.shown = key;
    sessionStorage.setItem(PLACE, key);
    bar.show(key);
    if (document.body.dataset.full && document.body.dataset.full !== key) fill(null);
  }

  function roles() {
    for (const { key, panel } of items) {
      const node = byId(panel);
      if (NARROW.matches) node.setAttribute("role", "tabpanel");
      else node.removeAttribute("role");
      node.dataset.pane = key;
    }
  }

  NARROW.addEventListener("change", roles);
  roles();
  show(firstPane(keys, revising));
  return show;
}
