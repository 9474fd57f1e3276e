// What a replay holds, made ready to be drawn and asked: groups, marks by kind, rows in lanes, words for a moment.

import { t } from "./words.js";

const DAY = 86400;
const COLOURS = 8;
const LEAST_S = 60;

const TITLES = {
  queue: t`Jobs waiting`,
  gpus: "GPUs",
  nodes: t`Nodes`,
  cost: t`Cost so far`,
  loss: t`Loss`,
};
const MARKS = {
  fault: [t`Faults`, "fault"],
  spot: [t`Spot events`, t`spot event`],
  rule: [t`Rules broken`, t`rule broken`],
  alert: [t`Alerts`, "alert"],
  action: [t`Actions`, "action"],
  log: ["Log", t`log line`],
};
const COUNTED = new Set(["jobs", "nodes", "GPUs", "gangs", "slices", "replicas"]);

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Two digits. */
function two(value) {
  return String(value).padStart(2, "0");
}

export function laneTitle(kind) {
  return MARKS[kind]?.[0] || capital(kind);
}

export function markWord(kind) {
  return capital(MARKS[kind]?.[1] || kind);
}

/** "day 2, 14:20" where the span is longer than a day, "14:20" where not; seconds when they say something. */
export function moment(data, at) {
  if (data.axis === "step") return t`step ${Math.round(at)}`;
  const whole = Math.round(at);
  const rest = whole % DAY;
  const seconds = rest % 60 ? `:${two(rest % 60)}` : "";
  const clock = `${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}${seconds}`;
  return data.long ? t`day ${Math.floor(whole / DAY) + 1}, ${clock}` : clock;
}

/** How long something lasted, in its two largest units. */
export function lasting(seconds) {
  const units = [
    ["d", Math.floor(seconds / DAY)],
    ["h", Math.floor(seconds / 3600) % 24],
    ["min", Math.floor(seconds / 60) % 60],
    ["s", Math.round(seconds % 60)],
  ];
  const said = units
    .filter(([, value]) => value)
    .slice(0, 2)
    .map(([unit, value]) => `${value} ${unit}`);
  return said.join(" ") || "0 s";
}

/** The ticks of the axis in words: the day where one begins, the time of day between. */
export function tick(data, at, step) {
  if (data.axis === "step") return String(at);
  if (data.long && at % DAY === 0) return t`day ${at / DAY + 1}`;
  const rest = ((at % DAY) + DAY) % DAY;
  const clock = `${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}`;
  return step < 60 ? `${clock}:${two(rest % 60)}` : clock;
}

export function tickSteps(data) {
  if (data.axis === "step") return [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
  return [1, 5, 10, 30, 60, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, DAY, 2 * DAY, 7 * DAY];
}

/** Index of the last of the sorted values that is not after `at`; -1 where all are. */
export function lastBefore(values, at) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The value of a series at a moment: that of the last sample, null before the first. */
export function valueAt(data, series, at) {
  const index = lastBefore(data.t, at);
  return index < 0 ? null : (series.values[index] ?? null);
}

export function lastValue(series) {
  for (let index = series.values.length - 1; index >= 0; index -= 1) {
    if (series.values[index] !== null && series.values[index] !== undefined) return series.values[index];
  }
  return null;
}

/** Mean over time: each sample holds until the next, the last one for no time at all. */
export function meanValue(data, series) {
  let [total, time] = [0, 0];
  series.values.forEach((value, index) => {
    const length = (data.t[index + 1] ?? data.t[index]) - data.t[index];
    if (typeof value !== "number" || !(length > 0)) return;
    total += value * length;
    time += length;
  });
  return time ? total / time : lastValue(series);
}

function groupsOf(series) {
  const order = [...new Set([...Object.keys(TITLES), ...series.map((one) => one.group)])];
  return order
    .map((key) => ({ key, title: TITLES[key] || capital(key), series: series.filter((one) => one.group === key) }))
    .filter((group) => group.series.length)
    .map((group) => {
      const units = [...new Set(group.series.map((one) => one.unit || ""))];
      return {
        ...group,
        unit: units.length === 1 ? units[0] : "",
        mixed: units.length > 1,
        stepped: units.every((unit) => COUNTED.has(unit)),
      };
    });
}

/** A kind of bar has the colour of the series it is named in, so that "high" looks the same everywhere. */
function kindColours(kinds, groups) {
  const found = new Map();
  for (const kind of kinds) {
    for (const group of groups) {
      const at = group.series.findIndex((one) => one.key === kind || one.key.endsWith(`_${kind}`));
      if (at >= 0 && at < COLOURS && ![...found.values()].includes(at)) found.set(kind, at);
      if (found.has(kind)) break;
    }
  }
  let next = 0;
  for (const kind of kinds.filter((one) => !found.has(one))) {
    while (next < COLOURS && [...found.values()].includes(next)) next += 1;
    found.set(kind, next % COLOURS);
    next += 1;
  }
  return new Map(kinds.map((kind) => [kind, found.get(kind)]));
}

/** Bars that overlap on one row lie in lanes beside each other, each in the first that is free. */
function rowsOf(gantt) {
  const rows = gantt.rows.map((name) => ({ name, bars: [], lanes: 1 }));
  const sorted = gantt.bars
    .map(([row, from, to, label, kind]) => ({ row, from, to, label, kind }))
    .sort((a, b) => a.from - b.from || a.row - b.row);
  const ends = rows.map(() => []);
  for (const bar of sorted) {
    const row = rows[bar.row];
    if (!row) continue;
    const free = ends[bar.row].findIndex((end) => end <= bar.from);
    bar.lane = free < 0 ? ends[bar.row].length : free;
    ends[bar.row][bar.lane] = bar.to;
    row.lanes = Math.max(row.lanes, bar.lane + 1);
    row.bars.push(bar);
  }
  return rows;
}

/** The replay as every part of the view reads it; whatever is missing is empty. Times in s, or steps. */
export function prepare(raw) {
  const t = raw?.t || [];
  const series = raw?.series || [];
  const marks = [...(raw?.marks || [])].sort((a, b) => a.t - b.t);
  const gantt = raw?.gantt || { rows: [], bars: [] };
  const groups = groupsOf(series);
  const rows = rowsOf(gantt);
  const kinds = [...new Set(rows.flatMap((row) => row.bars.map((bar) => bar.kind)))];
  let [from, to] = [Math.min(0, t[0] ?? 0), Math.max(t.at(-1) ?? 0, marks.at(-1)?.t ?? 0)];
  for (const bar of gantt.bars) to = Math.max(to, bar[2]);
  const axis = raw?.axis || "time";
  to = Math.max(to, from + (axis === "step" ? 1 : LEAST_S));
  const cut = raw?.cut || {};
  const order = [...Object.keys(MARKS), ...new Set(marks.map((mark) => mark.kind))];
  const lanes = [...new Set(order)]
    .map((kind) => ({ kind, marks: marks.filter((mark) => mark.kind === kind) }))
    .filter((lane) => lane.marks.length);
  return {
    axis,
    t,
    series,
    groups,
    marks,
    lanes,
    rows,
    cut,
    colours: kindColours(kinds, groups),
    from,
    to,
    long: axis !== "step" && to > DAY,
  };
}

/** The bars that hold a machine at a moment, in the order of the rows. */
export function barsAt(data, at) {
  return data.rows.flatMap((row) =>
    row.bars.filter((bar) => bar.from <= at && at < bar.to).map((bar) => ({ ...bar, name: row.name })),
  );
}
