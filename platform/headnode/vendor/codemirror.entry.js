// What the editor, the read-only viewers and the difference view use, in one bundle: two copies of
// @codemirror/state on one page break the editor.
export { EditorState, Compartment, StateEffect, StateField, Transaction, Annotation, RangeSetBuilder } from "@codemirror/state";
export {
  EditorView, keymap, lineNumbers, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars,
  drawSelection, rectangularSelection, crosshairCursor, Decoration, ViewPlugin, WidgetType,
} from "@codemirror/view";
export {
  defaultKeymap, history, historyKeymap, indentWithTab, indentMore, indentLess, undo, redo,
} from "@codemirror/commands";
export {
  bracketMatching, indentOnInput, indentUnit, foldGutter, foldKeymap, syntaxHighlighting, HighlightStyle, StreamLanguage,
} from "@codemirror/language";
export { search, searchKeymap, highlightSelectionMatches, openSearchPanel } from "@codemirror/search";
export { closeBrackets, closeBracketsKeymap, autocompletion, completionKeymap, completeAnyWord } from "@codemirror/autocomplete";
export { python, pythonLanguage } from "@codemirror/lang-python";
export { markdown, markdownLanguage } from "@codemirror/lang-markdown";
export { yaml, yamlLanguage } from "@codemirror/lang-yaml";
export { shell } from "@codemirror/legacy-modes/mode/shell";
export { MergeView, unifiedMergeView } from "@codemirror/merge";
export { tags, highlightCode, classHighlighter } from "@lezer/highlight";
