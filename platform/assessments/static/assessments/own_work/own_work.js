// The round about one's own answer: counts down by what the server says, saves each choice and word at once.

import { announce } from "../../headnode/announce.js";
import { ask } from "../../headnode/api.js";
import { byId } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { timeText } from "../workspace/clock.js";
import { Entries } from "./entries.js";

const POLL_MS = 5000;
const LOOK_MS = 3000;
const ZERO_MS = 1000;
const SPOKEN_S = [60, 180]; // the least first: after a sleep several are past
const WORDS = {
  saved: t`Saved`,
  waiting: t`No connection: what you typed is kept here and sent when there is one.`,
  late: t`This came after the end: it is kept aside and not part of your answers.`,
};
const box = byId("own-work");

function stays(stage) {
  return stage === box.dataset.stage;
}

/** While the questions are prepared or the interview's page is closed: open by itself when that is over. */
function wait() {
  setTimeout(async () => {
    try {
      const { stage } = await ask(box.dataset.state);
      if (!stays(stage)) {
        location.reload();
        return;
      }
    } catch {
      // The next look tells.
    }
    wait();
  }, LOOK_MS);
}

function typed(event) {
  const match = /^(given|why)-(\d+)$/.exec(event.target.name || "");
  return match && { field: match[1], number: match[2], text: event.target.value };
}

function showKept(form, kept) {
  for (const [number, entry] of Object.entries(kept)) {
    for (const [field, text] of Object.entries(entry)) {
      const control = form.elements.namedItem(`${field}-${number}`);
      if (control) control.value = text; // of radio buttons: the one with this value is chosen
    }
  }
}

class Countdown {
  constructor(left, over) {
    this.over = over;
    this.heard = left;
    this.asked = 0;
    this.sync(left);
    setInterval(() => this.tick(), 250);
    setInterval(() => this.poll(), POLL_MS);
    for (const event of ["focus", "online", "pageshow"]) addEventListener(event, () => this.poll());
  }

  get left() {
    return this.from - (performance.now() - this.at) / 1000;
  }

  sync(left) {
    this.from = left;
    this.at = performance.now();
    if (left > this.heard) this.heard = left;
    this.tick();
  }

  async poll() {
    this.asked = performance.now();
    try {
      const { stage, left_s: left } = await ask(box.dataset.state, undefined, { timeout: POLL_MS });
      if (!stays(stage)) this.over();
      else if (left !== null) this.sync(left);
    } catch {
      // The count goes on from the last answer.
    }
  }

  tick() {
    byId("own-clock").textContent = t`${timeText(this.left)} left`;
    const spoken = SPOKEN_S.find((at) => this.left <= at && this.heard > at);
    this.heard = Math.min(this.heard, this.left);
    if (spoken === 60) announce(t`One minute left.`, { now: true, news: true });
    else if (spoken) announce(t`${spoken / 60} minutes left.`, { news: true });
    if (this.left <= 0 && performance.now() - this.asked > ZERO_MS) this.poll();
  }
}

function run() {
  const form = byId("own-form");
  const entries = new Entries(box.dataset.save, box.dataset.round);
  const say = (text) => {
    const line = byId("own-saved");
    if (line.textContent !== text) line.textContent = text;
  };
  for (const type of Object.keys(WORDS)) entries.addEventListener(type, () => say(WORDS[type]));
  entries.addEventListener("refused", (event) => say(event.detail));
  showKept(form, entries.restore());
  if (entries.waits) entries.flush();
  form.addEventListener("input", (event) => {
    const change = typed(event);
    if (change) entries.set(change.number, change.field, change.text);
  });
  let ended = false;
  const over = async () => {
    if (ended) return;
    ended = true;
    await entries.flush();
    location.reload();
  };
  new Countdown(Number(box.dataset.left), over);
  addEventListener("pagehide", () => entries.flush());
}

/** After the end: what this browser could not send in time is kept aside by the server, and not lost. */
async function sendLeft() {
  const entries = new Entries(box.dataset.save, box.dataset.round);
  entries.restore();
  if (!entries.waits) return;
  await entries.flush();
  if (!entries.waits) byId("own-leftover").textContent = WORDS.late;
}

if (box?.dataset.stage === "running") run();
else if (box?.dataset.stage === "done") sendLeft();
else if (["preparing", "closed"].includes(box?.dataset.stage)) wait();
