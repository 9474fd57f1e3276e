// Fetches the panels that are in sight, a batch at a time, for the range that is shown now.

import { t } from "../../headnode/words.js";
import { Failed, fetchPanels } from "./metrics_data.js";

const BATCH = 6;
// Whoever asks has one place at a time.
const ABREAST = 1;
const PAUSE_MS = 40;

export class PanelLoader {
  #waiting = new Set();
  #running = new Set();
  #missed = new Set();
  #timer = 0;

  /**
   * settings(): {from, to, points, compare, node}; failed(sentence, again | null) tells of trouble, of waiting, or that
   * it is over.
   */
  constructor({ base, settings, failed }) {
    this.base = base;
    this.settings = settings;
    this.failed = failed;
  }

  add(panel) {
    if (!panel.wants(this.settings())) return;
    panel.chart.wait();
    this.#waiting.add(panel);
    this.#later(PAUSE_MS);
  }

  drop(panel) {
    this.#waiting.delete(panel);
  }

  /** What is on its way is of no use any more: its panels want again at once, not when the refusal has come back. */
  restart() {
    for (const { stop, batch } of this.#running) {
      stop.abort();
      for (const panel of batch) panel.missed();
    }
    this.#running.clear();
  }

  #later(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#next(), ms);
  }

  #next() {
    while (this.#waiting.size && this.#running.size < ABREAST) {
      const settings = this.settings();
      const due = [...this.#waiting].filter((panel) => panel.wants(settings));
      const node = due[0]?.isScoped || false;
      const batch = due.filter((panel) => panel.isScoped === node).slice(0, BATCH);
      this.#waiting = new Set(due.filter((panel) => !batch.includes(panel)));
      if (!batch.length) return;
      this.#load(batch, settings, node);
    }
  }

  async #load(batch, settings, isScoped) {
    const job = { stop: new AbortController(), batch };
    this.#running.add(job);
    for (const panel of batch) panel.asked(settings);
    try {
      const keys = batch.map((panel) => panel.key);
      const found = await fetchPanels(
        this.base,
        { ...settings, keys, node: isScoped ? settings.node : "" },
        { signal: job.stop.signal, told: (sentence) => this.failed(sentence, null) },
      );
      batch.forEach((panel, at) => panel.take(found[at], settings));
      this.#recovered(batch);
    } catch (error) {
      if (error.name !== "AbortError") this.#trouble(batch, error);
    } finally {
      this.#running.delete(job);
      this.#later(0);
    }
  }

  /** The server answers again: what it could not give before is asked for once more. */
  #recovered(batch) {
    for (const panel of batch) this.#missed.delete(panel);
    if (!this.#missed.size) this.failed(null);
    else this.#again();
  }

  #again() {
    for (const panel of this.#missed) this.add(panel);
    this.#missed = new Set([...this.#missed].filter((panel) => panel.wants(this.settings()) && panel.inSight));
    if (!this.#missed.size) this.failed(null);
  }

  #trouble(batch, error) {
    const again = () => this.#again();
    for (const panel of batch) {
      panel.missed();
      this.#missed.add(panel);
    }
    const sentence = error instanceof Failed ? error.message : t`The answer could not be read.`;
    for (const panel of batch)
      if (!panel.chart.data) panel.chart.fail(t`This chart could not be loaded: ${sentence}`, again);
    this.failed(t`Charts could not be loaded: ${sentence} What is drawn stays.`, again);
  }
}
