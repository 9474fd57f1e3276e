// The editor of a query in SQL: colours, and completion of tables, their columns, words and functions.

import { nonce } from "../../headnode/dom.js";
import {
  autocompletion,
  bracketMatching,
  classHighlighter,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  defaultKeymap,
  drawSelection,
  EditorState,
  EditorView,
  history,
  historyKeymap,
  keymap,
  StreamLanguage,
  syntaxHighlighting,
} from "../../headnode/vendor/codemirror.js";
import { t } from "../../headnode/words.js";
import { FUNCTIONS, KEYWORDS } from "./sql_words.js";

const WORDS = new Set(KEYWORDS);

const language = StreamLanguage.define({
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^--.*/)) return "comment";
    if (stream.match(/^'(?:[^']|'')*'?/)) return "string";
    if (stream.match(/^"(?:[^"]|"")*"?/)) return "variableName";
    if (stream.match(/^\d+(?:\.\d+)?/)) return "number";
    const word = stream.match(/^[A-Za-z_]\w*/);
    if (!word) {
      stream.next();
      return null;
    }
    const name = word[0].toLowerCase();
    if (WORDS.has(name)) return "keyword";
    return name in FUNCTIONS ? "variableName.function" : "variableName";
  },
});

/** Names that stand for tables in a query: {alias or name: table}. */
function aliases(sql, tables) {
  const found = {};
  for (const [, name, alias] of sql.matchAll(
    /\b(?:from|join|,)\s+"?([A-Za-z_]\w*)"?(?:\s+(?:as\s+)?([A-Za-z_]\w*))?/gi,
  )) {
    if (!(name in tables)) continue;
    found[name] = tables[name];
    if (alias && !WORDS.has(alias.toLowerCase())) found[alias] = tables[name];
  }
  return found;
}

/** What can stand at a place; null inside a text or where a name of the reader's own begins. */
function offers(catalogue, sql, before) {
  if ((before.match(/'/g) || []).length % 2) return null;
  const tables = Object.fromEntries(catalogue.tables.map((table) => [table.name, table]));
  const named = aliases(sql, tables);
  const columns = (table, boost) =>
    table.columns.map(({ name, kind, from }) => ({
      label: name,
      type: "property",
      detail: `${table.name}, ${kind}`,
      info: from ? t`Taken from ${from}` : undefined,
      boost,
    }));
  const dotted = /([A-Za-z_]\w*)\.\w*$/.exec(before);
  if (dotted) return named[dotted[1]] ? columns(named[dotted[1]], 0) : null;
  const names = catalogue.tables.map(({ name, title }) => ({
    label: name,
    type: "class",
    detail: "table",
    info: title,
    boost: /\b(from|join)\s+\w*$/i.test(before) ? 5 : 1,
  }));
  const those = Object.values(named).length ? new Set(Object.values(named)) : catalogue.tables;
  const own = [...those].flatMap((table) => columns(table, 3));
  const calls = Object.entries(FUNCTIONS).map(([label, info]) => ({ label, type: "function", info }));
  return [...own, ...names, ...calls, ...KEYWORDS.map((word) => ({ label: word.toUpperCase(), type: "keyword" }))];
}

/** What was offered is not in the way of the answer. */
function closed(view) {
  completionKeymap.find(({ key }) => key === "Escape")?.run(view);
}

export class SqlEditor {
  constructor({ text, catalogue, run }) {
    const complete = (context) => {
      const before = context.state.sliceDoc(0, context.pos);
      const typed = /\w*$/.exec(before)[0];
      if (!context.explicit && !typed && !before.endsWith(".")) return null;
      const options = offers(catalogue, context.state.doc.toString(), before);
      return options && { from: context.pos - typed.length, options, validFor: /^\w*$/ };
    };
    const extensions = [
      EditorView.cspNonce.of(nonce()),
      history(),
      drawSelection(),
      bracketMatching(),
      closeBrackets(),
      EditorView.lineWrapping,
      language,
      syntaxHighlighting(classHighlighter),
      autocompletion({ override: [complete], icons: false }),
      EditorView.contentAttributes.of({ "aria-label": t`Query in SQL; Ctrl+Enter runs it`, tabindex: "0" }),
      keymap.of([
        { key: "Mod-Enter", run: (view) => (closed(view), run(), true) },
        ...completionKeymap,
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...historyKeymap,
      ]),
    ];
    this.view = new EditorView({ state: EditorState.create({ doc: text, extensions }) });
    this.node = this.view.dom;
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
      selection: { anchor: text.length },
    });
  }

  /** Put a name where the cursor stands. */
  insert(text) {
    this.view.dispatch(this.view.state.replaceSelection(text));
    this.view.focus();
  }

  focus() {
    this.view.focus();
  }
}
