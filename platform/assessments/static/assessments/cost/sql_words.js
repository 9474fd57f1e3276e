// SQLite's words as far as they are of use here, for completion and colours, and questions to begin with.

export const KEYWORDS = (
  "select from where group by having order limit offset join left on using with as and or not in is null like " +
  "between case when then else end distinct union all except intersect asc desc over partition cast exists " +
  "filter recursive values"
).split(" ");

export const FUNCTIONS = {
  sum: "Sum of a column",
  avg: "Mean of a column",
  count: "Number of rows",
  min: "Lowest value",
  max: "Highest value",
  total: "Sum, 0 where there is nothing",
  round: "round(x, 2)",
  abs: "Without its sign",
  coalesce: "The first that is not null",
  ifnull: "ifnull(x, 0)",
  nullif: "Null where both are the same",
  iif: "iif(condition, then, else)",
  substr: "substr(ChargePeriodStart, 1, 7) is the month",
  strftime: "strftime('%w', day) is the day of the week",
  date: "date(x, '+1 month')",
  julianday: "Days as a number",
  json_extract: "json_extract(Tags, '$.env')",
  instr: "Where a text stands in another; 0 is nowhere",
  lower: "Small letters",
  upper: "Capital letters",
  replace: "replace(text, old, new)",
  trim: "Without blanks at both ends",
  length: "Number of characters",
  printf: "printf('%.1f', x)",
  group_concat: "The values of a group in one text",
  rank: "rank() over (order by x desc)",
  row_number: "row_number() over (order by x)",
  lag: "The row before: lag(x) over (order by month)",
  lead: "The row after",
  ntile: "ntile(4) over (order by x)",
};

export const EXAMPLES = [
  [
    "The bill by month",
    "SELECT substr(ChargePeriodStart, 1, 7) AS month,\n       round(sum(BilledCost)) AS billed, " +
      "round(sum(EffectiveCost)) AS effective\nFROM costs\nGROUP BY month",
  ],
  [
    "GPU-hours by team and partition",
    "SELECT team, partition, round(sum(gpu_hours)) AS gpu_hours\nFROM usage\nGROUP BY team, partition\nORDER " +
      "BY gpu_hours DESC",
  ],
  [
    "The tags of the cost rows",
    "SELECT Team, json_extract(Tags, '$.env') AS env, count(*) AS charges, round(sum(EffectiveCost)) AS " +
      "effective\nFROM costs\nWHERE Tags IS NOT NULL\nGROUP BY Team, env\nORDER BY effective DESC",
  ],
];
