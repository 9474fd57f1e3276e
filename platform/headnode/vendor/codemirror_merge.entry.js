export { MergeView } from "@codemirror/merge";
