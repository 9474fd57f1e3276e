// What one moment of a replay holds, as text: the value of every series, and which job runs where.

import { el } from "./dom.js";
import { figure } from "./measures.js";
import { barsAt, lastBefore, markWord, valueAt } from "./replay_data.js";
import { counted, t } from "./words.js";

const MOST_BARS = 50;
const CALM_MS = 250;

/** One sentence for a screen reader. */
export function summary(stage) {
  const parts = stage.sides.map(({ data, side }) => {
    const values = data.series.map(
      (series) => `${series.label} ${figure(valueAt(data, series, stage.time), series.unit)}`,
    );
    const running = barsAt(data, stage.time).length;
    const jobs = data.rows.length ? `; ${counted("{0} bar on machines", "{0} bars on machines", running)}` : "";
    return `${stage.b ? `${side}: ` : ""}${values.join(", ")}${jobs}`;
  });
  return `${stage.moment(stage.time)}. ${parts.join(". ")}.`;
}

export class MomentTable {
  constructor(stage) {
    this.stage = stage;
    this.body = el("div", { className: "moment-body" });
    this.live = el(
      "button",
      { type: "button", className: "quiet", title: t`Key r`, onclick: () => stage.readOut() },
      t`Read out this moment`,
    );
    this.details = el(
      "details",
      { className: "moment", ontoggle: () => this.#fill() },
      el("summary", {}, t`At this moment`),
      this.live,
      this.body,
    );
    this.node = this.details;
  }

  /** Filled only while open, and not while the cursor still moves. */
  follow() {
    if (!this.details.open || this.at === this.stage.time) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#fill(), CALM_MS);
  }

  #fill() {
    if (!this.details.open) return;
    this.at = this.stage.time;
    this.body.replaceChildren(
      el("p", { className: "mono" }, this.stage.moment(this.at)),
      ...this.stage.sides
        .flatMap(({ data, side }) => [
          this.stage.b ? el("h5", {}, side) : null,
          this.#values(data),
          this.#marks(data),
          this.#bars(data),
        ])
        .filter(Boolean),
    );
  }

  #values(data) {
    if (!data.series.length) return null;
    const rows = data.groups.flatMap((group) =>
      group.series.map((series) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, series.label),
          el("td", { className: "figure" }, figure(valueAt(data, series, this.at), series.unit)),
          el("td", { className: "muted" }, group.title),
        ),
      ),
    );
    return table(t`Values`, [t`Series`, t`Value`, t`Chart`], rows);
  }

  /** The marks between the sample of this moment and the next one. */
  #marks(data) {
    const index = lastBefore(data.t, this.at);
    const [from, to] = [data.t[index] ?? data.from, data.t[index + 1] ?? data.to + 1];
    const near = data.marks.filter((mark) => from <= mark.t && mark.t < to);
    if (!near.length) return null;
    const rows = near
      .slice(0, MOST_BARS)
      .map((mark) =>
        el(
          "tr",
          {},
          el("th", { scope: "row", className: "mono" }, this.stage.moment(mark.t)),
          el("td", {}, markWord(mark.kind)),
          el("td", {}, mark.text),
        ),
      );
    return table(t`Marks until the next sample`, [t`Time`, t`Kind`, t`What happened`], rows);
  }

  #bars(data) {
    if (!data.rows.length) return null;
    const bars = barsAt(data, this.at);
    if (!bars.length) return el("p", { className: "muted" }, t`No job runs on any machine.`);
    const rows = bars
      .slice(0, MOST_BARS)
      .map((bar) =>
        el(
          "tr",
          {},
          el("th", { scope: "row", className: "mono" }, bar.name),
          el("td", {}, bar.label),
          el("td", {}, bar.kind),
          el("td", { className: "mono" }, this.stage.moment(bar.from)),
        ),
      );
    const title =
      bars.length > MOST_BARS ? t`What runs where: the first ${MOST_BARS} of ${bars.length}` : t`What runs where`;
    return table(title, [t`Machine`, t`What`, t`Kind`, t`Since`], rows);
  }
}

function table(caption, heads, rows) {
  return el(
    "div",
    { className: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el(
      "table",
      {},
      el("caption", {}, caption),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          heads.map((head) => el("th", { scope: "col", className: head === "Value" ? "figure" : "" }, head)),
        ),
      ),
      el("tbody", {}, rows),
    ),
  );
}
