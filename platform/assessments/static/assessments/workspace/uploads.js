// Brings files from the candidate's own machine into the answer: read, checked, and asked about first.

import { announce } from "../../headnode/announce.js";
import { openDialog } from "../../headnode/dialogs.js";
import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";

// What editors and Python leave behind is no part of an answer.
const LEFT_BEHIND = /(^|\/)(\.[^/]*|__pycache__|[^/]+\.pyc)(\/|$)/;

/** Path -> text of what differs from the answer. Throws an Error with one sentence for a person. */
async function readUploads(files, answer, { max_body: most, max_files: mostFiles }) {
  const changed = new Map();
  for (const file of files) {
    // A folder's own name is not part of its files' paths.
    const path = file.webkitRelativePath ? file.webkitRelativePath.replace(/^[^/]*\//, "") : file.name;
    if (LEFT_BEHIND.test(path)) continue;
    const text = await textOf(file, path, most);
    const there = answer.files.get(path);
    if (there?.text === text) continue;
    const problem = problemWith(path, there, answer);
    if (problem) throw new Error(problem);
    changed.set(path, text);
  }
  const names = new Set([...answer.files.keys(), ...changed.keys()]);
  if (mostFiles && names.size > mostFiles)
    throw new Error(t`That would be ${names.size} files, and an answer has at most ${mostFiles}: leave some out.`);
  checkSize(answer, changed, most);
  return changed;
}

function problemWith(path, there, answer) {
  if (there) return there.readOnly ? t`${path} is read only here: leave it out.` : null;
  const problem = answer.problemWithPath(path);
  if (problem) return t`${path} cannot be the name of a file. ${problem}`;
  return answer.canAddFiles ? null : t`No file can be added in this revision: leave ${path} out.`;
}

async function textOf(file, path, most) {
  if (most && file.size > most)
    throw new Error(
      t`${path} has ${kilobytes(file.size)} kB, and a whole answer may have ${kilobytes(most)} kB: leave it out.`,
    );
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error(t`${path} cannot be read as UTF-8 text: save it as UTF-8, or leave it out.`);
  }
  if (text.includes("\u0000")) throw new Error(t`${path} has a zero byte, so it is not text: leave it out.`);
  return text.replace(/\r\n?/g, "\n");
}

function checkSize(answer, changed, most) {
  const body = answer.body();
  for (const [path, text] of changed) body.files[path] = text;
  const size = new TextEncoder().encode(JSON.stringify(body)).length;
  if (most && size > most)
    throw new Error(
      t`With these files the answer would have ${kilobytes(size)} kB, and it may have ${kilobytes(most)} kB:
        leave some out.`,
    );
}

function kilobytes(bytes) {
  return Math.ceil(bytes / 1000).toLocaleString("en-GB");
}

function ownFolder() {
  const input = el("input", { type: "file" });
  input.webkitdirectory = true;
  return input;
}

/** Ask for files, ask again before any is replaced, and put them into the answer. */
export async function uploadFiles({ answer, queue, limits }) {
  const single = el("input", { type: "file", multiple: true });
  const folder = "webkitdirectory" in single ? ownFolder() : null;
  let changed = new Map();
  const read = async () => {
    const chosen = [...single.files, ...(folder?.files || [])];
    if (!chosen.length) return t`Choose the files first.`;
    try {
      changed = await readUploads(chosen, answer, limits);
    } catch (error) {
      return error.message;
    }
    return changed.size ? null : t`These files are the same as those in your answer.`;
  };
  const sure = await openDialog({
    title: t`Upload files`,
    content: [
      el(
        "p",
        {},
        t`Text files from your machine, UTF-8. A file of the same name is replaced, and you are asked first.
          The written parts are not files: paste them into their boxes.`,
      ),
      el("label", { className: "pick" }, t`Files`, single),
      folder &&
        el("label", { className: "pick" }, t`Or a folder with everything in it, such as answer/ of the kit`, folder),
    ],
    buttons: [
      { value: false, label: t`Cancel` },
      { value: true, label: t`Upload`, primary: true, check: read },
    ],
  });
  if (sure && (await mayReplace(changed, answer))) await put(changed, answer, queue);
}

function mayReplace(changed, answer) {
  const there = [...changed.keys()].filter((path) => answer.files.has(path));
  if (!there.length) return true;
  return openDialog({
    title: there.length === 1 ? t`Replace ${there[0]}?` : t`Replace ${there.length} files?`,
    content: [
      there.length > 1
        ? el(
            "ul",
            {},
            there.map((path) => el("li", {}, path)),
          )
        : null,
      el("p", {}, t`What is in the editor now is saved first and stays in History.`),
    ].filter(Boolean),
    buttons: [
      { value: false, label: t`Keep mine` },
      { value: true, label: t`Replace`, primary: true },
    ],
  });
}

async function put(changed, answer, queue) {
  await queue.save();
  if (!answer.putFiles(changed)) return;
  const names = [...changed.keys()];
  announce(names.length === 1 ? t`${names[0]} was uploaded.` : t`${names.length} files were uploaded.`);
}
