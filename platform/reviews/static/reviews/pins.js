// Pins: remarks beside the line, row or stretch of time they are about; kept as they are typed.

import { el, uuid } from "../headnode/dom.js";
import { PinBox } from "./pin_box.js";
import { LineBlock } from "./pin_lines.js";

const setting = document.getElementById("pin-setting");
const live = el("p", { className: "unseen", "aria-live": "polite" });
if (setting) begin();

function begin() {
  const pins = JSON.parse(document.getElementById("pins-data").textContent);
  const token = setting.querySelector("[name=csrfmiddlewaretoken]").value;
  const site = {
    save: setting.dataset.save || null,
    round: Number(setting.dataset.round || 0),
    longest: Number(setting.dataset.longest),
    token,
    boxes: new Set(),
    say,
    listed,
  };
  document.body.append(live);
  const blocks = [];
  const attach = () => {
    for (const node of document.querySelectorAll("[data-pin-kind]:not([data-pins])")) {
      node.dataset.pins = "yes";
      const block = new LineBlock(node, site);
      block.place(pins.filter((pin) => block.holds(pin)));
      blocks.push(block);
    }
    for (const holder of document.querySelectorAll("[data-chart][data-pin-source]:not([data-pins])")) {
      holder.dataset.pins = "yes";
      timePins(holder, pins, site);
    }
  };
  attach();
  document.addEventListener("evidencerenewed", attach);
  document.addEventListener("keydown", (event) => {
    if (
      event.key !== "p" ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.target.matches("textarea, input, select")
    )
      return;
    const block =
      blocks.find((one) => one.hasSelection()) || blocks.find((one) => one.node.contains(document.activeElement));
    if (block?.compose()) event.preventDefault();
  });
  window.addEventListener("beforeunload", (event) => {
    if ([...site.boxes].some((box) => box.unsaved)) event.preventDefault();
  });
}

function say(text) {
  live.textContent = "";
  setTimeout(() => {
    live.textContent = text;
  }, 60);
}

/** Bring the list on the page in line with a pin that was kept or withdrawn. */
function listed(pin, gone = false) {
  const list = document.getElementById("pin-list");
  if (!list) return;
  let entry = list.querySelector(`[data-pin-entry="${pin.id}"]`);
  if (gone) entry?.remove();
  else if (entry) entry.querySelector(".pin-text").textContent = pin.text;
  else {
    entry = el(
      "li",
      { className: "pin-entry", "data-pin-entry": pin.id },
      el(
        "p",
        { className: "pin-head" },
        el("span", { className: "pin-place" }, pin.place),
        el("span", { className: "muted small" }, " yours"),
      ),
      pin.quote
        ? el("pre", { className: "pin-quote", tabindex: "0", "aria-label": `What stands at ${pin.place}` }, pin.quote)
        : null,
      el("p", { className: "prose pin-text" }, pin.text),
    );
    list.append(entry);
  }
  document.getElementById("no-pins").hidden = list.children.length > 0;
}

/** Pins of one replay: a lane of marks in it, a list below it, and p for the moment or the zoomed stretch. */
function timePins(holder, pins, site) {
  const mine = pins.filter((pin) => pin.kind === "time" && pin.source === holder.dataset.pinSource);
  const list = el("div", { className: "pin-times" });
  const may = site.save && Number(holder.dataset.pinRound) === site.round;
  let shown = null;
  const go = (pin) => {
    holder.open = true;
    shown?.go(pin.first);
  };
  for (const pin of mine)
    list.append(new PinBox(pin, site, { may: may && pin.mine, title: pin.place, onplace: () => go(pin) }).node);
  holder.querySelector(".charts").after(list);
  holder.addEventListener("replaydata", ({ detail }) => {
    const marks = mine.map((pin) => ({
      t: pin.first,
      kind: "pin",
      text: `${pin.mine ? "Your pin" : `Pin by ${pin.author}`}: ${pin.text}`,
    }));
    detail.marks = [...(detail.marks || []), ...marks];
  });
  const compose = () => {
    const { from, to, words } = shown.stretch();
    const pin = {
      id: uuid(),
      kind: "time",
      source: holder.dataset.pinSource,
      part: "",
      first: from,
      last: to,
      text: "",
      place: words,
      mine: true,
    };
    const box = new PinBox(pin, site, {
      may: true,
      title: words,
      open: true,
      onplace: () => go(pin),
      onclose: () => holder.querySelector("[aria-label='Time of the run']")?.focus(),
    });
    list.append(box.node);
    box.focus();
  };
  holder.addEventListener("replayshown", ({ detail }) => {
    shown = detail;
    if (may)
      detail.node.querySelector(".replay-zoom").append(
        el(
          "button",
          {
            type: "button",
            className: "quiet",
            title: "Pin a remark to this moment, or to the stretch that is zoomed to (key p)",
            onclick: compose,
          },
          "Pin",
        ),
      );
  });
  holder.addEventListener("keydown", (event) => {
    if (
      event.key !== "p" ||
      !may ||
      !shown ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      !event.target.closest(".replay") ||
      event.target.matches("textarea, select")
    )
      return;
    event.preventDefault();
    event.stopPropagation();
    compose();
  });
}
