// What the query box answers, in the page itself.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { AGGREGATIONS, FUNCTIONS } from "./query_words.js";

const EXAMPLES = [
  ["avg by (Hostname) (DCGM_FI_DEV_SM_CLOCK)", t`mean clock of each node's GPUs`],
  ["sum by (switch) (rate(ib_switch_port_xmit_wait_total[5m]))", t`waits for credit, by switch`],
  ["topk(5, max_over_time(train_compute_seconds[10m]))", t`the ranks that were slowest to compute`],
  ['rate(node_cpu_seconds_total{mode="iowait"}[5m]) > 0.1', t`processors that wait for storage`],
  ["avg(DCGM_FI_DEV_POWER_USAGE) - avg(DCGM_FI_DEV_POWER_USAGE offset 6h)", t`against six hours before`],
];

function listed(words) {
  return Object.entries(words).flatMap(([name, text], at) => [at ? ", " : "", el("code", { title: text }, name)]);
}

/** use(query) puts an example into the editor; open: for somebody who has asked nothing yet. */
export function help(use, { open }) {
  const examples = EXAMPLES.map(([query, text]) =>
    el(
      "li",
      {},
      el("button", { type: "button", className: "quiet", onclick: () => use(query) }, query),
      el("span", { className: "muted small" }, ` ${text}`),
    ),
  );
  return el(
    "details",
    { className: "mquery-help mquery-past", open },
    el("summary", {}, t`What can be asked`),
    el(
      "p",
      {},
      t`Queries are PromQL, the language of Prometheus 2, over everything that was recorded. Names and labels
        are those of the exporters; completion offers them as you type (Ctrl+Space asks for it).`,
    ),
    el("ul", {}, examples),
    el(
      "dl",
      {},
      el("dt", {}, t`Series`),
      el(
        "dd",
        {},
        t`Selectors with =, !=, =~ and !~, ranges such as [5m], offset, @ and subqueries such as [1h:1m]. A
          sample stands for five minutes, unless its exporter stopped answering. A GPU's series begins anew
          with each job: hpc_job is one of its labels.`,
      ),
      el("dt", {}, t`Operators`),
      el(
        "dd",
        {},
        t`+ − * / % ^ atan2, comparisons with and without bool, and, or, unless; on, ignoring, group_left,
          group_right.`,
      ),
      el("dt", {}, t`Aggregations`),
      el("dd", {}, ...listed(AGGREGATIONS), t`, each with by (…) or without (…).`),
      el("dt", {}, t`Functions`),
      el("dd", {}, ...listed(FUNCTIONS), "."),
      el("dt", {}, t`Not here`),
      el(
        "dd",
        {},
        t`Histograms (histogram_quantile), count_values, holt_winters, timestamp, month and year, recording
          rules, and alerts as series. A query that takes longer than some seconds is stopped and says so.`,
      ),
    ),
  );
}
