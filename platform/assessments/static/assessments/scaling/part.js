// The plan beside the written answer: its checks in short, and the figures that the candidate stands for.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { MONEY } from "../workplace/currency.js";
import { checkList, tally } from "./check_list.js";
import { Checks } from "./checks.js";
import { PlanModel } from "./model.js";
import { MoneySheet } from "./money_sheet.js";
import { planText } from "./plan_text.js";
import { WhatIfs } from "./what_ifs.js";
import { readNumber } from "./words.js";

const CLAIMS = [
  ["capex_usd", t`Capital in the year`, MONEY],
  ["opex_usd", t`Running cost in the year`, MONEY],
  ["cloud_usd", t`Cloud in the year`, MONEY],
  ["payback_months", t`Payback`, "months"],
  ["wait_p95_h", t`p95 wait over the year`, "hours"],
  ["gpu_hours", t`GPU-hours delivered`, "GPU-hours"],
];

function shown(value) {
  return value === undefined || value === null ? "" : value.toLocaleString("en-GB", { maximumFractionDigits: 4 });
}

/** Has the interface of the board of an incident; the plan has no pins. */
export class Part extends EventTarget {
  title = t`Plan`;

  constructor(answer, { show, queue }) {
    super();
    this.answer = answer;
    this.show = show;
    this.model = new PlanModel(answer);
    this.checks = new Checks(this.model);
    this.sheet = new MoneySheet(this.model, this.checks);
    this.whatIfs = new WhatIfs(this.model, queue);
    this.#build();
    this.model.addEventListener("change", () => this.#refresh());
    this.model.addEventListener("lock", () => this.#refresh());
    this.checks.addEventListener("checks", () => this.#drawChecks());
    this.#refresh();
  }

  /** There are no pins in a plan: nothing is ever pinned. */
  isPinned() {
    return false;
  }

  async ask(_pins, room) {
    room.announce(t`There is nothing to pin to in this exercise: name the file and the line in your text.`);
    return false;
  }

  /** The room is there: what may be ordered, and where the plan is checked. */
  entered(room) {
    this.room = room;
    this.model.begin(room.manifest.growth?.start);
    this.checks.begin(`${room.urls.plan}/checks`);
    this.whatIfs.begin(`${room.urls.plan}/what-ifs`);
    this.#refresh();
  }

  #build() {
    this.trouble = el(
      "p",
      { className: "note bad", hidden: true },
      t`The plan in this draft cannot be read, so it is not shown and nothing overwrites it. Go back to an
        earlier draft through History.`,
    );
    this.state = el("span", { className: "tag", hidden: true });
    this.sum = el("p", { className: "plan-tally", role: "status" });
    this.list = el("div", { className: "plan-short" });
    this.boxes = new Map();
    const claims = CLAIMS.map(([name, label, unit]) => this.#claim(name, label, unit));
    this.words = el("pre", { className: "text wrap", tabindex: "0", "aria-label": t`The plan as text` });
    const words = el(
      "details",
      { className: "board-words", ontoggle: () => words.open && this.#refresh() },
      el("summary", {}, t`The plan as text`),
      this.words,
    );
    this.wordsOpen = words;
    this.node = el(
      "div",
      { className: "pane-body plan-part", role: "group", "aria-label": t`The plan in short` },
      this.trouble,
      this.state,
      el("h3", {}, t`Checks`),
      this.sum,
      this.list,
      el("h3", {}, t`Figures you stand for`),
      el(
        "p",
        { className: "muted small" },
        t`State what your plan costs and brings. They are compared with what the plan reaches when it is
          played; leave out what you do not claim.`,
      ),
      el("div", { className: "plan-claims" }, claims),
      words,
    );
  }

  #claim(name, label, unit) {
    const problem = el("span", { className: "problem small", role: "alert" });
    const box = el("input", { type: "text", inputMode: "decimal", autocomplete: "off", name: `claim-${name}` });
    box.addEventListener("input", () => {
      const value = readNumber(box.value);
      problem.textContent = value === undefined ? t`Write a number, for example 1,250,000 or 1.25 M.` : "";
      box.setAttribute("aria-invalid", String(value === undefined));
      if (value !== undefined) this.model.claim(name, value);
    });
    box.addEventListener("blur", () => this.#refresh());
    this.boxes.set(name, box);
    return el(
      "label",
      { className: "field" },
      el("span", {}, label, el("span", { className: "muted" }, ` (${unit})`)),
      box,
      problem,
    );
  }

  #refresh() {
    const { model } = this;
    this.trouble.hidden = !model.unreadable;
    this.state.hidden = !model.readOnly || model.unreadable;
    this.state.textContent = model.mayRevise ? t`Locked for the moment` : t`Read only in this round`;
    for (const [name, box] of this.boxes) {
      const value = model.plan.claims[name];
      if (document.activeElement !== box) {
        box.value = typeof value === "number" ? shown(value) : (value ?? "");
        box.removeAttribute("aria-invalid");
      }
      box.readOnly = model.readOnly;
    }
    if (this.wordsOpen.open) this.words.textContent = planText(model.text);
    this.#drawChecks();
  }

  #drawChecks() {
    const said = tally(this.checks);
    if (this.sum.textContent !== said) this.sum.textContent = said;
    const wrong = this.checks.rows.filter(({ tone }) => tone === "bad" || tone === "warn");
    this.list.replaceChildren(checkList(wrong.slice(0, 8), this.room, { more: wrong.length - 8 }));
  }
}
