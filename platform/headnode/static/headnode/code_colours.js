// Names the language of a file and colours code that is only read.

import { el } from "./dom.js";
import {
  classHighlighter,
  highlightCode,
  markdown,
  python,
  pythonLanguage,
  StreamLanguage,
  shell,
  yaml,
  yamlLanguage,
} from "./vendor/codemirror.js";

/** The editor extension for a path, or nothing for plain text. */
export function languageOf(path) {
  const ending = path.split(".").pop();
  if (ending === "py") return python();
  if (ending === "md") return markdown();
  if (ending === "yml" || ending === "yaml") return yaml();
  if (ending === "sh") return SHELL;
  return [];
}

const SHELL = StreamLanguage.define(shell);

function parserOf(text, title) {
  if (/\.ya?ml$/.test(title)) return yamlLanguage.parser;
  if (/\.sh$/.test(title) || /^#!.*sh\b/.test(text)) return SHELL.parser;
  return pythonLanguage.parser;
}

/** A <code> element with the text in coloured spans; Python unless its title or first line says otherwise. */
export function colouredCode(text, title = "") {
  const parser = parserOf(text, title);
  const code = el("code");
  const put = (piece, classes) => code.append(classes ? el("span", { className: classes }, piece) : piece);
  highlightCode(text, parser.parse(text), classHighlighter, put, () => code.append("\n"));
  return code;
}
