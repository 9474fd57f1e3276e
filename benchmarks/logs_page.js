// The log explorer alone on a page, and what measures it; benchmarks/logs.py calls `measure`.

import { setUp } from "/static/assessments/troubleshooting/logs.js";
import { Room } from "/static/assessments/workplace/room.js";

const FRAMES = 240;

class Board extends EventTarget {
  isPinned() {
    return false;
  }
}

const host = document.getElementById("host");
const manifest = await (await fetch("/manifest.json")).json();
const room = new Room({ base: "/", attempt: "bench", board: new Board(), shows: () => {} });
room.begin(manifest);

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const drawn = async () => {
  while (!host.querySelector(".log-lines .line:not([data-waiting])")) await frame();
};

/** From now to the lines of the answer on the screen, ms; the worker's own share beside it. */
async function searched(act) {
  const begin = performance.now();
  let answer = null;
  host.addEventListener("searched", (event) => (answer = event.detail), { once: true });
  host.querySelector("#host > .problem").textContent = "";
  act();
  while (!answer) {
    await frame();
    // An expression may be stopped after two seconds: that is a figure too.
    if (host.querySelector("#host > .problem")?.textContent) return { stopped_after_ms: performance.now() - begin };
  }
  const detail = answer;
  if (detail.count) await drawn();
  await frame();
  return { ms: performance.now() - begin, worker_ms: detail.took, lines: detail.count };
}

function query(text, { regex = false, exact = false } = {}) {
  return () => {
    const [expression, exactly] = host.querySelectorAll(".log-bar input[type=checkbox]");
    expression.checked = regex;
    exactly.checked = exact;
    const field = host.querySelector(".log-query");
    field.value = text;
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
  };
}

/** Scroll a frame at a time; how long each frame took, ms, and how many ended with a row not yet there. */
async function scrolled(step) {
  let scripts = 0;
  const list = host.querySelector(".log-lines");
  list.scrollTop = 0;
  await frame();
  const paint = new PerformanceObserver((entries) => {
    for (const entry of entries.getEntries()) scripts += entry.duration;
  });
  paint.observe({ type: "longtask" });
  const times = [];
  let waiting = 0;
  for (let at = 0; at < FRAMES; at += 1) {
    const begin = performance.now();
    list.scrollTop += step;
    await frame();
    times.push(performance.now() - begin);
    waiting += list.querySelector("[data-waiting]") ? 1 : 0;
  }
  paint.disconnect();
  times.sort((a, b) => a - b);
  return {
    median_ms: times[FRAMES / 2],
    p95_ms: times[Math.floor(FRAMES * 0.95)],
    worst_ms: times.at(-1),
    frames_with_a_row_to_come: waiting,
    long_tasks_ms: scripts,
    frames: FRAMES,
  };
}

window.measure = async () => {
  const begin = performance.now();
  setUp(host, room);
  await new Promise((resolve) => host.addEventListener("searched", resolve, { once: true }));
  await drawn();
  const found = { open_ms: performance.now() - begin, search: {} };
  const all = await searched(query(""));
  found.search["nothing, all lines"] = all;
  found.search["a rare word"] = await searched(query("NVRM: Xid"));
  found.search["the same again"] = await searched(query("NVRM: Xid "));
  found.search["a word in a third of the lines"] = await searched(query("systemd"));
  found.search["a word, letters matched"] = await searched(query("Accepted publickey", { exact: true }));
  found.search["an expression"] = await searched(query("JobId=\\d+ (?:done|WEXITSTATUS [1-9])", { regex: true }));
  found.search["an expression that looks at every letter"] = await searched(
    query("[a-z]+d\\[(\\d+)\\].*(temperature|session) .*\\d$", { regex: true }),
  );
  await searched(query(""));
  const middle = (room.window.from + room.window.to) / 2;
  found.search["an hour of the charts"] = await searched(() => {
    query("")();
    room.setRange(middle - 1_800_000, middle + 1_800_000);
  });
  await searched(() => room.resetRange());
  found.scroll = {
    "nothing moves": await scrolled(0),
    "20 lines a frame": await scrolled(360),
    "half of the list, a frame at a time": await scrolled(16_000),
  };
  const jump = performance.now();
  host.querySelector(".log-lines").scrollTop = 5_000_000;
  await frame();
  while (host.querySelector(".log-lines [data-waiting]")) await frame();
  found.scroll.jump_ms = performance.now() - jump;
  return found;
};
document.body.dataset.ready = "yes";
