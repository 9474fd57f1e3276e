// Another tab or device has saved newer text: both versions side by side, and the question which one goes on.

import { ask } from "../../headnode/api.js";
import { openDialog } from "../../headnode/dialogs.js";
import { el } from "../../headnode/dom.js";
import { t, timeOfDay } from "../../headnode/words.js";

/** What tells the newer version from the page; nothing where it cannot be fetched, as one can answer without. */
async function difference(url, answer) {
  try {
    const newer = await ask(url, undefined, { timeout: 4000 });
    return (await import("./history.js")).compared(newer, answer);
  } catch {
    return [];
  }
}

function whatIsKept({ at, number, own }) {
  const time = timeOfDay(at);
  return own
    ? t`Another tab or device saved a newer version at ${time} (#${number}). Both versions are kept; what you see
        here is saved as #${own}, and you can reach either of them through History.`
    : t`Another tab or device saved a newer version at ${time} (#${number}). Both versions are kept, and you can
        reach either of them through History.`;
}

/** Ask which version goes on: "theirs" or "own". drafts: where drafts are read. */
export async function settleConflict(conflict, { answer, drafts }) {
  const shown = await difference(`${drafts}/${conflict.number}`, answer);
  return openDialog({
    title: t`This answer was also changed somewhere else`,
    alert: true,
    wide: shown.length > 0,
    content: [el("p", {}, whatIsKept(conflict)), shown, el("p", {}, t`Which one do you want to go on with here?`)],
    buttons: [
      { value: "theirs", label: t`Load the newer version` },
      { value: "own", label: t`Keep this version`, primary: true },
    ],
  });
}
