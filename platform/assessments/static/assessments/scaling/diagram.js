// A drawing of the materials: shown in the page with its description, enlarged at will, moved by keys or pointer.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { trouble } from "../workplace/retry.js";

const STEPS = [1, 1.5, 2, 3, 4];
const SHAPES = new Set([
  "svg",
  "g",
  "title",
  "desc",
  "rect",
  "circle",
  "ellipse",
  "line",
  "polyline",
  "polygon",
  "path",
  "text",
  "tspan",
  "defs",
  "pattern",
  "marker",
  "linearGradient",
  "stop",
  "clipPath",
  "use",
]);

/** Only shapes and their attributes are taken over from a file: nothing that runs, loads or styles. */
function cleaned(node) {
  if (!SHAPES.has(node.nodeName)) return null;
  const copy = document.createElementNS("http://www.w3.org/2000/svg", node.nodeName);
  for (const { name, value } of node.attributes) {
    const refers = name === "href" || name.endsWith(":href");
    if (
      name === "style" ||
      name === "id" ||
      name.startsWith("on") ||
      name.startsWith("xmlns") ||
      (refers && !value.startsWith("#"))
    )
      continue;
    copy.setAttribute(name, value);
  }
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) copy.append(child.nodeValue);
    else if (child.nodeType === Node.ELEMENT_NODE) copy.append(cleaned(child) ?? "");
  }
  return copy;
}

export class Diagram {
  #zoom = 0;

  constructor(file, room) {
    this.file = file;
    this.room = room;
    this.state = el("p", { className: "muted", role: "status" }, t`Being fetched…`);
    this.frame = el(
      "div",
      { className: "diagram-frame", tabindex: "0", role: "region", "aria-label": t`${file.title}, drawing` },
      this.state,
    );
    this.less = el(
      "button",
      {
        type: "button",
        className: "quiet",
        "aria-label": t`Smaller: ${file.title}`,
        onclick: () => this.#set(this.#zoom - 1),
      },
      "−",
    );
    this.more = el(
      "button",
      {
        type: "button",
        className: "quiet",
        "aria-label": t`Larger: ${file.title}`,
        onclick: () => this.#set(this.#zoom + 1),
      },
      "+",
    );
    this.size = el("span", { className: "muted small" });
    this.words = el("p", { className: "small" });
    this.said = el(
      "details",
      { className: "diagram-said", hidden: true },
      el("summary", {}, t`The drawing in words`),
      this.words,
    );
    this.node = el(
      "figure",
      { className: "diagram" },
      el("figcaption", { className: "plan-tools" }, el("h4", {}, file.title), this.less, this.size, this.more),
      this.frame,
      this.said,
    );
    this.frame.addEventListener("keydown", (event) => this.#key(event));
    this.#drag();
    /** Ends when it is there, or is said not to be. */
    this.fetched = this.#fetch();
  }

  async #fetch() {
    try {
      const text = await this.room.text(this.file.path);
      const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
      if (root.nodeName !== "svg") throw new Error(t`the drawing cannot be read`);
      this.#take(root);
    } catch (error) {
      this.frame.replaceChildren(trouble(t`The drawing could not be fetched: ${error.message}`, () => this.#fetch()));
    }
  }

  #take(root) {
    const words = root.querySelector(":scope > desc")?.textContent.trim();
    this.said.hidden = !words;
    this.words.textContent = words || "";
    this.image = cleaned(root);
    for (const name of ["width", "height", "aria-labelledby", "aria-describedby"]) this.image.removeAttribute(name);
    this.image.setAttribute("class", "diagram-image");
    this.image.setAttribute("role", "img");
    this.image.setAttribute("aria-label", root.querySelector(":scope > title")?.textContent.trim() || this.file.title);
    this.frame.replaceChildren(this.image);
    this.#set(0);
  }

  #set(step) {
    this.#zoom = Math.max(0, Math.min(STEPS.length - 1, step));
    const {
      scrollLeft: left,
      scrollTop: top,
      clientWidth: width,
      clientHeight: height,
      scrollWidth: wide,
      scrollHeight: high,
    } = this.frame;
    const [x, y] = [(left + width / 2) / wide, (top + height / 2) / high];
    if (this.image) this.image.style.width = `${STEPS[this.#zoom] * 100}%`;
    this.less.disabled = this.#zoom === 0;
    this.more.disabled = this.#zoom === STEPS.length - 1;
    this.size.textContent = `${STEPS[this.#zoom] * 100} %`;
    this.frame.classList.toggle("large", this.#zoom > 0);
    requestAnimationFrame(() =>
      this.frame.scrollTo(x * this.frame.scrollWidth - width / 2, y * this.frame.scrollHeight - height / 2),
    );
  }

  #key(event) {
    const by = { "+": 1, "=": 1, "-": -1 }[event.key];
    if (event.key === "0") this.#set(0);
    else if (by) this.#set(this.#zoom + by);
    else return;
    event.preventDefault();
  }

  #drag() {
    this.frame.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || event.button || !this.#zoom) return;
      const from = { x: event.clientX + this.frame.scrollLeft, y: event.clientY + this.frame.scrollTop };
      const move = (now) => this.frame.scrollTo(from.x - now.clientX, from.y - now.clientY);
      this.frame.setPointerCapture(event.pointerId);
      this.frame.addEventListener("pointermove", move);
      this.frame.addEventListener("lostpointercapture", () => this.frame.removeEventListener("pointermove", move), {
        once: true,
      });
    });
  }
}
