// Two replays of an attempt beside each other: choose A and B, and see where they part.

import { differences } from "../headnode/differences.js";
import { patiently, retryAfter } from "../headnode/patience.js";
import { showReplay } from "../headnode/replay.js";

const SLOW_MS = 1200;
const form = document.getElementById("compare");
const [first, second] = ["a", "b"].map((name) => form.elements[name]);
const place = document.getElementById("compare-place");
const figures = document.getElementById("compare-figures");
const state = document.getElementById("compare-state");
const warning = document.getElementById("compare-warning");
const known = new Map();
let shown = null;
let turn = 0;

function fetched(url) {
  if (!known.has(url)) {
    const asked = patiently(async () => {
      const answer = await fetch(url, { headers: { Accept: "application/json" } });
      const data = await answer.json();
      if (!answer.ok) throw Object.assign(new Error(data.detail), { retryAfter: retryAfter(answer) });
      return data;
    });
    known.set(url, asked);
    // what failed once may work the next time
    asked.catch(() => known.delete(url));
  }
  return known.get(url);
}

function chosen(select) {
  const option = select.selectedOptions[0];
  return option?.dataset.url
    ? {
        url: option.dataset.url,
        workload: option.dataset.workload,
        label: option.textContent.trim(),
        key: option.value,
      }
    : null;
}

function warn(a, b) {
  const apart = a && b && a.workload !== b.workload;
  warning.hidden = !apart;
  if (apart)
    warning.textContent =
      "These are two different workloads: what differs comes from the workload as well as from the program.";
}

async function draw() {
  const now = (turn += 1);
  const [a, b] = [chosen(first), chosen(second)];
  warn(a, b);
  const slow = setTimeout(() => {
    if (now === turn)
      state.textContent =
        "Loading. A reference that nobody has watched yet is played first, which takes a few seconds.";
  }, SLOW_MS);
  try {
    const [one, other] = await Promise.all([fetched(a.url), b ? fetched(b.url) : null]);
    if (now !== turn) return;
    shown?.stop();
    shown = showReplay(place, one, { other, names: [a.label, b?.label || ""] });
    figures.replaceChildren(...(other ? [differences(one, other)] : []));
    state.textContent = "";
  } catch (error) {
    const why = error.message || "no connection";
    if (now === turn) state.textContent = `The replay could not be loaded: ${why}. Choose it again to try once more.`;
  } finally {
    clearTimeout(slow);
  }
}

function choose() {
  const address = new URLSearchParams({ a: first.value, b: second.value });
  history.replaceState(null, "", `?${address}`);
  draw();
}

for (const select of [first, second]) select.addEventListener("change", choose);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  choose();
});
document.getElementById("compare-swap").addEventListener("click", () => {
  if (!second.value) return;
  [first.value, second.value] = [second.value, first.value];
  choose();
});
document.addEventListener("themechange", () => shown?.redraw());
new ResizeObserver(() => shown?.resize()).observe(place);
draw();
