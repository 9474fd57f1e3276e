// The risk register: what may go wrong, how likely and how bad, what is done, by whom, and at what reading.

import { announce } from "../../headnode/announce.js";
import { el } from "../../headnode/dom.js";
import { counted, t } from "../../headnode/words.js";
import { toneSign } from "./check_list.js";
import { act, Choice, Words } from "./fields.js";
import { UndoLine } from "./undo_line.js";
import { STEP_WORDS } from "./words.js";

const STEPS = ["low", "medium", "high"];
/** Rows from high to low likelihood, columns from low to high impact. */
const TONES = [
  ["watch", "act", "act"],
  ["calm", "watch", "act"],
  ["calm", "calm", "watch"],
];
const MEANS = { calm: STEP_WORDS.low, watch: STEP_WORDS.medium, act: STEP_WORDS.high };

class RiskRow {
  constructor(id, register) {
    this.id = id;
    this.register = register;
    const { model } = register;
    const set = (fields) => model.set("risks", id, fields);
    this.fields = [];
    const field = (name, label, input) => {
      this.fields.push({ name, input });
      return el("label", { className: `field risk-${name}` }, label, input.node);
    };
    const words = (name, label, placeholder, rows = 2) =>
      field(
        name,
        label,
        new Words({ name, label: `${label}, ${id}`, placeholder, rows, change: (text) => set({ [name]: text }) }),
      );
    const step = (name, label) =>
      field(
        name,
        label,
        new Choice({
          name,
          label: `${label}, ${id}`,
          options: STEPS.map((one) => [one, STEP_WORDS[one]]),
          change: (text) => set({ [name]: text }),
        }),
      );
    const tools = el(
      "div",
      { className: "risk-tools" },
      act("↑", t`${id} one up`, () => this.#move(-1)),
      act("↓", t`${id} one down`, () => this.#move(1)),
      act(t`Delete`, t`Delete ${id}`, () => this.#remove()),
    );
    this.tools = tools;
    this.told = el("div", { className: "bill-told" });
    this.node = el(
      "li",
      { className: "risk-row", "data-id": id },
      el("div", { className: "risk-head" }, el("h3", { className: "mono" }, id), tools),
      el(
        "div",
        { className: "risk-cells", role: "group", "aria-label": t`Risk ${id}` },
        words("risk", t`Risk`, t`What may happen, and what follows`),
        step("likelihood", t`Likelihood`),
        step("impact", t`Impact`),
        words("mitigation", t`Mitigation`, t`What is done about it, and when`),
        words("owner", t`Owner`, "", 0),
        words("trigger", t`Trigger`, t`The reading at which it begins`, 1),
      ),
      this.told,
    );
  }

  #move(by) {
    if (this.register.model.move("risks", this.id, by)) announce(t`${this.id} moved.`);
    this.node.querySelector(by < 0 ? "button" : "button:nth-of-type(2)").focus();
  }

  #remove() {
    this.register.model.remove("risks", this.id);
    announce(t`${this.id} was deleted. Undo is offered above the rows.`);
    this.register.undo.refresh();
    this.register.undo.focus();
  }

  refresh(row, readOnly, said) {
    for (const { name, input } of this.fields) input.refresh(row[name], readOnly);
    this.tools.hidden = readOnly;
    this.told.replaceChildren(...said.map(({ tone, text }) => el("p", { className: tone }, toneSign(tone), text)));
  }

  focus(name = "risk") {
    this.node.querySelector(`[name="${name}"]`).focus();
  }
}

class Register {
  constructor(host, room) {
    this.host = host;
    this.room = room;
    this.model = room.board.model;
    this.checks = room.board.checks;
    this.rows = new Map();
    this.add = el("button", { type: "button", name: "add-risk", onclick: () => this.#add() }, t`Add a risk`);
    this.undo = new UndoLine(this.model, ["risks"], (_, id) => this.rows.get(id)?.focus());
    this.list = el("ol", { className: "risk-rows", "aria-label": t`Risks` });
    this.empty = el(
      "p",
      { className: "empty" },
      t`No risks yet. A row that helps names what is done before it happens, who does it, and the reading at
        which it begins.`,
    );
    this.picture = el("div", { className: "risk-picture" });
    host.append(
      el(
        "div",
        { className: "plan-page" },
        el("div", { className: "plan-tools" }, this.add),
        this.picture,
        this.undo.node,
        this.empty,
        this.list,
      ),
    );
    this.model.addEventListener("shape", () => this.#draw());
    this.model.addEventListener("change", () => this.#refresh());
    this.model.addEventListener("lock", () => this.#refresh());
    this.checks.addEventListener("checks", () => this.#refresh());
    this.#draw();
  }

  #add() {
    const row = this.model.add("risks");
    if (!row) return;
    announce(t`Risk ${row.id}.`);
    this.rows.get(row.id).focus();
  }

  #draw() {
    const rows = this.model.rows("risks");
    const kept = new Set(rows.map(({ id }) => id));
    for (const id of [...this.rows.keys()]) if (!kept.has(id)) this.rows.delete(id);
    for (const { id } of rows) if (!this.rows.has(id)) this.rows.set(id, new RiskRow(id, this));
    this.list.replaceChildren(...rows.map(({ id }) => this.rows.get(id).node));
    this.#refresh();
  }

  #refresh() {
    const rows = this.model.rows("risks");
    for (const row of rows) this.rows.get(row.id)?.refresh(row, this.model.readOnly, this.checks.of(row.id));
    this.add.disabled = this.model.readOnly;
    this.empty.hidden = rows.length > 0;
    this.undo.refresh();
    const shape = JSON.stringify(rows.map(({ id, risk, likelihood, impact }) => [id, risk, likelihood, impact]));
    if (shape !== this.shape) this.#paint(rows);
    this.shape = shape;
  }

  /** Likelihood upwards, impact to the right; each risk stands in its field. */
  #paint(rows) {
    const field = (likelihood, impact) => {
      const tone = TONES[2 - STEPS.indexOf(likelihood)][STEPS.indexOf(impact)];
      const here = rows.filter((row) => row.likelihood === likelihood && row.impact === impact);
      const marks = here.map(({ id, risk }) =>
        el(
          "button",
          {
            type: "button",
            className: "quiet risk-mark mono",
            title: risk || id,
            "aria-label": `${id}: ${risk || t`no words yet`}`,
            onclick: () => this.show({ id }),
          },
          id,
        ),
      );
      return el(
        "td",
        { className: `risk-field ${tone}` },
        el("span", { className: "unseen" }, t`Weight ${MEANS[tone]}: ${here.length ? "" : t`none`}`),
        marks,
      );
    };
    const head = el(
      "tr",
      {},
      el("td", {}),
      STEPS.map((impact) => el("th", { scope: "col" }, STEP_WORDS[impact])),
    );
    const body = [...STEPS].reverse().map((likelihood) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, STEP_WORDS[likelihood]),
        STEPS.map((impact) => field(likelihood, impact)),
      ),
    );
    const open = rows.filter((row) => !STEPS.includes(row.likelihood) || !STEPS.includes(row.impact)).length;
    this.picture.replaceChildren(
      el(
        "table",
        { className: "risk-map" },
        el("caption", {}, t`Likelihood upwards, impact to the right`),
        el("thead", {}, head),
        el("tbody", {}, body),
      ),
      el(
        "p",
        { className: "muted small" },
        open
          ? counted(
              "{0} of {1} has no likelihood or no impact yet.",
              "{0} of {1} have no likelihood or no impact yet.",
              open,
              rows.length,
            )
          : "",
      ),
    );
  }

  show({ id }) {
    const row = this.rows.get(id);
    row?.node.scrollIntoView({ block: "center" });
    row?.focus();
  }
}

export function setUp(host, room) {
  return new Register(host, room);
}
