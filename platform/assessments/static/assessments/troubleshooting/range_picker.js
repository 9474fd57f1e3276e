// The range of time that charts, queries and logs share: typed, relative or chosen, and as a link to come back to.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { copyAndSay } from "../workplace/clipboard.js";
import { linkTo } from "../workplace/links.js";
import { Popover } from "../workplace/popover.js";
import { offsetText, plainTime, readMoment } from "../workplace/site_time.js";
import { lengthText } from "./metrics_time.js";

const HOUR = 3_600_000;
const WRONG = t`Write a time as 2026-10-12 15:02:00 (year and seconds may be left out), or beside the recording:
  now-6h, run+90m,
    run end.`;

/** [label, from, to] of the stretches that people look at first. */
function usualRanges({ from, to }, run) {
  return [
    [t`Everything recorded`, from, to],
    [t`The slow run`, run.from_ms, run.to_ms],
    [t`First hour of the run`, run.from_ms, run.from_ms + HOUR],
    [t`Two hours before the run`, run.from_ms - 2 * HOUR, run.from_ms],
    [t`Last 6 hours of the run`, run.to_ms - 6 * HOUR, run.to_ms],
    [t`Last hour recorded`, to - HOUR, to],
  ];
}

export class RangePicker extends Popover {
  /** source: the tab's key, told with every range that is chosen here. */
  constructor(room, source) {
    super("");
    this.room = room;
    this.source = source;
    this.offsetMin = room.incident.offset_min;
    this.text.className = "mbar-range";
    this.panel.setAttribute("aria-label", t`Range of time`);
    this.from = el("input", { type: "text", autocomplete: "off", spellcheck: false });
    this.to = el("input", { type: "text", autocomplete: "off", spellcheck: false });
    this.problem = el("p", { className: "problem small", role: "alert" });
    this.panel.append(
      el(
        "p",
        { className: "muted small" },
        t`The site's time, ${room.incident.zone} (UTC ${offsetText(this.offsetMin)}). Charts, queries and logs follow.`,
      ),
      this.#field(t`From`, this.from),
      this.#field(t`To`, this.to),
      this.problem,
      el(
        "div",
        { className: "facet-tools" },
        this.#button(t`Set`, () => this.#apply(), "primary"),
        this.#button(t`Copy link to this time`, () => this.#link()),
      ),
      el(
        "div",
        { className: "range-usual", role: "group", "aria-label": t`Usual ranges` },
        usualRanges(room.window, room.incident.run).map(([label, from, to]) =>
          this.#button(label, () => this.#choose(from, to)),
        ),
      ),
    );
    room.addEventListener("range", () => this.follow());
    this.follow();
  }

  #field(name, input) {
    input.addEventListener("keydown", (event) => event.key === "Enter" && (event.preventDefault(), this.#apply()));
    return el("label", { className: "field" }, name, input);
  }

  #button(label, onclick, className = "quiet") {
    return el("button", { type: "button", className, onclick }, label);
  }

  follow() {
    const { range, room } = this;
    const seconds = range.to - range.from < HOUR;
    const text = (ms) => room.timeText(ms, { seconds });
    const [told, long] = [`${text(range.from)} – ${text(range.to)}`, ` (${lengthText(range.to - range.from)})`];
    this.text.replaceChildren(told, el("span", { className: "range-length" }, long));
    this.button.setAttribute("aria-label", t`Range of time: ${told + long}`);
    this.button.classList.toggle("set", !room.whole);
    this.from.value = plainTime(range.from, this.offsetMin);
    this.to.value = plainTime(range.to, this.offsetMin);
    this.problem.textContent = "";
  }

  get range() {
    return this.room.range;
  }

  #choose(from, to) {
    this.room.setRange(from, to, this.source);
    this.toggle(false);
    this.button.focus();
  }

  #apply() {
    const { window, incident } = this.room;
    const anchors = { now: window.to, run: incident.run.from_ms, "run end": incident.run.to_ms };
    const year = new Date(window.to).getUTCFullYear();
    const [from, to] = [this.from, this.to].map((input) =>
      readMoment(input.value, { offsetMin: this.offsetMin, year, anchors }),
    );
    if (from === null || to === null) this.problem.textContent = WRONG;
    else if (to <= from) this.problem.textContent = t`The end has to come after the beginning.`;
    else if (to <= window.from || from >= window.to)
      this.problem.textContent = t`Nothing was recorded in this time: the recording is older or younger.`;
    else this.#choose(from, to);
  }

  async #link() {
    const { from, to } = this.range;
    const link = linkTo(this.source, { from_ms: Math.round(from), to_ms: Math.round(to) });
    await copyAndSay(link, t`Link to this time copied: it opens this tab with the same range.`);
  }
}
