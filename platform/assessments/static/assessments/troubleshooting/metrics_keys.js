// The keys of a chart: a button for each line, with its value at the cursor. A press shows the line alone; with Shift
// it shows or hides this one line.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { ORDER_NAMES } from "./metrics_lines.js";

const FEW = 4;

export class ChartKeys {
  /** on: {isolate(at), toggle(at), order(name)}; only a chart of several lines has an order to choose. */
  constructor(title, on) {
    this.on = on;
    this.order = el(
      "select",
      {
        className: "mkeys-order",
        hidden: true, // until it is known that there are lines to order
        "aria-label": t`Order of the lines of ${title}`,
        onchange: () => on.order(this.order.value),
      },
      Object.entries(ORDER_NAMES).map(([value, name]) => el("option", { value }, name)),
    );
    this.node = el("div", { className: "mkeys" });
    this.buttons = [];
    this.figures = [];
  }

  show(data, shown) {
    this.figures = data.lines.map(() => el("span", { className: "value" }));
    this.buttons = data.lines.map((line, at) =>
      el(
        "button",
        {
          type: "button",
          className: "key",
          "aria-pressed": String(shown[at]),
          title: t`Show only this; again shows all. With Shift: show or hide this one.`,
          onclick: (event) => (event.shiftKey ? this.on.toggle(at) : this.on.isolate(at)),
        },
        el("span", { className: `swatch series-${(at % 8) + 1} dash-${Math.floor(at / 8) % 4}` }),
        el("span", { className: "name", title: line.name }, line.name),
        this.figures[at],
      ),
    );
    const before = data.before
      ? el(
          "span",
          { className: "key before" },
          el("span", { className: "swatch side dash-1" }),
          data.before.of ? t`run before: ${data.before.of}` : t`run before`,
        )
      : null;
    this.order.hidden = data.lines.length < FEW;
    this.before = before;
    this.node.replaceChildren(...this.buttons, ...(before ? [before] : []));
  }

  /** Put the keys into this order of places. */
  arrange(places) {
    this.node.replaceChildren(...places.map((at) => this.buttons[at]), ...(this.before ? [this.before] : []));
  }

  mark(shown) {
    this.buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(shown[at])));
  }

  values(texts) {
    texts.forEach((text, at) => {
      if (this.figures[at] && this.figures[at].textContent !== text) this.figures[at].textContent = text;
    });
  }
}
