// One row of the bill of materials: a purchase, rented GPUs, a retirement or a change of policy.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { MONEY } from "../workplace/currency.js";
import { Choice, Figure, Words } from "./fields.js";
import { cell, Row } from "./order_row.js";
import { monthText, plain, usd } from "./words.js";

/** Units that are no pieces. */
const PARTED = new Set(["kW", "TB"]);

class Purchase extends Row {
  what() {
    const options = (this.names.facts.items || []).map(({ item, title, price_usd: price, unit }) => [
      item,
      PARTED.has(unit) ? t`${title}, ${usd(price)} ${MONEY} per ${unit}` : t`${title}, ${usd(price)} ${MONEY} each`,
    ]);
    return this.field(
      "item",
      new Choice({
        name: "item",
        label: this.label(t`What`),
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
        label: this.label(t`Count`),
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
        label: this.label(t`Site`),
        options: sites,
        blank: t`Site…`,
        change: (value) => this.set({ site: value }),
      }),
    );
    this.arrives = el("span", { className: "bill-arrives" });
    this.cost = el("span", { className: "figure" });
    this.note = this.field(
      "note",
      new Words({
        name: "note",
        label: this.label(t`Note`),
        placeholder: t`Note`,
        change: (note) => this.set({ note }),
      }),
    );
    return [
      cell(t`Count`, count.node),
      cell(t`Site`, site.node),
      cell(t`Arrives`, this.arrives),
      cell(MONEY, this.cost),
    ];
  }

  filled(row, checks) {
    if (!this.note.node.parentNode) this.extra.append(this.note.node);
    const offer = this.names.offer(row.item);
    const order = checks.order(this.id);
    this.arrives.textContent = order ? (order.arrives ? monthText(order.arrives) : t`after the year`) : "–";
    this.arrives.title = order?.text || "";
    this.arrives.classList.toggle("late", Boolean(order) && !order.arrives);
    this.cost.textContent = usd(order?.usd ?? (offer && row.count ? offer.price_usd * row.count : null));
  }
}

class Rented extends Row {
  what() {
    const options = (this.names.facts.cloud || []).map(({ kind, title, usd_gpu_hour: price }) => [
      kind,
      (title || this.names.kind(kind)) + (price ? t`, ${price.toFixed(2)} ${MONEY} a GPU-hour` : ""),
    ]);
    return this.field(
      "kind",
      new Choice({
        name: "kind",
        label: this.label(t`Kind of rent`),
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
        label: this.label(t`Region`),
        options: regions,
        blank: t`Any region`,
        change: (value) => this.set({ region: value }),
      }),
    );
    const until = this.field(
      "to",
      new Choice({
        name: "to",
        label: this.label(t`Last month`),
        options: this.months(),
        blank: t`Until…`,
        change: (to) => this.set({ to }),
      }),
    );
    this.cost = el("span", { className: "figure" });
    return [cell("GPUs", gpus.node), cell(t`Region`, region.node), cell(t`Until`, until.node), cell(MONEY, this.cost)];
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
      : t`every class that may leave the sites`;
    this.summary.textContent = t`For ${whole}`;
    this.cost.textContent = usd(checks.order(this.id)?.usd ?? this.#usd(row));
    this.cost.title = t`If it is rented all hours`;
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
        title || key,
        may === false ? t` (its data stay at the sites)` : null,
      );
    });
    this.summary = el("summary", { className: "small" });
    this.extra.append(
      el(
        "details",
        { className: "bill-classes" },
        this.summary,
        el("div", { role: "group", "aria-label": this.label(t`Classes of work`) }, boxes),
      ),
    );
  }
}

class Retirement extends Row {
  what() {
    const kinds = [...new Set((this.names.facts.node_types || []).map(({ item }) => item))].map((item) => [item, item]);
    return this.field(
      "item",
      new Choice({ name: "item", label: this.label(t`Nodes`), options: kinds, change: (item) => this.set({ item }) }),
    ).node;
  }

  cells() {
    const count = this.field(
      "count",
      new Figure({
        name: "count",
        label: this.label(t`Count`),
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
        label: this.label(t`Site`),
        options: sites,
        blank: t`Site…`,
        change: (value) => this.set({ site: value }),
      }),
    );
    this.there = el("span", { className: "muted small" });
    return [cell(t`Count`, count.node), cell(t`Site`, site.node), cell(t`Of`, this.there), cell("", el("span", {}))];
  }

  filled(row) {
    const found = (this.names.facts.node_types || []).filter(
      ({ item, site }) => item === row.item && (!row.site || site === row.site),
    );
    this.there.textContent = found.length ? t`of ${plain(found.reduce((sum, { count }) => sum + count, 0))}` : "";
  }
}

class PolicyChange extends Row {
  what() {
    const options = (this.names.facts.policies || []).map(({ policy, title }) => [policy, title || policy]);
    return this.field(
      "policy",
      new Choice({
        name: "policy",
        label: this.label(t`Policy`),
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
    return [cell(t`Value`, this.place), cell("", el("span", { className: "muted small" }, t`from then on`))];
  }

  filled(row) {
    if (this.shown !== row.policy) this.#input(row.policy);
    this.value?.refresh(typeof row.value === "boolean" ? (row.value ? "yes" : "no") : row.value, this.model.readOnly);
    const fact = this.#fact(row.policy);
    this.extra.textContent = fact ? t`${fact.about || ""} Now: ${valueText(fact, fact.default)}.` : "";
  }

  #input(policy) {
    this.shown = policy;
    const fact = this.#fact(policy);
    const label = this.label(t`Value`);
    const yes = [
      ["yes", t`Yes`],
      ["no", t`No`],
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
  if (typeof value === "boolean") return value ? t`yes` : t`no`;
  return value === null || value === undefined || value === ""
    ? t`not set`
    : `${value}${fact.unit ? ` ${fact.unit}` : ""}`;
}

const CLASSES = { purchases: Purchase, cloud: Rented, retire: Retirement, policies: PolicyChange };

/** The row of a list by its name. */
export function orderRow(list, id, bill) {
  return new CLASSES[list](list, id, bill);
}
