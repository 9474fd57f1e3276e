// What-ifs: the plan played against the published demand, a stated number of times; earlier ones stay to compare.

import { announce } from "../../headnode/announce.js";
import { openDialog } from "../../headnode/dialogs.js";
import { clockTime, el, once } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { trouble } from "../workplace/retry.js";
import { WhatIfResult } from "./whatif_result.js";
import { plain } from "./words.js";

const SHORT = ["waits_met", "wait_p95_h", "delivered", "months_over", "usd_per_gpu_hour"];

class WhatIf {
  #turn = 0;

  constructor(host, room) {
    this.host = host;
    this.room = room;
    this.model = room.board.model;
    this.whatIfs = room.board.whatIfs;
    this.chosen = null;
    this.other = null;
    this.#build();
    this.whatIfs.addEventListener("list", () => this.#list());
    this.whatIfs.addEventListener("done", ({ detail }) => this.#done(detail.run));
    this.model.addEventListener("lock", () => this.#list());
    this.whatIfs.refresh();
  }

  #build() {
    this.button = el(
      "button",
      { type: "button", className: "primary", name: "play", onclick: (event) => this.#press(event), onkeydown: once },
      t`Play this plan`,
    );
    this.left = el("strong", { className: "whatif-left" });
    this.state = el("span", { className: "muted small", role: "status" });
    this.note = el("p", { className: "note warn", role: "alert", hidden: true });
    this.earlier = el("div", {});
    this.result = el("div", { className: "whatif-result", tabindex: "-1" });
    this.empty = el(
      "p",
      { className: "empty" },
      t`Nothing has been played yet. What your plan comes to appears here: waits by class and month, GPU-hours
        delivered, use, limits exceeded, saturation and cost, beside a naive plan.`,
    );
    this.host.append(
      el(
        "div",
        { className: "plan-page" },
        el("div", { className: "plan-tools" }, this.button, this.left, this.state),
        el(
          "p",
          { className: "muted small whatif-about" },
          t`The plan as it stands is played hour by hour over the twelve months, with the growth that the
            documents expect. What you hand in is played over other years around it, so leave room for what may
            turn out otherwise. What-ifs are there to help you; they are not scored. One that you stop (Ctrl+.)
            counts as none.`,
        ),
        this.note,
        this.earlier,
        this.empty,
        this.result,
      ),
    );
  }

  /** The second press of a double click is not meant for Stop, which has taken the button's place. */
  async #press(event) {
    if (this.button.getAttribute("aria-disabled") === "true") return;
    if (!this.whatIfs.busy) await this.whatIfs.run();
    else if (event.detail < 2) await this.whatIfs.stop();
  }

  /** Play, or Stop in its place while a plan is played. */
  #face(none) {
    const { button, whatIfs } = this;
    const { busy } = whatIfs;
    button.textContent = busy ? t`Stop` : t`Play this plan`;
    button.title = busy ? t`Ctrl+.` : "";
    button.classList.toggle("primary", !busy);
    button.setAttribute("aria-disabled", String(busy ? !whatIfs.going : none || !whatIfs.told || this.#locked()));
  }

  #list() {
    const { whatIfs, model } = this;
    const { told } = whatIfs;
    const none = told && told.left === 0;
    this.#face(none);
    this.left.textContent = told ? t`${told.left} of ${told.allowed} left in this round` : "";
    this.state.textContent = whatIfs.sentence;
    const note =
      whatIfs.trouble ||
      (none ? told.used_up : "") ||
      (model.unreadable ? t`The plan cannot be read, so it cannot be played.` : "");
    if (this.note.textContent !== note) this.note.textContent = note;
    this.note.hidden = !note;
    this.empty.hidden = whatIfs.runs.some(({ counts }) => counts) || Boolean(this.chosen);
    this.#earlier();
    if (!this.chosen && !whatIfs.busy) {
      const newest = whatIfs.runs.find(({ counts }) => counts);
      if (newest) this.show({ id: newest.id });
    }
  }

  #locked() {
    return this.model.answer.locked;
  }

  get #played() {
    return this.whatIfs.runs.filter(({ counts }) => counts);
  }

