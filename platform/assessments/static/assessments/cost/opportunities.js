// The opportunity table beside the written answer: cards in the order of priority, with what they come to.

import { announce } from "../../headnode/announce.js";
import { Refused } from "../../headnode/api.js";
import { openDialog } from "../../headnode/dialogs.js";
import { el } from "../../headnode/dom.js";
import { counted, listed, t } from "../../headnode/words.js";
import { offerUndo, placeCards } from "../workplace/card_list.js";
import { askLines, catalogueOf, usd } from "./bill_data.js";
import { OpportunityCard } from "./opportunity_card.js";
import { FILE, OpportunityModel } from "./opportunity_model.js";
import { opportunityText, whereText } from "./opportunity_text.js";

const ASKED_FOR = 5;
const COUNTED_AFTER_MS = 500;
const AGAIN_AFTER_MS = 8_000;

/** The part of the answer that stands beside the written sections, with the interface of the board. */
export class Opportunities extends EventTarget {
  title = t`Opportunities`;
  #room = null;
  #catalogue = null;
  #told = null;
  #timer = 0;
  #turn = 0;

  constructor(answer, { show }) {
    super();
    this.answer = answer;
    this.show = show;
    this.model = new OpportunityModel(answer);
    this.cards = new Map();
    this.#build();
    for (const event of ["shape", "lock"]) this.model.addEventListener(event, () => this.#draw());
    this.model.addEventListener("change", () => this.#changed());
    this.#draw();
  }

  #build() {
    this.sum = el("div", { className: "board-sum bill-sum" });
    this.hints = el("ul", { className: "bill-hints small", "aria-label": t`Hints` });
    this.state = el("span", { className: "tag", hidden: true });
    this.list = el("ol", { className: "board-cards", "aria-label": t`Opportunities, in the order of priority` });
    this.empty = el(
      "p",
      { className: "empty" },
      t`No opportunity yet. Add one here, or set a filter under Explore and use it as where. At least five are
        asked for; prose alone is read as a full answer too.`,
    );
    this.add = el("button", { type: "button", onclick: () => this.#add() }, t`Add an opportunity`);
    this.undo = el("div", { className: "board-undo", role: "status" });
    this.words = el("pre", { className: "text wrap", tabindex: "0" });
    this.text = el(
      "details",
      { className: "board-words", ontoggle: () => this.#words() },
      el("summary", {}, t`The table as text`),
      this.words,
    );
    this.trouble = el("p", { className: "note bad", hidden: true });
    this.node = el(
      "div",
      { className: "pane-body board", role: "group", "aria-label": t`Opportunity table` },
      this.trouble,
      this.sum,
      this.hints,
      this.list,
      this.empty,
      this.undo,
      el("div", { className: "board-tools" }, this.state, this.add),
      this.text,
    );
  }

  /** The room is there: values to choose from, and somebody to ask what a filter selects. */
  async entered(room) {
    this.#room = room;
    this.cards.get(this.model.subject)?.node.scrollIntoView({ block: "start" });
    this.#count();
    try {
      this.#catalogue = await catalogueOf(room);
      for (const card of this.cards.values()) card.offer(this.#catalogue);
    } catch (error) {
      console.warn(`The bill's values: ${error.message}`);
      setTimeout(() => this.entered(room), AGAIN_AFTER_MS);
    }
  }

  /** Hand a filter to an opportunity: asks to which. left: what of it no filter can say. True when it was done. */
  async use(where, left = []) {
    const { model } = this;
    if (model.readOnly) {
      await openDialog({
        title: t`The filter was not used`,
        content: el(
          "p",
          {},
          model.mayRevise
            ? t`The table is locked for the moment.`
            : t`The table is read only in this round: the revision asks for another part.`,
        ),
        buttons: [{ value: null, label: t`Close`, primary: true }],
      });
      return false;
    }
    const id = await this.#askWhich(where, left);
    if (id === null) return false;
    const row = id ? model.find(id) : model.add({ where });
    if (!row) return false;
    if (id) model.setWhere(id, where);
    this.show();
    this.cards.get(row.id)?.focus("what");
    announce(t`The filter is that of opportunity ${model.rows.indexOf(row) + 1}: ${whereText(where)}.`);
    return true;
  }

  async #askWhich(where, left) {
    const { model } = this;
    const rows = model.rows.filter(({ id }) => !model.isFixed(id));
    const choice = el(
      "select",
      { "aria-label": t`Opportunity`, autofocus: true },
      model.canAdd ? el("option", { value: "" }, t`A new opportunity`) : null,
      rows.map((row) =>
        el(
          "option",
          { value: row.id },
          `${model.rows.indexOf(row) + 1}. ${row.what.slice(0, 70) || t`nothing said yet`}`,
        ),
      ),
    );
    const sure = await openDialog({
      title: t`Use this filter as where`,
      content: [
        el("p", {}, t`It acts on: `, el("strong", {}, whereText(where)), "."),
        left.length
          ? el(
              "p",
              { className: "note warn" },
              t`Not part of it: ${left.join("; ")}. A filter names kinds of rows, in every month of the bill.`,
            )
          : null,
        el("label", { className: "field" }, t`For`, choice),
      ].filter(Boolean),
      buttons: [
        { value: false, label: t`Cancel` },
        { value: true, label: t`Use it`, primary: true },
      ],
    });
    return sure ? choice.value : null;
  }

  #add() {
    const row = this.model.add();
    if (row) this.cards.get(row.id)?.focus("what");
  }

  #draw() {
    const { model } = this;
    placeCards(this, (id) => this.#newCard(id));
    this.empty.hidden = model.rows.length > 0;
    this.trouble.hidden = !model.unreadable;
    this.trouble.textContent = model.unreadable
      ? t`What was saved as ${FILE} is not a table of opportunities, so it is shown below as it is and left
        unchanged. An earlier draft in History may have one that can be read.`
      : "";
    this.add.hidden = !model.canAdd;
    this.state.hidden = model.mayRevise && this.answer.focus !== FILE;
    this.state.textContent = model.mayRevise ? t`To revise` : t`Read only`;
    offerUndo(
      this.undo,
      model,
      (row) => row.what.slice(0, 60) || t`an opportunity without words`,
      ({ id }) => this.cards.get(id)?.focus("what"),
    );
    this.#figures();
    this.#words();
  }

  #newCard(id) {
    const card = new OpportunityCard(id, this.model, this);
    if (this.#catalogue) card.offer(this.#catalogue);
    return card;
  }

  /** After a deletion the keyboard goes to the undo. */
  deleted() {
    this.undo.querySelector("button")?.focus();
  }

  #changed() {
    this.#figures();
    this.#words();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#count(), COUNTED_AFTER_MS);
  }

  /** Ask what the filters select; a page that cannot ask keeps what it knew. */
  async #count() {
    if (!this.#room || !this.model.rows.length) return;
    const turn = ++this.#turn;
    try {
      const told = await askLines(this.#room, this.model.rows);
      if (turn !== this.#turn) return;
      this.#told = { ...told, rows: new Map(told.rows.map((row) => [row.id, row])) };
      for (const [id, card] of this.cards) card.told(this.#told.rows.get(id) ?? null);
      this.#figures();
    } catch (error) {
      console.warn("opportunities", error.message);
      const mayPass = !(error instanceof Refused) || error.passing;
      if (turn === this.#turn && mayPass) this.#timer = setTimeout(() => this.#count(), AGAIN_AFTER_MS);
    }
  }

  /** Claimed USD a year of a row, as far as it is known; null without a figure. */
  #claimed(row) {
    if (row.saving.value === null) return null;
    return row.saving.kind === "money" ? row.saving.value : (this.#told?.rows.get(row.id)?.claimed_usd ?? null);
  }

  #figures() {
    const { rows } = this.model;
    const claims = rows.map((row) => this.#claimed(row)).filter((value) => value !== null);
    const sum = claims.reduce((a, b) => a + b, 0);
    const total = this.#told?.total_usd ?? this.#catalogue?.total_usd ?? 0;
    const share = total && claims.length ? t`, ${((sum / total) * 100).toFixed(1)} % of the bill of ${usd(total)}` : "";
    this.sum.hidden = !rows.length;
    this.sum.replaceChildren(
      el(
        "p",
        {},
        counted("{0} opportunity", "{0} opportunities", rows.length),
        ": ",
        el("strong", {}, t`${usd(sum)} a year`),
        t` from ${counted("{0} figure", "{0} figures", claims.length)}${share}.`,
      ),
    );
    const hints = this.#hints();
    this.hints.replaceChildren(...hints.map((text) => el("li", {}, text)));
    this.hints.hidden = !hints.length;
  }

  #hints() {
    const { rows } = this.model;
    if (!rows.length || this.model.readOnly) return [];
    const number = (id) => rows.findIndex((row) => row.id === id) + 1;
    const named = (list) => list.map(({ id }) => number(id)).join(", ");
    const bare = rows.filter(({ what, saving }) => what.trim() && saving.value === null);
    const found = (this.#told?.overlaps ?? []).filter(({ ids }) => ids.every((id) => number(id)));
    return [
      this.model.canAdd && rows.length < ASKED_FOR && t`At least five are asked for: ${ASKED_FOR - rows.length} more.`,
      bare.length && t`Without a figure: ${named(bare)}. A row without one counts as named, not as reckoned.`,
      ...found.map(
        ({ ids, usd: cost }) =>
          t`${listed(ids.map(number))} act on the same ${usd(cost)} of the bill: what one saves the other
            cannot save again.`,
      ),
    ].filter(Boolean);
  }

  #words() {
    if (this.text.open) this.words.textContent = opportunityText(this.answer.files.get(FILE)?.text ?? "");
  }
}
