// How a run ended, in the page's language: the sandbox says it in English sentences, which staff read as well. What a
// pack's world adds stays as it was said, and so does the error that the program raised, within its sentence.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";

/**
 * Each a sentence of sandbox.verdict, sandbox.conversation or graders.playing, from its beginning.
 * @type {[RegExp, (...found: string[]) => string][]}
 */
const KNOWN = [
  [/Your program ran to its end\./y, () => t`Your program ran to its end.`],
  [
    /Your program ended by itself before the episode was over\./y,
    () => t`Your program ended by itself before the episode was over.`,
  ],
  [
    /Your program stopped with (.+?) \(([^()\s]+), line (\d+)\)\./y,
    (error, file, line) => t`Your program stopped with ${error} (${file}, line ${line}).`,
  ],
  [/Your program ended with exit code (\d+)\./y, (code) => t`Your program ended with exit code ${code}.`],
  [/Your program was ended by the signal (\w+)\./y, (name) => t`Your program was ended by the signal ${name}.`],
  [
    /Your program was stopped at the limit of (\S+) s processor time\./y,
    (limit) => t`Your program was stopped at the limit of ${limit} s processor time.`,
  ],
  [
    /Your program was stopped at the time limit of (\S+) s\./y,
    (limit) => t`Your program was stopped at the time limit of ${limit} s.`,
  ],
  [
    /Your program was stopped: it took (\S+) s of processor time to answer its calls\./y,
    (limit) => t`Your program was stopped: it took ${limit} s of processor time to answer its calls.`,
  ],
  [
    /Your program needed more than its (\d+) MiB of memory\./y,
    (limit) => t`Your program needed more than its ${limit} MiB of memory.`,
  ],
  [/Your program printed more than (\d+) KiB\./y, (limit) => t`Your program printed more than ${limit} KiB.`],
  [/The run was cancelled\./y, () => t`The run was cancelled.`],
  [
    /Your program was killed from outside the sandbox; not its fault\./y,
    () => t`Your program was killed from outside the sandbox; not its fault.`,
  ],
  [
    /The sandbox lost sight of the program; not your fault\./y,
    () => t`The sandbox lost sight of the program; not your fault.`,
  ],
  [
    /The simulated cluster failed while it answered; not your fault\./y,
    () => t`The simulated cluster failed while it answered; not your fault.`,
  ],
  [
    /It had not let a single tick of the ([a-z ]+) pass\./y,
    (span) => t`It had not let a single tick of the ${spanText(span)} pass.`,
  ],
  [
    /That was at (\d\d:\d\d)(?: on day (\d+))? of the simulated ([a-z ]+); the rest ran without a controller\./y,
    (at, day, span) =>
      day
        ? t`That was at ${at} on day ${day} of the simulated ${spanText(span)}; the rest ran without a controller.`
        : t`That was at ${at} of the simulated ${spanText(span)}; the rest ran without a controller.`,
  ],
  [/The controller saw the whole ([a-z ]+): /y, (span) => t`The controller saw the whole ${spanText(span)}: `],
];

const SPANS = {
  hour: t`hour`,
  day: t`day`,
  "stretch of days": t`stretch of days`,
  "training week": t`training week`,
  period: t`period`,
  quarter: t`quarter`,
};

/** The word for how long a pack's workload is; another than these stays as it is. */
function spanText(span) {
  return SPANS[span] || span;
}

/** The text cut into [words, whether they are the page's own]. */
export function verdictParts(detail) {
  const parts = [];
  let rest = "";
  for (let at = 0; at < detail.length; ) {
    const found = at === 0 || /\s/.test(detail[at - 1]) ? known(detail, at) : null;
    if (!found) {
      rest += detail[at];
      at += 1;
      continue;
    }
    if (rest) parts.push([rest, false]);
    rest = "";
    parts.push([found.text, true]);
    at += found.length;
  }
  return rest ? [...parts, [rest, false]] : parts;
}

function known(detail, at) {
  for (const [pattern, words] of KNOWN) {
    pattern.lastIndex = at;
    const match = pattern.exec(detail);
    if (match) return { text: words(...match.slice(1)), length: match[0].length };
  }
  return null;
}

export function verdictText(detail) {
  return verdictParts(detail)
    .map(([text]) => text)
    .join("");
}

/** A span of the sentence; what is not the page's own says that it is English. */
export function verdict(detail) {
  return el(
    "span",
    {},
    verdictParts(detail).map(([text, ours]) => (ours ? text : el("span", { lang: "en" }, text))),
  );
}
