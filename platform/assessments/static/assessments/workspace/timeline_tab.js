// The Timeline tab of the run panel: the replay of the run shown, and beside it one of the earlier ones.

import { ask } from "../../headnode/api.js";
import { el } from "../../headnode/dom.js";
import { t, timeOfDay } from "../../headnode/words.js";

const NOTHING = t`The queue, the machines and the cost over the simulated time appear here after a run.`;

function named(run, titles) {
  return t`Draft ${run.draft}, ${titles.get(run.workload) || run.workload}, ran at ${timeOfDay(run.created_at)}`;
}

/** Sheets that the page names and does not fetch by itself; one that cannot be fetched is done without. */
function sheets() {
  const named = /** @type {HTMLTemplateElement | null} */ (document.getElementById("replay-sheets"));
  if (!named) return [];
  const links = [...named.content.children].map((link) => document.importNode(link, true));
  named.remove();
  const coming = links.map(
    (link) => new Promise((done) => ["load", "error"].map((it) => link.addEventListener(it, done))),
  );
  document.head.append(...links);
  return coming;
}

/** What draws a replay: it is fetched for the first of them. */
async function loaded() {
  await Promise.all(sheets());
  const { showReplay } = await import("../../headnode/replay.js");
  const { differences } = await import("../../headnode/differences.js");
  return { showReplay, differences };
}

export class TimelineTab {
  #shown = null;
  #asked = 0;

  /** url: where the candidate's runs are listed; workloads: [{name, title}]. */
  constructor(url, workloads) {
    this.url = url;
    this.titles = new Map(workloads.map((item) => [item.name, item.title]));
    this.choice = el("select", { id: "compare-run", onchange: () => this.#compare() });
    this.bar = el(
      "div",
      { className: "compare-bar", hidden: true },
      el("label", { for: "compare-run" }, t`Compare with an earlier run`, this.choice),
    );
    this.problem = el("p", { className: "note warn", role: "alert", hidden: true });
    this.place = el("div", {});
    this.figures = el("div", {});
    document.addEventListener("themechange", () => this.#shown?.redraw());
  }

  /** Show the replay of a report in the panel's body; `run` is its id, null where it is the newest one. */
  open(body, report, run) {
    this.close();
    this.report = report;
    this.run = run;
    if (!report?.timeline?.t?.length) {
      body.replaceChildren(el("p", { className: "empty" }, NOTHING));
      return;
    }
    body.replaceChildren(this.bar, this.problem, this.place, this.figures);
    this.#draw(null, []);
    this.#list();
  }

  close() {
    this.#asked += 1;
    this.#shown?.stop();
    this.#shown = null;
    this.problem.hidden = true;
  }

  resize() {
    this.#shown?.resize();
  }

  async #draw(other, names) {
    const turn = this.#asked;
    this.#shown?.stop();
    this.#shown = null;
    const parts = await loaded().catch(() => null);
    if (turn !== this.#asked) return;
    if (!parts) {
      this.#tell(t`The charts could not be loaded: no connection. Choose Timeline again to try once more.`);
      return;
    }
    const { showReplay, differences } = parts;
    this.#shown = showReplay(this.place, this.report.timeline, { other, names });
    this.figures.replaceChildren(...(other ? [differences(this.report.timeline, other)] : []));
  }

  async #list() {
    const turn = this.#asked;
    const known = await ask(this.url).catch(() => ({ runs: [] }));
    if (turn !== this.#asked) return;
    const done = known.runs.filter((run) => run.state === "done");
    this.own = done.find((run) => run.id === this.run) || done[0];
    const others = done.filter((run) => run !== this.own);
    this.bar.hidden = !others.length;
    this.choice.replaceChildren(
      el("option", { value: "" }, t`Nothing`),
      ...others.map((run) => el("option", { value: run.id }, named(run, this.titles))),
    );
    this.others = new Map(others.map((run) => [run.id, run]));
  }

  async #compare() {
    const turn = (this.#asked += 1);
    this.problem.hidden = true;
    const other = this.others.get(this.choice.value);
    if (!other) {
      this.#draw(null, []);
      return;
    }
    try {
      const { report } = await ask(`${this.url}/${other.id}`);
      if (turn !== this.#asked) return;
      if (!report?.timeline?.t?.length)
        this.#say(t`That run ended before anything could be recorded, so there is nothing to compare.`);
      else this.#draw(report.timeline, [t`this run: ${named(this.own, this.titles)}`, named(other, this.titles)]);
    } catch (error) {
      if (turn === this.#asked)
        this.#say(t`That run could not be loaded: ${error.message} Choose it again to try once more.`);
    }
  }

  #tell(text) {
    this.problem.textContent = text;
    this.problem.hidden = false;
  }

  #say(text) {
    this.#tell(text);
    this.choice.value = "";
    this.#draw(null, []);
  }
}
