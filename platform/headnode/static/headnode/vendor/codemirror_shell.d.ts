export * from "../../../vendor/codemirror_shell.entry.js";
