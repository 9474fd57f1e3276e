export { default } from "../../../vendor/uplot.entry.js";
