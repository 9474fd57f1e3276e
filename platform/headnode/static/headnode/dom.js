// Builds elements; text always goes in as text, so nothing a person typed can become markup.

import { LOCALE } from "./words.js";

/** An element with properties, attributes (data-*, aria-*, role, for) and on… listeners. */
export function el(tag, options = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name in node && !name.includes("-") && name !== "role" && name !== "list") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An SVG element; attributes only, so the style policy is never touched. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export function byId(id) {
  return document.getElementById(id);
}

/** What the page's policy lets styles in by that are made here. */
export function nonce() {
  return document.querySelector('meta[name="csp-nonce"]')?.content || "";
}

/** For a button whose meaning changes when it is pressed: a key that is held presses it once. */
export function once(event) {
  if (event.repeat) event.preventDefault();
}

/** Local wall time of an ISO instant, to the second. */
export function clockTime(iso) {
  return new Date(iso).toLocaleTimeString(LOCALE, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

/** A version 4 UUID; crypto.randomUUID exists only on secure origins. */
export function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** Remember or recall a small preference; a browser that refuses storage just forgets it. */
export function preference(name, value) {
  try {
    if (value === undefined) return localStorage.getItem(`headnode:${name}`);
    localStorage.setItem(`headnode:${name}`, value);
  } catch {
    // Nothing depends on a remembered preference.
  }
  return value ?? null;
}
