export * from "../../../vendor/codemirror.entry.js";
