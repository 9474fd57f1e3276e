export * from "../../../vendor/codemirror_python.entry.js";
