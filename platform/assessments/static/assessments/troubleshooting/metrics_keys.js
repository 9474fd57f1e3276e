// The keys of a chart: a button for each line, with its value at the cursor; a press shows the line alone.

import { el } from "../../headnode/dom.js";

export class ChartKeys {
  constructor(isolate) {
    this.isolate = isolate;
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
          title: "Show only this; again shows all",
          onclick: () => this.isolate(at),
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
          data.before.of ? `run before: ${data.before.of}` : "run before",
        )
      : null;
    this.node.replaceChildren(...this.buttons, ...(before ? [before] : []));
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
