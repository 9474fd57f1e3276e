// How an answer of the assistant is cut into prose and code, and how what is left of it is said.

import { t } from "../../headnode/words.js";

/** Text with ``` fences as [{isCode, text}]; a fence that is still open ends with the text. */
export function blocksOf(text) {
  const blocks = [];
  let lines = [];
  let isCode = false;
  const end = () => {
    const whole = lines.join("\n").replace(/^\n+|\s+$/g, "");
    if (whole) blocks.push({ isCode, text: whole });
    lines = [];
  };
  for (const line of text.split("\n")) {
    if (/^\s*```/.test(line)) {
      end();
      isCode = !isCode;
    } else lines.push(line);
  }
  end();
  return blocks;
}

/** In per cent, rounded down, so that nothing is promised that is not there. */
export function leftText(left, most) {
  return t`${Math.floor((100 * left) / most)} % of your share is left`;
}
