// How the plan's figures, months and things are written.

import { t } from "../../headnode/words.js";

/** Dollars in full, with a real minus: "−1,250,000". */
export function usd(value, digits = 0) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return value
    .toLocaleString("en-GB", { maximumFractionDigits: digits, minimumFractionDigits: digits })
    .replace("-", "−");
}

/** Dollars as short as a narrow cell needs them: "1.25 M", "84 k". */
export function shortUsd(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  const sign = value < 0 ? "−" : "";
  if (size >= 999_500)
    return `${sign}${(size / 1e6).toLocaleString("en-GB", { maximumFractionDigits: size >= 1e7 ? 1 : 2 })} M`;
  if (size >= 1000) return `${sign}${Math.round(size / 1000).toLocaleString("en-GB")} k`;
  return `${sign}${Math.round(size)}`;
}

/** A figure with at most so many digits after the point. */
export function plain(value, digits = 1) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return value
    .toLocaleString("en-GB", { maximumFractionDigits: Math.abs(value) >= 100 ? 0 : digits })
    .replace("-", "−");
}

/** A number as people type it: "1,200", "3.5", "12 k", "1.2 M"; null for nothing, undefined for what is none. */
export function readNumber(text) {
  const match = /^([-−+]?[\d,\s]*(?:\.\d+)?)\s*([kKmM]?)$/.exec(text.trim());
  if (!text.trim()) return null;
  if (!match || !/\d/.test(match[1])) return undefined;
  const value =
    Number(match[1].replace("−", "-").replaceAll(/[,\s]/g, "")) * { "": 1, k: 1e3, m: 1e6 }[match[2].toLowerCase()];
  return Number.isFinite(value) ? value : undefined;
}

const MONTHS = [t`Jan`, t`Feb`, t`Mar`, t`Apr`, t`May`, t`Jun`, t`Jul`, t`Aug`, t`Sep`, t`Oct`, t`Nov`, t`Dec`];

/** "Feb 26" of "2026-02". */
export function monthText(name) {
  const match = /^(\d{4})-(\d\d)$/.exec(name || "");
  return match ? `${MONTHS[Number(match[2]) - 1]} ${match[1].slice(2)}` : name || "–";
}

/** "Feb" of "2026-02". */
export function monthShort(name) {
  return monthText(name).split(" ")[0];
}

/** How likely a risk is, how much it would do. */
export const STEP_WORDS = { low: t`low`, medium: t`medium`, high: t`high` };

export const CLOUD = {
  on_demand: t`On demand`,
  reserved_1y: t`Reserved, 1 year`,
  reserved_3y: t`Reserved, 3 years`,
  spot: t`Spot`,
};

/** What the facts name, by key; a plan may hold a name that they do not know. */
export class Names {
  constructor(facts) {
    this.facts = facts;
    const titles = (list, key) => new Map((list || []).map((one) => [one[key], one.title || one[key]]));
    this.items = titles(facts.items, "item");
    this.policies = titles(facts.policies, "policy");
    this.classes = titles(facts.classes, "job_class");
    this.cloud = titles(facts.cloud, "kind");
    this.months = (facts.months || []).map(({ name }) => name);
  }

  item(key) {
    return this.items.get(key) || key || "–";
  }

  offer(key) {
    return (this.facts.items || []).find(({ item }) => item === key) || null;
  }

  policy(key) {
    return this.policies.get(key) || key || "–";
  }

  classTitle(key) {
    return this.classes.get(key) || String(key || "").replaceAll("_", " ");
  }

  kind(key) {
    return this.cloud.get(key) || CLOUD[key] || key || "–";
  }

  /** Place of a month among the twelve; -1 for another. */
  place(name) {
    return this.months.indexOf(name);
  }

  /** The quarter of a month, such as 2026-Q1. */
  quarter(name) {
    return (this.facts.months || []).find((month) => month.name === name)?.quarter || "";
  }
}
