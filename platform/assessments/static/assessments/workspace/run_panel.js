// Runs the program against a public workload and shows what came back.

import { announce } from "../../headnode/announce.js";
import { ask, Refused } from "../../headnode/api.js";
import { byId, el, once } from "../../headnode/dom.js";
import { tabs } from "../../headnode/tabs.js";
import { t, timeOfDay } from "../../headnode/words.js";
import { fillButton } from "./panes.js";
import { nothingYet, output, STATUS, whereItFailed } from "./run_output.js";
import { verdictText } from "./verdict_words.js";

const SOON_MS = 300;
const LATER_MS = 1000;
const PARTS = { output: t`Output`, measures: t`Measures`, timeline: t`Timeline` };
const NOT_FETCHED = t`This could not be fetched: choose the tab again in a moment.`;

function progress(run, seconds) {
  if (!run) return t`Connection lost; the run goes on. Asking again…`;
  if (run.stopping) return t`Stopping · ${seconds} s`;
  if (run.state === "running") return t`Running · ${seconds} s`;
  if (run.waiting_for) return `${run.waiting_for} · ${seconds} s`;
  const place = run.position > 1 ? t`Waiting, number ${run.position} in the queue` : t`Waiting for a free place`;
  return `${place} · ${seconds} s`;
}

export class RunPanel {
  #run = null;
  #report = null;
  #busy = false;
  #going = null;
  #look = null;

  /** failed: told of each result's {path, line, text} of the candidate's own file, or null; open: asked to show it. */
  constructor({ queue, urls, workloads, lastRun, note, show, files, failed, open }) {
    this.queue = queue;
    this.urls = urls;
    this.workloads = workloads;
    this.note = note;
    this.show = show;
    this.files = files;
    this.failed = failed;
    this.openLine = open;
    this.timeline = null;
    this.#build(workloads);
    this.#take(lastRun, "");
    new ResizeObserver(() => this.#fit()).observe(this.body);
  }

  #build(workloads) {
    this.button = el(
      "button",
      { type: "button", className: "primary", onclick: (event) => this.#press(event), onkeydown: once },
      t`Run ▸`,
    );
    this.choice = el(
      "select",
      { id: "workload" },
      workloads.map((item) => el("option", { value: item.name }, item.title)),
    );
    this.state = el("span", { className: "run-state", role: "status" });
    this.list = el("div", { className: "tab-list" });
    this.body = el("div", { className: "pane-body run", id: "run-body", role: "tabpanel", tabindex: "0" });
    byId("pane-run").append(
      el(
        "div",
        { className: "pane-head" },
        this.button,
        el("label", { className: "unseen", for: "workload" }, t`Workload`),
        workloads.length > 1 ? this.choice : null,
        this.list,
        this.state,
        fillButton("run"),
      ),
      this.body,
    );
    const items = Object.entries(PARTS).map(([key, label]) => ({ key, label, panel: "run-body" }));
    this.tabs = tabs(this.list, items, (key) => this.#open(key), { label: t`Result of the run` });
    this.tabs.choose("output");
    this.#setBusy(false);
  }

  /** Stop further runs, for a read-only page. */
  disable() {
    this.button.disabled = true;
  }

  /** The second press of a double click on Run is not meant for Stop, which has taken its place. */
  #press(event) {
    if (!this.#busy) this.run();
    else if (event.detail < 2) this.stop();
  }

  async run() {
    if (this.#busy || this.button.disabled) return;
    this.#setBusy(true);
    this.show?.("run");
    this.#say(t`Sending…`);
    try {
      const started = await this.queue.post(this.urls.runs, { workload: this.choice.value });
      await this.#follow(started.id);
    } catch (error) {
      this.#problem(error);
    } finally {
      this.#setBusy(false);
    }
  }

  /** Stop the run that goes on; what it has printed is shown. */
  async stop() {
    if (!this.#going) return;
    const url = `${this.urls.runs}/${this.#going}/stop`;
    this.#face(null);
    announce(t`Stopping the run.`);
    try {
      await ask(url, {});
    } catch (error) {
      // One that has ended by itself meanwhile shows its result in a moment.
      if (error.code !== "run_ended") announce(t`The run was not stopped: ${error.message} Try again.`);
    }
    this.#look?.();
  }

  /** Take up a run that an earlier page began. */
  async resume() {
    try {
      const [newest] = (await ask(this.urls.runs)).runs;
      if (this.#busy || !newest || !["queued", "running"].includes(newest.state)) return;
      this.#setBusy(true);
      await this.#follow(newest.id);
      this.#setBusy(false);
    } catch {
      // Nothing was lost: the next run says what is wrong, if anything is.
      this.#setBusy(false);
    }
  }

  async #follow(id) {
    const began = performance.now();
    announce(t`The run has begun. Control and full stop stop it.`);
    for (;;) {
      const run = await this.#ask(id);
      this.#face(run?.stopping ? null : id);
      if (run && !["queued", "running"].includes(run.state)) {
        this.#finish(run, performance.now() - began);
        return;
      }
      const seconds = Math.round((performance.now() - began) / 1000);
      this.#say(progress(run, seconds));
      await new Promise((resolve) => {
        this.#look = resolve;
        setTimeout(resolve, seconds < 5 || run?.stopping ? SOON_MS : LATER_MS);
      });
    }
  }

  async #ask(id) {
    try {
      return await ask(`${this.urls.runs}/${id}`);
    } catch (error) {
      if (error instanceof Refused && !error.passing) throw error;
      return null;
    }
  }

  #finish(run, spentMs) {
    const ours = run.state === "infrastructure_error";
    this.ranAs = run.id;
    const said = verdictText(run.detail || "") || t`The run failed on our side.`;
    this.#take(run, ours ? t`${said} It was not your program; please run again.` : "");
    const label = ours ? t`The run failed on our side.` : STATUS[run.report?.status ?? run.state]?.[1] || t`Finished`;
    this.#say(`${label} · ${(spentMs / 1000).toFixed(1)} s`);
    announce(`${label} ${verdictText(run.report?.detail || run.detail || "")}`);
    if (!run.report?.measures?.length) this.tabs.choose("output");
  }

  #problem(error) {
    this.#say("");
    const text =
      error instanceof Refused
        ? error.message
        : t`The server could not be reached, so the program was not run. Your text is kept in this browser; try
          again when the connection is back.`;
    this.tabs.choose("output");
    this.body.replaceChildren(el("p", { className: "note warn", role: "alert" }, text));
  }

  #take(run, detail) {
    this.#run = run || null;
    this.#report = run?.report || null;
    this.detail = detail;
    this.failure = this.#report && whereItFailed(this.#report.stderr ?? "", this.files());
    this.failed(this.failure);
    this.#open(this.current || "output");
  }