  /** What-ifs are counted from the first one on. */
  #name(id) {
    const played = this.#played;
    return t`What-if ${played.length - played.findIndex((run) => run.id === id)}`;
  }

  #earlier() {
    const played = this.#played;
    const shape = JSON.stringify([played.map(({ id }) => id), this.chosen, this.other, this.model.readOnly]);
    if (shape === this.shape) return;
    this.shape = shape;
    if (!played.length) {
      this.earlier.replaceChildren();
      return;
    }
    const measures = this.whatIfs.told.measures.filter(({ key }) => SHORT.includes(key));
    const head = el(
      "tr",
      {},
      ["What-if", t`Played`, ...measures.map(({ title, unit }) => `${title}, ${unit}`), ""].map((title, at) =>
        el(
          "th",
          { scope: "col", className: at > 1 && at < measures.length + 2 ? "figure" : "" },
          title || el("span", { className: "unseen" }, t`What can be done`),
        ),
      ),
    );
    const rows = played.map((run) => this.#line(run, measures));
    this.earlier.replaceChildren(
      el(
        "div",
        { className: "scroll", tabindex: "0", role: "region", "aria-label": t`What-ifs so far` },
        el("table", { className: "whatif-runs" }, el("thead", {}, head), el("tbody", {}, rows)),
      ),
    );
  }

  #line(run, measures) {
    const name = this.#name(run.id);
    const cells = measures.map(() => el("td", { className: "figure" }, "…"));
    this.whatIfs
      .report(run.id)
      .then(({ report }) =>
        measures.forEach(({ key }, at) => (cells[at].textContent = plain(report?.timeline?.measures?.[key], 2))),
      )
      .catch(() => cells.forEach((cell) => (cell.textContent = "–")));
    const button = (text, title, press, pressed = null) =>
      el(
        "button",
        {
          type: "button",
          className: "quiet",
          "aria-label": `${title}: ${name}`,
          "aria-pressed": pressed,
          onclick: press,
        },
        text,
      );
    const tools = [
      button(t`Show`, t`Show`, () => this.show({ id: run.id }), String(this.chosen === run.id)),
      this.chosen && this.chosen !== run.id
        ? button(t`Compare`, t`Compare with`, () => this.#compare(run.id), String(this.other === run.id))
        : "",
      this.model.readOnly ? "" : button(t`Take back`, t`Take the plan back of`, () => this.#takeBack(run.id)),
    ];
    return el(
      "tr",
      { className: this.chosen === run.id ? "chosen" : "" },
      el("th", { scope: "row" }, name, run.round > 1 ? t`, revision` : null),
      el("td", {}, `${clockTime(run.created_at)}, #${run.draft}`),
      cells,
      el("td", { className: "whatif-tools" }, tools),
    );
  }

  #done(run) {
    this.chosen = null;
    this.show({ id: run.id });
    announce(t`The plan was played. The figures are shown below.`);
  }

  #compare(id) {
    this.other = this.other === id ? null : id;
    this.#show();
  }

  /** Show a what-if by its id. */
  show({ id }) {
    if (this.other === id) this.other = null;
    this.chosen = id;
    this.#show();
  }

  async #show() {
    const turn = (this.#turn += 1);
    const { chosen, other } = this;
    this.#earlier();
    try {
      const [run, beside] = await Promise.all([this.whatIfs.report(chosen), other ? this.whatIfs.report(other) : null]);
      if (turn !== this.#turn) return;
      const view = new WhatIfResult({
        run,
        title: this.#name(chosen),
        other: beside,
        otherTitle: other ? this.#name(other) : "",
        measures: this.whatIfs.told.measures,
        room: this.room,
      });
      this.result.replaceChildren(view.node);
      this.empty.hidden = true;
    } catch (error) {
      if (turn === this.#turn)
        this.result.replaceChildren(trouble(t`The what-if could not be fetched: ${error.message}`, () => this.#show()));
    }
  }

  async #takeBack(id) {
    const name = this.#name(id);
    const sure = await openDialog({
      title: t`Take the plan of ${name} back?`,
      content: el(
        "p",
        {},
        t`The plan as it was when you played ${name} takes the place of the present one: orders, phases, money
          rows, risks and figures. Your written sections stay. The present plan is kept in History.`,
      ),
      buttons: [
        { value: false, label: t`Keep the present plan` },
        { value: true, label: t`Take it back`, primary: true },
      ],
    });
    if (!sure) return;
    try {
      const { plan } = await this.whatIfs.report(id);
      announce(this.model.take(plan) ? t`The plan of ${name} is back.` : t`The plan cannot be changed now.`);
    } catch (error) {
      this.note.hidden = false;
      this.note.textContent = t`The plan could not be fetched: ${error.message}`;
    }
  }
}

export function setUp(host, room) {
  return new WhatIf(host, room);
}
