// A button with a small panel below it, for choices that a bar has no place for.

import { el, uuid } from "../../headnode/dom.js";

/** A button that opens a small panel below it; Escape and a press elsewhere close it. */
export class Popover {
  constructor(label) {
    this.id = `popover-${uuid().slice(0, 8)}`;
    this.text = el("span", {}, label);
    this.button = el(
      "button",
      {
        type: "button",
        className: "facet-button",
        "aria-expanded": "false",
        "aria-controls": this.id,
        onclick: () => this.toggle(),
      },
      this.text,
    );
    this.panel = el("div", { className: "facet-panel", id: this.id, role: "group", hidden: true });
    this.node = el("div", { className: "facet" }, this.button, this.panel);
    this.node.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.panel.hidden) return;
      event.stopPropagation();
      this.toggle(false);
      this.button.focus();
    });
    document.addEventListener("pointerdown", (event) => this.node.contains(event.target) || this.toggle(false));
    this.node.addEventListener(
      "focusout",
      (event) => event.relatedTarget && !this.node.contains(event.relatedTarget) && this.toggle(false),
    );
  }

  toggle(open = this.panel.hidden) {
    if (open === !this.panel.hidden) return;
    this.panel.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
    if (!open) return;
    // Near the right edge the panel hangs from the button's right corner.
    const room = this.node.closest(".room-part")?.getBoundingClientRect().right ?? innerWidth;
    this.panel.classList.toggle("from-right", this.node.getBoundingClientRect().left + this.panel.offsetWidth > room);
    this.panel.querySelector("input")?.focus();
  }
}
