// Keeps what is typed into a long form in this browser until the form was sent and accepted.

const PREFIX = "headnode:form:";
for (const form of document.querySelectorAll("form[data-keep]")) keep(form);
forget();

function keep(form) {
  const name = PREFIX + form.dataset.keep;
  const said = form.querySelector("[data-kept]");
  const fields = () =>
    [...form.elements].filter(
      (one) => one.name && one.name !== "csrfmiddlewaretoken" && one.type !== "submit" && one.type !== "hidden",
    );
  const before = read(name);
  if (before && !form.querySelector(".errorlist") && !document.querySelector("[role=alert]")) {
    for (const one of fields()) {
      const key = one.type === "radio" || one.type === "checkbox" ? `${one.name}=${one.value}` : one.name;
      if (!(key in before)) continue;
      if (one.type === "radio" || one.type === "checkbox") one.checked = before[key];
      else one.value = before[key];
      if (before[key]) one.closest("details")?.setAttribute("open", "");
    }
    if (said) said.textContent = "What you typed before and did not send is here again.";
  }
  form.addEventListener("input", () => {
    const state = {};
    for (const one of fields()) {
      if (one.type === "radio" || one.type === "checkbox") state[`${one.name}=${one.value}`] = one.checked;
      else state[one.name] = one.value;
    }
    const kept = write(name, JSON.stringify(state));
    if (said)
      said.textContent = kept
        ? "Kept in this browser as you type; nothing is recorded until you send it."
        : "This browser keeps nothing: send the form before you leave the page.";
  });
  form.addEventListener("submit", () => write(`${PREFIX}sent`, name));
}

/** A form that was sent and is not asked for again was accepted: its text need not stay here. */
function forget() {
  const sent = read(`${PREFIX}sent`, false);
  if (!sent) return;
  const again = [...document.querySelectorAll("form[data-keep]")].some((form) => PREFIX + form.dataset.keep === sent);
  try {
    if (!again) localStorage.removeItem(sent);
    localStorage.removeItem(`${PREFIX}sent`);
  } catch {
    // Storage is refused, so nothing was stored there.
  }
}

function read(name, parsed = true) {
  try {
    const text = localStorage.getItem(name);
    return parsed ? JSON.parse(text) : text;
  } catch {
    return null;
  }
}

function write(name, text) {
  try {
    localStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}
