// Checks as the page knows them: asks for one, follows it, stops it.

import { announce } from "../../headnode/announce.js";
import { ask, Refused } from "../../headnode/api.js";
import { t } from "../../headnode/words.js";

const SOON_MS = 700;
const ENDED = ["done", "stopped", "infrastructure_error"];

function progress(run, seconds) {
  if (!run) return t`The connection was lost; the check goes on. Asking again…`;
  if (run.stopping) return t`Stopping · ${seconds} s`;
  return run.state === "running"
    ? t`A copy of your cluster is tried · ${seconds} s`
    : t`Waiting for a place · ${seconds} s`;
}

/** Events: "change". */
export class Checks extends EventTarget {
  #look = null;

  constructor(queue) {
    super();
    this.queue = queue;
    this.url = null;
    this.busy = false;
    this.going = null;
    this.sentence = "";
    this.trouble = "";
  }

  begin(url) {
    this.url = url;
  }

  /** Try the cluster as it is now. */
  async run() {
    if (this.busy || !this.url) return;
    await this.#while(async () => {
      this.#say(t`Your cluster is being kept…`);
      const started = await this.queue.post(this.url);
      await this.follow(started.id);
    });
  }

  /** Take up one that an earlier page asked for. */
  async resume(id) {
    if (!this.busy) await this.#while(() => this.follow(id));
  }

  async stop() {
    if (!this.going) return;
    const url = `${this.url}/${this.going}/stop`;
    this.going = null;
    this.#say(t`Stopping…`);
    try {
      await ask(url, {});
    } catch (error) {
      // One that has ended by itself meanwhile shows its result in a moment.
      if (error.code !== "run_ended") this.#say(t`The check was not stopped: ${error.message} Try again.`);
    }
    this.#look?.();
  }

  async #while(work) {
    this.busy = true;
    this.trouble = "";
    this.#say("");
    try {
      await work();
    } catch (error) {
      this.trouble =
        error instanceof Refused
          ? error.message
          : t`The server could not be reached, so nothing was checked. Try again when the connection is back.`;
    }
    this.busy = false;
    this.going = null;
    this.#say("");
  }

  async follow(id) {
    const began = performance.now();
    announce(t`The check has begun. Control and full stop stop it.`);
    for (;;) {
      const run = await this.#ask(id);
      if (run && ENDED.includes(run.state)) {
        const ours = t`The check failed on our side; please check again.`;
        const said = run.state === "infrastructure_error" ? ours : run.detail;
        announce(said);
        if (run.state === "infrastructure_error") this.trouble = said;
        return;
      }
      this.going = run?.stopping ? null : id;
      this.#say(progress(run, Math.round((performance.now() - began) / 1000)));
      await new Promise((resolve) => {
        this.#look = resolve;
        setTimeout(resolve, SOON_MS);
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

  #say(sentence) {
    this.sentence = sentence;
    this.dispatchEvent(new CustomEvent("change"));
  }
}
