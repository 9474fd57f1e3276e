// What the plan makes of every month: figures by site beside their limits, money beside the budget.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { MONEY } from "../workplace/currency.js";
import { monthShort, monthText, plain, shortUsd, usd } from "./words.js";

function limited(value, limit) {
  return typeof value === "number" && typeof limit === "number" && value > limit + 1e-6;
}

/**
 * Rows of one site: title, key, key of its limit; `least`: the key holds what is there, the limit what is wanted.
 * @type {{ title: string, key: string, limit?: string, least?: boolean, most?: number }[]}
 */
const SITE = [
  { title: t`Nodes`, key: "nodes" },
  { title: t`Nodes that cannot be used`, key: "unused_nodes", most: 0 },
  { title: "GPUs", key: "gpus" },
  { title: t`Power, kW`, key: "power_kw", limit: "power_limit_kw" },
  { title: t`Racks`, key: "racks_used", limit: "racks" },
  { title: t`Leaf ports`, key: "leaf_ports_used", limit: "leaf_ports" },
  { title: t`Spine ports`, key: "spine_ports_used", limit: "spine_ports" },
  { title: t`Uplinks of those wanted`, key: "uplinks", limit: "uplinks_wanted", least: true },
  { title: t`Storage, TB`, key: "storage_tb" },
  { title: t`Storage, GB/s`, key: "storage_gbs" },
];

export class MonthTable {
  constructor(names) {
    this.names = names;
    this.node = el("div", {
      className: "scroll plan-months",
      tabindex: "0",
      role: "region",
      "aria-label": t`Month by month`,
    });
  }

  show(found) {
    const shape = JSON.stringify([found.months, found.quarters]);
    if (shape === this.shape) return;
    this.shape = shape;
    if (!found.months.length) {
      this.node.replaceChildren(
        el("p", { className: "muted" }, t`The figures appear here once the plan has been checked.`),
      );
      return;
    }
    const head = el(
      "tr",
      {},
      el("th", { scope: "col" }, t`Month`),
      found.months.map(({ month }) =>
        el("th", { scope: "col", className: "figure", title: monthText(month) }, monthShort(month)),
      ),
    );
    const sites = Object.keys(found.months[0].sites || {});
    const rows = [...this.#money(found), ...sites.flatMap((site) => this.#site(found, site, sites.length > 1))];
    this.node.replaceChildren(
      el("table", { className: "plan-month-table" }, el("thead", {}, head), el("tbody", {}, rows)),
    );
  }

  #row(title, months, cell) {
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, title),
      months.map((month) => cell(month)),
    );
  }

  #cell(text, over, title) {
    return el(
      "td",
      { className: over ? "figure over" : "figure", title },
      over
        ? [el("span", { "aria-hidden": "true" }, "✕ "), el("span", { className: "unseen" }, t`beyond the limit: `)]
        : "",
      text,
    );
  }

  #money(found) {
    const { months, quarters } = found;
    const rows = [
      [t`Orders, ${MONEY}`, "capex_usd"],
      [t`Running cost, ${MONEY}`, "opex_usd"],
    ].map(([title, key]) =>
      this.#row(title, months, (month) => this.#cell(shortUsd(month[key]), false, `${usd(month[key])} ${MONEY}`)),
    );
    const cloud = months.some(({ cloud_gpus: gpus }) => gpus > 0)
      ? [this.#row(t`Cloud GPUs`, months, (month) => this.#cell(plain(month.cloud_gpus), false, ""))]
      : [];
    const budget = ["capex", "opex"].map((kind) => {
      const cells = quarters.map((one) => {
        const [value, limit] = [one[`${kind}_usd`], one[`${kind}_budget_usd`]];
        const span = months.filter(({ month }) => this.names.quarter(month) === one.quarter).length || 3;
        const over = limited(value, limit);
        return el(
          "td",
          {
            colSpan: span,
            className: over ? "over quarter" : "quarter",
            title: t`${usd(value)} of ${usd(limit)} ${MONEY}`,
          },
          over
            ? [el("span", { "aria-hidden": "true" }, "✕ "), el("span", { className: "unseen" }, t`over budget: `)]
            : "",
          t`${shortUsd(value)} of ${shortUsd(limit)}`,
        );
      });
      return el(
        "tr",
        {},
        el("th", { scope: "row" }, kind === "capex" ? t`Orders of the budget` : t`Running cost of the budget`),
        cells,
      );
    });
    return [rows[0], budget[0], rows[1], budget[1], ...cloud];
  }

  #site(found, site, named) {
    const of = (month) => month.sites[site] || {};
    const known = SITE.filter(({ key }) => of(found.months[0])[key] !== undefined);
    const rows = known.map((spec) => this.#row(spec.title, found.months, (month) => this.#figure(of(month), spec)));
    const head = named
      ? [
          el(
            "tr",
            {},
            el(
              "th",
              { scope: "rowgroup", colSpan: found.months.length + 1, className: "plan-site" },
              el("span", {}, site),
            ),
          ),
        ]
      : [];
    return [...head, ...rows];
  }

  #figure(row, { key, limit = "", least = false, most = null }) {
    const [value, bound] = [row[key], limit ? row[limit] : most];
    const over = least ? limited(bound, value) : limited(value, bound);
    const shown = limit && typeof bound === "number";
    return this.#cell(
      [plain(value, 0), shown ? el("span", { className: "muted" }, `/${plain(bound, 0)}`) : ""],
      over,
      shown ? t`${plain(value)} of ${plain(bound)}` : null,
    );
  }
}
