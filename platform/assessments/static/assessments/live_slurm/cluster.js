// The cluster's tab: a map of its nodes, the queue, and how both have moved, as its own tools tell.

import { clockTime, el, svg } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { standingOf } from "./standing.js";
import { changes, inOneSentence, inOrder, nodeSentence, nodeTone, steps } from "./states.js";

const LEAST_WIDE = 280;
const HIGH = 140;
const LEFT = 34;
const FOOT = 20;
const SERIES = [
  [1, "running", t`Jobs that run`],
  [2, "waiting", t`Jobs that wait`],
  [3, "gpus", t`GPUs in use`],
];
const SHOWN = 200;
const WAITS = t`The cluster is being started. It takes some seconds, and your clock gets back what is more.`;

function node(one) {
  const tone = nodeTone(one.state);
  const squares = Array.from({ length: one.gpus }, (_, at) =>
    el("span", { className: at < one.used ? "gpu used" : "gpu" }),
  );
  return el(
    "li",
    { className: "cluster-node", "data-tone": tone },
    el("span", { className: "cluster-node-name" }, one.name),
    el("span", { className: "cluster-node-state" }, one.state.toLowerCase().replaceAll("+", ", ")),
    el("span", { className: "gpus", "aria-hidden": "true" }, squares),
    el("span", { className: "unseen" }, nodeSentence(one)),
    one.reason ? el("span", { className: "cluster-node-reason small" }, one.reason) : null,
  );
}

function table(caption, heads, rows) {
  return el(
    "table",
    {},
    el("caption", { className: "unseen" }, caption),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        heads.map((head) => el("th", { scope: "col" }, head)),
      ),
    ),
    el(
      "tbody",
      {},
      rows.map(([first, ...cells]) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, first),
          cells.map((cell) => el("td", {}, cell)),
        ),
      ),
    ),
  );
}

/** Drawn in pixels of the page, so that its letters are as large as those around it. */
function lines(looks, now, wide) {
  const [from, to] = [looks[0][0], Math.max(now, looks[0][0] + 60_000)];
  const most = Math.max(8, ...looks.flatMap((look) => look.slice(1, 4)));
  const x = (at) => Math.round(LEFT + ((at - from) / (to - from)) * (wide - LEFT - 8));
  const y = (count) => Math.round(8 + (1 - count / most) * (HIGH - FOOT - 8));
  const grid = [0, Math.round(most / 2), most].flatMap((count) => [
    svg("line", { x1: LEFT, x2: wide - 8, y1: y(count), y2: y(count), class: "grid" }),
    svg("text", { x: LEFT - 6, y: y(count) + 4, "text-anchor": "end" }, String(count)),
  ]);
  const ends = [
    svg("text", { x: LEFT, y: HIGH - 4 }, clockTime(from)),
    svg("text", { x: wide - 8, y: HIGH - 4, "text-anchor": "end" }, clockTime(to)),
  ];
  const paths = SERIES.map(([index, name]) => {
    const points = looks.map((look) => [x(look[0]), y(look[index])]);
    points.push([x(to), points.at(-1)[1]]);
    return svg("path", { d: steps(points), class: `line ${name}` });
  });
  return [...grid, ...ends, ...paths];
}

class Tab {
  constructor(host, room) {
    this.standing = standingOf(room);
    this.said = el("p", { className: "cluster-said", role: "status" }, WAITS);
    this.trouble = el("p", { className: "note warn", hidden: true });
    this.nodes = el("ul", { className: "cluster-map", "aria-label": t`Nodes` });
    this.chart = svg("svg", { height: HIGH, class: "cluster-chart", role: "img" });
    this.history = el("div", { className: "cluster-scroll", tabindex: "0", role: "region", "aria-label": t`History` });
    this.queue = el("div", { className: "cluster-scroll", tabindex: "0", role: "region", "aria-label": t`Queue` });
    this.details = el("details", {}, el("summary", {}, t`The chart as a table`), this.history);
    this.details.addEventListener("toggle", () => this.#drawTable());
    const key = SERIES.map(([, name, label]) => el("li", { className: name }, label));
    this.body = el(
      "div",
      { className: "cluster-parts", hidden: true },
      el("h3", {}, t`Nodes`),
      this.nodes,
      el("h3", {}, t`Since you came`),
      el("figure", { className: "cluster-figure" }, this.chart, el("ul", { className: "cluster-key" }, key)),
      this.details,
      el("h3", {}, t`Queue`),
      this.queue,
    );
    host.classList.add("cluster-part");
    host.append(this.said, this.trouble, this.body);
    this.standing.addEventListener("news", () => this.#draw());
    this.#draw();
  }

  #draw() {
    const { told, looks, trouble } = this.standing;
    this.trouble.hidden = !trouble;
    this.trouble.textContent = trouble && t`What is shown may be old: ${trouble}`;
    if (!told?.ready || !looks.length) return;
    const { nodes, jobs, now, viewed } = told;
    const silent = !nodes.length;
    const said = silent
      ? t`The controller does not answer: nothing is known of nodes and jobs.`
      : inOneSentence(looks.at(-1), nodes);
    if (this.said.textContent !== said) this.said.textContent = said;
    this.body.hidden = false;
    this.body.classList.toggle("old", now - viewed > 20_000);
    this.#replace(this.nodes, nodes.map(node), JSON.stringify(nodes));
    const wide = Math.max(LEAST_WIDE, this.chart.clientWidth);
    this.chart.setAttribute("viewBox", `0 0 ${wide} ${HIGH}`);
    this.chart.replaceChildren(...lines(looks, now, wide));
    this.chart.setAttribute("aria-label", t`Jobs and GPUs since you came. ${said}`);
    const rows = inOrder(jobs).slice(0, SHOWN);
    const cells = rows.map((job) => [job.id, job.name, job.state.toLowerCase(), job.where, job.user, job.partition]);
    const heads = [t`Job`, t`Name`, t`State`, t`Nodes, or why it waits`, t`User`, t`Partition`];
    this.#replace(this.queue, [table(t`The queue`, heads, cells)], JSON.stringify(cells));
    this.#drawTable();
  }

  /** Only what has changed, so that nobody loses their place in it. */
  #replace(host, parts, print) {
    if (host.dataset.print === print) return;
    host.dataset.print = print;
    host.replaceChildren(...parts);
  }

  #drawTable() {
    if (!this.details.open) return;
    const rows = changes(this.standing.looks)
      .slice(0, SHOWN)
      .map(([at, ...counts]) => [clockTime(at), ...counts.map(String)]);
    const heads = [t`Time`, ...SERIES.map(([, , label]) => label), t`Nodes that take jobs`];
    this.#replace(this.history, [table(t`How the cluster moved`, heads, rows)], JSON.stringify(rows));
  }
}

/** Fill the tab. */
export function setUp(host, room) {
  const tab = new Tab(host, room);
  return { shown: () => tab.standing.look() };
}
