// Fetches what charts draw: layout, lines and heat map; values come as float32 behind a JSON head.

import { patiently, retryAfter } from "../../headnode/patience.js";
import { t } from "../../headnode/words.js";

/** A request that brought no answer; its message is a sentence. */
export class Failed extends Error {
  constructor(message, passing, { code = "", again = 0 } = {}) {
    super(message);
    this.passing = passing;
    this.code = code;
    this.retryAfter = again;
  }
}

function answer(url, waiting = {}) {
  return patiently(() => answerNow(url, waiting.signal), waiting);
}

async function answerNow(url, signal) {
  let response;
  try {
    response = await fetch(url, { credentials: "same-origin", signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failed(t`The server could not be reached.`, true);
  }
  if (response.ok) return response;
  const said = await response.json().catch(() => null);
  const again = retryAfter(response);
  throw new Failed(said?.detail || t`The server answered with status ${response.status}.`, response.status >= 500, {
    code: said?.code,
    again,
  });
}

async function whole(response, read) {
  try {
    return await response[read]();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failed(t`The connection broke while the answer came.`, true);
  }
}

export async function fetchJson(url) {
  return whole(await answer(url), "json");
}

/** {head, values}: the head as an object, all values as one Float32Array. */
function unframed(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return { head, values: new Float32Array(buffer, 4 + length) };
}

function lines(told, values) {
  if (!told) return null;
  const cut = (line) => ({
    ...line,
    low: values.subarray(line.low, line.low + line.size),
    high: line.high === line.low ? null : values.subarray(line.high, line.high + line.size),
  });
  return { ...told, lines: told.lines.map(cut) };
}

/** Panels by their keys, each {start, step, count, lines, before}; a line without `high` has one value a stretch. */
export function panelsOf(buffer) {
  const { head, values } = unframed(buffer);
  return head.panels.map((panel) => ({ ...lines(panel, values), before: lines(panel.before, values) }));
}

/** `waiting` as for patiently: a signal that ends it, and what is told while there is no place for the question. */
export async function fetchPanels(base, { keys, node, from, to, points, detail, compare }, waiting) {
  const query = new URLSearchParams(keys.map((key) => ["panel", key]));
  if (node) query.set("node", node);
  if (compare) query.set("compare", "1");
  for (const [name, value] of Object.entries({ from, to, points })) query.set(name, String(Math.round(value)));
  query.set("detail", detail);
  return panelsOf(await whole(await answer(`${base}/series?${query}`, waiting), "arrayBuffer"));
}

export async function fetchHeat(base, { metric, from, to, columns, stat }, waiting) {
  const query = new URLSearchParams({ metric, stat, columns });
  for (const [name, value] of Object.entries({ from, to })) query.set(name, String(Math.round(value)));
  const { head, values } = unframed(await whole(await answer(`${base}/heatmap?${query}`, waiting), "arrayBuffer"));
  return { ...head, cells: values, count: head.rows.length ? values.length / head.rows.length : 0 };
}
