// Shows the materials of the exercise: prose, code, tables and monitoring samples.

import { colouredCode } from "../../headnode/code_colours.js";
import { byId, el } from "../../headnode/dom.js";
import { tabs } from "../../headnode/tabs.js";
import { restOfTabs } from "../../headnode/tabs_rest.js";
import { t } from "../../headnode/words.js";
import { fillButton } from "./panes.js";

const PYTHON = /^\s*(import|from|def|class|while|for)\s/m;

/** Rendered prose as a part of the page. */
export function prose(html) {
  const node = el("div", { className: "prose", lang: "en" });
  node.innerHTML = html; // rendered and sanitised by the server, from our own materials
  for (const [at, table] of node.querySelectorAll("table").entries()) {
    if (table.tHead && !table.tHead.textContent.trim()) table.tHead.remove();
    for (const head of table.querySelectorAll("th:empty")) head.replaceWith(el("td"));
    const label = t`Table ${at + 1}`;
    const scroll = el("div", { className: "scroll", tabindex: "0", role: "region", "aria-label": label });
    table.replaceWith(scroll);
    scroll.append(table);
  }
  for (const pre of node.querySelectorAll("pre")) {
    pre.tabIndex = 0;
    if (PYTHON.test(pre.textContent)) pre.replaceChildren(colouredCode(pre.textContent));
  }
  // The page has its one h1 already, and each pane an h2.
  for (const heading of node.querySelectorAll("h1, h2, h3, h4")) {
    const level = Math.min(6, Number(heading.tagName[1]) + 2);
    heading.replaceWith(el(`h${level}`, { id: heading.id || null }, ...heading.childNodes));
  }
  return node;
}

function samples(text) {
  const code = el("code");
  const lines = text.trimEnd().split("\n");
  const count = el("span", { className: "muted small", role: "status" });
  const fill = (words) => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const found = lines.filter((line) => wanted.every((word) => line.toLowerCase().includes(word)));
    code.replaceChildren(
      ...found.flatMap((line) => [line.startsWith("#") ? el("span", { className: "tok-comment" }, line) : line, "\n"]),
    );
    count.textContent = wanted.length ? t`${found.length} of ${lines.length} lines` : t`${lines.length} lines`;
  };
  const filter = el("input", {
    type: "text",
    autocomplete: "off",
    spellcheck: false,
    oninput: () => fill(filter.value),
  });
  fill("");
  return el(
    "div",
    {},
    el("label", { className: "field filter" }, t`Only lines with`, filter, count),
    el("pre", { className: "text", tabindex: "0" }, code),
  );
}

function table(text) {
  const [head, ...rows] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(/,|\t/));
  const cells = (row) => row.map((cell) => el("td", { className: /^-?[\d.]+$/.test(cell) ? "figure" : "" }, cell));
  return el(
    "div",
    { className: "scroll", tabindex: "0", role: "region", "aria-label": t`Table` },
    el(
      "table",
      {},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          head.map((cell) => el("th", { scope: "col" }, cell)),
        ),
      ),
      el(
        "tbody",
        {},
        rows.map((row) => el("tr", {}, cells(row))),
      ),
    ),
  );
}

function shown(item) {
  if (item.html) return prose(item.html);
  if (item.kind === "code") return el("pre", { className: "text", tabindex: "0" }, colouredCode(item.text, item.title));
  if (item.kind === "table") return table(item.text);
  if (item.kind === "prom") return samples(item.text);
  return el("pre", { className: "text wrap", tabindex: "0" }, item.text || "");
}

/** Fill the reading pane; each document keeps its place while another is looked at. */
export function setUpDocuments(documents) {
  const pane = byId("pane-read");
  const list = el("div", { className: "tab-list" });
  const body = el("div", { className: "pane-body read", id: "read-body", role: "tabpanel", tabindex: "0" });
  const places = new Map();
  let current = null;
  const rest = restOfTabs(list, t`All documents`);
  pane.append(el("div", { className: "pane-head" }, list, rest, fillButton("read")), body);
  if (!documents.length) {
    body.append(el("p", { className: "empty" }, t`The documents of the exercise appear here.`));
    return;
  }

  function open(key) {
    if (current) places.set(current, body.scrollTop);
    current = key;
    const item = documents.find((candidate) => candidate.key === key);
    body.setAttribute("aria-label", item.title);
    body.replaceChildren(shown(item));
    body.scrollTop = places.get(key) || 0;
  }

  const items = documents.map((item) => ({ key: item.key, label: item.title, panel: "read-body" }));
  tabs(list, items, open, { label: t`Documents` }).choose(documents[0].key);
}
