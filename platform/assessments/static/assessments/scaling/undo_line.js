// Offers to put back what was deleted last, until something else is deleted or put back.

import { announce } from "../../headnode/announce.js";
import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";

export class UndoLine {
  /** lists: names of the plan's lists that this line is for; back(list, id) brings the row to the eye. */
  constructor(model, lists, back) {
    this.model = model;
    this.lists = lists;
    this.back = back;
    this.node = el("div", { className: "board-undo", role: "status" });
  }

  refresh() {
    const gone = this.model.removed;
    const shown = gone && this.lists.includes(gone.list) && !this.model.readOnly;
    if (!shown) this.node.replaceChildren();
    else if (this.shown !== gone)
      this.node.replaceChildren(
        t`${gone.row.id} was deleted.`,
        el("button", { type: "button", name: "undo", onclick: () => this.#undo() }, t`Undo`),
      );
    this.shown = shown ? gone : null;
  }

  focus() {
    this.node.querySelector("button")?.focus();
  }

  #undo() {
    const { list } = this.model.removed;
    const row = this.model.undo();
    if (!row) return;
    announce(t`${row.id} is back.`);
    this.back(list, row.id);
  }
}
