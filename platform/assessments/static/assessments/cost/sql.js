// SQL over the tables of the bill: an editor, the answer, the tables there are, and the queries before.

import { el, preference } from "../../headnode/dom.js";
import { counted, t } from "../../headnode/words.js";
import { sayDone } from "../workplace/done_line.js";
import { linkTo } from "../workplace/links.js";
import { trouble } from "../workplace/retry.js";
import { askSql, catalogueOf } from "./bill_data.js";
import { copyText } from "./copy.js";
import { SqlAnswer } from "./sql_answer.js";
import { SqlEditor } from "./sql_editor.js";
import { EXAMPLES } from "./sql_words.js";

const KEPT = 30;
const KINDS = { number: t`number`, time: t`time, as text that sorts`, text: t`text` };

class Sql {
  #turn = 0;
  #stop = new AbortController();

  constructor(host, room, catalogue) {
    this.host = host;
    this.room = room;
    this.catalogue = catalogue;
    this.editor = new SqlEditor({ text: this.past[0] || EXAMPLES[0][1], catalogue, run: () => this.run() });
    this.said = el(
      "p",
      { className: "mquery-said muted", role: "status" },
      t`Ctrl+Enter runs the query, Ctrl+Space completes. One SELECT at a time; nothing can be changed.`,
    );
    this.answer = new SqlAnswer();
    this.runButton = el("button", { type: "button", className: "primary", onclick: () => this.run() }, t`Run`);
    this.stopButton = el("button", { type: "button", hidden: true, onclick: () => this.stop() }, t`Stop`);
    this.copy = el(
      "button",
      { type: "button", className: "quiet", disabled: true, onclick: () => this.#copy() },
      t`Copy as CSV`,
    );
    this.pastNode = el("details", { className: "mquery-past" }, el("summary", {}, t`Your queries`), el("ul", {}));
    const tools = el(
      "div",
      { className: "mquery-tools" },
      this.runButton,
      this.stopButton,
      this.copy,
      el("button", { type: "button", className: "quiet", onclick: () => this.#link() }, t`Copy link`),
    );
    const main = el(
      "div",
      { className: "sql-main" },
      el("div", { className: "mquery-editor sql-editor" }, this.editor.node),
      tools,
      this.said,
      this.answer.node,
      this.pastNode,
      this.#examples(),
    );
    host.append(el("div", { className: "sql" }, main, this.#tables()));
    this.#listPast();
  }

  get past() {
    try {
      return JSON.parse(preference(`sql:${this.room.attempt}`) || "[]");
    } catch {
      return [];
    }
  }

  #tables() {
    const column = ({ name, kind, from }) =>
      el(
        "li",
        {},
        el(
          "button",
          {
            type: "button",
            className: "quiet sql-name",
            title: t`Put ${name} into the query`,
            onclick: () => this.editor.insert(name),
          },
          name,
        ),
        el("span", { className: "muted small" }, from ? t`${kind}, from ${from}` : KINDS[kind]),
      );
    const table = ({ name, title, rows, columns, path }) =>
      el(
        "details",
        { className: "pick-group" },
        el(
          "summary",
          {},
          el("span", { className: "mono" }, name),
          el("span", { className: "muted small" }, ` ${rows.toLocaleString("en-GB")}`),
        ),
        el("p", { className: "muted small" }, `${title} · `, el("span", { className: "mono" }, path)),
        el("ul", {}, columns.map(column)),
      );
    return el(
      "nav",
      { className: "pick-list sql-tables", "aria-label": t`Tables and columns` },
      el("h3", { className: "pick-head" }, t`Tables`),
      this.catalogue.tables.map(table),
    );
  }

  #examples() {
    const pick = ([title, sql]) =>
      el(
        "li",
        {},
        el("button", { type: "button", className: "quiet", title: sql, onclick: () => this.use(sql) }, title),
      );
    return el(
      "details",
      { className: "mquery-help mquery-past" },
      el("summary", {}, t`What can be asked`),
      el(
        "p",
        {},
        t`The language is SQLite's, with joins, common table expressions, window functions and json_extract for
          the tags. An answer has at most 2,000 rows and takes at most three seconds. Columns that no file has
          (Team of costs, gpus and gpu_hours of sacct) are read out of others.`,
      ),
      el("ul", {}, EXAMPLES.map(pick)),
    );
  }

  use(sql) {
    this.editor.text = sql;
    this.editor.focus();
    this.run();
  }

  #say(sentence, tone = "") {
    this.said.textContent = sentence;
    this.said.dataset.tone = tone;
  }

  async run() {
    const text = this.editor.text.trim();
    const turn = ++this.#turn;
    this.#stop.abort();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.#say(t`Being worked out…`);
    this.stopButton.hidden = false;
    try {
      const answer = await askSql(this.room, text.replace(/;\s*$/, ""), {
        signal,
        told: (sentence) => this.#say(sentence),
      });
      if (turn !== this.#turn) return;
      const took = Math.max(1, Math.round(answer.seconds * 1000));
      const cut = answer.cut ? t` There are more: narrow the query, or add it up.` : "";
      this.#say(
        answer.rows.length
          ? counted("{0} row in {1} ms.", "{0} rows in {1} ms.", answer.rows.length, took) + cut
          : t`No row fits.`,
        cut ? "warn" : "",
      );
      this.answer.show(answer);
      this.copy.disabled = !answer.rows.length;
      this.#remember(text);
    } catch (error) {
      if (turn === this.#turn) this.#say(error.message, "bad");
    } finally {
      if (turn === this.#turn) this.stopButton.hidden = true;
    }
  }

  /** End what is being worked out; the answer before it stays. */
  stop() {
    this.#turn += 1;
    this.#stop.abort();
    this.stopButton.hidden = true;
    this.#say(t`Stopped. The answer before it, where there is one, stays below.`);
    this.runButton.focus();
  }

  async #link() {
    if (await copyText(linkTo("sql", { sql: this.editor.text.trim() }), t`Link to the query`))
      sayDone(t`Link to the query copied.`);
  }

  #remember(text) {
    preference(
      `sql:${this.room.attempt}`,
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
        ...past.map((sql) =>
          el("li", {}, el("button", { type: "button", className: "quiet", onclick: () => this.use(sql) }, sql)),
        ),
      );
  }

  async #copy() {
    if (await copyText(this.answer.csv, t`The answer as CSV`))
      sayDone(t`Copied: ${counted("{0} row", "{0} rows", this.answer.rows.length)}.`);
  }
}

export function setUp(host, room) {
  host.classList.add("bill-part");
  const begin = async () => {
    host.replaceChildren(
      el(
        "p",
        { className: "empty room-wait", role: "status" },
        t`The tables are being made ready; the first time takes a few seconds…`,
      ),
    );
    try {
      const catalogue = await catalogueOf(room);
      host.replaceChildren();
      return new Sql(host, room, catalogue);
    } catch (error) {
      host.replaceChildren(trouble(t`The tables could not be fetched: ${error.message}`, begin));
      return null;
    }
  };
  const ready = begin();
  return { show: ({ sql }) => ready.then((made) => sql && made?.use(sql)) };
}
