// A row of tabs after the usual pattern: one stop for the Tab key, arrows move and select.

import { el } from "./dom.js";

/** items: [{key, label, panel?, extra?}]; calls select(key) on a choice. Returns {show(key), list}. */
export function tabs(list, items, select, { label = "" } = {}) {
  if (label) list.setAttribute("aria-label", label);
  list.setAttribute("role", "tablist");
  const buttons = items.map((item) =>
    el(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${item.panel || item.key}-${item.key}`.replace(/[^\w-]/g, "_"),
        className: "tab",
        "aria-controls": item.panel || null,
        "data-key": item.key,
        onclick: () => choose(item.key),
      },
      item.label,
      item.extra || null,
    ),
  );
  list.replaceChildren(...buttons);

  function mark(key) {
    for (const button of buttons) {
      const chosen = button.dataset.key === key;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      if (chosen) button.scrollIntoView?.({ block: "nearest", inline: "nearest" });
    }
  }

  function choose(key, focus = false) {
    mark(key);
    select(key);
    if (focus) buttons.find((button) => button.dataset.key === key).focus();
  }

  list.onkeydown = (event) => {
    const at = buttons.indexOf(event.target.closest("[role=tab]"));
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    let next = null;
    if (step) next = (at + step + buttons.length) % buttons.length;
    if (event.key === "Home") next = 0;
    if (event.key === "End") next = buttons.length - 1;
    if (at < 0 || next === null) return;
    event.preventDefault();
    choose(items[next].key, true);
  };
  return { show: mark, choose, list };
}
