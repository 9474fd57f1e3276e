// What the editor, the read-only viewers and the difference view use, in one bundle: two copies of
// @codemirror/state on one page break the editor.

export {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completeAnyWord,
  completionKeymap,
} from "@codemirror/autocomplete";
export {
  defaultKeymap,
  history,
  historyKeymap,
  indentLess,
  indentMore,
  indentWithTab,
  redo,
  undo,
} from "@codemirror/commands";
export { markdown, markdownLanguage } from "@codemirror/lang-markdown";
export { python, pythonLanguage } from "@codemirror/lang-python";
export { yaml, yamlLanguage } from "@codemirror/lang-yaml";
export {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  StreamLanguage,
  syntaxHighlighting,
} from "@codemirror/language";
export { shell } from "@codemirror/legacy-modes/mode/shell";
export { MergeView, unifiedMergeView } from "@codemirror/merge";
export { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
export {
  Annotation,
  Compartment,
  EditorState,
  RangeSetBuilder,
  StateEffect,
  StateField,
  Transaction,
} from "@codemirror/state";
export {
  crosshairCursor,
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
  ViewPlugin,
  WidgetType,
} from "@codemirror/view";
export { classHighlighter, highlightCode, tags } from "@lezer/highlight";
