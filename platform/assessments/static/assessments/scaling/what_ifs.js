// What-ifs as the page knows them: asks for one, follows it, and keeps what each has brought.

import { announce } from "../../headnode/announce.js";
import { ask, Refused } from "../../headnode/api.js";
import { t } from "../../headnode/words.js";

const SOON_MS = 400;
const LATER_MS = 1500;

function progress(run, seconds) {
  if (!run) return t`The connection was lost; the what-if goes on. Asking again…`;
  if (run.stopping) return t`Stopping · ${seconds} s`;
  return run.state === "running"
    ? t`The year is being played · ${seconds} s`
    : t`Waiting for a free place · ${seconds} s`;
}

/** Events: "list" (another number left, another state), "done" {run}. */
export class WhatIfs extends EventTarget {
  #reports = new Map();
  #look = null;

  constructor(model, queue) {
    super();
    this.model = model;
    this.queue = queue;
    this.url = null;
    this.told = null;
    this.sentence = "";
    this.trouble = "";
    this.busy = false;
    this.going = null;
  }

  begin(url) {
    this.url = url;
  }

  /** Fetch the list; takes up one that an earlier page asked for. */
  async refresh() {
    try {
      this.told = await ask(this.url);
      this.trouble = "";
    } catch (error) {
      this.trouble = t`The what-ifs could not be listed: ${error.message}`;
    }
    this.#tell("list");
    const open = this.told?.runs.find(({ state }) => state === "queued" || state === "running");
    if (open && !this.busy) this.#while(() => this.#follow(open.id));
  }

  get runs() {
    return this.told?.runs ?? [];
  }

  /** Play the plan as it stands on this page. */
  async run() {
    if (this.busy) return;
    await this.#while(async () => {
      this.#say(t`Being sent…`);
      const started = await this.queue.post(this.url);
      await this.#follow(started.id);
    });
  }

  /** Stop the one that is played; it counts as none. */
  async stop() {
    if (!this.going) return;
    const url = `${this.url}/${this.going}/stop`;
    this.going = null;
    this.#say(t`Stopping…`);
    try {
      await ask(url, {});
    } catch (error) {
      // One that has ended by itself meanwhile shows its figures in a moment.
      if (error.code !== "run_ended") this.#say(t`The what-if was not stopped: ${error.message} Try again.`);
    }
    this.#look?.();
  }

  async #while(work) {
    this.busy = true;
    this.trouble = "";
    this.#tell("list");
    try {
      await work();
    } catch (error) {
      this.trouble =
        error instanceof Refused
          ? error.message
          : t`The server could not be reached, so the plan was not played, and nothing was counted. It is kept in
            this browser; try again when the connection is back.`;
    }
    this.busy = false;
    this.going = null;
    this.#say("");
    await this.refresh();
  }

  async #follow(id) {
    announce(t`The plan is being played. Control and full stop stop it.`);
    const began = performance.now();
    for (;;) {
      const run = await this.#ask(id);
      this.going = run?.stopping ? null : id;
      const seconds = Math.round((performance.now() - began) / 1000);
      if (run && !["queued", "running"].includes(run.state)) {
        this.#reports.set(id, Promise.resolve(run));
        if (run.state === "done" && run.counts) this.#tell("done", { run });
        else this.trouble = run.detail || run.report?.detail || t`The plan could not be played.`;
        return;
      }
      this.#say(progress(run, seconds));
      await new Promise((resolve) => {
        this.#look = resolve;
        setTimeout(resolve, seconds < 8 || run?.stopping ? SOON_MS : LATER_MS);
      });
    }
  }

  async #ask(id) {
    try {
      return await ask(`${this.url}/${id}`);
    } catch (error) {
      if (error instanceof Refused && !error.passing) throw error;
      return null;
    }
  }

  /** A what-if with its report and its plan; one that has ended never changes, so each is fetched once. */
  report(id) {
    if (!this.#reports.has(id)) {
      const job = ask(`${this.url}/${id}`, undefined, { timeout: 30000 });
      this.#reports.set(id, job);
      job.catch(() => this.#reports.delete(id));
    }
    return this.#reports.get(id);
  }

  #say(sentence) {
    this.sentence = sentence;
    this.#tell("list");
  }

  #tell(type, detail = {}) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
