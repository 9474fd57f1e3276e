// Joins the parts of the workspace: one answer, one queue of drafts, one clock, four panes.

import { announce } from "../../headnode/announce.js";
import { ask, Refused } from "../../headnode/api.js";
import { openDialog } from "../../headnode/dialogs.js";
import { byId, el } from "../../headnode/dom.js";
import { t, timeOfDay } from "../../headnode/words.js";
import { Answer } from "./answer.js";
import { fetchWords, partName, rowName } from "./answer_parts.js";
import { Clock, timeText } from "./clock.js";
import { settleConflict } from "./conflict.js";
import { setUpDocuments } from "./documents.js";
import { DraftQueue } from "./draft_queue.js";
import { hideNotice, showNotice } from "./notices.js";
import { setUpPanes } from "./panes.js";
import { Questions } from "./questions.js";
import { SavedLine } from "./saved_line.js";
import { setUpSections } from "./sections.js";
import { confirmSubmit, Insisting } from "./submit.js";
import { TimeOver, whatArrived } from "./time_over.js";

// What stands beside the written answer, by workplace; each has the interface of the board.
const PARTS = {
  troubleshooting: async () => (await import("../troubleshooting/board.js")).Board,
  cost: async () => (await import("../cost/opportunities.js")).Opportunities,
  scaling: async () => (await import("../scaling/part.js")).Part,
  live_slurm: async () => (await import("../live_slurm/part.js")).Part,
};

/** The middle of the page: a room, or an editor with what runs the program. Neither fetches the other's scripts. */
async function centreOf(workplace) {
  if (!PARTS[workplace]) return { setUpProgram: (await import("./program.js")).setUpProgram };
  const [{ setUpRoom }, Part] = await Promise.all([
    import("../workplace/room.js"),
    PARTS[workplace](),
    fetchWords(workplace),
  ]);
  return { setUpRoom, Part };
}

const OVER = new Set(["submitted", "revision_open", "revision_submitted", "closed"]);

class Workspace {
  #leaving = false;
  #asking = false;
  #noticeSeen = 0;
  #unlockAt = null;

  /** Part: the class of what stands beside the written answer; setUpProgram instead where a program is written. */
  constructor(data, { Part = null, setUpRoom = null, setUpProgram = null }) {
    this.data = data;
    this.answer = new Answer(data);
    this.queue = new DraftQueue({
      attempt: data.attempt,
      draftsUrl: data.urls.drafts,
      answer: this.answer,
      head: data.state.head,
      maxBody: data.client_limits?.max_body,
    });
    this.saved = new SavedLine(this.queue);
    this.saved.begin(data.state.head);
    this.showPane = setUpPanes({ revising: data.round === 2 });
    setUpDocuments(data.documents);
    this.clock = new Clock({ url: data.urls.state, state: data.state, limitS: data.limit_s });
    this.questions = new Questions({ url: data.urls.enquiries, attempt: data.attempt });
    if (data.urls.assistant) this.#offerAssistant(data);
    this.board = Part ? this.#newPart(Part) : null;
    this.showAnswer = setUpSections(this.answer, this.board);
    if (this.board) {
      this.room = setUpRoom({
        base: data.urls.room,
        attempt: data.attempt,
        board: this.board,
        showPane: this.showPane,
        workplace: data.workplace,
      });
      return;
    }
    this.runPanel = setUpProgram(data, { answer: this.answer, queue: this.queue, show: this.showPane });
  }

