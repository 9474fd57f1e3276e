// The written parts of the answer: one text box each, with its question and a word count.

import { byId, el } from "../../headnode/dom.js";
import { tabs } from "../../headnode/tabs.js";
import { counted, t } from "../../headnode/words.js";
import { fillButton } from "./panes.js";

function words(text) {
  const count = text.trim() ? text.trim().split(/\s+/).length : 0;
  return counted("{0} word", "{0} words", count);
}

function grow(box) {
  box.style.height = "auto";
  box.style.height = `${Math.min(box.scrollHeight + 2, 640)}px`;
}

class SectionBox {
  constructor(answer, key) {
    this.answer = answer;
    this.key = key;
    const { title, prompt } = answer.sections.get(key);
    const id = `section-${key}`;
    this.box = el("textarea", { id, rows: 4, "aria-describedby": `${id}-prompt ${id}-count`, spellcheck: true });
    this.count = el("span", { className: "muted small", id: `${id}-count` });
    this.state = el("span", { className: "tag" });
    this.node = el(
      "div",
      { className: "section" },
      el("div", { className: "section-head" }, el("label", { for: id }, title), this.state, this.count),
      el("p", { className: "muted small", id: `${id}-prompt` }, prompt),
      this.box,
    );
    this.box.addEventListener("input", () => {
      answer.setSection(key, this.box.value);
      this.#measure();
    });
    this.refresh();
  }

  refresh() {
    const { text, readOnly } = this.answer.sections.get(this.key);
    if (this.box.value !== text) this.box.value = text;
    this.box.readOnly = readOnly || this.answer.locked;
    this.state.textContent = readOnly ? t`Read only` : t`To revise`;
    this.state.hidden = !readOnly && this.answer.focus !== this.key;
    this.#measure();
  }

  #measure() {
    this.count.textContent = words(this.box.value);
    grow(this.box);
  }
}

/** The pane's head: its title, or tabs where a board stands beside the text. Returns show(key). */
function head(pane, body, board) {
  if (!board) {
    pane.append(
      el(
        "div",
        { className: "pane-head" },
        el("h2", { className: "pane-title" }, t`Written answer`),
        fillButton("answer"),
      ),
      body,
    );
    return () => {};
  }
  const parts = { text: body, board: board.node };
  const list = el("div", { className: "tab-list" });
  const show = (key) => {
    for (const [name, part] of Object.entries(parts)) part.hidden = name !== key;
  };
  const items = [
    ["text", t`Written answer`],
    ["board", board.title ?? t`Board`],
  ].map(([key, label]) => ({ key, label, panel: `answer-${key}` }));
  const row = tabs(list, items, show, { label: t`Your answer` });
  for (const [key, part] of Object.entries(parts)) {
    Object.assign(part, { id: `answer-${key}` });
    part.setAttribute("role", "tabpanel");
    part.setAttribute("aria-labelledby", `tab-answer-${key}-${key}`);
  }
  pane.append(
    el("h2", { className: "unseen" }, t`Your answer`),
    el("div", { className: "pane-head" }, list, fillButton("answer")),
    body,
    board.node,
  );
  row.choose("text");
  return (key) => row.choose(key);
}

/** Fill the pane; with a board it is the second of two tabs. Returns show("text" | "board"). */
export function setUpSections(answer, board = null) {
  const pane = byId("pane-answer");
  const body = el("div", { className: "pane-body sections" });
  const show = head(pane, body, board);
  if (!answer.sections.size) {
    body.append(el("p", { className: "empty" }, t`This exercise has no written part: the code is the whole answer.`));
    return show;
  }
  const boxes = [...answer.sections.keys()].map((key) => new SectionBox(answer, key));
  body.append(...boxes.map((box) => box.node));
  for (const event of ["replace", "lock"]) {
    answer.addEventListener(event, () => boxes.forEach((box) => box.refresh()));
  }
  // A pane that was hidden or resized lays its text out anew.
  new ResizeObserver(() => boxes.forEach((box) => grow(box.box))).observe(body);
  return show;
}
