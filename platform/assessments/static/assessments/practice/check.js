// Checks what the workspace needs of a connection and a browser, and says it in plain words. Nothing is sent.

import { byId, el } from "../../headnode/dom.js";
import { counted, t } from "../../headnode/words.js";

const ASKED = 5;
const SLOW_MS = 800;
const FAST_MS = 250;
const OFF_MS = 60_000;
const WORDS = { good: t`Good`, warn: t`Careful`, bad: t`Trouble` };

/** The middle of an odd count of numbers. */
export function middle(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** trips: round trips in ms, null for one without an answer. */
export function ofConnection(trips) {
  const lost = trips.filter((trip) => trip === null).length;
  const none = t`This page cannot reach the site. Check your connection, and try again.`;
  if (lost === trips.length) return ["bad", none];
  if (lost)
    return [
      "warn",
      t`${lost} of ${trips.length} requests got no answer. What you write is kept in your browser while the
        connection is away, and sent when it is back; a steadier one is still better.`,
    ];
  return ["good", t`The site answers every time.`];
}

export function ofLatency(trips) {
  const there = trips.filter((trip) => trip !== null);
  if (!there.length) return ["bad", t`Not known without a connection.`];
  const ms = Math.round(middle(there.length % 2 ? there : there.slice(1)));
  if (ms <= FAST_MS) return ["good", t`An answer takes ${ms} ms: you will not notice it.`];
  if (ms <= SLOW_MS) return ["good", t`An answer takes ${ms} ms. The terminal will feel a little slow.`];
  return ["warn", t`An answer takes ${ms} ms. Editing is not affected; the terminal and charts will feel slow.`];
}

/** off: by how many ms this device's clock is ahead of the site's. */
export function ofClock(off) {
  if (Math.abs(off) <= OFF_MS) return ["good", t`Your device's clock agrees with ours.`];
  const minutes = Math.round(Math.abs(off) / 60_000);
  const much = minutes === 1 ? t`a minute` : t`${minutes} minutes`;
  return [
    "warn",
    `${off > 0 ? t`Your device's clock is ${much} fast.` : t`Your device's clock is ${much} slow.`} ` +
      t`The time left comes from us and stays right; go by it, not by your device.`,
  ];
}

async function trip(url) {
  const began = performance.now();
  try {
    const answer = await fetch(url, {
      cache: "no-store",
      credentials: "same-origin",
      signal: AbortSignal.timeout(8000),
    });
    if (!answer.ok) return { ms: null };
    const { now } = await answer.json();
    const ms = performance.now() - began;
    return { ms, off: Date.now() - ms / 2 - now };
  } catch {
    return { ms: null };
  }
}

function storage() {
  return new Promise((resolve) => {
    const no = [
      "warn",
      t`This browser stores nothing for this site, perhaps in a private window. What has not reached us would be lost
        with the page: use an ordinary window.`,
    ];
    try {
      localStorage.setItem("headnode:check", "1");
      localStorage.removeItem("headnode:check");
      const request = indexedDB.open("headnode-check", 1);
      request.onerror = () => resolve(no);
      request.onsuccess = () => {
        request.result.close();
        indexedDB.deleteDatabase("headnode-check");
        resolve(["good", t`Your browser keeps what you type until it has reached us, also when you are offline.`]);
      };
    } catch {
      resolve(no);
    }
  });
}

function browser() {
  const missing = [
    [t`dialogs`, "HTMLDialogElement" in window],
    [t`workers`, "Worker" in window],
    [t`size observers`, "ResizeObserver" in window],
    [t`copies of data`, "structuredClone" in window],
    [t`packed files`, "DecompressionStream" in window],
  ].filter(([, there]) => !there);
  if (!missing.length) return ["good", t`Your browser can do all that the workspace uses.`];
  const names = missing.map(([name]) => name).join(", ");
  return ["bad", t`Your browser is too old for the workspace (${names}): use a current Firefox, Chrome or Safari.`];
}

function size() {
  if (innerWidth >= 1000) return ["good", t`The window is wide enough for all parts side by side.`];
  return [
    "warn",
    t`The window is narrow: the parts of the workspace become tabs. A larger screen is more comfortable.`,
  ];
}

async function terminal(url) {
  try {
    await import(url);
    return ["good", t`The terminal's program was loaded. Try it in the practice of troubleshooting.`];
  } catch {
    return ["bad", t`The terminal's program could not be loaded. Logs, charts and queries work without it.`];
  }
}

function row(name, [tone, text]) {
  return el(
    "li",
    {},
    el("span", { className: `tag ${tone}` }, WORDS[tone]),
    el("span", {}, el("strong", {}, name), ` ${text}`),
  );
}

async function check() {
  const list = byId("checks");
  const said = byId("check-said");
  byId("check").disabled = true;
  said.textContent = t`Checking…`;
  list.replaceChildren();
  const found = [];
  const add = (name, result) => {
    found.push(result);
    list.append(row(name, result));
  };
  const trips = [];
  for (let number = 0; number < ASKED; number += 1) trips.push(await trip(list.dataset.moment));
  const times = trips.map((one) => one.ms);
  add(t`Connection.`, ofConnection(times));
  add(t`Speed.`, ofLatency(times));
  const known = trips.filter((one) => one.ms !== null).sort((a, b) => a.ms - b.ms);
  if (known.length) add(t`Clock.`, ofClock(known[0].off));
  add(t`Storage.`, await storage());
  add(t`Browser.`, browser());
  add(t`Window.`, size());
  if (list.dataset.terminal) add(t`Terminal.`, await terminal(list.dataset.terminal));
  const bad = found.filter(([tone]) => tone !== "good").length;
  said.textContent = bad
    ? counted("Done: one thing to look at.", "Done: {0} things to look at.", bad)
    : t`Done: everything is as it should be.`;
  byId("check").disabled = false;
  byId("check").textContent = t`Check again`;
}

const button = globalThis.document?.getElementById("check");
if (button) {
  button.hidden = false;
  button.addEventListener("click", check);
}
