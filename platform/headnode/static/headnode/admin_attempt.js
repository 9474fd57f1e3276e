// The pages about an attempt: parts become tabs, code gets its colours, charts are drawn on demand.

import { el } from "./dom.js";
import { tabs } from "./tabs.js";

/** Turns the direct [data-tab] sections of a container into tabs; without script they just follow. */
function makeTabs(container, label, remember) {
  const parts = [...container.querySelectorAll(":scope > [data-tab]")];
  if (parts.length < 2) return;
  const list = el("div", { className: "tablist" });
  const items = parts.map((part) => ({ key: part.id, label: part.dataset.tab, panel: part.id }));
  const show = (key) => {
    for (const part of parts) part.hidden = part.id !== key;
    if (remember) history.replaceState(null, "", `#${key}`);
  };
  const made = tabs(list, items, show, { label });
  container.prepend(list);
  container.classList.add("tabbed");
  for (const part of parts) {
    part.setAttribute("role", "tabpanel");
    part.setAttribute("aria-labelledby", list.querySelector(`[data-key="${part.id}"]`).id);
  }
  const wanted = () => parts.find((part) => part.id === location.hash.slice(1) || part.querySelector(location.hash || ":not(*)"));
  const first = wanted() || parts.find((part) => part.id === container.dataset.start) || parts[0];
  for (const part of parts) part.hidden = part !== first;
  made.show(first.id);
  window.addEventListener("hashchange", () => {
    const part = wanted();
    if (part && part.hidden) {
      show(part.id);
      made.show(part.id);
      document.getElementById(location.hash.slice(1))?.scrollIntoView();
    }
  });
}

/** Colours code line by line; the text itself came from the server and stays as it is. */
async function colourCode() {
  const blocks = [...document.querySelectorAll("[data-code$='.py']")];
  if (!blocks.length) return;
  const { classHighlighter, highlightCode, pythonLanguage } = await import("./vendor/codemirror.js");
  for (const block of blocks) {
    const cells = [...block.querySelectorAll("code")];
    const text = cells.map((cell) => cell.textContent).join("\n");
    let line = new DocumentFragment();
    let at = 0;
    const put = (piece, classes) => line.append(classes ? el("span", { className: classes }, piece) : piece);
    const end = () => {
      cells[at]?.replaceChildren(line);
      line = new DocumentFragment();
      at += 1;
    };
    highlightCode(text, pythonLanguage.parser.parse(text), classHighlighter, put, end);
    end();
  }
}

/** Fetches and draws the charts of a workload when it is first opened. */
function lazyCharts() {
  for (const holder of document.querySelectorAll("[data-chart]")) {
    const place = holder.querySelector(".charts");
    const load = async () => {
      if (!holder.open || holder.dataset.loaded) return;
      holder.dataset.loaded = "yes";
      place.textContent = "Loading…";
      try {
        const answer = await fetch(holder.dataset.chart, { headers: { Accept: "application/json" } });
        const data = await answer.json();
        if (!answer.ok) throw new Error(data.detail);
        const { drawTimeline } = await import("./admin_charts.js");
        place.replaceChildren();
        drawTimeline(place, data);
      } catch (error) {
        holder.dataset.loaded = "";
        place.textContent = `The charts could not be loaded: ${error.message || "no connection"}. Close and open this part to try again.`;
      }
    };
    holder.addEventListener("toggle", load);
    load();
  }
}

for (const container of document.querySelectorAll("[data-tabs]")) makeTabs(container, container.dataset.tabs, "remember" in container.dataset);
for (const container of document.querySelectorAll("[data-subtabs]")) makeTabs(container, "Rounds", false);
lazyCharts();
colourCode();
