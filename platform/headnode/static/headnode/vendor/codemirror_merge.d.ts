export * from "../../../vendor/codemirror_merge.entry.js";
