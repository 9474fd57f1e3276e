// The feedback on a cost answer: a suggested recommendation is taken over with one press.

const place = document.getElementById("id_improvement_place");
const words = document.getElementById("id_improvement");
const buttons = [...document.querySelectorAll("[data-challenge]")];
const questions = new Set(buttons.map((button) => button.dataset.question));

for (const button of buttons) {
  button.hidden = false;
  button.addEventListener("click", () => {
    place.value = button.dataset.challenge;
    // What somebody wrote themselves stays; a question that was taken over gives way to the next one.
    if (!words.value.trim() || questions.has(words.value.trim())) words.value = button.dataset.question;
    mark();
    words.focus();
  });
}

/** Say at the list which one is chosen. */
function mark() {
  for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.challenge === place.value));
}

place?.addEventListener("change", mark);
if (place) mark();
