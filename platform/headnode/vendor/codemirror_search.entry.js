export { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
