export * from "../../../vendor/codemirror_search.entry.js";
