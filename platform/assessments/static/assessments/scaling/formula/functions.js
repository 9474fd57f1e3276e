// What the functions of a formula compute. Texts and empty cells in ranges are passed over, as spreadsheets do.

import { t } from "../../../headnode/words.js";

/** The value of a cell that cannot be computed; code as shown, such as #DIV/0!. */
export class CellError {
  constructor(code, why = "") {
    this.code = code;
    this.why = why;
  }
}

const fail = (code, why) => {
  throw new CellError(code, why);
};

/** A value as a number; an empty cell is 0. */
export function number(value) {
  if (value === null || value === undefined || value === "") return 0;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number") return value;
  const read = Number(String(value).replaceAll(",", ""));
  return Number.isNaN(read) ? fail("#VALUE!", t`“${value}” is a text where a number is needed.`) : read;
}

/** Numbers of all arguments: each argument is {values, range}. */
function numbers(parts) {
  return parts.flatMap(({ values, range }) =>
    range ? values.filter((value) => typeof value === "number") : values.filter((value) => value !== null).map(number),
  );
}

function one(parts, at, otherwise) {
  const part = parts[at];
  if (!part || (part.empty && otherwise !== undefined))
    return otherwise === undefined ? fail("#VALUE!", t`An argument is missing.`) : otherwise;
  return part.range && part.values.length !== 1
    ? fail("#VALUE!", t`One cell is needed, not a range.`)
    : number(part.values[0]);
}

function rounded(value, digits, how) {
  const size = 10 ** Math.trunc(digits);
  // Half away from zero, and 1.005 rounds as it is written rather than as it is stored.
  const scaled = Number((Math.abs(value) * size).toPrecision(15));
  return (Math.sign(value) * how(scaled)) / size + 0;
}

function npv(rate, flows) {
  if (rate <= -1) fail("#NUM!", t`The rate has to be above −100 %.`);
  return flows.reduce((sum, flow, at) => sum + flow / (1 + rate) ** (at + 1), 0);
}

/** The rate at which the flows are worth nothing, sought from -99.99 % up to 1e6 by bisection. */
function irr(flows) {
  if (!flows.some((flow) => flow > 0) || !flows.some((flow) => flow < 0))
    fail("#NUM!", t`IRR needs a payment and a return: one value below 0 and one above.`);
  const steps = [-0.9999, -0.9, -0.5, -0.2, -0.1, -0.05, 0, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 100, 1e4, 1e6];
  const order = steps
    .map((rate, at) => [Math.abs(rate - 0.1), at])
    .slice(0, -1)
    .sort(([a], [b]) => a - b);
  for (const [, at] of order) {
    const found = root(flows, steps[at], steps[at + 1]);
    if (found !== null) return found;
  }
  return fail("#NUM!", t`No rate was found at which these values are worth 0.`);
}

function root(flows, from, to) {
  let [low, high] = [from, to];
  let [below, above] = [npv(low, flows), npv(high, flows)];
  if (below === 0) return low;
  if (above === 0) return high;
  if (below > 0 === above > 0) return null;
  for (let turn = 0; turn < 200 && high - low > 1e-13 * Math.max(1, Math.abs(low)); turn += 1) {
    const middle = (low + high) / 2;
    const value = npv(middle, flows);
    if (value > 0 === below > 0) [low, below] = [middle, value];
    else [high, above] = [middle, value];
  }
  return (low + high) / 2;
}

function pmt(rate, periods, present, future, type) {
  if (periods <= 0) fail("#NUM!", t`PMT needs at least one period.`);
  if (rate === 0) return -(present + future) / periods + 0;
  const growth = (1 + rate) ** periods;
  return (-rate * (present * growth + future)) / ((1 + rate * (type ? 1 : 0)) * (growth - 1)) + 0;
}

/** Name -> what it computes from arguments {values, range, empty}. IF and IFERROR are the evaluator's. */
export const FUNCTIONS = {
  SUM: (parts) => numbers(parts).reduce((sum, value) => sum + value, 0),
  AVERAGE: (parts) => {
    const found = numbers(parts);
    return found.length
      ? found.reduce((sum, value) => sum + value, 0) / found.length
      : fail("#DIV/0!", t`There is no number to average.`);
  },
  MIN: (parts) => (numbers(parts).length ? Math.min(...numbers(parts)) : 0),
  MAX: (parts) => (numbers(parts).length ? Math.max(...numbers(parts)) : 0),
  COUNT: (parts) => parts.flatMap(({ values }) => values).filter((value) => typeof value === "number").length,
  ABS: (parts) => Math.abs(one(parts, 0)),
  ROUND: (parts) => rounded(one(parts, 0), one(parts, 1, 0), (value) => Math.round(value)),
  ROUNDUP: (parts) => rounded(one(parts, 0), one(parts, 1, 0), Math.ceil),
  ROUNDDOWN: (parts) => rounded(one(parts, 0), one(parts, 1, 0), Math.floor),
  AND: (parts) => numbers(parts).every((value) => value !== 0),
  OR: (parts) => numbers(parts).some((value) => value !== 0),
  NOT: (parts) => one(parts, 0) === 0,
  NPV: (parts) => npv(one(parts, 0), numbers(parts.slice(1))),
  IRR: (parts) => irr(numbers(parts.slice(0, 1))),
  PMT: (parts) => pmt(one(parts, 0), one(parts, 1), one(parts, 2), one(parts, 3, 0), one(parts, 4, 0)),
};
