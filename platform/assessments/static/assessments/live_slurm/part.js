// Beside the written answer: the check, which tells how many of those who wait would start, and nothing else.

import { clockTime, el, once } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { Checks } from "./checks.js";
import { standingOf } from "./standing.js";

const STATES = { queued: t`Waits for a place.`, running: t`Runs.`, infrastructure_error: t`Failed on our side.` };

/** Has the interface of the board of an incident; nothing is pinned on a live cluster. */
export class Part extends EventTarget {
  title = t`Check`;

  constructor(answer, { queue }) {
    super();
    this.answer = answer;
    this.whatIfs = new Checks(queue);
    this.#build();
    this.whatIfs.addEventListener("change", () => this.#draw());
    answer.addEventListener("lock", () => this.#draw());
  }

  isPinned() {
    return false;
  }

  async ask(_pins, room) {
    room.announce(t`There is nothing to pin to in this exercise: name the file and the line in your text.`);
    return false;
  }

  entered(room) {
    this.whatIfs.begin(`${room.urls.cluster}/checks`);
    this.standing = standingOf(room);
    this.standing.addEventListener("news", () => this.#news());
    this.#draw();
  }

  #build() {
    this.button = el("button", { type: "button", className: "primary", onkeydown: once }, t`Check`);
    this.button.addEventListener("click", (event) => {
      if (!this.whatIfs.busy) this.whatIfs.run().then(() => this.standing?.look());
      else if (event.detail < 2) this.whatIfs.stop();
    });
    this.state = el("p", { className: "muted small", role: "status" });
    this.trouble = el("p", { className: "note warn", role: "alert", hidden: true });
    this.list = el("ol", { className: "check-list", reversed: true });
    this.node = el(
      "div",
      { className: "pane-body check-part", role: "group", "aria-label": t`Check` },
      el(
        "p",
        {},
        t`A copy of your cluster is started anew from its files, and everybody whose job waits has some time to
          begin. You are told how many would. Your cluster itself is not touched; check as often as you like.`,
      ),
      el("div", { className: "check-bar" }, this.button, this.state),
      this.trouble,
      this.list,
    );
  }

  #news() {
    const open = this.standing.told?.checks.find(({ state }) => state === "queued" || state === "running");
    if (open && !this.whatIfs.busy) this.whatIfs.resume(open.id).then(() => this.standing.look());
    this.#draw();
  }

  #draw() {
    const { busy, going, sentence, trouble } = this.whatIfs;
    const ready = Boolean(this.standing?.told?.ready);
    this.button.textContent = busy ? t`Stop` : t`Check`;
    this.button.title = busy ? t`Ctrl+.` : "";
    this.button.classList.toggle("primary", !busy);
    this.button.disabled = this.answer.locked || (!busy && !ready);
    this.button.setAttribute("aria-disabled", String(busy && !going));
    this.state.textContent = sentence || (ready ? "" : t`Your cluster is not there yet.`);
    this.trouble.hidden = !trouble;
    this.trouble.textContent = trouble;
    const rows = this.standing?.told?.checks ?? [];
    const print = JSON.stringify(rows.map(({ id, state, detail }) => [id, state, detail]));
    if (this.list.dataset.print === print) return;
    this.list.dataset.print = print;
    this.list.replaceChildren(
      ...rows.map((run) =>
        el(
          "li",
          {},
          el("span", { className: "muted small" }, clockTime(run.created_at)),
          ` ${STATES[run.state] ?? run.detail}`,
        ),
      ),
    );
  }
}
