// The query box of the room: PromQL over what was recorded, answered as a chart and as a table.

import { el, preference } from "../../headnode/dom.js";
import { patiently, retryAfter } from "../../headnode/patience.js";
import { t } from "../../headnode/words.js";
import { copyAndSay } from "../workplace/clipboard.js";
import { linkTo } from "../workplace/links.js";
import { trouble } from "../workplace/retry.js";
import { stageOf } from "./dashboards.js";
import { RangeBar } from "./dashboards_bar.js";
import { MetricsChart } from "./metrics_chart.js";
import { fetchJson } from "./metrics_data.js";
import { answerTable, chartData } from "./query_answer.js";
import { QueryEditor } from "./query_editor.js";
import { help } from "./query_help.js";

const FIRST = "avg by (Hostname) (DCGM_FI_DEV_SM_CLOCK)";
const KEPT = 30;
const AGAIN_MS = 350;
/** Seconds between two values of an answer, as people choose them; "" leaves it to the server. */
const STEPS = {
  "": t`Step: automatic`,
  5: "5 s",
  15: "15 s",
  30: "30 s",
  60: "1 min",
  300: "5 min",
  900: "15 min",
  3600: "1 h",
};

class Wrong extends Error {
  constructor(message, position, { code = "", again = 0 } = {}) {
    super(message);
    this.position = position;
    this.code = code;
    this.retryAfter = again;
  }
}

