// What a run printed and how it ended, with the candidate's own line first where its program failed.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { verdict } from "./verdict_words.js";

export const STATUS = {
  ok: ["good", t`Finished`],
  incomplete: ["warn", t`Stopped early`],
  candidate_error: ["bad", t`Your program failed`],
  timeout: ["bad", t`Out of time`],
  cpu_limit: ["bad", t`Out of CPU time`],
  oom: ["bad", t`Out of memory`],
  output_limit: ["bad", t`Too much output`],
  protocol_error: ["bad", t`Rubbish on the channel`],
  crashed: ["bad", t`Crashed`],
  cancelled: ["warn", t`Cancelled`],
  stopped: ["info", t`Stopped`],
  sandbox_error: ["warn", t`Our fault`],
  infrastructure_error: ["warn", t`Our fault`],
};

/** Control characters become visible signs; newlines and tabs stay what they are. */
function visible(text) {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replace(/[\u0000-\u0008\u000b-\u001f]/g, (sign) => String.fromCharCode(0x2400 + sign.charCodeAt(0)))
      .replace(/\u007f/g, "\u2421")
      .replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd")
  );
}

function stream(title, text) {
  if (!text) return null;
  return el("section", {}, el("h3", {}, title), el("pre", { className: "text output", tabindex: "0" }, visible(text)));
}

/** Where a traceback last was in one of the candidate's own files: {path, line, text}, or null.
 *  files: their names as the editor has them. */
export function whereItFailed(stderr, files) {
  const lines = stderr.split("\n");
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const [, file, line] = /^\s*File "([^"]+)", line (\d+)/.exec(lines[at]) ?? [];
    const path = file && files.find((name) => file === name || file.endsWith(`/${name}`));
    if (!path) continue;
    const text = lines.slice(at + 1).findLast((one) => /^[A-Za-z_][\w.]*(:|$)/.test(one)) ?? "";
    return { path, line: Number(line), text };
  }
  return null;
}

// What Python and its libraries say where a name is not found or nobody can be reached.
const NO_NETWORK = /gaierror|Name or service not known|Network is unreachable|Temporary failure in name resolution/;

/** A word on what else a failure could be taken for; null where none is needed. */
export function hintOn({ status, stderr = "" }) {
  if (status !== "candidate_error" || !NO_NETWORK.test(stderr)) return null;
  return t`Your program asked for the network, which is off in every run: the cluster is reached through the SDK
    alone.`;
}

/** What stands where no run has ended yet. */
export function nothingYet(words) {
  return el(
    "p",
    { className: "empty" },
    words ||
      t`Run executes your program against a public workload on a simulated cluster, without any network. What it
        prints, and how it ended, appears here.`,
  );
}

function failureNote({ path, line }, open) {
  return el(
    "p",
    { className: "failed-at" },
    el("button", { type: "button", onclick: () => open(path, line) }, t`Show ${path}, line ${line}`),
  );
}

/** What a run printed and how it ended; what: which workload and draft it was. */
export function output(report, { what, failure, open }) {
  const [meaning, label] = STATUS[report.status] || ["warn", report.status];
  const hint = hintOn(report);
  const waited =
    (report.waited_s ?? 0) < 1
      ? ""
      : t` and ${report.waited_s.toFixed(1)} s of waiting for the platform, which does not count`;
  const spent = t`${(report.wall_s ?? 0).toFixed(1)} s, of which ${(report.cpu_s ?? 0).toFixed(1)} s of CPU${waited};
      ${report.calls ?? 0} calls`;
  return el(
    "div",
    {},
    el(
      "p",
      { className: "verdict" },
      el("span", { className: `tag ${meaning}` }, label),
      verdict(report.detail || ""),
      el("span", { className: "muted small" }, spent),
    ),
    el("p", { className: "muted small" }, what),
    failure ? failureNote(failure, open) : null,
    hint ? el("p", { className: "note info" }, hint) : null,
    (report.marks || []).map((mark) => el("p", { className: "note warn" }, mark)),
    stream(t`Standard output`, report.stdout),
    stream(t`Standard error`, report.stderr),
    report.stdout_truncated
      ? el("p", { className: "muted" }, t`The output was longer than the limit; the rest was cut off.`)
      : null,
    report.stdout || report.stderr ? null : el("p", { className: "muted" }, t`The program printed nothing.`),
  );
}
