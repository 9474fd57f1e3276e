// The plain pages: instants in the reader's own zone, and printing.

import { dayAndTime } from "./words.js";

for (const node of document.querySelectorAll("time[data-local]")) {
  const at = new Date(node.dateTime);
  if (Number.isNaN(at.getTime())) continue;
  node.textContent = dayAndTime(at);
}

// So that messages say times in it as well; where it is known already, the site keeps that.
for (const field of document.querySelectorAll("[data-zone]")) {
  field.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// A form sent twice by a double click would only confuse; the server would refuse the second.
for (const form of document.querySelectorAll("form[data-start]")) {
  form.addEventListener("submit", () =>
    setTimeout(() => form.querySelectorAll("button").forEach((button) => (button.disabled = true))),
  );
}
