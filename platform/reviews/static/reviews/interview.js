// The interview page: one question at a time, its time, ticks and score; saved at once, kept offline.

import { InterviewQueue } from "./interview_queue.js";
import { InterviewStore } from "./interview_store.js";

const TICKS = { p: "points", h: "hints", f: "follow_ups" };
const NAMES = { p: "point", h: "hint", f: "follow-up" };
const KEEP_TIME_EVERY_S = 15;

/** One question's section of the form, as the state that the server keeps. */
class Question {
  constructor(section) {
    this.section = section;
    this.name = section.dataset.question;
    this.url = section.dataset.save;
    this.asked = "asked" in section.dataset;
    this.seconds = Number(this.#input("seconds").value);
    this.planned = Number(section.dataset.minutes) * 60;
  }

  #input(what) {
    return this.section.querySelector(`[name="${what}-${this.name}"]`);
  }

  boxes(what) {
    return [...this.section.querySelectorAll(`[name="${what}-${this.name}"]`)];
  }

  get score() {
    const chosen = this.boxes("score").find((box) => box.checked);
    return chosen ? Number(chosen.value) : null;
  }

  get skipped() {
    return this.#input("skipped").checked;
  }

  get note() {
    return this.#input("note");
  }

  state() {
    const numbers = (what) =>
      this.boxes(what)
        .filter((box) => box.checked)
        .map((box) => Number(box.value));
    return {
      points: numbers("points"),
      hints: numbers("hints"),
      follow_ups: numbers("follow_ups"),
      note: this.note.value,
      score: this.score,
      skipped: this.skipped,
      asked: this.asked,
      seconds: this.seconds,
    };
  }

  /** Put back what was kept in this browser and never arrived. */
  restore(state) {
    for (const what of ["points", "hints", "follow_ups"])
      for (const box of this.boxes(what)) box.checked = state[what].includes(Number(box.value));
    for (const box of this.boxes("score")) box.checked = Number(box.value) === state.score;
    this.#input("skipped").checked = state.skipped;
    this.note.value = state.note;
    this.asked ||= state.asked;
    this.setSeconds(state.seconds);
  }

  setScore(value) {
    for (const box of this.boxes("score")) box.checked = Number(box.value) === value;
    if (value !== null) this.#input("skipped").checked = false;
  }

  setSkipped(skipped) {
    this.#input("skipped").checked = skipped;
    if (skipped) this.setScore(null);
  }

  setSeconds(seconds) {
    this.seconds = seconds;
    this.#input("seconds").value = seconds;
  }
}

class Interview {
  #questions;
  #current = 0;
  #running = false;
  #ticking = null;
  #typing = 0;

  constructor(form) {
    this.form = form;
    this.state = document.getElementById("save-state");
    this.problem = document.getElementById("save-problem");
    this.summary = document.getElementById("summary");
    this.store = new InterviewStore(form.dataset.session);
    this.queue = new InterviewQueue(this.store);
    this.#questions = [...form.querySelectorAll("[data-question]")].map((section) => new Question(section));
    this.#restore();
    this.#listen();
    for (const node of form.querySelectorAll(".question-steps, .step-buttons, .total-time, [data-timer-row]"))
      node.hidden = false;
    const open = this.#questions.findIndex((question) => question.score === null && !question.skipped);
    this.#show(Math.max(0, open), false);
    setInterval(() => this.#tick(), 1000);
  }

  get question() {
    return this.#questions[this.#current];
  }

  #restore() {
    for (const question of this.#questions) {
      const kept = this.store.get(question.name);
      if (!kept) continue;
      question.restore(kept);
      this.queue.add(question.name, question.url, question.state());
    }
    const summary = this.store.get("summary");
    if (summary !== null) this.summary.value = summary;
    if (this.queue.size) this.queue.flush();
  }

  #listen() {
    this.form.addEventListener("change", (event) => this.#changed(event.target));
    this.form.addEventListener("input", (event) => this.#typed(event.target));
    this.form.addEventListener("click", (event) => this.#pressed(event.target.closest("button")));
    this.form.addEventListener("submit", (event) => this.#submit(event));
    document.addEventListener("keydown", (event) => this.#key(event));
    window.addEventListener("beforeunload", (event) => {
      if (this.queue.size && !this.leaving) event.preventDefault();
    });
    this.queue.addEventListener("saved", ({ detail }) => {
      document.getElementById("scored-count").textContent = detail.answer.scored;
      this.problem.hidden = true;
      if (!detail.waiting)
        this.state.textContent = `saved ${new Date(detail.answer.saved_at).toLocaleTimeString("en-GB")}`;
    });
    this.queue.addEventListener("waiting", () => {
      this.state.textContent = "not sent yet";
      this.#trouble("No connection. What you write is kept in this browser and sent when the connection returns.");
    });
    this.queue.addEventListener("refused", ({ detail }) => {
      this.state.textContent = "not saved";
      this.#trouble(`Not saved: ${detail.text} Your entries stay on this page.`);
    });
  }

  #trouble(text) {
    if (this.problem.textContent !== text) this.problem.textContent = text;
    this.problem.hidden = false;
  }

  #save(question = this.question) {
    this.state.textContent = "saving…";
    this.queue.add(question.name, question.url, question.state());
    this.queue.flush();
    this.#draw();
  }

  #changed(target) {
    const question = this.#of(target);
    if (!question || target.matches("textarea")) return;
    if (target.name.startsWith("score-")) question.setScore(Number(target.value));
    else if (target.name.startsWith("skipped-")) question.setSkipped(target.checked);
    if (!target.name.startsWith("skipped-")) question.asked = true;
    this.#save(question);
  }

  #typed(target) {
    if (target === this.summary) return this.store.put("summary", target.value);
    const question = this.#of(target);
    if (!question || !target.matches("textarea")) return undefined;
    this.store.put(question.name, question.state());
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#save(question), 1000);
    return undefined;
  }

