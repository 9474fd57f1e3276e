// Work on one's own machine: take the kit home, bring files back. Both stand above the editor.

import { announce } from "../../headnode/announce.js";
import { openDialog } from "../../headnode/dialogs.js";
import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";

const UNSENT = t`Your latest changes have not reached the server yet, so the kit would be without them. Try again
  when the
    connection is back.`;

/** What brings files in, fetched when somebody comes to its button: most never do. */
const uploads = async () => (await import("./uploads.js")).uploadFiles;

async function bringFiles(into) {
  try {
    const upload = await uploads();
    upload(into);
  } catch {
    announce(t`Upload could not be opened: press its button again in a moment.`, { now: true });
  }
}

/** Puts the buttons among the editor's tools; without kitUrl there is nothing to download. */
export function setUpOwnEditor(tools, { answer, queue, limits, kitUrl }) {
  const upload = el(
    "button",
    {
      type: "button",
      className: "quiet",
      title: t`Upload files from your machine`,
      onpointerenter: () => uploads().catch(() => {}),
      onfocus: () => uploads().catch(() => {}),
      onclick: () => bringFiles({ answer, queue, limits }),
    },
    t`Upload`,
  );
  const home =
    kitUrl &&
    el(
      "button",
      {
        type: "button",
        className: "quiet take-home",
        title: t`Work in your own editor`,
        onclick: () => takeHome(queue, kitUrl),
      },
      t`Own editor`,
    );
  tools.append(upload, ...(home ? [home] : []));
  answer.addEventListener("lock", () => {
    upload.hidden = answer.locked;
  });
}

async function takeHome(queue, kitUrl) {
  const choice = await openDialog({
    title: t`Work in your own editor`,
    content: [
      el(
        "p",
        {},
        t`The kit is a zip of your answer as it is now, the documents, the library, and the simulated cluster
          with the public workloads. Its README has the commands: with Python 3.11 or newer your program and
          your tests run on your own machine, and give the figures that Run gives here.`,
      ),
      el(
        "p",
        {},
        t`The time goes on meanwhile, and only what is in this workspace is handed in. Bring your files back
          with Upload.`,
      ),
    ],
    buttons: [
      { value: false, label: t`Close` },
      {
        value: true,
        label: t`Download the kit`,
        primary: true,
        check: async () => ((await queue.flush()) ? null : UNSENT),
      },
    ],
  });
  if (!choice) return;
  const link = el("a", { href: kitUrl, download: "" });
  document.body.append(link);
  link.click();
  link.remove();
}
