// An answer to read after the work: what a room keeps as JSON stands there in words, with its file below them.

import { el } from "../../headnode/dom.js";
import { fetchWords, partName, readable } from "./answer_parts.js";

const answers = document.getElementById("answers");
const kept = [...answers.querySelectorAll("[data-path]")].filter((node) => partName(node.dataset.path));
if (kept.length) await fetchWords(answers.dataset.workplace);
for (const node of kept) {
  const { name, text } = readable(node.dataset.path, node.querySelector("pre").textContent);
  if (text) node.before(el("h3", {}, name), el("p", { className: "as-written" }, text));
}