  /** What was run, of which the present text may know nothing. */
  #ofWhat() {
    const title = this.workloads.find(({ name }) => name === this.#run.workload)?.title ?? this.#run.workload;
    return t`${title} · draft #${this.#run.draft} · ${timeOfDay(this.#run.finished_at ?? this.#run.created_at)}`;
  }

  #output() {
    if (!this.#report) return nothingYet(this.detail || this.note);
    return output(this.#report, { what: this.#ofWhat(), failure: this.failure, open: this.openLine });
  }

  #open(key) {
    this.current = key;
    this.timeline?.close();
    this.body.setAttribute("aria-label", PARTS[key]);
    if (key === "output") this.body.replaceChildren(this.#output());
    if (key === "measures") this.#openMeasures();
    if (key === "timeline") this.#openTimeline();
  }

  /** Fill the open tab with what is fetched for the first time that it is wanted. */
  async #fetched(key, fill) {
    const report = this.#report;
    this.body.replaceChildren();
    try {
      const part = await fill();
      if (this.current === key && report === this.#report) part();
    } catch {
      if (this.current === key) this.body.replaceChildren(el("p", { className: "muted" }, NOT_FETCHED));
    }
  }

  #openMeasures() {
    this.#fetched("measures", async () => {
      const table = (await import("../../headnode/measures.js")).measuresTable;
      const what = this.#report && el("p", { className: "muted small" }, this.#ofWhat());
      return () => this.body.replaceChildren(...[what, table(this.#report)].filter(Boolean));
    });
  }

  #openTimeline() {
    // Charts need a width; a pane that is not shown has none, and draws when it is.
    this.waits = !this.body.clientWidth;
    if (this.waits) {
      this.body.replaceChildren();
      return;
    }
    this.#fetched("timeline", async () => {
      const Tab = (await import("./timeline_tab.js")).TimelineTab;
      this.timeline ??= new Tab(this.urls.runs, this.workloads);
      return () => this.timeline.open(this.body, this.#report, this.ranAs);
    });
  }

  #fit() {
    if (this.current !== "timeline") return;
    if (this.waits) this.#openTimeline();
    else this.timeline?.resize();
  }

  #setBusy(busy) {
    this.#busy = busy;
    this.#face(null);
  }

  /** Run, or Stop in its place while a run goes on; `going` is the run that it would stop now. */
  #face(going) {
    const { button } = this;
    const busy = this.#busy;
    this.#going = busy ? going : null;
    button.textContent = busy ? t`Stop` : t`Run ▸`;
    button.title = busy ? t`Ctrl+.` : t`Ctrl+Enter`;
    button.classList.toggle("primary", !busy);
    button.setAttribute("aria-keyshortcuts", busy ? "Control+." : "Control+Enter");
    button.setAttribute("aria-disabled", String(busy && !this.#going));
  }

  #say(text) {
    this.state.textContent = text;
  }
}
