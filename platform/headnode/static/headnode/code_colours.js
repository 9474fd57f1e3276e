// Names the language of a file and colours code that is only read. A language is fetched for the first text in it.

import { el } from "./dom.js";

const NAMES = { py: "python", md: "markdown", yml: "yaml", yaml: "yaml", sh: "shell" };
const PARTS = {
  python: async () => {
    const { python, pythonLanguage } = await import("./vendor/codemirror_python.js");
    return { extension: python(), parser: pythonLanguage.parser };
  },
  markdown: async () => {
    const { markdown, markdownLanguage } = await import("./vendor/codemirror_markdown.js");
    return { extension: markdown(), parser: markdownLanguage.parser };
  },
  yaml: async () => {
    const { yaml, yamlLanguage } = await import("./vendor/codemirror_yaml.js");
    return { extension: yaml(), parser: yamlLanguage.parser };
  },
  shell: async () => {
    const { shellLanguage } = await import("./vendor/codemirror_shell.js");
    return { extension: shellLanguage, parser: shellLanguage.parser };
  },
};
const fetched = new Map();

/** What a language consists of, as {extension, parser}; null for plain text, and where it cannot be fetched. */
function fetchLanguage(name) {
  if (!name) return Promise.resolve(null);
  if (!fetched.has(name)) {
    const job = PARTS[name]().catch(() => null);
    fetched.set(name, job);
    job.then((part) => part || fetched.delete(name));
  }
  return fetched.get(name);
}

/** The language of a file, {extension, parser}, or null. */
export function languageOf(path) {
  return fetchLanguage(NAMES[path.split(".").pop()]);
}

function nameOf(text, title) {
  if (/\.ya?ml$/.test(title)) return "yaml";
  if (/\.sh$/.test(title) || /^#!.*sh\b/.test(text)) return "shell";
  return "python";
}

/** A <code> element with the text, in coloured spans once they are there; Python unless its title or first line
 *  says otherwise. */
export function colouredCode(text, title = "") {
  const code = el("code", {}, text);
  colour(code, text, nameOf(text, title)).catch(() => null); // it can be read without
  return code;
}

async function colour(code, text, name) {
  const [language, { classHighlighter, highlightCode }] = await Promise.all([
    fetchLanguage(name),
    import("./vendor/codemirror.js"),
  ]);
  if (!language) return;
  const pieces = new DocumentFragment();
  const put = (piece, classes) => pieces.append(classes ? el("span", { className: classes }, piece) : piece);
  highlightCode(text, language.parser.parse(text), classHighlighter, put, () => pieces.append("\n"));
  code.replaceChildren(pieces);
}
