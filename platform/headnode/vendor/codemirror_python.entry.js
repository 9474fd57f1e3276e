export { python, pythonLanguage } from "@codemirror/lang-python";
