// How the candidate's cluster stands, asked every few seconds: one for the tabs and the check beside the answer.

import { ask } from "../../headnode/api.js";

const EVERY_MS = 2500;
const HIDDEN_MS = 10_000;
const rooms = new WeakMap();

/** Events: "news" (nodes, jobs, looks and checks are up to date, or `trouble` says why not). */
class Standing extends EventTarget {
  #timer = null;

  constructor(url) {
    super();
    this.url = url;
    this.told = null;
    this.looks = [];
    this.trouble = "";
    document.addEventListener("visibilitychange", () => !document.hidden && this.look());
  }

  async look() {
    clearTimeout(this.#timer);
    try {
      const after = this.looks.at(-1)?.[0] ?? 0;
      const told = await ask(`${this.url}/standing?after=${after}`);
      // Two answers may overlap where a look was asked for meanwhile.
      const newest = this.looks.at(-1)?.[0] ?? 0;
      this.looks.push(...told.looks.filter(([at]) => at > newest));
      this.told = told;
      this.trouble = "";
    } catch (error) {
      this.trouble = error.message;
    }
    this.dispatchEvent(new CustomEvent("news"));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.look(), document.hidden ? HIDDEN_MS : EVERY_MS);
  }
}

/** The room's one; begins to ask when it is first wanted. */
export function standingOf(room) {
  if (!rooms.has(room)) {
    const standing = new Standing(room.urls.cluster);
    rooms.set(room, standing);
    standing.look();
  }
  return rooms.get(room);
}
