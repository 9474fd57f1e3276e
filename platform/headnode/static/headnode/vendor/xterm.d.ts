export * from "../../../vendor/xterm.entry.js";
