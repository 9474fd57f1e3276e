// Holds all log lines and searches them, beside the page, which stays free. The text is one long string:
// a word is looked for in all of it at once, a regular expression line by line, so that ^ and $ mean the line's ends.
// Rows stand by file and line; "order" lists them by time. Answers name rows by their place among the lines found.

import { patiently, retryAfter } from "../../headnode/patience.js";

const MAGIC = "HNLOG1\n\0";
const TYPES = { f8: Float64Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array };
const BINS = 120;
const MOST_MARKS = 40;
const WIDEST = 4000;

let bundle = null;
// What searches found, by their numbers: {rows, matcher}. The page keeps one of them and passes the others over.
const results = new Map();

// Where the bundle is kept in this browser, so that a reload needs no network.

function database() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("headnode-room", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("bundles");
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function kept(key) {
  try {
    const store = (await database()).transaction("bundles").objectStore("bundles");
    return await settled(store.get(key));
  } catch {
    return undefined;
  }
}

async function keep(key, data) {
  try {
    const store = (await database()).transaction("bundles", "readwrite").objectStore("bundles");
    await settled(store.clear());
    await settled(store.put(data, key));
  } catch {
    // No room, or storage refused: it is fetched again next time.
  }
}

async function answered(url) {
  const response = await fetch(url, { credentials: "same-origin" });
  if (response.ok) return response;
  const said = await response.json().catch(() => null);
  const error = new Error(said?.detail || `The server answered with status ${response.status}.`);
  throw Object.assign(error, { code: said?.code, retryAfter: retryAfter(response) });
}

async function fetched(url) {
  const response = await patiently(() => answered(url));
  const total = Number(response.headers.get("Content-Length")) || 0;
  const parts = [];
  let loaded = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    loaded += value.length;
    postMessage({ type: "progress", loaded, total });
  }
  if (total && loaded !== total) throw new Error("The connection broke off.");
  return new Blob(parts).arrayBuffer();
}

async function unpacked(data) {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function read(buffer) {
  const decode = (from, bytes) => new TextDecoder().decode(new Uint8Array(buffer, from, bytes));
  if (decode(0, 8) !== MAGIC) throw new Error("The logs came in a form that this page does not know: reload the page.");
  const size = new DataView(buffer).getUint32(8, true);
  const head = JSON.parse(decode(12, size));
  const base = 12 + size;
  const columns = {};
  for (const { name, type, offset, length } of head.columns)
    columns[name] = new TYPES[type](buffer, base + offset, length);
  return { ...head, ...columns, all: decode(base + head.text.offset, head.text.bytes), lower: null };
}

function counts(column, names) {
  const sums = new Uint32Array(names.length);
  for (let row = 0; row < column.length; row += 1) sums[column[row]] += 1;
  return names.map((name, index) => ({ name, index, lines: sums[index] }));
}

async function open({ url, key }) {
  let data = await kept(key);
  const had = Boolean(data);
  data ??= await fetched(url);
  postMessage({ type: "unpacking" });
  bundle = read(await unpacked(data));
  if (!had) await keep(key, data);
  const { lines, files, hosts, sources, severities } = bundle;
  return {
    lines,
    files,
    hosts: counts(bundle.host, hosts),
    sources: counts(bundle.source, sources),
    severities: counts(bundle.severity, severities),
    had,
  };
}

function textOf(row) {
  return bundle.all.slice(bundle.start[row], bundle.start[row + 1] - 1);
}

function lowered() {
  if (bundle.lower === null) {
    const lower = bundle.all.toLowerCase();
    // A few letters change their length; then only the Latin ones are folded, so that places stay where they are.
    bundle.lower =
      lower.length === bundle.all.length ? lower : bundle.all.replace(/[A-Z]+/g, (part) => part.toLowerCase());
  }
  return bundle.lower;
}

/** Rows that the filters other than text and time let through: 1 for yes. */
function allowed({ hosts, sources, severities, file }) {
  const pass = new Uint8Array(bundle.lines).fill(1);
  const checks = [
    [hosts, bundle.host, bundle.hosts.length],
    [sources, bundle.source, bundle.sources.length],
    [severities, bundle.severity, bundle.severities.length],
  ];
  for (const [wanted, column, size] of checks) {
    if (!wanted) continue;
    const good = new Uint8Array(size);
    for (const index of wanted) good[index] = 1;
    for (let row = 0; row < pass.length; row += 1) pass[row] &= good[column[row]];
  }
  if (file) {
    const { first, lines } = bundle.files.find(({ path }) => path === file) || { first: 0, lines: 0 };
    pass.fill(0, 0, first);
    pass.fill(0, first + lines);
  }
  return pass;
}

function keepWord(pass, word, exact) {
  const text = exact ? bundle.all : lowered();
  const needle = exact ? word : word.toLowerCase();
  const { start, lines } = bundle;
  const hit = new Uint8Array(lines);
  let row = 0;
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, start[row + 1])) {
    while (start[row + 1] <= at) row += 1;
    hit[row] = pass[row];
    if (row + 1 >= lines) break;
  }
  return hit;
}

