export { yaml, yamlLanguage } from "@codemirror/lang-yaml";