async function asked(url, signal) {
  let response;
  try {
    response = await fetch(url, { credentials: "same-origin", signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Wrong(t`The server could not be reached. Your query stays here: run it again in a moment.`, null);
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return answer;
  const refusal = { code: answer?.code, again: retryAfter(response) };
  throw new Wrong(
    answer?.detail || t`The server answered with status ${response.status}.`,
    answer?.position ?? null,
    refusal,
  );
}

class Query {
  #stop = null;
  #timer = 0;

  constructor(host, room, catalogue) {
    this.host = host;
    this.room = room;
    this.answer = null;
    this.isStale = false;
    this.stage = stageOf(room, "query", (ms) => this.bar.hover(ms));
    this.bar = new RangeBar(room, "query");
    this.editor = new QueryEditor({
      text: this.past[0] || FIRST,
      catalogue,
      run: () => this.run(),
      label: t`Query in PromQL; Enter runs it`,
    });
    this.kind = el(
      "select",
      { "aria-label": t`Over the range or at one instant`, onchange: () => this.run() },
      el("option", { value: "range" }, t`Over the range`),
      el("option", { value: "instant" }, t`At the end of the range`),
    );
    this.step = el(
      "select",
      { "aria-label": t`Step between values`, onchange: () => this.run() },
      // Keys of whole numbers come before others, whatever the order they are written in.
      ["", ...Object.keys(STEPS).filter(Boolean)].map((value) => el("option", { value }, STEPS[value])),
    );
    this.stopButton = el("button", { type: "button", hidden: true, onclick: () => this.stop() }, t`Stop`);
    this.runButton = el("button", { type: "button", className: "primary", onclick: () => this.run() }, t`Run`);
    this.said = el(
      "p",
      { className: "mquery-said muted", role: "status" },
      t`Enter runs the query, Shift+Enter breaks the line, Ctrl+Space completes.`,
    );
    this.chart = new MetricsChart({ key: "query", title: t`Answer`, stage: this.stage, height: 260 });
    this.chart.node.hidden = true;
    this.table = el("div", {});
    this.pinButton = el(
      "button",
      { type: "button", className: "quiet", disabled: true, onclick: () => this.#pin() },
      t`Pin`,
    );
    this.pastNode = el("details", { className: "mquery-past" }, el("summary", {}, t`Your queries`), el("ul", {}));
    const tools = el(
      "div",
      { className: "mquery-tools" },
      this.runButton,
      this.stopButton,
      this.kind,
      this.step,
      this.pinButton,
      el("button", { type: "button", className: "quiet", onclick: () => this.#link() }, t`Copy link`),
    );
    const editor = el("div", { className: "mquery-editor" }, this.editor.node);
    this.body = el(
      "div",
      { className: "mquery-body" },
      editor,
      tools,
      this.said,
      this.chart.node,
      this.table,
      this.pastNode,
      help((query) => this.use(query), { open: !this.past.length }),
    );
    host.append(el("div", { className: "mbar" }, this.bar.node), this.body);
    this.#listPast();
    room.addEventListener("range", () => this.#ranged());
    new ResizeObserver(() => this.chart.resize()).observe(this.body);
    new MutationObserver(() => this.chart.draw()).observe(document.documentElement, {
      attributeFilter: ["data-theme"],
    });
  }

  get past() {
    try {
      return JSON.parse(preference(`queries:${this.room.attempt}`) || "[]");
    } catch {
      return [];
    }
  }

  use(query) {
    this.editor.text = query;
    this.editor.focus();
    this.run();
  }

  #ranged() {
    Object.assign(this.stage.range, this.room.range);
    this.chart.zoom();
    clearTimeout(this.#timer);
    this.isStale = this.answer !== null;
    if (!this.host.hidden && this.isStale) this.#timer = setTimeout(() => this.run({ quiet: true }), AGAIN_MS);
  }

  /** The tab came to the front: an answer for another range is asked for anew. */
  shown() {
    if (this.isStale) this.run({ quiet: true });
    else this.chart.draw();
  }

  async run({ quiet = false } = {}) {
    const text = quiet ? this.answer.text : this.editor.text.trim();
    this.#stop?.abort();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const { from, to } = this.stage.range;
    const query = new URLSearchParams({ query: text });
    if (this.kind.value === "instant") query.set("at", String(Math.round(to)));
    else {
      for (const [name, value] of Object.entries({ from, to, points: 300 })) query.set(name, String(Math.round(value)));
      if (this.step.value) query.set("step", this.step.value);
    }
    this.#say(t`Being worked out…`);
    this.#busy(true);
    try {
      const url = `${this.room.urls.query}?${query}`;
      const answer = await patiently(() => asked(url, signal), { signal, told: (sentence) => this.#say(sentence) });
      this.#take(text, answer);
      if (!quiet) this.#remember(text);
    } catch (error) {
      if (error.name !== "AbortError") this.#fail(error, quiet);
    } finally {
      if (this.#stop?.signal === signal) this.#busy(false);
    }
  }

  /** End what is being worked out; the answer before it stays. */
  stop() {
    this.#stop?.abort();
    this.#busy(false);
    this.#say(
      this.answer
        ? t`Stopped: nothing is being worked out. The answer before it stays below.`
        : t`Stopped: nothing is being worked out.`,
    );
    this.runButton.focus();
  }

  #busy(on) {
    this.stopButton.hidden = !on;
  }

  async #link() {
    const { from, to } = this.stage.range;
    const place = { query: this.editor.text.trim(), from_ms: Math.round(from), to_ms: Math.round(to) };
    await copyAndSay(linkTo("query", place), t`Link to the query and its time copied.`);
  }

  /** What another tab or a link asks for: a range of time, a query, or both. */
  look({ query, from_ms: from, to_ms: to }) {
    if (from && to) this.room.setRange(Number(from), Number(to), "query");
    if (query) this.use(query);
  }

  #say(sentence, tone = "") {
    this.said.textContent = sentence;
    this.said.dataset.tone = tone;
  }

  #fail(error, quiet) {
    const place = error.position ?? null;
    this.#say(error.message + (place === null ? "" : t` (character ${place + 1})`), "bad");
    if (!quiet) this.editor.wrong(place);
  }

  #take(text, answer) {
    this.isStale = false;
    this.answer = { text, ...answer };
    this.editor.wrong(null);
    const isRange = answer.kind === "range";
    const count = (isRange ? answer.series : answer.rows).length;
    const left = answer.left_out
      ? t` ${answer.left_out.toLocaleString("en-GB")} more were left out: narrow the query, or use topk.`
      : "";
    this.#say(
      count
        ? (isRange
            ? t`${count} series, a value every ${answer.step / 1000} s, in ${answer.took_ms} ms.`
            : t`${count} series at ${this.room.timeText(answer.at)}, in ${answer.took_ms} ms.`) + left
        : t`No series fits: nothing of that name and those labels was recorded in this time.`,
    );
    this.chart.node.hidden = !isRange || !count;
    if (isRange && count) this.chart.setData(chartData(answer));
    this.table.replaceChildren(...(count ? [answerTable(answer, (ms) => this.room.timeText(ms))] : []));
    this.pinButton.disabled = !count || !answer.selectors.length;
  }

  #remember(text) {
    preference(
      `queries:${this.room.attempt}`,
      JSON.stringify([text, ...this.past.filter((one) => one !== text)].slice(0, KEPT)),
    );
    this.#listPast();
  }

  #listPast() {
    const { past } = this;
    this.pastNode.hidden = !past.length;
    this.pastNode
      .querySelector("ul")
      .replaceChildren(
        ...past.map((query) =>
          el("li", {}, el("button", { type: "button", className: "quiet", onclick: () => this.use(query) }, query)),
        ),
      );
  }

  /** The first selector with its labels; a host's name stands under `node`, as in the dashboards' pins. */
  #pin() {
    const { selectors, text } = this.answer;
    const { instance, Hostname, ...labels } = selectors[0].labels;
    const host = Hostname || instance?.split(":")[0];
    const { from, to } = this.stage.range;
    return this.room.pin({
      kind: "chart",
      metric: selectors[0].metric,
      labels: host ? { node: host, ...labels } : labels,
      from_ms: Math.round(from),
      to_ms: Math.round(to),
      note: text,
    });
  }
}

export function setUp(host, room) {
  host.classList.add("mquery");
  const begin = async () => {
    host.replaceChildren(
      el("p", { className: "empty", role: "status" }, t`The names of the metrics are being fetched…`),
    );
    try {
      const catalogue = await fetchJson(`${room.urls.metrics}/catalogue`);
      host.replaceChildren();
      return new Query(host, room, catalogue);
    } catch (error) {
      return new Promise((resolve) => {
        host.replaceChildren(
          trouble(t`The names of the metrics could not be fetched: ${error.message}`, () => resolve(begin())),
        );
      });
    }
  };
  let box = null;
  const ready = begin();
  ready.then((made) => (box = made));
  return { show: (detail) => ready.then((made) => made.look(detail)), shown: () => box?.shown(), ready };
}
