// An opening's board keeps itself up to date: asks for its rows while it is looked at, swaps those that changed, and
// says so once. Filters answer without a new page; every choice is in the address.

import { announce } from "../headnode/announce.js";
import { changesIn, spoken } from "./board_changes.js";

const EVERY_MS = 10_000;
const MOST_MS = 120_000;
const TYPING_MS = 250;
const board = document.getElementById("board");
const form = /** @type {HTMLFormElement} */ (document.querySelector("[data-board-filter]"));
const search = /** @type {HTMLInputElement} */ (form?.elements.namedItem("q"));
const live = document.querySelector("[data-live]");
let etag = "";
let wait = EVERY_MS;
let timer = 0;
let asking = null;

const said = (part) =>
  new Map(
    [...part.querySelectorAll("[data-person]")].map((row) => [
      row.dataset.person,
      row.dataset.says.replaceAll(/\s+/g, " ").trim(),
    ]),
  );

/** The link that has the focus, to be found again in new rows. */
function focused() {
  const at = /** @type {HTMLAnchorElement} */ (document.activeElement);
  if (!at || !board.contains(at)) return null;
  const person = at.closest("[data-person]")?.dataset.person;
  const near = person ? board.querySelector(`[data-person="${person}"]`) : board.querySelector(".board-states");
  return { person, index: [...near.querySelectorAll("a")].indexOf(at) };
}

function focusAgain(place) {
  if (!place) return;
  const near = place.person
    ? board.querySelector(`[data-person="${place.person}"]`)
    : board.querySelector(".board-states");
  const links = near ? [...near.querySelectorAll("a")] : [...board.querySelectorAll("[data-row]")];
  (links[place.index] || links[0])?.focus({ preventScroll: true });
}

/** Puts new rows in place; those that say what they said before are left as they are. */
function show(text, { quiet }) {
  const fresh = document.createElement("template");
  fresh.innerHTML = text;
  const before = said(board);
  const after = said(fresh.content);
  const place = focused();
  for (const row of fresh.content.querySelectorAll("[data-person]")) {
    const old = board.querySelector(`[data-person="${row.dataset.person}"]`);
    if (old && old.innerHTML === row.innerHTML) row.replaceWith(old);
  }
  board.replaceChildren(fresh.content);
  focusAgain(place);
  if (quiet) return;
  const changes = changesIn(before, after);
  for (const { key } of changes) board.querySelector(`[data-person="${key}"]`)?.classList.add("board-changed");
  if (changes.length) announce(spoken(changes));
}

/** Asks once. `quiet`: for rows that were asked for by hand, of which nothing is announced but their number. */
async function look({ quiet = false } = {}) {
  clearTimeout(timer);
  asking?.abort();
  asking = new AbortController();
  try {
    const headers = etag && !quiet ? { "If-None-Match": etag } : {};
    const address = board.dataset.rows + location.search;
    const answer = await fetch(address, {
      headers,
      credentials: "same-origin",
      cache: "no-store",
      signal: asking.signal,
    });
    if (answer.redirected || (!answer.ok && answer.status !== 304)) throw new Error(String(answer.status));
    if (answer.status !== 304) {
      etag = answer.headers.get("ETag") || "";
      show(await answer.text(), { quiet });
    }
    wait = EVERY_MS;
    live.textContent = "It keeps itself up to date.";
  } catch (error) {
    if (error.name === "AbortError") return;
    wait = Math.min(2 * wait, MOST_MS); // a site that is away is asked less often
    live.textContent = "The site cannot be reached: what is shown may be out of date.";
  }
  later();
}

function later() {
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(look, wait);
}

/** Shows what the address asks for now. */
async function go(query) {
  history.replaceState(null, "", query ? `?${query}` : location.pathname);
  await look({ quiet: true });
  const people = board.querySelectorAll("[data-person]").length;
  announce(people ? `${people} shown.` : "Nobody is like this at the moment.");
}

function fromForm() {
  const sent = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  for (const [name, value] of [...sent]) if (!value) sent.delete(name);
  return sent.toString();
}

function setState(state) {
  form.querySelector('[name="state"]')?.remove();
  if (!state) return;
  const field = Object.assign(document.createElement("input"), { type: "hidden", name: "state", value: state });
  form.prepend(field);
}

/** ↑ and ↓ from row to row where a row has the focus; / to the search from anywhere that is not a field. */
function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const at = /** @type {HTMLElement} */ (document.activeElement);
  if (event.key === "/" && !at?.matches("input, select, textarea")) {
    event.preventDefault();
    search.focus();
    return;
  }
  const rows = [...board.querySelectorAll("[data-row]")];
  const index = rows.indexOf(
    at?.closest("[data-person]") ? (rows.includes(at) ? at : at.closest("tr").querySelector("[data-row]")) : null,
  );
  const down = event.key === "ArrowDown";
  if (down && at === search) {
    event.preventDefault();
    rows[0]?.focus();
  } else if (index >= 0 && (down || event.key === "ArrowUp")) {
    event.preventDefault();
    rows[index + (down ? 1 : -1)]?.focus();
  }
}

if (board && form) {
  let typing = 0;
  form.querySelector("button").hidden = true;
  document.querySelector("[data-keys]").hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go(fromForm());
  });
  form.addEventListener("input", (event) => {
    clearTimeout(typing);
    const { type } = /** @type {HTMLInputElement} */ (event.target);
    typing = setTimeout(() => go(fromForm()), type === "search" ? TYPING_MS : 0);
  });
  board.addEventListener("click", (event) => {
    const link = event.target.closest(".board-states a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    setState(link.dataset.state || "");
    go(fromForm());
  });
  document.addEventListener("keydown", keys);
  document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : look()));
  later();
}
