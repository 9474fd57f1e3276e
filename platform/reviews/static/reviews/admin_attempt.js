// The pages about an attempt: parts become tabs, code gets its colours, charts are drawn on demand.

import { el } from "../headnode/dom.js";
import { tabs } from "../headnode/tabs.js";

const LOOK_MS = 3000;

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
  const wanted = () =>
    parts.find((part) => part.id === location.hash.slice(1) || part.querySelector(location.hash || ":not(*)"));
  const first = wanted() || parts.find((part) => part.id === container.dataset.start) || parts[0];
  for (const part of parts) part.hidden = part !== first;
  made.show(first.id);
  window.addEventListener("hashchange", () => {
    const part = wanted();
    if (part?.hidden) {
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
  const { classHighlighter, highlightCode } = await import("../headnode/vendor/codemirror.js");
  const { pythonLanguage } = await import("../headnode/vendor/codemirror_python.js");
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
    if (holder.dataset.listened) continue;
    holder.dataset.listened = "yes";
    const place = holder.querySelector(".charts");
    const load = async () => {
      if (!holder.open || holder.dataset.loaded) return;
      holder.dataset.loaded = "yes";
      place.textContent = "Loading…";
      try {
        const answer = await fetch(holder.dataset.chart, { headers: { Accept: "application/json" } });
        const data = await answer.json();
        if (!answer.ok) throw new Error(data.detail);
        holder.dispatchEvent(new CustomEvent("replaydata", { detail: data }));
        const { showReplay } = await import("../headnode/replay.js");
        const shown = showReplay(place, data);
        holder.dispatchEvent(new CustomEvent("replayshown", { detail: shown }));
        document.addEventListener("themechange", shown.redraw);
        new ResizeObserver(shown.resize).observe(place);
      } catch (error) {
        holder.dataset.loaded = "";
        place.textContent =
          `The charts could not be loaded: ${error.message || "no connection"}. Close and open this part to try ` +
          "again.";
      }
    };
    holder.addEventListener("toggle", load);
    load();
  }
}

/** While an answer is graded its progress is shown; its evidence takes the place when it is there. */
function followGradings() {
  const part = document.querySelector("[data-gradings]");
  if (!part?.querySelector("[data-pending]")) return;
  const look = async () => {
    try {
      const answer = await fetch(part.dataset.gradings, { headers: { Accept: "application/json" } });
      if (answer.status === 403 || answer.status === 404) return;
      const { rounds } = await answer.json();
      const done = rounds.filter((round) => showGrading(part, round)).map((round) => String(round.round));
      if (done.length) await renew(part, done);
      if (!part.querySelector("[data-pending]")) return;
    } catch {
      // The next look may reach the server.
    }
    setTimeout(look, LOOK_MS);
  };
  setTimeout(look, LOOK_MS);
}

/** True where a grading that was waited for has ended. */
function showGrading(part, round) {
  const tag = part.querySelector(`[data-grading="${round.round}"]`);
  const progress = part.querySelector(`[data-progress="${round.round}"]`);
  if (!tag?.hasAttribute("data-pending")) return false;
  if (tag.textContent !== round.text) tag.textContent = round.text;
  tag.className = `tag ${round.tone}`;
  if (progress.textContent !== round.progress) progress.textContent = round.progress;
  return round.finished;
}

/** Only what was waited for is put in anew: what is being written or watched stays as it is. */
async function renew(part, rounds) {
  const answer = await fetch(location.pathname, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector("[data-gradings]");
  if (!answer.ok || !fresh) throw new Error("The page did not come.");
  for (const name of [...rounds, "changes"]) {
    const [old, made] = [part, fresh].map((place) => place.querySelector(`[data-round="${name}"]`));
    if (made) old.replaceWith(made);
  }
  document.dispatchEvent(new CustomEvent("evidencerenewed"));
  lazyCharts();
}

for (const container of document.querySelectorAll("[data-tabs]"))
  makeTabs(container, container.dataset.tabs, "remember" in container.dataset);
for (const container of document.querySelectorAll("[data-subtabs]")) makeTabs(container, "Rounds", false);
lazyCharts();
followGradings();
colourCode();
