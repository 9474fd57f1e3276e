// The drafts saved so far: look at one, compare it with the present text, go back to it.

import { ask } from "../../headnode/api.js";
import { openDialog } from "../../headnode/dialogs.js";
import { el, nonce } from "../../headnode/dom.js";
import {
  classHighlighter,
  EditorState,
  EditorView,
  lineNumbers,
  syntaxHighlighting,
} from "../../headnode/vendor/codemirror.js";
import { MergeView } from "../../headnode/vendor/codemirror_merge.js";
import { t, timeOfDay } from "../../headnode/words.js";
import { readable } from "./answer_parts.js";
import { language } from "./language.js";

function side(doc, path, label) {
  return {
    doc,
    extensions: [
      EditorView.cspNonce.of(nonce()),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
      lineNumbers(),
      language(path),
      syntaxHighlighting(classHighlighter),
      EditorView.lineWrapping,
    ],
  };
}

/** Parts that differ between two bodies: [{name, before, after}]. */
function differences(before, after, titles) {
  const parts = [];
  for (const kind of ["files", "sections"]) {
    for (const name of new Set([...Object.keys(before[kind]), ...Object.keys(after[kind])])) {
      const [a, b] = [before[kind][name] ?? "", after[kind][name] ?? ""];
      if (a === b) continue;
      const [was, is] = [readable(name, a), readable(name, b)];
      parts.push({ name: titles.get(name) || is.name, path: name, before: was.text, after: is.text });
    }
  }
  return parts;
}

/** A draft beside what is on the page now, part by part. */
export function compared(draft, answer) {
  const titles = new Map([...answer.sections].map(([key, section]) => [key, section.title]));
  const parts = differences(draft.body, answer.body(), titles);
  if (!parts.length) return [el("p", { className: "muted" }, t`This draft is the same as what is on the page now.`)];
  return parts.map((part) => {
    const host = el("div", { className: "merge" });
    new MergeView({
      a: side(part.before, part.path, t`${part.name} in draft ${draft.number}`),
      b: side(part.after, part.path, t`${part.name} on the page now`),
      parent: host,
      collapseUnchanged: { margin: 2, minSize: 6 },
    });
    return el(
      "section",
      {},
      el(
        "h3",
        {},
        part.name,
        el("span", { className: "muted small" }, t` draft #${draft.number} on the left, the page on the right`),
      ),
      host,
    );
  });
}

async function view(summary, { url, answer, restore }) {
  const draft = await ask(`${url}/${summary.number}`);
  const choice = await openDialog({
    title: t`Draft #${draft.number}, ${timeOfDay(draft.at)}`,
    wide: true,
    content: compared(draft, answer),
    buttons: [
      { value: "back", label: t`Back to the list` },
      ...(answer.locked ? [] : [{ value: "restore", label: t`Go on from this draft`, primary: true }]),
    ],
  });
  if (choice === "restore") restore(draft);
  return choice;
}

function list(drafts, pick) {
  if (!drafts.length)
    return el(
      "p",
      { className: "muted" },
      t`Nothing has been saved yet. The first draft appears here seconds after you start typing.`,
    );
  const row = (draft) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, `#${draft.number}`),
      el("td", {}, timeOfDay(draft.at)),
      el("td", { className: "figure" }, `${(draft.size / 1000).toFixed(1)} kB`),
      el("td", {}, draft.diverged ? t`kept beside the main line` : ""),
      el(
        "td",
        {},
        el(
          "button",
          {
            type: "button",
            className: "quiet",
            onclick: () => pick(draft),
            "aria-label": t`Look at draft ${draft.number}`,
          },
          t`Look`,
        ),
      ),
    );
  return el(
    "div",
    { className: "scroll history", tabindex: "0", role: "region", "aria-label": t`Saved drafts` },
    el(
      "table",
      {},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          [t`Draft`, t`Saved`, t`Size`, t`Note`, ""].map((head) =>
            el(
              "th",
              { scope: "col", className: head === t`Size` ? "figure" : "" },
              head || el("span", { className: "unseen" }, t`Action`),
            ),
          ),
        ),
      ),
      el("tbody", {}, drafts.map(row)),
    ),
  );
}

/** Open the list; restore(draft) is called with the draft the candidate goes back to. */
export async function openHistory(options) {
  let choice = "back";
  while (choice === "back") {
    const { drafts } = await ask(options.url);
    choice = await new Promise((resolve) => {
      const pick = async (draft) => {
        document.querySelector("dialog[open]")?.remove();
        resolve(await view(draft, options).catch((error) => (options.failed(error), null)));
      };
      const dialog = openDialog({
        title: t`Saved drafts`,
        content: [
          el(
            "p",
            { className: "muted" },
            t`Newest first. Going back to a draft makes it a new draft; nothing is removed.`,
          ),
          list(drafts, pick),
        ],
        buttons: [{ value: null, label: t`Close`, primary: true }],
      });
      dialog.then(resolve);
    });
  }
}
