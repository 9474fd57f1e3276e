// SQLite's words as far as they are of use here, for completion and colours, and questions to begin with.

import { t } from "../../headnode/words.js";

export const KEYWORDS = (
  "select from where group by having order limit offset join left on using with as and or not in is null like " +
  "between case when then else end distinct union all except intersect asc desc over partition cast exists " +
  "filter recursive values"
).split(" ");

export const FUNCTIONS = {
  sum: t`Sum of a column`,
  avg: t`Mean of a column`,
  count: t`Number of rows`,
  min: t`Lowest value`,
  max: t`Highest value`,
  total: t`Sum, 0 where there is nothing`,
  round: "round(x, 2)",
  abs: t`Without its sign`,
  coalesce: t`The first that is not null`,
  ifnull: "ifnull(x, 0)",
  nullif: t`Null where both are the same`,
  iif: t`iif(condition, then, else)`,
  substr: t`substr(ChargePeriodStart, 1, 7) is the month`,
  strftime: t`strftime('%w', day) is the day of the week`,
  date: "date(x, '+1 month')",
  julianday: t`Days as a number`,
  json_extract: "json_extract(Tags, '$.env')",
  instr: t`Where a text stands in another; 0 is nowhere`,
  lower: t`Small letters`,
  upper: t`Capital letters`,
  replace: t`replace(text, old, new)`,
  trim: t`Without blanks at both ends`,
  length: t`Number of characters`,
  printf: t`printf('%.1f', x)`,
  group_concat: t`The values of a group in one text`,
  rank: t`rank() over (order by x desc)`,
  row_number: t`row_number() over (order by x)`,
  lag: t`The row before: lag(x) over (order by month)`,
  lead: t`The row after`,
  ntile: t`ntile(4) over (order by x)`,
};

export const EXAMPLES = [
  [
    t`The bill by month`,
    "SELECT substr(ChargePeriodStart, 1, 7) AS month,\n       round(sum(BilledCost)) AS billed, " +
      "round(sum(EffectiveCost)) AS effective\nFROM costs\nGROUP BY month",
  ],
  [
    t`GPU-hours by team and partition`,
    "SELECT team, partition, round(sum(gpu_hours)) AS gpu_hours\nFROM usage\nGROUP BY team, partition\nORDER " +
      "BY gpu_hours DESC",
  ],
  [
    t`The tags of the cost rows`,
    "SELECT Team, json_extract(Tags, '$.env') AS env, count(*) AS charges, round(sum(EffectiveCost)) AS " +
      "effective\nFROM costs\nWHERE Tags IS NOT NULL\nGROUP BY Team, env\nORDER BY effective DESC",
  ],
];