  #of(target) {
    const section = target.closest?.("[data-question]");
    return section && this.#questions.find((question) => question.section === section);
  }

  #pressed(button) {
    if (!button) return;
    if (button.dataset.step) this.#show(Number(button.dataset.step));
    else if ("previous" in button.dataset) this.#show(this.#current - 1);
    else if ("next" in button.dataset) this.#show(this.#current + 1);
    else if ("ask" in button.dataset) this.#ask();
    else if ("pause" in button.dataset) this.#pause();
  }

  #show(index, focus = true) {
    if (this.#running) this.#pause();
    this.#current = Math.min(Math.max(index, 0), this.#questions.length - 1);
    this.#ticking = null;
    this.#draw();
    if (focus) this.question.section.querySelector("h2").focus();
  }

  #ask() {
    this.question.asked = true;
    this.#running = true;
    this.#save();
  }

  #pause() {
    if (!this.question.asked) return this.#ask();
    this.#running = !this.#running;
    return this.#save();
  }

  #tick() {
    if (!this.#running) return;
    const question = this.question;
    question.setSeconds(question.seconds + 1);
    if (question.seconds % KEEP_TIME_EVERY_S === 0) this.#save(question);
    else this.#drawTime();
  }

  #draw() {
    this.#questions.forEach((question, at) => {
      question.section.hidden = at !== this.#current;
      const step = this.form.querySelector(`[data-step="${at}"]`);
      if (at === this.#current) step.setAttribute("aria-current", "step");
      else step.removeAttribute("aria-current");
      const words = question.skipped
        ? "skipped"
        : question.score
          ? `${question.score} of 5`
          : question.asked
            ? "asked"
            : "";
      step.querySelector(".step-state").textContent = words;
    });
    const ask = this.question.section.querySelector("[data-ask]");
    const pause = this.question.section.querySelector("[data-pause]");
    ask.hidden = this.question.asked;
    pause.hidden = !this.question.asked;
    pause.textContent = this.#running ? "Pause the time" : "Let the time run";
    this.#drawTime();
  }

  #drawTime() {
    const { section, seconds, planned } = this.question;
    const timer = section.querySelector("[data-timer]");
    timer.textContent = `${minutes(seconds)} of ${minutes(planned)}${this.#running ? "" : ", not running"}`;
    timer.classList.toggle("over", seconds > planned);
    const total = this.#questions.reduce((sum, question) => sum + question.seconds, 0);
    document.getElementById("total-time").textContent = minutes(total);
  }

  async #submit(event) {
    event.preventDefault();
    if (this.#running) this.#pause();
    clearTimeout(this.#typing);
    for (const question of this.#questions)
      if (this.store.get(question.name)) this.queue.add(question.name, question.url, question.state());
    if (!(await this.queue.flush()) || this.queue.size) return;
    this.store.put("summary", this.summary.value);
    this.leaving = true;
    this.form.submit();
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("textarea, input:not([type=radio]):not([type=checkbox]), select")) {
      if (event.key === "Escape") this.question.section.querySelector("h2").focus();
      return;
    }
    if (this.#keyed(event.key)) event.preventDefault();
  }

  #keyed(key) {
    if (this.#ticking && /^[1-9]$/.test(key)) return this.#toggle(this.#ticking, Number(key));
    this.#ticking = null;
    if (/^[1-5]$/.test(key)) {
      this.question.setScore(Number(key));
      this.question.asked = true;
      this.#save();
    } else if (TICKS[key]) {
      this.#ticking = key;
      this.state.textContent = `which ${NAMES[key]}? press its number`;
    } else if (key === "j") this.#show(this.#current + 1);
    else if (key === "k") this.#show(this.#current - 1);
    else if (key === "a") this.#ask();
    else if (key === "t") this.#pause();
    else if (key === "n") this.question.note.focus();
    else if (key === "s") document.getElementById("submit-interview").focus();
    else if (key === "x") {
      this.question.setSkipped(!this.question.skipped);
      this.#save();
    } else return false;
    return true;
  }

  #toggle(kind, number) {
    this.#ticking = null;
    const box = this.question.boxes(TICKS[kind])[number - 1];
    if (box) {
      box.checked = !box.checked;
      this.question.asked = true;
      this.#save();
    } else this.state.textContent = `there is no ${NAMES[kind]} ${number}`;
    return true;
  }
}

function minutes(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

const form = document.getElementById("interview");
if (form) new Interview(form);
