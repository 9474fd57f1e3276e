// What every row of the bill of materials has: month, name, what is said of it, deletion.

import { announce } from "../../headnode/announce.js";
import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { toneSign } from "./check_list.js";
import { act, Choice } from "./fields.js";
import { monthText } from "./words.js";

/** Kind of row -> its tag, its month's field, and what a new one is called. */
export const KINDS = {
  purchases: { tag: t`Buy`, month: "month", noun: t`purchase`, add: t`Buy` },
  cloud: { tag: t`Rent`, month: "from", noun: t`rented GPUs`, add: t`Rent from a cloud` },
  retire: { tag: t`Retire`, month: "month", noun: t`retirement`, add: t`Retire nodes` },
  policies: { tag: t`Policy`, month: "month", noun: t`policy change`, add: t`Change a policy` },
};

/** Common to all: month, name, what is said of it, deletion. A kind gives its own cells. */
export class Row {
  constructor(list, id, bill) {
    this.list = list;
    this.id = id;
    this.bill = bill;
    this.model = bill.model;
    this.names = bill.names;
    this.fields = [];
    const { tag, noun } = KINDS[list];
    this.name = `${noun} ${id}`;
    this.month = this.field(
      "month",
      new Choice({
        name: "month",
        label: this.label(t`Month`),
        options: this.months(),
        change: (month) => this.#toMonth(month, false),
      }),
      KINDS[list].month,
    );
    // Typing in a list chooses letter by letter: the row goes to its month once the list is left.
    this.month.node.addEventListener("blur", () => this.moving && setTimeout(() => this.#moveNow()));
    this.told = el("div", { className: "bill-told" });
    this.extra = el("div", { className: "bill-extra" });
    const gone = act("×", t`Delete ${this.name}`, () => this.#remove());
    this.gone = gone;
    this.node = el(
      "li",
      { className: "bill-row", "data-id": id, "data-list": list, onkeydown: (event) => this.#key(event) },
      el(
        "div",
        { className: "bill-cells", role: "group", "aria-label": this.name },
        this.month.node,
        el("div", { className: "bill-what" }, el("span", { className: "tag" }, tag), this.what()),
        ...this.cells(),
        gone,
      ),
      this.extra,
      this.told,
    );
  }

  label(text) {
    return `${text}, ${this.name}`;
  }

  months() {
    return this.names.months.map((name) => [name, monthText(name)]);
  }

  field(key, input, name = key) {
    this.fields.push({ input, name });
    return input;
  }

  get row() {
    return this.model.find(this.list, this.id);
  }

  set(fields, shape = false) {
    this.model.set(this.list, this.id, fields, shape);
  }

  #toMonth(month, now) {
    this.moving = !now;
    this.set({ [KINDS[this.list].month]: month, ...this.moved(month) }, now);
    if (now) announce(`${this.name}: ${monthText(month)}.`);
  }

  #moveNow() {
    this.moving = false;
    this.bill.regroup();
  }

  /** What else changes with the month. */
  moved(_month) {
    return {};
  }

  /** What is ordered: one element. */
  what() {
    return null;
  }

  /** The cells between that and the end. */
  cells() {
    return [];
  }

  /** Alt and the arrows move the row to the month before or after. */
  #key(event) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || !event.altKey || event.target.matches("select") || this.model.readOnly) return;
    event.preventDefault();
    const at = this.names.place(this.row[KINDS[this.list].month]) + by;
    if (at >= 0 && at < this.names.months.length) this.#toMonth(this.names.months[at], true);
  }

  #remove() {
    this.model.remove(this.list, this.id);
    announce(t`Deleted: ${this.name}. Undo is offered above the rows.`);
    this.bill.deleted();
  }

  /** Take over what the model has, and what the checks say of it. */
  refresh(checks) {
    const { row } = this;
    if (!row) return;
    for (const { input, name } of this.fields) input.refresh(row[name], this.model.readOnly);
    this.gone.hidden = this.model.readOnly;
    this.filled(row, checks);
    const said = checks.of(this.id);
    const shape = JSON.stringify(said);
    if (shape === this.said) return;
    this.said = shape;
    this.node.dataset.tone = said[0]?.tone ?? "ok";
    this.told.replaceChildren(...said.map(({ tone, text }) => el("p", { className: tone }, toneSign(tone), text)));
  }

  filled(_row, _checks) {}

  focus(name = "") {
    (this.node.querySelector(`[name="${name || "month"}"]`) || this.month.node).focus();
  }
}

export function cell(label, ...content) {
  return el(
    "div",
    { className: "bill-cell" },
    el("span", { className: "bill-label", "aria-hidden": "true" }, label),
    ...content,
  );
}
