export * from "../../../vendor/codemirror_markdown.entry.js";
