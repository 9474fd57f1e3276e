// The plain pages: instants in the reader's own zone, and printing.

import { LOCALE } from "./words.js";

for (const node of document.querySelectorAll("time[data-local]")) {
  const at = new Date(node.dateTime);
  if (Number.isNaN(at.getTime())) continue;
  /** @type {Intl.DateTimeFormatOptions} */
  const day = { weekday: "short", day: "numeric", month: "long", year: "numeric" };
  const local = at.toLocaleString(LOCALE, { ...day, hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
  const utc = at.toLocaleString(LOCALE, { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });
  node.textContent = at.getTimezoneOffset() ? `${local} (${utc} UTC)` : local;
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