  /** Its scripts are fetched when it is opened first. */
  #offerAssistant({ urls, attempt }) {
    const button = byId("assistant-open");
    let coming = null;
    const fetched = async () => {
      const Pane = (await import("../assistant/assistant.js")).Assistant;
      return new Pane({ url: urls.assistant, attempt, button });
    };
    button.disabled = false;
    button.addEventListener("click", async () => {
      try {
        coming ??= fetched();
        (await coming).toggle();
      } catch {
        coming = null;
        announce(t`The assistant could not be opened: press its button again in a moment.`, { now: true });
      }
    });
  }

  #newPart(Part) {
    const { data } = this;
    const before = data.elapsed_s ?? data.limit_s - data.state.remaining_s;
    const begun = performance.now();
    return new Part(this.answer, {
      elapsed: () => before + (performance.now() - begun) / 1000,
      show: () => this.#showPart(),
      queue: this.queue,
    });
  }

  /** Bring what stands beside the written answer to the front. */
  #showPart() {
    this.showPane("answer");
    this.showAnswer("board");
  }

  async start() {
    this.#showFeedback();
    this.#listen();
    this.#onState(this.data.state);
    this.runPanel?.resume();
    const unsent = await this.queue.recover();
    if (unsent) {
      this.answer.replace(unsent);
      announce(t`Text that had not reached the server was found in this browser and is being sent.`);
    }
    if (this.data.practice) {
      const setUp = (await import("../practice/tour.js")).setUpPractice;
      setUp({ showPane: this.showPane, lobby: this.data.urls.lobby });
    }
  }

  #listen() {
    const { answer, queue, clock } = this;
    for (const event of ["edit", "files"]) answer.addEventListener(event, () => queue.touch());
    queue.addEventListener("conflict", (event) => this.#settle(event.detail));
    queue.addEventListener("state", (event) => clock.sync(event.detail));
    queue.addEventListener("closed", () => clock.poll());
    for (const one of [queue, clock]) one.addEventListener("signedout", () => this.#signedOut());
    clock.addEventListener("state", (event) => this.#onState(event.detail));
    clock.addEventListener("zero", () => this.#timeOver());
    document.addEventListener("focusout", () => queue.save());
    document.addEventListener("visibilitychange", () => (document.hidden ? queue.saveAtOnce() : queue.retry()));
    addEventListener("pagehide", () => queue.saveAtOnce());
    for (const event of ["online", "pageshow"]) addEventListener(event, () => queue.retry());
    addEventListener("keydown", (event) => this.#key(event));
    // A press before this moment would be lost without a word, so the page comes with them disabled.
    const acts = { "history-open": () => this.#history(), "submit-open": () => this.#submit() };
    for (const [name, act] of Object.entries(acts)) {
      byId(name).addEventListener("click", act);
      byId(name).disabled = false;
    }
  }

  #key(event) {
    if (!(event.ctrlKey || event.metaKey) || document.querySelector("dialog[open]")) return;
    if (event.key === "s") {
      event.preventDefault();
      this.queue.save();
    }
    if (event.key === "Enter" && !event.defaultPrevented) {
      event.preventDefault();
      this.runPanel?.run();
    }
    if (event.key === ".") {
      event.preventDefault();
      (this.runPanel ?? this.board?.whatIfs)?.stop();
    }
  }

  #showFeedback() {
    const { round, feedback } = this.data;
    if (round !== 2 || !feedback) return;
    const named = (name) => this.answer.sections.get(name)?.title || partName(name) || name;
    const row =
      feedback.subject && rowName(feedback.focus, this.answer.files.get(feedback.focus)?.text ?? "", feedback.subject);
    const focus = feedback.focus && `${named(feedback.focus)}${row ? `: ${row}` : ""}`;
    const also = (feedback.also || []).map(named);
    const text = el(
      "dl",
      { className: "feedback" },
      el("dt", {}, t`A strength`),
      el("dd", {}, feedback.strength),
      el("dt", {}, t`To improve`),
      el("dd", {}, feedback.improvement),
      focus
        ? [
            el("dt", {}, t`Please revise`),
            el(
              "dd",
              {},
              el("strong", {}, focus),
              also.length ? t`, and with it ${also.join(", ")}` : "",
              t`; everything else is read only.`,
            ),
          ]
        : null,
    );
    showNotice("feedback", { content: [el("h2", {}, t`Feedback on your first answer`), text], label: t`Feedback` });
    if (this.answer.sections.has(feedback.focus)) this.showPane("answer");
    else if (!this.board && this.answer.files.has(feedback.focus)) this.showPane("code");
    if (this.board && partName(feedback.focus)) this.#showPart();
  }

  /** Said until the server knows this browser again, which it may by a link opened in another tab. */
  #signedOut() {
    if (this.outside || this.#leaving) return;
    this.outside = true;
    showNotice("signed-out", {
      kind: "bad",
      label: t`Not signed in`,
      content: el(
        "p",
        { role: "alert" },
        t`This browser is no longer signed in for this exercise; another invitation may have been opened in it, or
          its cookies deleted. What you write is kept here. Open your invitation link again in another tab: this
          page then goes on by itself and sends everything.`,
      ),
    });
  }

  #onState(state) {
    if (this.outside) {
      this.outside = false;
      hideNotice("signed-out");
      this.queue.retry();
    }
    if (OVER.has(state.phase)) {
      this.#leave();
      return;
    }
    if (this.#unlockAt !== null && this.clock.remaining > 1) {
      // Time was added after the count had reached zero here.
      this.#unlockAt = null;
      this.answer.locked = false;
      this.over?.close();
    }
    this.questions.onState(state.told);
    if (state.notice && state.notice.id !== this.#noticeSeen && !this.#closedBefore(state.notice.id)) {
      this.#noticeSeen = state.notice.id;
      // Somebody who has a minute left is told at once, not when the screen reader has nothing else to say.
      announce(state.notice.text, { now: this.clock.before <= 60, news: true });
      showNotice("time", {
        content: el("p", {}, state.notice.text),
        label: t`Your time`,
        dismiss: () => sessionStorage.setItem("headnode:notice", String(state.notice.id)),
      });
    }
  }

  #closedBefore(id) {
    return sessionStorage.getItem("headnode:notice") === String(id);
  }

  async #settle(conflict) {
    if (this.#asking) return;
    this.#asking = true;
    this.answer.locked = true;
    const choice = await settleConflict(conflict, { answer: this.answer, drafts: this.data.urls.drafts });
    const newest = this.queue.conflict || conflict;
    try {
      if (choice === "theirs") await this.#load(newest.number);
      else {
        this.answer.locked = false;
        await this.queue.keepOwn(newest.number);
      }
    } catch (error) {
      this.answer.locked = false;
      this.saved.say(
        t`The newer version could not be loaded: ${error.message} You go on with the text on this page.`,
        "bad",
      );
    } finally {
      this.#asking = false;
    }
  }

  async #load(number) {
    const draft = await ask(`${this.data.urls.drafts}/${number}`);
    this.answer.locked = false;
    this.answer.replace(draft.body);
    this.queue.tookOther(number);
    this.saved.say(t`Loaded #${number}, saved ${timeOfDay(draft.at)}`);
  }

  async #history() {
    await this.queue.save();
    const failed = (error) => this.saved.say(t`The drafts could not be listed: ${error.message}`, "warn");
    const restore = (draft) => {
      this.answer.replace(draft.body);
      this.queue.save();
      announce(t`You go on from draft ${draft.number}.`);
    };
    try {
      const open = (await import("./history.js")).openHistory;
      await open({ url: this.data.urls.drafts, answer: this.answer, restore, failed });
    } catch (error) {
      failed(error);
    }
  }

  async #submit() {
    const sure = await confirmSubmit(this.answer, { left: timeText(this.clock.remaining), round: this.data.round });
    if (!sure) return;
    this.answer.locked = true;
    byId("submit-open").disabled = true;
    this.saved.say(t`Submitting…`);
    const insisting = new Insisting({ wake: () => this.queue.retry() });
    try {
      const { receipt_url: receipt } = await this.queue.post(this.data.urls.submit, {}, (error) =>
        insisting.goesOn(error),
      );
      this.#leave(receipt);
    } catch (error) {
      this.#submitFailed(error);
    } finally {
      insisting.end();
    }
  }

  #submitFailed(error) {
    if (error instanceof Refused && OVER.has(error.answer.state?.phase)) {
      this.#leave();
      return;
    }
    if (error instanceof Refused && error.code === "closed") {
      this.#timeOver();
      return;
    }
    this.answer.locked = false;
    byId("submit-open").disabled = false;
    if (error instanceof Refused && error.code === "conflict") {
      this.queue.conflict = error.answer.conflict;
      this.#settle({ ...error.answer.conflict, own: error.answer.number });
      return;
    }
    const reason = error instanceof Refused ? error.message : t`The server could not be reached.`;
    openDialog({
      title: t`Your answer was not submitted`,
      content: [
        el("p", {}, reason),
        el(
          "p",
          {},
          t`Your work is kept, and you can go on. Try again in a moment; when your time is over, what was saved
            last is submitted in any case.`,
        ),
      ],
      buttons: [{ value: null, label: t`Close`, primary: true }],
    });
  }

  async #timeOver() {
    if (this.#leaving) return;
    const limit = (this.data.state.grace_s || 20) * 1000;
    const sent = this.queue.flush(limit);
    this.#unlockAt = performance.now();
    this.answer.locked = true;
    this.over?.close();
    this.over = new TimeOver();
    announce(t`Your time is over. What you have written is being saved and submitted.`, { now: true });
    await sent;
    this.over.say(whatArrived(this.queue.fate, this.queue.arrived));
    // The server promotes the last draft when the grace is over; asking it brings that about.
    while (this.#unlockAt !== null && !this.#leaving) {
      await this.clock.poll();
      await new Promise((resolve) => setTimeout(resolve, 1500));
    }
  }

  #leave(url = this.data.urls.receipt) {
    if (this.#leaving) return;
    this.#leaving = true;
    this.answer.locked = true;
    location.assign(url);
  }
}

const data = JSON.parse(byId("workspace-data").textContent);
const workspace = new Workspace(data, await centreOf(data.workplace));
workspace.start();
