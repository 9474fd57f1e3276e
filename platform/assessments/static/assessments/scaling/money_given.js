// The rows of the money table that the plan itself gives, from the server's checks; their order never changes.

import { t } from "../../headnode/words.js";

/** Parts of the running cost, as the checks name them. */
const PARTS = ["electricity", "colocation", "support", "licences", "engineers", "cloud", "line", "egress"];

export const GIVEN = [
  { key: "capex", title: t`Orders (capital)` },
  { key: "electricity", title: t`Electricity` },
  { key: "colocation", title: t`Colocation` },
  { key: "support", title: t`Support` },
  { key: "licences", title: t`Licences` },
  { key: "engineers", title: t`Engineers` },
  { key: "cloud", title: t`Cloud GPUs` },
  { key: "line", title: t`Line to the cloud` },
  { key: "egress", title: t`Transfer out of the cloud` },
  { key: "opex", title: t`Running cost` },
  { key: "total", title: t`Orders and running cost` },
];

function cents(value) {
  return Math.round(value * 100) / 100;
}

function figures(month) {
  const parts = month.opex_parts || {};
  const found = Object.fromEntries(PARTS.map((key) => [key, parts[key] ?? 0]));
  found.capex = month.capex_usd ?? 0;
  found.opex = month.opex_usd ?? PARTS.reduce((sum, key) => sum + found[key], 0);
  found.total = cents(found.capex + found.opex);
  return found;
}

/** One row for each of GIVEN: twelve months and their sum, USD. Empty before the first check. */
export function given(checked) {
  const months = checked.months.map(figures);
  return GIVEN.map(({ key }) =>
    months.length
      ? [...months.map((month) => month[key]), cents(months.reduce((sum, month) => sum + month[key], 0))]
      : [],
  );
}
