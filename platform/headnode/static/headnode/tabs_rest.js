// Where a row of tabs is wider than its place: it fades at the edge that hides some, and a button lists all of them.

import { el, uuid } from "./dom.js";

/** The button beside that row, which is there only while some of the row is not in sight.
 *  label: what the button and its list are called. */
export function restOfTabs(list, label) {
  const id = `tabs-${uuid().slice(0, 8)}`;
  const panel = el("div", { id, className: "tabs-all", role: "group", "aria-label": label });
  const button = el("button", { type: "button", className: "quiet tabs-more", title: label, "aria-label": label }, "⌄");
  panel.setAttribute("popover", "");
  button.setAttribute("popovertarget", id);
  button.hidden = true;

  function edges() {
    const before = list.scrollLeft > 1;
    const after = list.scrollLeft + list.clientWidth < list.scrollWidth - 1;
    list.dataset.cut = [before && "before", after && "after"].filter(Boolean).join(" ");
    // With the button gone there is that much more room: else it would come and go.
    button.hidden = list.scrollWidth <= list.clientWidth + button.offsetWidth;
  }

  function fill() {
    const names = [...list.querySelectorAll("[role=tab]")].map((tab) =>
      el(
        "button",
        {
          type: "button",
          className: "quiet",
          "aria-current": tab.getAttribute("aria-selected") === "true" ? "true" : null,
          onclick: () => {
            panel.hidePopover();
            tab.click();
          },
        },
        tab.textContent,
      ),
    );
    panel.replaceChildren(...names);
  }

  panel.addEventListener("beforetoggle", (event) => event.newState === "open" && fill());
  panel.addEventListener("toggle", (event) => {
    if (event.newState !== "open") return;
    const { bottom, right } = button.getBoundingClientRect();
    panel.style.top = `${bottom + 2}px`;
    panel.style.left = `${Math.max(4, right - panel.offsetWidth)}px`;
    (panel.querySelector("[aria-current]") ?? panel.firstElementChild)?.focus();
  });
  list.addEventListener("scroll", edges, { passive: true });
  new ResizeObserver(() => requestAnimationFrame(edges)).observe(list);
  new MutationObserver(edges).observe(list, { childList: true });
  document.fonts?.ready.then(edges);
  return [button, panel];
}
