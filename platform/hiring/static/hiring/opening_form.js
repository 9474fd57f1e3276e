// While an opening is being made: what it asks of a candidate in all, and what empty fields stand for.

const PAUSE_MS = 250;

/** @param {HTMLFormElement} form @param {HTMLElement} place */
function follow(form, place) {
  let pending = 0;
  let asked = 0;

  async function ask() {
    asked += 1;
    const mine = asked;
    const answer = await fetch(place.dataset.url, { method: "POST", body: new FormData(form) }).catch(() => null);
    if (!answer?.ok || mine !== asked) return; // the page stays usable with what it showed before
    const said = await answer.json();
    place.innerHTML = said.html;
    for (const [prefix, usual] of Object.entries(said.usual)) fillIn(form, prefix, usual);
  }

  function soon() {
    clearTimeout(pending);
    pending = setTimeout(ask, PAUSE_MS);
  }

  form.addEventListener("input", soon);
  form.addEventListener("change", (event) => {
    const chosen = /** @type {HTMLElement} */ (event.target);
    if (chosen instanceof HTMLInputElement && chosen.dataset.title) nameChosen(chosen);
    soon();
  });
  document.addEventListener("formset:added", soon);
  document.addEventListener("formset:removed", soon);
  soon();
}

/** Says what is chosen above the cards, which can be folded then. @param {HTMLInputElement} radio */
function nameChosen(radio) {
  const held = radio.closest(".pack-choice")?.querySelector(".pack-held");
  if (held) held.textContent = radio.dataset.title;
}

/** Shows what is usual where a field is empty, and which levels the exercise has. */
function fillIn(form, prefix, usual) {
  const values = { limit_minutes: usual.work, revision_minutes: usual.revision, hidden_workloads: usual.hidden };
  for (const [name, value] of Object.entries(values)) {
    const field = form.elements.namedItem(`${prefix}-${name}`);
    if (field instanceof HTMLInputElement) field.placeholder = value ? String(value) : "";
  }
  const level = form.elements.namedItem(`${prefix}-level`);
  if (!(level instanceof HTMLSelectElement)) return;
  for (const option of level.options) option.disabled = Boolean(option.value) && !usual.levels.includes(option.value);
}

const place = /** @type {HTMLElement | null} */ (document.querySelector("#demand[data-url]"));
const form = /** @type {HTMLFormElement | null} */ (document.querySelector("#opening_form"));
if (place && form) follow(form, place);

export {};
