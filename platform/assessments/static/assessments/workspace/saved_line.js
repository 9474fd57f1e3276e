// Says in the top bar how saving stands: when, under which number, or what is kept and why.

import { byId, clockTime } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";

const OFFLINE = t`Offline. Your work is kept in this browser and will be sent when the connection returns.`;
const WAITING = t`The server does not answer. Your work is kept in this browser and will be sent as soon as it does.`;

export class SavedLine {
  #slow = 0;
  #last = t`Nothing to save yet`;
  /** Nothing gets through: typing and trying again change nothing about that. */
  #stuck = false;

  constructor(queue) {
    this.node = byId("saved");
    queue.addEventListener("status", (event) => this.#show(event.detail));
    queue.addEventListener("conflict", (event) => this.#show({ kind: "beside", number: event.detail.own }));
    addEventListener("offline", () => this.#show({ kind: "offline" }));
    addEventListener("online", () => queue.unsent || queue.dirty || this.#back());
  }

  #back() {
    this.#stuck = false;
    this.#put(this.#last, "calm");
  }

  /** What was saved when the page was opened. */
  begin(head) {
    if (head) this.#last = t`Saved · #${head}`;
    this.#put(this.#last, "calm");
  }

  say(text, tone = "calm") {
    this.#put(text, tone);
  }

  #show({ kind, number = 0, at = "", text = "" }) {
    clearTimeout(this.#slow);
    if (["sending", "edited"].includes(kind) && this.#stuck) return;
    this.#stuck = ["offline", "waiting", "refused"].includes(kind);
    if (kind === "saved") {
      this.#last = t`Saved ${clockTime(at)} · #${number}`;
      this.#put(this.#last, "calm");
    } else if (kind === "beside") this.#put(t`Kept beside the newer version · #${number}`, "warn");
    else if (kind === "offline") this.#put(OFFLINE, "warn");
    else if (kind === "waiting") this.#put(text || WAITING, "warn");
    else if (kind === "refused") this.#put(text, "bad");
    // A save usually takes a few milliseconds; only a slow one is worth a word.
    else if (kind === "sending") this.#slow = setTimeout(() => this.#put(t`Saving…`, "calm"), 600);
  }

  #put(text, tone) {
    if (this.node.textContent !== text) this.node.textContent = text;
    this.node.dataset.tone = tone;
  }
}
