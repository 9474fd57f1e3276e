// What the editor and the fields for queries use. Languages, search and the difference view are entries of their own, fetched
// where one is wanted. All are built in one go, as two copies of @codemirror/state on one page break the editor.
export { EditorState, Compartment, Prec, StateEffect, StateField } from "@codemirror/state";
export {
  EditorView, keymap, lineNumbers, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars,
  drawSelection, Decoration, ViewPlugin,
} from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export {
  bracketMatching, indentOnInput, indentUnit, foldGutter, foldKeymap, syntaxHighlighting, StreamLanguage,
} from "@codemirror/language";
export { closeBrackets, closeBracketsKeymap, autocompletion, completionKeymap } from "@codemirror/autocomplete";
export { highlightCode, classHighlighter } from "@lezer/highlight";
