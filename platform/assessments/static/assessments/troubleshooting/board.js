// The board beside the written answer: hypotheses as cards, with what they rest on.

import { announce } from "../../headnode/announce.js";
import { openDialog } from "../../headnode/dialogs.js";
import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { offerUndo, placeCards } from "../workplace/card_list.js";
import { Card } from "./board_card.js";
import { BoardModel, FILE } from "./board_model.js";
import { boardText } from "./board_text.js";
import { askWhere, sourceOf } from "./pins.js";

const HINTS = [
  t`Begin with how long a step took in each run, and which of its parts grew.`,
  t`One hypothesis is one thing that is wrong in one place. Say what you would expect to see if it were true.`,
  t`Refuted hypotheses are worth keeping: they show what you ruled out, and by what.`,
];

const MOST_PINS = 40;

function hours(value) {
  return `${value.toFixed(1)} h`;
}

/** Events: "pins". */
export class Board extends EventTarget {
  #last = null;
  #room = null;

  constructor(answer, { elapsed, show }) {
    super();
    this.answer = answer;
    this.show = show;
    this.model = new BoardModel(answer, { elapsed });
    this.cards = new Map();
    this.#build();
    this.model.addEventListener("shape", () => this.#draw());
    this.model.addEventListener("lock", () => this.#draw());
    this.model.addEventListener("change", () => this.#figures());
    this.model.addEventListener("pins", () => this.dispatchEvent(new CustomEvent("pins")));
    this.#draw();
  }

  #build() {
    this.sum = el("div", { className: "board-sum" });
    this.state = el("span", { className: "tag", hidden: true });
    this.list = el("ol", { className: "board-cards", "aria-label": t`Hypotheses` });
    this.hints = el(
      "ul",
      { className: "board-hints muted small", hidden: true },
      HINTS.map((hint) => el("li", {}, hint)),
    );
    this.empty = el(
      "p",
      { className: "empty" },
      t`Nothing on the board yet. Pin a line, a chart or a command's output to begin a hypothesis, or add one
        here. The board helps you think; prose alone is a full answer.`,
    );
    this.add = el("button", { type: "button", onclick: () => this.#add() }, t`Add a hypothesis`);
    this.rank = el("button", { type: "button", className: "quiet", onclick: () => this.#rank() });
    this.undo = el("div", { className: "board-undo", role: "status" });
    this.words = el("pre", { className: "text wrap", tabindex: "0" });
    const words = el(
      "details",
      { className: "board-words", ontoggle: () => words.open && this.#words() },
      el("summary", {}, t`The board as text`),
      this.words,
    );
    this.trouble = el("p", { className: "note bad", hidden: true });
    this.node = el(
      "div",
      { className: "pane-body board", role: "group", "aria-label": t`Board of hypotheses` },
      this.trouble,
      this.sum,
      this.hints,
      this.list,
      this.empty,
      this.undo,
      el("div", { className: "board-tools" }, this.state, this.add, this.rank),
      words,
    );
  }

  /** The room is there: run lengths, steps and the level are known from now on. */
  entered(room) {
    this.#room = room;
    this.model.steps = room.incident.steps || this.model.steps;
    this.hints.hidden = room.manifest.level !== "junior";
    this.#draw();
  }

  /** Put pins on the board after asking to which hypothesis; true when it was done. */
  async ask(pins, room) {
    const { model } = this;
    if (!pins.length) return false;
    if (model.readOnly) {
      announce(t`The board cannot be changed now.`, { now: true });
      await openDialog({
        title: t`Nothing was pinned`,
        content: el(
          "p",
          {},
          model.mayRevise
            ? t`The board is locked for the moment.`
            : t`The board is read only in this round: the revision asks for another part.`,
        ),
        buttons: [{ value: null, label: t`Close`, primary: true }],
      });
      return false;
    }
    if (pins.length > MOST_PINS) {
      await openDialog({
        title: t`Too many lines at once`,
        content: el(
          "p",
          {},
          t`${pins.length.toLocaleString("en-GB")} lines are chosen; pin at most ${MOST_PINS} at a time. The
            few that show it say more than all of them.`,
        ),
        buttons: [{ value: null, label: t`Close`, primary: true }],
      });
      return false;
    }
    const where = await askWhere(pins, model, room, this.#last);
    if (!where) return false;
    const row = where.id ? model.find(where.id) : model.add(where.claim);
    if (!row) return false;
    const count = model.addPins(
      row.id,
      pins.map((pin) => (where.note ? { ...pin, note: where.note } : pin)),
    );
    this.#last = row.id;
    const number = model.rows.indexOf(row) + 1;
    announce(count ? t`Pinned to hypothesis ${number}.` : t`That is pinned to hypothesis ${number} already.`);
    return true;
  }

  isPinned(path, line) {
    return this.model.rows.some(({ pins }) => pins.some((pin) => pin.path === path && pin.line === line));
  }

  /** Back to where a pin came from. */
  jump(pin) {
    if (!this.#room?.manifest) {
      announce(t`The room is not open yet.`);
      return;
    }
    this.#room.show(...sourceOf(pin, this.#room.manifest));
  }

  when(ms) {
    return this.#room?.manifest ? this.#room.timeText(ms) : new Date(ms).toISOString().slice(0, 16);
  }

  #add() {
    const row = this.model.add();
    if (row) this.cards.get(row.id)?.focus("claim");
  }

  #rank() {
    if (this.model.ranked) this.model.unrank();
    else this.model.number();
    announce(
      this.model.ranked ? t`The order of the cards is the order of priority.` : t`The cards have no priority now.`,
    );
    this.rank.focus();
  }

  #draw() {
    const { model } = this;
    placeCards(this, (id) => new Card(id, model, this));
    this.empty.hidden = model.rows.length > 0;
    this.trouble.hidden = !model.unreadable;
    this.trouble.textContent = model.unreadable
      ? t`What was saved as ${FILE} is not a board, so it is shown below as it is and left unchanged. An earlier
        draft in History may have a board that can be read.`
      : "";
    this.add.hidden = this.rank.hidden = model.readOnly;
    this.rank.hidden ||= model.rows.length < 2;
    this.rank.textContent = model.ranked ? t`No priorities` : t`Number by this order`;
    this.state.hidden = model.mayRevise && this.answer.focus !== FILE;
    this.state.textContent = model.mayRevise ? t`To revise` : t`Read only`;
    offerUndo(
      this.undo,
      model,
      (row) => row.claim.slice(0, 60) || t`a hypothesis without a claim`,
      ({ id }) => this.cards.get(id)?.focus("claim"),
    );
    this.#figures();
  }

  /** After a deletion the keyboard goes to the undo. */
  deleted() {
    this.undo.querySelector("button")?.focus();
  }

  get gap() {
    const incident = this.#room?.manifest?.incident;
    if (!incident) return null;
    const length = ({ from_ms: from, to_ms: to }) => (to - from) / 3_600_000;
    return {
      now: length(incident.run),
      before: length(incident.baseline),
      hours: length(incident.run) - length(incident.baseline),
    };
  }

  #figures() {
    const { supported, open } = this.model.hours;
    const { gap } = this;
    if (this.model.rows.length && this.node.querySelector(".board-words")?.open) this.#words();
    if (!gap) {
      this.sum.replaceChildren();
      return;
    }
    const share = (value) => `${Math.max(0, Math.min(100, (value / gap.hours) * 100))}%`;
    const bar = el(
      "div",
      { className: "board-bar", "aria-hidden": "true" },
      el("span", { className: "supported" }),
      el("span", { className: "open" }),
    );
    bar.children[0].style.width = share(supported);
    bar.children[1].style.width = share(Math.min(open, Math.max(0, gap.hours - supported)));
    const over =
      supported + open > gap.hours * 1.1
        ? el("p", { className: "small board-over" }, t`Together that is more than the time that was lost.`)
        : null;
    this.sum.replaceChildren(
      el(
        "p",
        { className: "small" },
        t`The job took ${hours(gap.now)}, the run to compare with ${hours(gap.before)}: `,
        el("strong", {}, t`${hours(gap.hours)} to explain`),
        ".",
      ),
      bar,
      el(
        "p",
        { className: "small" },
        el("span", { className: "key-supported" }, t`Supported ${hours(supported)}`),
        " · ",
        el("span", { className: "key-open" }, t`open ${hours(open)}`),
        t` · ${hours(Math.max(0, gap.hours - supported - open))} not on the board`,
      ),
      ...(over ? [over] : []),
    );
  }

  #words() {
    this.words.textContent = boardText(this.answer.files.get(FILE)?.text ?? "");
  }
}
