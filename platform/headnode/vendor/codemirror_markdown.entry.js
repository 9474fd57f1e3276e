export { markdown, markdownLanguage } from "@codemirror/lang-markdown";
