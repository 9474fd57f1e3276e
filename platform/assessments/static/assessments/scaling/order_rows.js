// One row of the bill of materials: a purchase, rented GPUs, a retirement or a change of policy.

import { announce } from "../../headnode/announce.js";
import { el } from "../../headnode/dom.js";
import { toneSign } from "./check_list.js";
import { act, Choice, Figure, Words } from "./fields.js";
import { monthText, plain, usd } from "./words.js";

/** Kind of row -> its tag, its month's field, and what a new one is called. */
export const KINDS = {
  purchases: { tag: "Buy", month: "month", noun: "purchase", add: "Buy" },
  cloud: { tag: "Rent", month: "from", noun: "rented GPUs", add: "Rent from a cloud" },
  retire: { tag: "Retire", month: "month", noun: "retirement", add: "Retire nodes" },
  policies: { tag: "Policy", month: "month", noun: "policy change", add: "Change a policy" },
};

/** Units that are no pieces. */
const PARTED = new Set(["kW", "TB"]);

/** Common to all: month, name, what is said of it, deletion. A kind gives its own cells. */
class Row {
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
        label: this.label("Month"),
        options: this.months(),
        change: (month) => this.#toMonth(month, false),
      }),
      KINDS[list].month,
    );
    // Typing in a list chooses letter by letter: the row goes to its month once the list is left.
    this.month.node.addEventListener("blur", () => this.moving && setTimeout(() => this.#moveNow()));
    this.told = el("div", { className: "bill-told" });
    this.extra = el("div", { className: "bill-extra" });
    const gone = act("×", `Delete ${this.name}`, () => this.#remove());
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
    announce(`Deleted: ${this.name}. Undo is offered above the rows.`);
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

function cell(label, ...content) {
  return el(
    "div",
    { className: "bill-cell" },
    el("span", { className: "bill-label", "aria-hidden": "true" }, label),
    ...content,
  );
}

class Purchase extends Row {
  what() {
    const options = (this.names.facts.items || []).map(({ item, title, price_usd: price, unit }) => [
      item,
      `${title}, ${usd(price)} USD ${PARTED.has(unit) ? `per ${unit}` : "each"}`,
    ]);
    return this.field(
      "item",
      new Choice({
        name: "item",
        label: this.label("What"),
        options,
        change: (item) => this.set({ item, ...this.#site(item) }),
      }),
    ).node;
  }

  /** A site that can take it is filled in where there is only one. */
  #site(item) {
    const offer = this.names.offer(item);
    if (!offer?.sites?.length || offer.sites.includes(this.row.site)) return {};
    return offer.sites.length === 1 ? { site: offer.sites[0] } : {};
  }

  cells() {
    const count = this.field(
      "count",
      new Figure({
        name: "count",
        label: this.label("Count"),
        whole: true,
        least: 1,
        change: (value) => this.set({ count: value }),
      }),
    );
    const sites = (this.names.facts.sites || []).map(({ name }) => [name, name]);
    const site = this.field(
      "site",
      new Choice({
        name: "site",
        label: this.label("Site"),
        options: sites,
        blank: "Site…",
        change: (value) => this.set({ site: value }),
      }),
    );
    this.arrives = el("span", { className: "bill-arrives" });
    this.cost = el("span", { className: "figure" });
    this.note = this.field(
      "note",
      new Words({ name: "note", label: this.label("Note"), placeholder: "Note", change: (note) => this.set({ note }) }),
    );
    return [cell("Count", count.node), cell("Site", site.node), cell("Arrives", this.arrives), cell("USD", this.cost)];
  }

  filled(row, checks) {
    if (!this.note.node.parentNode) this.extra.append(this.note.node);
    const offer = this.names.offer(row.item);
    const order = checks.order(this.id);
    this.arrives.textContent = order ? (order.arrives ? monthText(order.arrives) : "after the year") : "–";
    this.arrives.title = order?.text || "";
    this.arrives.classList.toggle("late", Boolean(order) && !order.arrives);
    this.cost.textContent = usd(order?.usd ?? (offer && row.count ? offer.price_usd * row.count : null));
  }
}

class Rented extends Row {
  what() {
    const options = (this.names.facts.cloud || []).map(({ kind, title, usd_gpu_hour: price }) => [
      kind,
      `${title || this.names.kind(kind)}${price ? `, ${price.toFixed(2)} USD a GPU-hour` : ""}`,
    ]);
    return this.field(
      "kind",
      new Choice({
        name: "kind",
        label: this.label("Kind of rent"),
        options,
        change: (kind) => this.set({ kind, ...this.#region(kind) }),
      }),
    ).node;
  }

  #regions(kind) {
    return (this.names.facts.cloud || []).find((offer) => offer.kind === kind)?.regions || [];
  }

  #region(kind) {
    const regions = this.#regions(kind);
    return regions.length === 1 ? { region: regions[0] } : {};
  }

  cells() {
    const gpus = this.field(
      "gpus",
      new Figure({
        name: "gpus",
        label: this.label("GPUs"),
        whole: true,
        least: 1,
        step: 8,
        change: (value) => this.set({ gpus: value }),
      }),
    );
    const regions = [...new Set((this.names.facts.cloud || []).flatMap((offer) => offer.regions || []))].map((name) => [
      name,
      name,
    ]);
    const region = this.field(
      "region",
      new Choice({
        name: "region",
        label: this.label("Region"),
        options: regions,
        blank: "Any region",
        change: (value) => this.set({ region: value }),
      }),
    );
    const until = this.field(
      "to",
      new Choice({
        name: "to",
        label: this.label("Last month"),
        options: this.months(),
        blank: "Until…",
        change: (to) => this.set({ to }),
      }),
    );
    this.cost = el("span", { className: "figure" });
    return [cell("GPUs", gpus.node), cell("Region", region.node), cell("Until", until.node), cell("USD", this.cost)];
  }

  /** The last month never lies before the first. */
  moved(from) {
    const { to } = this.row;
    return to && this.names.place(to) < this.names.place(from) ? { to: from } : {};
  }

  filled(row, checks) {
    if (!this.classes) this.#classes();
    for (const [key, box] of this.classes) {
      box.checked = row.classes.includes(key);
      box.disabled = this.model.readOnly;
    }
    const whole = row.classes.length
      ? row.classes.map((key) => this.names.classTitle(key)).join(", ")
      : "every class that may leave the sites";
    this.summary.textContent = `For ${whole}`;
    this.cost.textContent = usd(checks.order(this.id)?.usd ?? this.#usd(row));
    this.cost.title = "If it is rented all hours";
  }

  #usd(row) {
    const offer = (this.names.facts.cloud || []).find((one) => one.kind === row.kind);
    const price = offer?.prices?.[row.region] ?? offer?.usd_gpu_hour;
    const [from, to] = [this.names.place(row.from), this.names.place(row.to)];
    if (!price || !row.gpus || from < 0 || to < from) return null;
    const hours = this.names.facts.months.slice(from, to + 1).reduce((sum, { hours: h }) => sum + (h || 730), 0);
    return price * row.gpus * hours;
  }

  #classes() {
    this.classes = new Map();
    const boxes = (this.names.facts.classes || []).map(({ job_class: key, title, may_burst: may }) => {
      const box = el("input", {
        type: "checkbox",
        onchange: () => this.set({ classes: [...this.classes].filter(([, one]) => one.checked).map(([name]) => name) }),
      });
      this.classes.set(key, box);
      return el(
        "label",
        { className: "check" },
        box,
        `${title || key}${may === false ? " (its data stay at the sites)" : ""}`,
      );
    });
    this.summary = el("summary", { className: "small" });
    this.extra.append(
      el(
        "details",
        { className: "bill-classes" },
        this.summary,
        el("div", { role: "group", "aria-label": this.label("Classes of work") }, boxes),
      ),
    );
  }
}

class Retirement extends Row {
  what() {
    const kinds = [...new Set((this.names.facts.node_types || []).map(({ item }) => item))].map((item) => [item, item]);
    return this.field(
      "item",
      new Choice({ name: "item", label: this.label("Nodes"), options: kinds, change: (item) => this.set({ item }) }),
    ).node;
  }

  cells() {
    const count = this.field(
      "count",
      new Figure({
        name: "count",
        label: this.label("Count"),
        whole: true,
        least: 1,
        change: (value) => this.set({ count: value }),
      }),
    );
    const sites = (this.names.facts.sites || []).map(({ name }) => [name, name]);
    const site = this.field(
      "site",
      new Choice({
        name: "site",
        label: this.label("Site"),
        options: sites,
        blank: "Site…",
        change: (value) => this.set({ site: value }),
      }),
    );
    this.there = el("span", { className: "muted small" });
    return [cell("Count", count.node), cell("Site", site.node), cell("Of", this.there), cell("", el("span", {}))];
  }

  filled(row) {
    const found = (this.names.facts.node_types || []).filter(
      ({ item, site }) => item === row.item && (!row.site || site === row.site),
    );
    this.there.textContent = found.length ? `of ${plain(found.reduce((sum, { count }) => sum + count, 0))}` : "";
  }
}

class PolicyChange extends Row {
  what() {
    const options = (this.names.facts.policies || []).map(({ policy, title }) => [policy, title || policy]);
    return this.field(
      "policy",
      new Choice({
        name: "policy",
        label: this.label("Policy"),
        options,
        change: (policy) => this.set({ policy, value: this.#first(policy) }),
      }),
    ).node;
  }

  #fact(policy) {
    return (this.names.facts.policies || []).find((one) => one.policy === policy) || null;
  }

  /** The value that a change most likely means: the other one of two, else what holds now. */
  #first(policy) {
    const fact = this.#fact(policy);
    if (!fact) return null;
    return fact.kind === "yes_no" ? !fact.default : (fact.default ?? null);
  }

  cells() {
    this.place = el("span", { className: "bill-value" });
    return [cell("Value", this.place), cell("", el("span", { className: "muted small" }, "from then on"))];
  }

  filled(row) {
    if (this.shown !== row.policy) this.#input(row.policy);
    this.value?.refresh(typeof row.value === "boolean" ? (row.value ? "yes" : "no") : row.value, this.model.readOnly);
    const fact = this.#fact(row.policy);
    this.extra.textContent = fact ? `${fact.about || ""} Now: ${valueText(fact, fact.default)}.` : "";
  }

  #input(policy) {
    this.shown = policy;
    const fact = this.#fact(policy);
    const label = this.label("Value");
    const yes = [
      ["yes", "Yes"],
      ["no", "No"],
    ];
    if (!fact) this.value = null;
    else if (fact.kind === "yes_no")
      this.value = new Choice({
        name: "value",
        label,
        options: yes,
        blank: null,
        change: (text) => this.set({ value: text === "yes" }),
      });
    else if (fact.kind === "choice")
      this.value = new Choice({
        name: "value",
        label,
        options: (fact.choices || []).map((one) => [one, one]),
        change: (text) => this.set({ value: text }),
      });
    else this.value = new Figure({ name: "value", label, change: (value) => this.set({ value }) });
    this.place.replaceChildren(
      ...(this.value
        ? [this.value.node, fact.unit ? el("span", { className: "muted small" }, ` ${fact.unit}`) : ""]
        : []),
    );
  }
}

function valueText(fact, value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === null || value === undefined || value === ""
    ? "not set"
    : `${value}${fact.unit ? ` ${fact.unit}` : ""}`;
}

const CLASSES = { purchases: Purchase, cloud: Rented, retire: Retirement, policies: PolicyChange };

/** The row of a list by its name. */
export function orderRow(list, id, bill) {
  return new CLASSES[list](list, id, bill);
}
