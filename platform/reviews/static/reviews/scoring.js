// The scorecard: every change is saved at once; 1-5 rate, j/k move, n note, s to the Submit button.

const form = document.getElementById("scorecard");
if (form) begin();

function begin() {
  const criteria = [...form.querySelectorAll("[data-criterion]")];
  const state = document.getElementById("save-state");
  const problem = document.getElementById("save-problem");
  const token = form.querySelector("[name=csrfmiddlewaretoken]").value;
  const timers = new Map();
  let waiting = Promise.resolve();
  let unsaved = 0;
  let current = Math.max(
    0,
    criteria.findIndex((item) => !item.querySelector(":checked")),
  );

  function ratingOf(item) {
    const level = item.querySelector("input:checked");
    return {
      criterion: item.dataset.criterion,
      level: level ? Number(level.value) : null,
      note: item.querySelector("textarea").value,
    };
  }

  async function send(item) {
    try {
      const answer = await fetch(form.dataset.save, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": token },
        body: JSON.stringify(ratingOf(item)),
      });
      const data = await answer.json();
      if (!answer.ok) throw new Error(data.detail);
      document.getElementById("rated-count").textContent = data.rated;
      unsaved -= 1;
      problem.hidden = true;
      if (unsaved <= 0 && !timers.size)
        state.textContent = `saved ${new Date(data.saved_at).toLocaleTimeString("en-GB")}`;
    } catch (error) {
      unsaved -= 1;
      state.textContent = "not saved";
      problem.textContent =
        `Not saved: ${error.message || "no connection"}. Your entries stay on this page; Submit sends them all ` +
        "again.";
      problem.hidden = false;
    }
  }

  /** One request after the other, so that an older state never overtakes a newer one. */
  function save(item, delay = 0) {
    clearTimeout(timers.get(item));
    state.textContent = "saving…";
    timers.set(
      item,
      setTimeout(() => {
        timers.delete(item);
        unsaved += 1;
        waiting = waiting.then(() => send(item));
      }, delay),
    );
  }

  function show(index, focus = true) {
    current = Math.min(Math.max(index, 0), criteria.length - 1);
    criteria.forEach((item, at) => item.classList.toggle("current", at === current));
    if (!focus) return;
    const item = criteria[current];
    (item.querySelector("input:checked") || item.querySelector("input")).focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
  }

  function rate(value) {
    const box = criteria[current].querySelector(`input[value="${value}"]`);
    box.checked = true;
    box.focus({ preventScroll: true });
    save(criteria[current]);
  }

  form.addEventListener("change", (event) => {
    const item = event.target.closest("[data-criterion]");
    if (item) save(item);
  });
  form.addEventListener("input", (event) => {
    if (event.target.matches("textarea")) save(event.target.closest("[data-criterion]"), 1200);
  });
  form.addEventListener("focusin", (event) => {
    const item = event.target.closest("[data-criterion]");
    if (item) show(criteria.indexOf(item), false);
  });
  window.addEventListener("beforeunload", (event) => {
    if (timers.size || unsaved > 0) event.preventDefault();
  });
  form.addEventListener("submit", () => {
    for (const timer of timers.values()) clearTimeout(timer);
    timers.clear();
    unsaved = 0;
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const writing = event.target.matches("textarea, input:not([type=radio]), select");
    if (writing) {
      if (event.key === "Escape") show(current);
      return;
    }
    const keys = {
      j: () => show(current + 1),
      k: () => show(current - 1),
      n: () => criteria[current].querySelector("textarea").focus(),
      s: () => document.getElementById("submit-card").focus(),
    };
    if (/^[1-5]$/.test(event.key)) rate(event.key);
    else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
  });
  show(current, false);
}
