// The course of the work: a slider over its steps; each step is a part of the page the server makes.

const course = document.getElementById("course");
const PAUSE_MS = 120;
const PLAY_MS = 1200;
const STEPS = { "course-previous": -1, "course-next": 1 };
if (course) begin();

function begin() {
  const count = Number(course.dataset.count);
  const slider = document.getElementById("course-slider");
  const play = document.getElementById("course-play");
  const field = document.getElementById("course-step");
  const marks = [...course.querySelectorAll("[data-mark]")].map((link) => Number(link.dataset.mark));
  let at = Number(slider.value);
  let timer = 0;
  let asked = 0;
  let playing = 0;
  slider.hidden = play.hidden = false;

  async function load() {
    const mine = ++asked;
    const address = new URL(location.href);
    address.searchParams.set("step", String(at));
    try {
      const answer = await fetch(address, { headers: { Accept: "text/html" } });
      if (!answer.ok) throw new Error(`the server answered with ${answer.status}`);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("course-step-view");
      if (mine !== asked) return;
      if (!fresh) throw new Error("you may be signed out");
      show(fresh, address);
    } catch (error) {
      if (mine !== asked) return;
      stop();
      slider.setAttribute("aria-valuetext", `Step ${at} could not be loaded: ${error.message}`);
      document
        .getElementById("course-step-view")
        .querySelector("h2").textContent = `Step ${at} could not be loaded: ${error.message}. Try again.`;
    }
  }

  function show(fresh, address) {
    const old = document.getElementById("course-step-view");
    const open = new Set(
      [...old.querySelectorAll("details[open] summary span:first-child")].map((one) => one.textContent),
    );
    for (const part of fresh.querySelectorAll("details"))
      part.open = open.has(part.querySelector("summary span").textContent);
    old.replaceWith(fresh);
    slider.setAttribute("aria-valuetext", fresh.dataset.title);
    history.replaceState(null, "", address);
  }

  function go(step) {
    at = Math.min(count, Math.max(1, step));
    slider.value = field.value = String(at);
    for (const [id, by] of Object.entries(STEPS)) turn(id, at + by);
    clearTimeout(timer);
    timer = setTimeout(load, PAUSE_MS);
  }

  /** Keep the links of the page that works without script pointing at the steps beside this one. */
  function turn(id, to) {
    const link = document.getElementById(id);
    const known = to >= 1 && to <= count;
    link.toggleAttribute("aria-disabled", !known);
    if (known) link.setAttribute("href", `?step=${to}`);
    else link.removeAttribute("href");
  }

  function toMark(by) {
    const found = by > 0 ? marks.find((step) => step > at) : marks.findLast((step) => step < at);
    if (found) go(found);
  }

  function stop() {
    clearInterval(playing);
    playing = 0;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  }

  function toggle() {
    if (playing) {
      stop();
      return;
    }
    if (at === count) go(1);
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
    playing = setInterval(() => (at < count ? go(at + 1) : stop()), PLAY_MS);
  }

  for (const [id, by] of Object.entries(STEPS)) {
    const old = document.getElementById(id);
    const link = document.createElement("a");
    link.className = "button";
    link.id = id;
    link.textContent = old.textContent;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      go(at + by);
    });
    old.replaceWith(link);
    turn(id, at + by);
  }
  slider.addEventListener("input", () => go(Number(slider.value)));
  play.addEventListener("click", toggle);
  document.getElementById("course-bar").addEventListener("submit", (event) => {
    event.preventDefault();
    go(Number(field.value) || at);
  });
  course.addEventListener("click", (event) => {
    const link = event.target.closest("[data-mark]");
    if (!link) return;
    event.preventDefault();
    go(Number(link.dataset.mark));
  });
  document.addEventListener("keydown", (event) => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.target.matches("input:not([type=range]), textarea, select")
    )
      return;
    if (event.key === " " && event.target.matches("button, a, summary, [tabindex]")) return;
    // a wide text scrolls sideways with the same keys
    if (event.key.startsWith("Arrow") && event.target.closest(".scroll")) return;
    const keys = {
      ArrowLeft: () => go(at - 1),
      ArrowRight: () => go(at + 1),
      Home: () => go(1),
      End: () => go(count),
      ",": () => toMark(-1),
      ".": () => toMark(1),
      " ": toggle,
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
}
