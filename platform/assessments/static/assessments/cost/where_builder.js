// The filter of an opportunity: keys that narrow one another, values that are either-or.

import { announce } from "../../headnode/announce.js";
import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { usd } from "./bill_data.js";
import { KEYS, MOST } from "./opportunity_model.js";

const SHOWN = 200;

/** One sentence why a value cannot be added, or "". */
function problemOf(key, value, where) {
  if (!value) return t`Choose a value, or write one; * stands for any text.`;
  if (key === "tag" && !value.includes("=")) return t`Write a tag as key=value, for example team=serving.`;
  if (value.length > MOST.value) return t`A value has at most ${MOST.value} characters.`;
  if (where[key]?.includes(value)) return t`That value is in the filter already.`;
  return (where[key]?.length ?? 0) >= MOST.values ? t`A key has at most ${MOST.values} values; * stands for many.` : "";
}

export class WhereBuilder {
  /** id: of the opportunity; changed(where) takes the new filter. */
  constructor(id, changed) {
    this.id = id;
    this.changed = changed;
    this.where = {};
    this.offered = {};
    this.chips = el("ul", { className: "chips", "aria-label": t`Filter` });
    this.none = el(
      "p",
      { className: "muted small where-none" },
      t`No filter yet: say on which rows of the bill it acts.`,
    );
    this.key = el(
      "select",
      { "aria-label": t`Key of the filter`, onchange: () => this.#offer() },
      KEYS.map((key) => el("option", { value: key }, key)),
    );
    const list = `values-${id}`;
    this.values = el("datalist", { id: list });
    this.value = el("input", {
      type: "text",
      name: "where",
      "aria-label": t`Value of the filter`,
      list,
      autocomplete: "off",
      spellcheck: false,
      placeholder: t`value, * for any`,
      onkeydown: (event) => this.#enter(event),
    });
    this.problem = el("p", { className: "problem small", role: "alert" });
    this.adder = el(
      "div",
      { className: "where-add" },
      this.key,
      this.value,
      this.values,
      el("button", { type: "button", className: "quiet", onclick: () => this.#add() }, t`Add`),
    );
    this.node = el(
      "div",
      { className: "where", role: "group", "aria-label": t`Where it acts` },
      this.chips,
      this.none,
      this.adder,
      this.problem,
    );
  }

  /** offered: key -> values of the bill, as the catalogue has them. */
  offer(offered) {
    this.offered = offered;
    this.#offer();
  }

  #offer() {
    const values = (this.offered[this.key.value] || []).slice(0, SHOWN);
    this.values.replaceChildren(
      ...values.map(({ value, usd: cost }) => el("option", { value, label: `${value} · ${usd(cost)}` })),
    );
    this.value.placeholder = this.key.value === "tag" ? "key=value" : t`value, * for any`;
  }

  #enter(event) {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    this.#add();
  }

  #add() {
    const [key, value] = [this.key.value, this.value.value.trim()];
    const problem = problemOf(key, value, this.where);
    this.problem.textContent = problem;
    this.value.setAttribute("aria-invalid", String(Boolean(problem)));
    this.value.focus();
    if (problem) return;
    this.value.value = "";
    this.changed({ ...this.where, [key]: [...(this.where[key] || []), value] });
    announce(t`Added: ${key} ${value}.`);
  }

  #remove(key, value, at) {
    const left = this.where[key].filter((one) => one !== value);
    const { [key]: gone, ...others } = this.where;
    this.changed(left.length ? { ...this.where, [key]: left } : others);
    announce(t`Taken out: ${key} ${value}.`);
    const buttons = this.chips.querySelectorAll("button");
    (buttons[Math.min(at, buttons.length - 1)] || this.value).focus();
  }

  refresh(where, readOnly) {
    const shape = JSON.stringify([where, readOnly]);
    if (shape === this.shape) return;
    this.shape = shape;
    this.where = where;
    const pairs = Object.entries(where).flatMap(([key, values]) =>
      values.map((value, index) => ({ key, value, index })),
    );
    this.chips.replaceChildren(
      ...pairs.map(({ key, value, index }, at) =>
        el(
          "li",
          { className: "chip" },
          el("span", { className: "chip-key" }, index ? "or" : key),
          el("span", {}, value),
          readOnly
            ? null
            : el(
                "button",
                {
                  type: "button",
                  className: "quiet",
                  "aria-label": t`Take out ${key} ${value}`,
                  onclick: () => this.#remove(key, value, at),
                },
                "×",
              ),
        ),
      ),
    );
    this.chips.hidden = !pairs.length;
    this.none.hidden = pairs.length > 0;
    this.adder.hidden = readOnly;
  }
}
