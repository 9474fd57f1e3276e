// What a played year holds, as rows and lines: one place that knows the year's names.

import { t } from "../../headnode/words.js";
import { MONEY } from "../workplace/currency.js";
import { plain } from "./words.js";

/** Why the first of a queue had to wait, in words. */
const BLOCKED = {
  full: t`no GPUs were free`,
  scattered: t`GPUs were free, but split over nodes`,
  kept: t`free GPUs were kept for serving`,
  quota: t`its class had used up its quota`,
  partition: t`its partition was full`,
  night: t`batch runs at night only`,
};
const share = (part, whole) => (whole > 0 ? Math.min(100, (100 * part) / whole) : null);
/** What a month may be over, in words. */
const OVER = {
  capex: t`budget for orders`,
  opex: t`budget for running cost`,
  power: t`power`,
  ports: t`ports`,
  leaf: t`leaf ports`,
  spine: t`spine ports`,
  racks: t`racks`,
  rack: t`racks`,
  storage: t`storage without ports`,
};

/**
 * Figures of a class in a month: key of the reasons, title, unit, value(class's row), and whether it is as promised.
 * figure: under which name the year says why.
 */
export const CLASS_FIGURES = [
  {
    figure: "wait_p95_h",
    title: t`p95 wait`,
    unit: "h",
    digits: 2,
    value: (row) => row.wait_p95_h,
    kept: (row) => row.met,
  },
  { figure: "wait_p50_h", title: t`p50 wait`, unit: "h", digits: 2, value: (row) => row.wait_p50_h },
  {
    figure: "delivered",
    title: t`delivered of asked`,
    unit: "%",
    digits: 1,
    value: (row) => share(row.delivered_gpu_hours, row.asked_gpu_hours),
  },
];

/** Figures of a whole month. */
export const MONTH_FIGURES = [
  {
    figure: "delivered",
    title: t`GPU-hours delivered of asked`,
    unit: "%",
    digits: 1,
    value: (month) => share(month.delivered_gpu_hours, month.asked_gpu_hours),
  },
  {
    figure: "utilisation",
    title: t`Use of own GPUs`,
    unit: "%",
    digits: 1,
    value: (month) => month.own.utilisation_percent,
  },
  {
    figure: "saturated",
    title: t`Network or storage saturated`,
    unit: t`% of hours`,
    digits: 1,
    value: (month) => month.saturated_percent,
  },
  {
    figure: "unused",
    title: t`Paid for and not used`,
    unit: t`GPU-hours`,
    digits: 0,
    value: (month) => month.unused_gpu_hours,
  },
  {
    figure: "months_over",
    title: t`Over a limit`,
    unit: "",
    value: (month) => month.over.length,
    text: (month) =>
      month.over.length ? month.over.map((one) => OVER[one] || one.replaceAll("_", " ")).join(", ") : t`none`,
    kept: (month) => !month.over.length,
  },
  {
    figure: "usd_per_gpu_hour",
    title: t`Cost of a delivered GPU-hour`,
    unit: MONEY,
    digits: 2,
    value: (month) => month.usd_per_gpu_hour || null,
  },
];

/** A figure with its unit, as a table shows it. */
export function figureText(spec, row) {
  if (spec.text) return spec.text(row);
  return plain(spec.value(row), spec.digits ?? 2);
}

/** The parts of a month that stand behind its figures, as [name, value, unit]. */
export function monthParts(month) {
  return [
    [t`Asked for`, month.asked_gpu_hours, t`GPU-hours`],
    [t`Delivered`, month.delivered_gpu_hours, t`GPU-hours`],
    [t`Own GPUs paid for`, month.own.paid_gpu_hours, t`GPU-hours`],
    [t`of it allocated`, month.own.held_gpu_hours, t`GPU-hours`],
    [t`of it held by idle sessions`, month.own.idle_held_gpu_hours, t`GPU-hours`],
    [t`Free GPUs in nodes too split for large jobs`, month.own.stranded_gpus, t`GPUs, mean`],
    [t`Cloud GPUs paid for`, month.cloud.paid_gpu_hours, t`GPU-hours`],
    [t`of it used`, month.cloud.used_gpu_hours, t`GPU-hours`],
    [t`Storage saturated`, month.storage_full_percent, t`% of hours`],
    [t`Spines saturated`, month.spine_full_percent, t`% of hours`],
    [t`Line to the cloud full`, month.link_full_percent, t`% of hours`],
    [t`Nodes that stand and cannot be used`, month.unused_nodes, "nodes"],
    [t`Orders`, month.money.capex_usd, MONEY],
    [t`Running cost`, month.money.opex_usd, MONEY],
    [t`Written off`, month.money.written_off_usd, MONEY],
  ].filter(([, value]) => typeof value === "number");
}

/** The parts of a class in a month. */
export function classParts(row) {
  const blocked = Object.entries(row.blocked_hours || {}).map(([why, hours]) => [
    t`First of the queue stood because ${BLOCKED[why] || why.replaceAll("_", " ")}`,
    hours,
    "hours",
  ]);
  return [
    [t`p95 wait`, row.wait_p95_h, "h"],
    [t`promised`, row.wait_target_h, "h"],
    [t`p50 wait`, row.wait_p50_h, "h"],
    [t`Asked for`, row.asked_gpu_hours, t`GPU-hours`],
    [t`Delivered`, row.delivered_gpu_hours, t`GPU-hours`],
    [t`of it in the cloud`, row.cloud_gpu_hours, t`GPU-hours`],
    [t`Lost to failures and stops`, row.lost_gpu_hours, t`GPU-hours`],
    [t`Slowed by full storage or network`, row.slowed_percent, "%"],
    ...blocked,
  ].filter(([, value]) => typeof value === "number");
}

/** Lines of a chart for each year shown: [{name, year, colour, dash}] -> the chart's lines. */
export function linesOf(years, value) {
  return years.map(({ name, year, colour, dash }) => ({
    name,
    values: year.months.map((month) => value(month) ?? null),
    colour,
    dash,
  }));
}
