// Questions that stop the page: built on <dialog>, which traps the focus and gives it back.

import { el, uuid } from "./dom.js";
import { t } from "./words.js";

/** Show a dialog; resolves to the value of the button pressed, or null when closed with Escape.
 *  buttons: [{value, label, primary?, check?}] ; check(dialog) may return a sentence to show instead of closing.
 *  until: a promise whose end closes it. */
export function openDialog({ title, content, buttons, alert = false, wide = false, until = null }) {
  const id = `dialog-${uuid()}`;
  const problem = el("p", { className: "problem", role: "alert" });
  const dialog = el(
    "dialog",
    {
      className: wide ? "wide" : "",
      role: alert ? "alertdialog" : "dialog",
      "aria-modal": "true",
      "aria-labelledby": `${id}-title`,
      "aria-describedby": `${id}-text`,
    },
    el("h2", { id: `${id}-title` }, title),
    el("div", { id: `${id}-text`, className: "dialog-text" }, content),
    problem,
  );
  return new Promise((resolve) => {
    const close = (value) => {
      dialog.close();
      dialog.remove();
      resolve(value);
    };
    const press = async (button) => {
      const sentence = button.check ? await button.check(dialog) : null;
      if (sentence) problem.textContent = sentence;
      else close(button.value);
    };
    dialog.append(
      el(
        "div",
        { className: "dialog-actions" },
        buttons.map((button) =>
          el(
            "button",
            { type: "button", className: button.primary ? "primary" : "", onclick: () => press(button) },
            button.label,
          ),
        ),
      ),
    );
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      if (!alert) close(null);
    });
    dialog.addEventListener("keydown", (event) => {
      const main = buttons.find((button) => button.primary);
      if (event.key !== "Enter" || !main || !event.target.matches("input[type=text]")) return;
      event.preventDefault(); // or the key would also reach whatever has the focus next
      press(main);
    });
    document.body.append(dialog);
    dialog.showModal();
    until?.then(() => dialog.isConnected && close(null));
  });
}

/** Ask for one line of text; resolves to it, or null. problem(text) may return a sentence. */
export async function askText({ title, label, value = "", action, problem }) {
  const input = el("input", { type: "text", value, autocomplete: "off", spellcheck: false, autofocus: true });
  const answer = await openDialog({
    title,
    content: el("label", { className: "field" }, label, input),
    buttons: [
      { value: false, label: t`Cancel` },
      { value: true, label: action, primary: true, check: () => problem(input.value.trim()) },
    ],
  });
  return answer ? input.value.trim() : null;
}
