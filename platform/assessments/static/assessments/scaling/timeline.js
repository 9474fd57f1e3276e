// Phases on a timeline: bars to move and stretch, what waits for what, and when the orders arrive.

import { announce } from "../../headnode/announce.js";
import { el, svg } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { toneSign } from "./check_list.js";
import { act, Choice, Words } from "./fields.js";
import { TimelineBar } from "./timeline_bar.js";
import { clashes, dependable } from "./timeline_order.js";
import { UndoLine } from "./undo_line.js";
import { monthShort, monthText, Names } from "./words.js";

const HELP = t`Arrow keys move a bar by a month, Shift and an arrow moves its end, Alt and an arrow its beginning; Enter
    opens its details.`;

class Timeline {
  #chosen = null;

  constructor(host, room) {
    this.host = host;
    this.room = room;
    this.model = room.board.model;
    this.checks = room.board.checks;
    this.names = new Names(room.manifest.growth);
    this.bars = new Map();
    this.#build();
    this.model.addEventListener("shape", () => this.#draw());
    this.model.addEventListener("change", () => this.#refresh());
    this.model.addEventListener("lock", () => this.#refresh());
    this.checks.addEventListener("checks", () => this.#refresh());
    new ResizeObserver(() => this.#links()).observe(this.chart);
    this.#draw();
  }

  #build() {
    this.add = el("button", { type: "button", name: "add-phase", onclick: () => this.#add() }, t`Add a phase`);
    this.undo = new UndoLine(this.model, ["phases"], (_, id) => this.choose(id));
    this.empty = el(
      "p",
      { className: "empty" },
      t`No phases yet. A phase has a name, a first and a last month, an owner, and the phases that have to end
        before it begins.`,
    );
    const months = this.names.months.map((name) => el("span", { className: "gantt-month" }, monthShort(name)));
    this.head = el(
      "div",
      { className: "plan-gantt-row plan-gantt-head", "aria-hidden": "true" },
      el("span", {}, ""),
      el("div", { className: "gantt-lane" }, months),
    );
    this.lines = svg("svg", { class: "gantt-links", "aria-hidden": "true" });
    this.phases = el("ol", { className: "plan-gantt-rows", "aria-label": t`Phases` });
    this.orders = el("div", { className: "plan-gantt-orders" });
    this.chart = el("div", { className: "plan-gantt" }, this.head, this.phases, this.lines, this.orders);
    this.scroll = el("div", { className: "plan-gantt-scroll" }, this.chart);
    this.details = el("section", { className: "plan-box plan-phase", "aria-label": t`Phase`, hidden: true });
    this.trouble = el("div", { role: "status" });
    this.host.append(
      el(
        "div",
        { className: "plan-page" },
        el("div", { className: "plan-tools" }, this.add, el("span", { className: "muted small" }, HELP)),
        this.undo.node,
        this.empty,
        this.scroll,
        this.trouble,
        this.details,
      ),
    );
  }

  #add() {
    const last = this.model.rows("phases").at(-1);
    const at = last ? Math.min(this.names.months.length - 1, this.names.place(last.to) + 1) : 0;
    const end = Math.min(this.names.months.length - 1, at + 1);
    const row = this.model.add("phases", { from: this.names.months[at], to: this.names.months[end] });
    if (!row) return;
    this.choose(row.id);
    this.details.querySelector("[name=phase-name]").focus();
    announce(t`Phase ${row.id}, ${monthText(row.from)} to ${monthText(row.to)}.`);
  }

  #draw() {
    const rows = this.model.rows("phases");
    const kept = new Set(rows.map(({ id }) => id));
    const held = document.activeElement?.closest?.(".plan-gantt-rows")
      ? document.activeElement.closest("[data-id]")?.dataset.id
      : null;
    for (const id of [...this.bars.keys()]) if (!kept.has(id)) this.bars.delete(id);
    for (const { id } of rows) if (!this.bars.has(id)) this.bars.set(id, new TimelineBar(id, this));
    this.phases.replaceChildren(...rows.map(({ id }) => this.bars.get(id).node));
    if (this.#chosen && !kept.has(this.#chosen)) this.#chosen = null;
    this.#details();
    this.#refresh();
    if (held) this.bars.get(held)?.bar.focus();
  }

  /** Move a bar's first month, last month, or both; kept within the year, at least one month long. */
  shift(id, { from = 0, to = 0 }) {
    const row = this.model.find("phases", id);
    if (!row || this.model.readOnly) return false;
    const last = this.names.months.length - 1;
    let [first, end] = [this.names.place(row.from), this.names.place(row.to)];
    if (first < 0) first = 0;
    if (end < first) end = first;
    if (from === to) {
      const by = Math.max(-first, Math.min(last - end, from));
      [first, end] = [first + by, end + by];
    } else {
      first = Math.max(0, Math.min(end, first + from));
      end = Math.min(last, Math.max(first, end + to));
    }
    const fields = { from: this.names.months[first], to: this.names.months[end] };
    if (fields.from === row.from && fields.to === row.to) return false;
    this.model.set("phases", id, fields);
    announce(t`${row.name || id}: ${monthText(fields.from)} to ${monthText(fields.to)}.`);
    return true;
  }

  get chosen() {
    return this.#chosen;
  }

  choose(id) {
    this.#chosen = id;
    this.#details();
    this.#refresh();
  }

  #details() {
    const id = this.#chosen;
    this.details.hidden = !id;
    this.fields = [];
    if (!id) return;
    const months = this.names.months.map((name) => [name, monthText(name)]);
    const set = (fields) => this.model.set("phases", id, fields);
    const field = (name, label, input) => {
      this.fields.push({ name, input });
      return el("label", { className: "field" }, label, input.node);
    };
    const words = (name, label) =>
      field(name, label, new Words({ name: `phase-${name}`, label, change: (text) => set({ [name]: text }) }));
    const month = (name, label) =>
      field(
        name,
        label,
        new Choice({ name: `phase-${name}`, label, options: months, change: (text) => this.#setMonth(id, name, text) }),
      );
    const others = dependable(this.model.rows("phases"), id);
    this.waits = others.map((row) => [
      row.id,
      el("input", {
        type: "checkbox",
        onchange: () => set({ depends: this.waits.filter(([, box]) => box.checked).map(([name]) => name) }),
      }),
    ]);
    const boxes = this.waits.map(([one, box]) => el("label", { className: "check" }, box, this.#nameOf(one)));
    const waits = el(
      "fieldset",
      { className: "plan-waits" },
      el("legend", {}, t`Begins after the end of`),
      boxes.length ? boxes : el("p", { className: "muted small" }, t`No other phase could come before it.`),
    );
    const tools = el(
      "div",
      { className: "plan-tools" },
      act("↑", t`One row up`, () => this.#move(-1)),
      act("↓", t`One row down`, () => this.#move(1)),
      act(t`Delete`, t`Delete this phase`, () => this.#remove()),
      el("button", { type: "button", className: "quiet", onclick: () => this.#close() }, t`Close`),
    );
    this.details.replaceChildren(
      el("h3", {}, t`Phase ${id}`),
      el(
        "div",
        { className: "plan-grid" },
        words("name", t`Name`),
        words("owner", t`Owner`),
        month("from", t`First month`),
        month("to", t`Last month`),
      ),
      waits,
      tools,
    );
  }

  #setMonth(id, name, text) {
    const row = this.model.find("phases", id);
    const other = name === "from" ? "to" : "from";
    const wrong = this.names.place(name === "from" ? text : row.from) > this.names.place(name === "to" ? text : row.to);
    this.model.set("phases", id, wrong ? { [name]: text, [other]: text } : { [name]: text });
  }

  #nameOf(id) {
    return this.model.find("phases", id)?.name || id;
  }

  #move(by) {
    const id = this.#chosen;
    if (this.model.move("phases", id, by))
      announce(t`Row ${this.model.rows("phases").findIndex((row) => row.id === id) + 1}.`);
  }

  #remove() {
    const id = this.#chosen;
    this.#chosen = null;
    this.model.remove("phases", id);
    this.undo.refresh();
    this.undo.focus();
    announce(t`Phase ${id} was deleted. Undo is offered above the timeline.`);
  }

  #close() {
    const id = this.#chosen;
    this.choose(null);
    this.bars.get(id)?.bar.focus();
  }

  #refresh() {
    const { model, checks } = this;
    const rows = model.rows("phases");
    this.add.disabled = model.readOnly;
    this.empty.hidden = rows.length > 0;
    const wrong = clashes(rows, this.names, (id) => this.#nameOf(id));
    for (const row of rows)
      this.bars.get(row.id)?.refresh(
        row,
        wrong.some(({ id }) => id === row.id),
      );
    const said = [
      ...wrong.map(({ text }) => ({ tone: "bad", text })),
      ...rows.flatMap(({ id }) => checks.of(id)).filter(({ key }) => key !== "phase_order"),
    ];
    this.trouble.replaceChildren(
      said.length
        ? el(
            "ul",
            { className: "plan-checks" },
            said.map(({ tone, text }) => el("li", { className: tone }, toneSign(tone), el("span", {}, text))),
          )
        : "",
    );
    const row = model.find("phases", this.#chosen);
    if (row) for (const { name, input } of this.fields) input.refresh(row[name], model.readOnly);
    if (row) {
      for (const [id, box] of this.waits) {
        box.checked = row.depends.includes(id);
        box.disabled = model.readOnly;
      }
    }
    for (const node of this.details.querySelectorAll(".plan-tools button"))
      node.hidden = model.readOnly && node.textContent !== "Close";
    this.undo.refresh();
    this.#arrivals();
    this.#links();
  }

  /** A lane for each order: from the month it is made to the month it can be used. */
  #arrivals() {
    const last = this.names.months.length;
    const rows = this.model.rows("purchases").filter((row) => this.names.place(row.month) >= 0 && row.item);
    const title = rows.length
      ? el("h3", { className: "gantt-title" }, t`Orders, from the order to the first month of use`)
      : "";
    const events = this.#announced();
    const lanes = rows.map((row) => {
      const order = this.checks.order(row.id);
      const from = this.names.place(row.month);
      const to = order?.arrives ? this.names.place(order.arrives) : last;
      const when = order
        ? order.arrives
          ? t`arrives ${monthText(order.arrives)}`
          : t`arrives after the year`
        : t`not checked yet`;
      const bar = el(
        "span",
        { className: `gantt-order${to >= last ? " late" : ""}` },
        el("span", { className: "gantt-arrival", "aria-hidden": "true" }, to >= last ? "→" : "▲"),
      );
      bar.style.gridColumn = `${from + 1} / ${Math.min(last, to) + 1}`;
      if (to === from) bar.style.gridColumn = `${from + 1} / ${from + 2}`;
      const name = `${row.count ?? "?"} × ${this.names.item(row.item)}`;
      return el(
        "li",
        { className: "plan-gantt-row" },
        el(
          "button",
          {
            type: "button",
            className: "quiet gantt-name",
            title: name,
            onclick: () => this.room.show("orders", { id: row.id }),
          },
          el("span", { className: "mono" }, row.id),
          ` ${name}`,
          el("span", { className: "unseen" }, t`: ordered in ${monthText(row.month)}, ${when}`),
        ),
        el("div", { className: "gantt-lane" }, bar),
      );
    });
    this.orders.replaceChildren(
      title,
      lanes.length ? el("ul", { className: "plan-gantt-rows", "aria-label": t`Orders` }, lanes) : "",
      ...events,
    );
  }

  /** What the documents announce, each in its month. */
  #announced() {
    const events = (this.names.facts.events || []).filter(({ month }) => this.names.place(month) >= 0);
    if (!events.length) return [];
    const lanes = events.map(({ month, what }) => {
      const mark = el("span", { className: "gantt-event", "aria-hidden": "true" }, "◆");
      mark.style.gridColumn = String(this.names.place(month) + 1);
      return el(
        "li",
        { className: "plan-gantt-row" },
        el(
          "span",
          { className: "gantt-name gantt-said", title: what },
          what,
          el("span", { className: "unseen" }, `: ${monthText(month)}`),
        ),
        el("div", { className: "gantt-lane" }, mark),
      );
    });
    return [
      el("h3", { className: "gantt-title" }, t`Announced in the documents`),
      el("ul", { className: "plan-gantt-rows", "aria-label": t`Announced` }, lanes),
    ];
  }

  #placed(id) {
    return this.names.place(this.model.find("phases", id)?.from) >= 0;
  }

  /** Lines from the end of a phase to the beginning of what waits for it. */
  #links() {
    const box = this.chart.getBoundingClientRect();
    if (!box.width) return;
    this.lines.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
    this.lines.setAttribute("width", box.width);
    this.lines.setAttribute("height", box.height);
    const paths = [];
    for (const row of this.model.rows("phases")) {
      const to = this.bars.get(row.id)?.bar.getBoundingClientRect();
      for (const id of this.#placed(row.id) ? row.depends.filter((one) => this.#placed(one)) : []) {
        const from = this.bars.get(id)?.bar.getBoundingClientRect();
        if (!from || !to) continue;
        const [x1, y1] = [from.right - box.left, from.top - box.top + from.height / 2];
        const [x2, y2] = [to.left - box.left, to.top - box.top + to.height / 2];
        const turn = Math.max(x1 + 6, Math.min(x2 - 8, x1 + 10));
        const wrong = x2 < x1 - 1;
        const middle = y1 + Math.sign(y2 - y1) * (from.height / 2 + 4);
        const path = wrong
          ? `M${x1} ${y1}H${x1 + 6}V${middle}H${x2 - 10}V${y2}H${x2 - 2}`
          : `M${x1} ${y1}H${turn}V${y2}H${x2 - 2}`;
        const head = `M${x2 - 7} ${y2 - 4}L${x2 - 1} ${y2}L${x2 - 7} ${y2 + 4}Z`;
        paths.push(
          svg("path", { d: path, class: wrong ? "link bad" : "link" }),
          svg("path", { d: head, class: wrong ? "head bad" : "head" }),
        );
      }
    }
    this.lines.replaceChildren(...paths);
  }

  shown() {
    requestAnimationFrame(() => this.#links());
  }

  show({ id }) {
    if (!this.bars.has(id)) return;
    this.choose(id);
    this.bars.get(id).bar.focus();
  }
}

export function setUp(host, room) {
  return new Timeline(host, room);
}
