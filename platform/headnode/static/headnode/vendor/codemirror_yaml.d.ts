export * from "../../../vendor/codemirror_yaml.entry.js";
