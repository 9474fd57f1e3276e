// One opportunity: what is done, on which rows, what it saves, and what it takes.

import { announce } from "../../headnode/announce.js";
import { el } from "../../headnode/dom.js";
import { counted, t } from "../../headnode/words.js";
import { draggable, moveByKey, moveCard } from "../workplace/card_moves.js";
import { MONEY } from "../workplace/currency.js";
import { usd } from "./bill_data.js";
import { COMPLEXITIES, MOST, savingProblem } from "./opportunity_model.js";
import { WhereBuilder } from "./where_builder.js";

const UNITS = { k: 1e3, m: 1e6 };

/** A number as people type it: 12.5, 12,5, 120,000, 120k, 1.2M. null for nothing, undefined for what is none. */
function readAmount(text) {
  const found = /^([\d.,\s'’]+)([kM]?)$/i.exec(text.trim().replace(/\s*([A-Z]{3}|%|[$€£¥])$/i, ""));
  if (!text.trim()) return null;
  if (!found) return undefined;
  const digits = found[1].replace(/[\s'’]/g, "");
  const plain = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(digits) ? digits.replaceAll(",", "") : digits.replace(",", ".");
  const value = Number(plain) * (UNITS[found[2].toLowerCase()] ?? 1);
  return Number.isFinite(value) ? value : undefined;
}

function grow(box) {
  box.style.height = "auto";
  box.style.height = `${Math.min(box.scrollHeight + 2, 320)}px`;
}

export class OpportunityCard {
  #moves = false;

  constructor(id, model, table) {
    this.id = id;
    this.model = model;
    this.table = table;
    this.boxes = new Map();
    this.where = new WhereBuilder(id, (where) => model.setWhere(id, where));
    this.#build();
  }

  #build() {
    const { id, model } = this;
    this.number = el("h3", { className: "card-number" });
    this.state = el("span", { className: "tag", hidden: true }, t`To revise`);
    const act = (name, text, title, action) =>
      el("button", { type: "button", className: "quiet", name, title, "aria-label": title, onclick: action }, text);
    this.up = act("up", "↑", t`Higher priority`, () => moveCard(this, -1));
    this.down = act("down", "↓", t`Lower priority`, () => moveCard(this, 1));
    this.delete = act("delete", t`Delete`, t`Delete this opportunity`, () => {
      model.remove(id);
      this.table.deleted();
      announce(t`Deleted. Undo is offered below the cards.`);
    });
    this.handle = el(
      "span",
      { className: "card-handle", "aria-hidden": "true", title: t`Drag to change the priority` },
      "⠿",
    );
    this.rows = el(
      "details",
      { className: "card-rows", hidden: true },
      (this.rowsTitle = el("summary", {})),
      (this.rowsList = el("ul", {})),
    );
    this.complexity = el(
      "select",
      { name: "complexity", onchange: () => model.set(id, { complexity: this.complexity.value || null }) },
      el("option", { value: "" }, t`not said`),
      Object.entries(COMPLEXITIES).map(([value, word]) => el("option", { value }, word)),
    );
    this.node = el(
      "li",
      { className: "card opportunity", onkeydown: (event) => moveByKey(this, event) },
      el("div", { className: "card-head" }, this.handle, this.number, this.state, this.up, this.down, this.delete),
      this.#field("what", t`What is done, to what`, 2, MOST.field),
      el("p", { className: "card-label" }, t`Where it acts`),
      this.where.node,
      this.rows,
      this.#saving(),
      el(
        "div",
        { className: "card-pair" },
        el("label", { className: "field" }, t`Complexity`, this.complexity),
        this.#field("timeline", t`Until the first saving`, 0, MOST.timeline, t`6 weeks`),
      ),
      this.#field("risk", t`What could become worse, for whom`, 1, MOST.field),
      this.#field("dependency", t`What comes first; which rows act on the same money`, 1, MOST.field),
    );
    draggable(this, () => this.#moves);
  }

  #field(name, label, rows, maxLength, placeholder = "") {
    const box = rows
      ? el("textarea", { name, rows, maxLength, spellcheck: true })
      : el("input", { type: "text", name, maxLength, placeholder, autocomplete: "off" });
    box.addEventListener("input", () => {
      this.model.set(this.id, { [name]: box.value });
      if (rows) grow(box);
    });
    this.boxes.set(name, box);
    return el("label", { className: "field" }, label, box);
  }

  #saving() {
    this.value = el("input", {
      type: "text",
      name: "saving",
      inputMode: "decimal",
      autocomplete: "off",
      "aria-label": t`Saving`,
      oninput: () => this.#amount(),
    });
    this.kind = el(
      "select",
      { name: "kind", "aria-label": t`Unit of the saving`, onchange: () => this.#amount() },
      el("option", { value: "money" }, t`${MONEY} a year`),
      el("option", { value: "percent" }, t`% of`),
    );
    this.of = el("select", {
      name: "of",
      "aria-label": t`Of which line`,
      onchange: () => this.model.setSaving(this.id, { of: this.of.value }),
    });
    this.problem = el("p", { className: "problem small", role: "alert" });
    this.claim = el("p", { className: "small card-claim" });
    return el(
      "div",
      { className: "card-saving", role: "group", "aria-label": t`Saving in the twelve months after the bill` },
      el("p", { className: "card-label" }, t`Saving in the twelve months after the bill`),
      el("div", { className: "saving-row" }, this.value, this.kind, this.of),
      this.claim,
      this.problem,
    );
  }

  #judge(kind) {
    this.kind.value = kind;
    const value = readAmount(this.value.value);
    const problem = savingProblem(kind, value);
    this.problem.textContent = problem;
    this.value.setAttribute("aria-invalid", String(Boolean(problem)));
    return { value, problem };
  }

  #amount() {
    const kind = this.kind.value;
    const { value, problem } = this.#judge(kind);
    this.model.setSaving(this.id, {
      kind,
      value: problem ? null : value,
      of: kind === "percent" ? this.of.value : "",
      typed: problem ? this.value.value : "",
    });
    this.of.hidden = kind !== "percent";
  }

  focus(name) {
    this.node.querySelector(`[name="${name}"]`)?.focus();
  }

  /** The catalogue is there: values to choose from, and lines of which a percentage can be a part. */
  offer({ where }) {
    this.where.offer(where);
    const named = (key) =>
      where[key].filter(({ of }) => of === where[key][0].of).map(({ value }) => el("option", { value }, value));
    this.of.replaceChildren(
      el("option", { value: "" }, t`these rows`),
      el("option", { value: "total" }, t`the whole bill`),
      el("optgroup", { label: t`A service` }, named("service")),
      el("optgroup", { label: t`An account` }, named("account")),
    );
    const row = this.model.find(this.id);
    if (row) this.#setOf(row.saving.of);
  }

  #setOf(of) {
    if (![...this.of.options].some(({ value }) => value === of))
      this.of.append(el("option", { value: of }, of || t`these rows`));
    this.of.value = of;
  }

  /** Take over what the model has; a box in which somebody types keeps its text. */
  refresh(row, at) {
    const fixed = this.model.isFixed(row.id);
    this.#moves = !fixed;
    this.number.textContent = t`Priority ${at + 1}`;
    this.node.setAttribute("aria-label", t`Opportunity ${at + 1}`);
    this.state.hidden = this.model.subject !== row.id;
    for (const [name, box] of this.boxes) {
      if (box.value !== row[name]) box.value = row[name];
      box.readOnly = fixed;
      if (box.matches("textarea")) requestAnimationFrame(() => grow(box));
    }
    this.#refreshSaving(row.saving, fixed);
    this.complexity.value = row.complexity ?? "";
    this.complexity.disabled = fixed;
    this.up.disabled = at === 0;
    this.down.disabled = at === this.model.rows.length - 1;
    for (const node of [this.up, this.down, this.delete, this.handle]) node.hidden = fixed;
    this.where.refresh(row.where, fixed);
  }

  #refreshSaving(saving, fixed) {
    if (saving.typed && saving.typed !== this.value.value) {
      this.value.value = saving.typed;
      this.#judge(saving.kind);
    }
    const typed = readAmount(this.value.value);
    const isWrong = this.value.getAttribute("aria-invalid") === "true";
    if (!isWrong && (typed ?? null) !== saving.value)
      this.value.value =
        saving.value === null ? "" : saving.value.toLocaleString("en-GB", { maximumFractionDigits: 2 });
    if (!isWrong) this.kind.value = saving.kind;
    this.#setOf(saving.of);
    this.of.hidden = this.kind.value !== "percent";
    this.value.readOnly = fixed;
    this.kind.disabled = this.of.disabled = fixed;
  }

  /** What the server says of this row, or null while it is not known. */
  told(found) {
    const some = Boolean(found && Object.keys(this.model.find(this.id)?.where ?? {}).length);
    this.rows.hidden = !some;
    if (some) {
      this.rowsTitle.textContent = found.rows
        ? t`${counted("{0} row", "{0} rows", found.rows)} of the bill, ${usd(found.usd)}`
        : t`No row of the bill fits this filter`;
      this.rows.dataset.tone = found.rows ? "" : "warn";
      this.rowsList.replaceChildren(
        ...found.lines.map((line) =>
          el(
            "li",
            {},
            el("span", {}, [line.service, line.account, line.meter].filter(Boolean).join(" · ")),
            el("span", { className: "figure" }, usd(line.usd)),
          ),
        ),
      );
    }
    const saving = this.model.find(this.id)?.saving;
    const isPart = found && saving?.kind === "percent" && found.claimed_usd !== null;
    if (isPart && !found.base_usd) {
      this.claim.textContent = t`Say on which rows it acts, or of which line the percentage is.`;
      return;
    }
    this.claim.textContent = isPart
      ? t`= ${usd(found.claimed_usd)} a year, of ${usd(found.base_usd)} (${found.base})`
      : "";
  }
}