function keepPattern(pass, pattern) {
  for (let row = 0; row < pass.length; row += 1) if (pass[row] && !pattern.test(textOf(row))) pass[row] = 0;
  return pass;
}

function histogram(pass, [from, to]) {
  const bins = {
    from,
    to,
    other: new Uint32Array(BINS),
    warning: new Uint32Array(BINS),
    error: new Uint32Array(BINS),
    before: 0,
    after: 0,
    undated: 0,
  };
  const scale = BINS / (to - from);
  for (let row = 0; row < pass.length; row += 1) {
    if (!pass[row]) continue;
    const at = bundle.time[row];
    if (Number.isNaN(at)) bins.undated += 1;
    else if (at < from) bins.before += 1;
    else if (at > to) bins.after += 1;
    else {
      const kind = bundle.severity[row] === 1 ? bins.error : bundle.severity[row] === 2 ? bins.warning : bins.other;
      kind[Math.min(BINS - 1, Math.floor((at - from) * scale))] += 1;
    }
  }
  return bins;
}

function search({ of, text, regex, exact, plain, filters, time, domain }) {
  const begin = performance.now();
  let matcher = null;
  let pass = allowed(filters);
  if (text && regex) {
    matcher = new RegExp(text, exact ? "g" : "gi");
    pass = keepPattern(pass, new RegExp(text, exact ? "" : "i"));
  } else if (text) {
    matcher = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), exact ? "g" : "gi");
    pass = keepWord(pass, text, exact);
  }
  const bins = histogram(pass, domain);
  const { order, time: times } = bundle;
  const rows = new Uint32Array(bundle.lines);
  let count = 0;
  for (let at = 0; at < order.length; at += 1) {
    const row = order[at];
    if (pass[row] && (!time || (times[row] >= time[0] && times[row] <= time[1]))) rows[count++] = row;
  }
  results.set(of, { rows: rows.slice(0, count), matcher: plain ? null : matcher });
  return { count, bins, took: performance.now() - begin };
}

function keepOnly({ of }) {
  for (const one of results.keys()) if (one < of) results.delete(one);
}

/** Places of the pattern in a line: [from, to] each. */
function marks(text, matcher) {
  const places = [];
  if (!matcher) return places;
  for (const match of text.matchAll(matcher)) {
    if (match[0]) places.push([match.index, match.index + match[0].length]);
    if (places.length >= MOST_MARKS) break;
  }
  return places;
}

function rowOf(row, matcher) {
  const file = fileOf(row);
  const text = textOf(row);
  const time = bundle.time[row];
  return {
    at: Number.isNaN(time) ? null : time,
    host: bundle.hosts[bundle.host[row]],
    source: bundle.sources[bundle.source[row]],
    severity: bundle.severities[bundle.severity[row]],
    path: file.path,
    line: row - file.first + 1,
    text,
    marks: marks(text, matcher),
  };
}

function fileOf(row) {
  let [low, high] = [0, bundle.files.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (bundle.files[middle].first <= row) low = middle;
    else high = middle - 1;
  }
  return bundle.files[low];
}

const ACTS = {
  open,
  search,
  keep: keepOnly,
  rows: ({ of, from, to }) => {
    const { rows, matcher } = results.get(of);
    return Array.from(rows.subarray(from, to), (row) => rowOf(row, matcher));
  },
  /** Lines of one file, counted from 1. */
  lines: ({ of, path, from, to }) => {
    const { first } = bundle.files.find((file) => file.path === path);
    const matcher = results.get(of)?.matcher;
    return Array.from({ length: to - from }, (_, index) => rowOf(first + from - 1 + index, matcher));
  },
  /** Where a file's line stands among the lines found, or -1. */
  place: ({ of, path, line }) => {
    const file = bundle.files.find((one) => one.path === path);
    return file && results.has(of) ? results.get(of).rows.indexOf(file.first + line - 1) : -1;
  },
  /** Units of height above each line found when `columns` letters fit beside one another, `extra` units for each. */
  heights: ({ of, columns, extra }) => {
    const { rows } = results.get(of);
    const tops = new Uint32Array(rows.length + 1);
    for (let at = 0; at < rows.length; at += 1) {
      const length = Math.min(WIDEST, bundle.start[rows[at] + 1] - bundle.start[rows[at]] - 1);
      tops[at + 1] = tops[at] + extra + Math.max(1, Math.ceil(length / columns));
    }
    return tops;
  },
};

self.onmessage = async ({ data: { id, act, ...rest } }) => {
  try {
    postMessage({ type: "begun", id });
    const answer = await ACTS[act](rest);
    postMessage({ type: "done", id, answer });
  } catch (error) {
    postMessage({ type: "failed", id, message: error.message, syntax: error instanceof SyntaxError });
  }
};
