// What the cluster's own words for nodes and jobs mean for whoever looks: a tone, and plain words. No page here.

import { counted, t } from "../../headnode/words.js";

const DOWN = ["DOWN", "FAIL", "NOT_RESPONDING", "UNKNOWN", "INVAL"];
const OUT = ["DRAIN", "DRAINED", "DRAINING", "MAINT", "RESERVED", "PLANNED"];

/** A node's state in Slurm's spelling -> "bad" (nothing runs), "warn" (takes no new jobs), "busy" or "idle". */
export function nodeTone(state) {
  const parts = state.replace("*", "+NOT_RESPONDING").split("+");
  if (parts.some((part) => DOWN.includes(part))) return "bad";
  if (parts.some((part) => OUT.includes(part))) return "warn";
  return parts[0] === "IDLE" ? "idle" : "busy";
}

/** A sentence about a node for whoever cannot see the squares. */
export function nodeSentence({ name, state, gpus, used, reason }) {
  const said = t`${name}: ${state.toLowerCase()}, ${used} of ${gpus} GPUs in use`;
  return reason ? `${said}, ${reason}.` : `${said}.`;
}

/** Jobs by what they do, the ones that wait last. */
export function inOrder(jobs) {
  const place = { RUNNING: 0, COMPLETING: 1, PENDING: 2 };
  return [...jobs].sort(
    (a, b) => (place[a.state] ?? 3) - (place[b.state] ?? 3) || Number.parseInt(a.id, 10) - Number.parseInt(b.id, 10),
  );
}

/** "3 jobs run, 9 wait; 13 of 48 GPUs are in use, 5 of 6 nodes take jobs." of the newest look. */
export function inOneSentence(look, nodes) {
  if (!look) return t`Nothing was seen of the cluster yet.`;
  const [, running, waiting, gpus, up] = look;
  const all = nodes.reduce((sum, node) => sum + node.gpus, 0);
  const jobs = [counted("{0} job runs", "{0} jobs run", running), counted("{0} waits", "{0} wait", waiting)];
  return t`${jobs.join(", ")}; ${gpus} of ${all} GPUs are in use, ${up} of ${nodes.length} nodes take jobs.`;
}

/** Looks at which a count has changed, the newest first: what the table beside the chart shows. */
export function changes(looks) {
  const found = looks.filter(
    (look, at) => at === 0 || look.slice(1).some((count, index) => count !== looks[at - 1][index + 1]),
  );
  return found.reverse();
}

/** A path of steps through [x, y] in pixels, each value held until the next. */
export function steps(points) {
  return points.map(([x, y], at) => (at ? `H${x}V${y}` : `M${x} ${y}`)).join("");
}
