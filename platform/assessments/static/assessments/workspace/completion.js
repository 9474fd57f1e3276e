// What the editor proposes while one types: the SDK's calls and objects, and the language's own names.

import { el } from "../../headnode/dom.js";
import { autocompletion, EditorState } from "../../headnode/vendor/codemirror.js";

/** Those that fit what stands before the cursor: after a full stop what objects have, else what they are called. */
export function fitting(proposals, before) {
  const [, stop] = /(\.?)\w*$/.exec(before);
  return proposals.filter(({ kind }) => (kind === "class") === !stop);
}

/** Asked for, or after a full stop or the first letter; comments and texts are left alone. */
function sourceOf(options) {
  return (context) => {
    const word = context.matchBefore(/\.?\w*$/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    if (context.tokenBefore(["Comment", "String"])) return null;
    const from = word.text.startsWith(".") ? word.from + 1 : word.from;
    return { from, options: fitting(options, word.text), validFor: /^\w*$/ };
  };
}

/** "scale(pool: str, size: int) -> ScaleResult", "gpus: int, of Job". */
function signature(label, detail) {
  if (!detail) return label;
  return detail.startsWith("(") ? `${label}${detail}` : `${label}: ${detail}`;
}

/** A paragraph in which `words` are code. */
function paragraph(text) {
  return el(
    "p",
    {},
    text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? el("code", {}, part) : part)),
  );
}

/** proposals: {label, kind, detail, about} from the exercise's API page. */
export function completion(proposals) {
  const options = proposals.map(({ label, kind, detail, about }) => ({
    label,
    kind,
    type: kind,
    detail: detail.length > 60 ? `${detail.slice(0, 59)}…` : detail,
    info: () =>
      el("div", { className: "proposal" }, el("p", { className: "mono" }, signature(label, detail)), paragraph(about)),
  }));
  const source = { autocomplete: sourceOf(options) };
  return [autocompletion({ icons: false }), EditorState.languageData.of(() => [source])];
}
