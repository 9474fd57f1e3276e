// What the bill's parts ask the server, and how they write amounts.

import { ask } from "../../headnode/api.js";
import { patiently } from "../../headnode/patience.js";
import { MONEY } from "../workplace/currency.js";

// The first to ask waits until the tables have been made on that server.
const PATIENCE = { timeout: 90_000 };

/**
 * What the server says; `waiting` as for patiently: what is told and heeded while there is no place for the question.
 */
function waited(url, body, waiting) {
  return patiently(() => ask(url, body, PATIENCE), waiting);
}

/** Tables, columns, and what a filter can say: fetched once. Raises an Error with a sentence. */
export function catalogueOf(room) {
  if (!room.catalogue) {
    room.catalogue = waited(`${room.urls.bill}/tables`);
    room.catalogue.catch(() => (room.catalogue = null));
  }
  return room.catalogue;
}

/** {columns, rows, cut, total} of a pivot. */
export function askPivot(room, pivot, waiting) {
  return waited(`${room.urls.bill}/pivot`, pivot, waiting);
}

/** {columns, rows, cut, seconds} of a SELECT. */
export function askSql(room, sql, waiting) {
  return waited(`${room.urls.bill}/sql`, { sql }, waiting);
}

/** {values: [[value, figure]], cut} of a column. */
export function askValues(room, table, column, sum) {
  return waited(`${room.urls.bill}/values?${new URLSearchParams({ table, column, sum })}`);
}

/** {rows, overlaps, total_usd}: what the filters of opportunities select. */
export function askLines(room, opportunities) {
  return waited(`${room.urls.bill}/lines`, { opportunities });
}

/** The column a table is best summed by, or "" where none is a number. */
export function measureOf(table) {
  const numbers = table.columns.filter(({ kind }) => kind === "number").map(({ name }) => name);
  const known = ["EffectiveCost", "gpu_hours", "amount_usd", "cost_usd"].find((name) => numbers.includes(name));
  return known ?? numbers.find((name) => /usd|cost|hours|_tb|tb$|kwh/i.test(name)) ?? numbers[0] ?? "";
}

/** The column that says when, or "". */
export function timeOf(table) {
  const times = table.columns.filter(({ kind }) => kind === "time").map(({ name }) => name);
  return times.includes("ChargePeriodStart") ? "ChargePeriodStart" : (times[0] ?? "");
}

export function isMoney(column) {
  return /cost|usd/i.test(column);
}

/** An amount in full: cents only where they are few. */
export function figure(value) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  const digits = Number.isInteger(value) ? 0 : Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 1 ? 2 : 4;
  return value.toLocaleString("en-GB", { maximumFractionDigits: digits });
}

/** "1.2 M", "340 k": for axes. */
export function short(value) {
  const size = Math.abs(value);
  const [unit, by] = size >= 1e9 ? [" bn", 1e9] : size >= 1e6 ? [" M", 1e6] : size >= 1e3 ? [" k", 1e3] : ["", 1];
  return `${Number((value / by).toPrecision(3)).toLocaleString("en-GB")}${unit}`;
}

/** "776,526 USD". */
export function usd(value) {
  return `${Math.round(value).toLocaleString("en-GB")} ${MONEY}`;
}
