// The overview while materials are prepared: says how far they are, and lets Start be pressed when they are there.

const EVERY_MS = 2000;
const MOST_MS = 15000;
const boxes = new Map([...document.querySelectorAll("[data-preparing]")].map((box) => [box.dataset.preparing, box]));
let wait = EVERY_MS;

/** Show how far one exercise is. Words change only where they differ, so that they are read out once. */
function show(box, { state, words, share }) {
  box.dataset.state = state;
  const line = box.querySelector("[data-words]");
  if (line.textContent !== words) line.textContent = words;
  const bar = box.querySelector("progress");
  bar.value = share;
  bar.hidden = state === "failed" || state === "ready";
  box.querySelector("form").hidden = state !== "failed";
  if (state !== "ready") return;
  for (const waiting of box.closest("section").querySelectorAll("[data-waits]")) {
    waiting.hidden = false;
    waiting.disabled = false;
  }
}

async function look() {
  try {
    const response = await fetch(boxes.values().next().value.dataset.url, {
      credentials: "same-origin",
      cache: "no-store",
      headers: { Accept: "application/json" },
    });
    if (!response.ok) throw new Error(String(response.status));
    const found = await response.json();
    for (const [id, box] of boxes) if (found[id]) show(box, found[id]);
    wait = EVERY_MS;
  } catch {
    wait = Math.min(2 * wait, MOST_MS); // a site that is away is asked less often
  }
  if ([...boxes.values()].some((box) => !["ready", "failed"].includes(box.dataset.state))) setTimeout(look, wait);
}

if (boxes.size) setTimeout(look, wait);
