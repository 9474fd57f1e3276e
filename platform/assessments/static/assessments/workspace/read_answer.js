// An answer to read after the work: what a room keeps as JSON stands there in words, with its file below them.

import { el } from "../../headnode/dom.js";
import { fetchWords, partName, readable } from "./answer_parts.js";

const answers = document.getElementById("answers");
await fetchWords(answers.dataset.workplace);
for (const node of answers.querySelectorAll("[data-path]")) {
  if (!partName(node.dataset.path)) continue;
  const { name, text } = readable(node.dataset.path, node.querySelector("pre").textContent);
  if (text) node.before(el("h3", {}, name), el("p", { className: "as-written" }, text));
}
